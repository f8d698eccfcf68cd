"""Options as users write them: overridden in any scope, and refused in one line when they are wrong."""

import pytest

from fakeplat.asgi import create_app
from fakeplat.workbench.keywords import InvalidOption
from tests.harness.test_plugin import INI, run, session

__all__ = ["session"]

CONFIG = """
    import pytest
    @pytest.fixture{scope}
    def fakeplat_config():
        return {{"tier": "premium", "scenario": "empty"}}
    def tier(world):
        return world.bench.platform.view.instance.tier
    def test_fixture(fakeplat):
        assert ("premium", "empty") == (tier(fakeplat), fakeplat.bench.scenario)
    def test_factory(fakeplat_factory):
        with fakeplat_factory(scenario="starter") as world:
            assert ("premium", "starter") == (tier(world), world.bench.scenario)
    @pytest.fixture(scope="module")
    def shared(fakeplat_factory):
        with fakeplat_factory() as world:
            yield world
    def test_shared(shared):
        assert "premium" == tier(shared)
    class TestOthers:
        @pytest.fixture
        def fakeplat_config(self):
            return {{"tier": "ultimate"}}
        def test_class(self, fakeplat, fakeplat_factory):
            with fakeplat_factory() as world:
                assert ("ultimate", "ultimate") == (tier(fakeplat), tier(world))
"""


@pytest.mark.parametrize("scope", ["", '(scope="module")', '(scope="session")'])
def test_the_default_options_are_overridden_in_any_scope(session: pytest.Pytester, scope: str) -> None:
    """A function, a module or the session may override `fakeplat_config`, for the fixture and for the factory."""
    run(session, CONFIG.format(scope=scope)).assert_outcomes(passed=4)


def test_an_unknown_ini_key_is_an_error(session: pytest.Pytester) -> None:
    """The message names the closest key, and no test runs."""
    session.makeini(INI + "fakeplat_teir = premium\n")
    result = run(session, "def test_it(): pass")
    assert pytest.ExitCode.USAGE_ERROR == result.ret
    result.stderr.fnmatch_lines(["ERROR: there is no option fakeplat_teir; did you mean fakeplat_tier?"])


@pytest.mark.parametrize(
    ("option", "closest"),
    [
        ("--fakeplat-teir=premium", "there is no option --fakeplat-teir; did you mean --fakeplat-tier?"),
        ("--fakeplat-sweeps", "there is no option --fakeplat-sweeps; did you mean --fakeplat-sweep?"),
        ("--fakeplat-colour=red", "there is no option --fakeplat-colour*"),
    ],
)
def test_an_unknown_command_line_option_names_the_closest(session: pytest.Pytester, option: str, closest: str) -> None:
    """The plugin knows its options before pytest calls one unrecognized."""
    result = run(session, "def test_it(): pass", option)
    assert pytest.ExitCode.USAGE_ERROR == result.ret
    result.stderr.fnmatch_lines([f"ERROR: {closest}"])


def test_an_unknown_variable_of_the_application_names_the_closest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt variable is refused; one that looks like no option, or comes from `fakeplat run`, is not."""
    for name in ("FAKEPLAT_URL", "FAKEPLAT_TOKEN", "FAKEPLAT_LISTEN_URL", "FAKEPLAT_OF_MY_OWN_KIND"):
        monkeypatch.setenv(name, "x")
    create_app()
    monkeypatch.setenv("FAKEPLAT_TEIR", "premium")
    with pytest.raises(InvalidOption) as error:
        create_app()
    assert "environment: there is no option FAKEPLAT_TEIR; did you mean FAKEPLAT_TIER?" == str(error.value)


def test_the_sweep_marker_takes_no_arguments(session: pytest.Pytester) -> None:
    """An argument would be ignored; it is one line of error."""
    source = """
        import pytest
        @pytest.mark.fakeplat_sweep(faults=["x"])
        def test_it(fakeplat):
            pass
    """
    for options in ([], ["--fakeplat-sweep"]):
        result = run(session, source, *options)
        assert pytest.ExitCode.USAGE_ERROR == result.ret
        result.stderr.fnmatch_lines(["ERROR: *::test_it: the marker fakeplat_sweep accepts no arguments"])


def test_a_sweep_without_requests_says_so(session: pytest.Pytester) -> None:
    """A test whose clients send nothing survived nothing."""
    source = """
        import pytest
        @pytest.mark.fakeplat_sweep
        def test_it(fakeplat):
            fakeplat.as_user("ada").get("version")
    """
    result = run(session, source, "--fakeplat-sweep")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*::test_it", "  nothing to sweep: no client of the test sent a request*"])


def test_a_scenario_with_a_mistake_is_one_line(session: pytest.Pytester) -> None:
    """The marker's scenario is checked like its other options, without a traceback of fakeplat's own code."""
    source = """
        import pytest
        @pytest.mark.fakeplat(scenario={"extends": "starter", "projcts": []})
        def test_it(fakeplat):
            pass
    """
    result = run(session, source)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*UsageError: $.projcts: unknown key 'projcts', did you mean 'projects'?"])
    result.stdout.no_fnmatch_line("*harness/session.py*")
    result.stdout.no_fnmatch_line("*conftest_plugin.py*")


def test_a_marker_without_the_fixture_is_a_warning(session: pytest.Pytester) -> None:
    """The options of a test that has no world have no effect; a class may declare them for some of its tests."""
    result = run(
        session,
        """
        import pytest
        @pytest.mark.fakeplat(tier="premium")
        def test_in_vain():
            pass
        @pytest.mark.fakeplat(tier="premium")
        def test_used_later(request):
            assert "premium" == request.getfixturevalue("fakeplat").bench.platform.view.instance.tier
        @pytest.mark.fakeplat(tier="premium")
        class TestSome:
            def test_without(self):
                pass
            def test_with(self, fakeplat):
                pass
        """,
    )
    result.assert_outcomes(passed=4, warnings=1)
    result.stdout.fnmatch_lines(["*FakeplatWarning: the marker fakeplat has no effect: *"])
