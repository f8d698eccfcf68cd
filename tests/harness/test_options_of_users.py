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
    """`fakeplat_config` can be overridden with function, module and session scope."""
    run(session, CONFIG.format(scope=scope)).assert_outcomes(passed=4)


def test_an_unknown_ini_key_is_an_error(session: pytest.Pytester) -> None:
    """An unknown ini key is a usage error that names the closest key."""
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
    """An unknown fakeplat option is a usage error that names the closest option."""
    result = run(session, "def test_it(): pass", option)
    assert pytest.ExitCode.USAGE_ERROR == result.ret
    result.stderr.fnmatch_lines([f"ERROR: {closest}"])


def test_an_unknown_variable_of_the_application_names_the_closest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The application refuses a misspelt FAKEPLAT_ variable and ignores those that resemble no option."""
    for name in ("FAKEPLAT_URL", "FAKEPLAT_TOKEN", "FAKEPLAT_LISTEN_URL", "FAKEPLAT_OF_MY_OWN_KIND"):
        monkeypatch.setenv(name, "x")
    create_app()
    monkeypatch.setenv("FAKEPLAT_TEIR", "premium")
    with pytest.raises(InvalidOption) as error:
        create_app()
    assert "environment: there is no option FAKEPLAT_TEIR; did you mean FAKEPLAT_TIER?" == str(error.value)


def test_the_sweep_marker_takes_no_arguments(session: pytest.Pytester) -> None:
    """The sweep marker refuses arguments with one line of error."""
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
    """The sweep of a test whose clients send no request says that there was nothing to sweep."""
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
    """A mistake in a marker's scenario is an error of one line without fakeplat's traceback."""
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
    """The marker of a test function that uses no world causes a warning."""
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
