"""The plugin in test sessions of its own, as users have them."""

import sys
from pathlib import Path

import pytest

from tests.harness.forks import fork_server

INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"


@pytest.fixture
def session(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini(INI)
    return pytester


# Plugins of this environment that the sessions do not need; importing them takes longer than the tests.
UNUSED = ("cacheprovider", "faker", "hypothesispytest", "aiohttp", "anyio")


def run(session: pytest.Pytester, source: str, *options: str) -> pytest.RunResult:
    """Run a module with this source in a session of its own."""
    session.makepyfile(source)
    return run_session(session, *options)


def run_session(session: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Run the files of the session's folder."""
    blocked = [option for name in UNUSED for option in ("-p", f"no:{name}")]
    return run_module(session, "pytest", f"--basetemp={session.path / 'temporary'}", *blocked, *options)


def run_command(session: pytest.Pytester, *arguments: str | Path) -> pytest.RunResult:
    """Run a command of fakeplat in the session's folder."""
    return run_module(session, "fakeplat", *arguments)


def run_module(session: pytest.Pytester, module: str, *arguments: str | Path) -> pytest.RunResult:
    """Run a module in a fork of a process that has imported what it needs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "popen", fork_server().popen)
        return session.run(sys.executable, "-m", module, *arguments)


def test_each_test_has_a_world_of_its_own(session: pytest.Pytester) -> None:
    """Each test has its own world with a working URL and does not see the writes of others."""
    run(
        session,
        """
        import pytest, urllib.request
        @pytest.mark.parametrize("n", [1, 2])
        def test_star(fakeplat, n):
            assert fakeplat.as_user("ada").post("projects/acme%2Fsite/star").status == 201
            assert urllib.request.urlopen(fakeplat.api_url + "/projects/acme%2Fdocs").status == 200
        """,
    ).assert_outcomes(passed=2)


def test_the_marker_beats_the_fixture_beats_the_option_beats_the_ini_key(session: pytest.Pytester) -> None:
    """The closest marker overrides fakeplat_config, which overrides the command line, which overrides the ini file."""
    session.makeini(INI + "fakeplat_tier = ultimate\nfakeplat_product_name = Ini\nfakeplat_seed = 1\n")
    run(
        session,
        """
        import pytest
        @pytest.fixture(scope="session")
        def fakeplat_config():
            return {"product_name": "Fixture", "version": "13.5.9"}
        def told(fakeplat):
            instance = fakeplat.bench.platform.view.instance
            return instance.tier, instance.product_name, instance.version, fakeplat.bench.seed
        def test_plain(fakeplat):
            assert told(fakeplat) == ("premium", "Fixture", "13.5.9", 1)
        @pytest.mark.fakeplat(version="13.5.2", seed=5)
        class TestMarked:
            def test_class(self, fakeplat):
                assert told(fakeplat) == ("premium", "Fixture", "13.5.2", 5)
            @pytest.mark.fakeplat(tier="free")
            def test_closest(self, fakeplat):
                assert told(fakeplat) == ("free", "Fixture", "13.5.2", 5)
        """,
        "--fakeplat-tier=premium",
    ).assert_outcomes(passed=3)


def test_a_scenario_is_a_name_a_file_beside_the_test_or_a_dict(session: pytest.Pytester) -> None:
    """A scenario is a name from the ini key's folders, a file beside the test or a dict."""
    session.makeini(INI + "fakeplat_scenarios = shelf\n")
    session.mkdir("shelf").joinpath("mine.yaml").write_text("users: [{username: shelved}]\n", "utf-8")
    session.path.joinpath("beside.yaml").write_text("users: [{username: beside}]\n", "utf-8")
    run(
        session,
        """
        import pytest
        @pytest.mark.fakeplat(scenario="mine")
        def test_name(fakeplat):
            assert fakeplat.world.user("shelved").name
        @pytest.mark.fakeplat(scenario="beside.yaml")
        def test_file(fakeplat):
            assert fakeplat.world.user("beside").name
        @pytest.mark.fakeplat(scenario={"extends": "starter", "users": [{"username": "inline"}]})
        def test_dict(fakeplat):
            assert fakeplat.world.user("inline").name and fakeplat.world.user("ada").name
        """,
    ).assert_outcomes(passed=3)


def test_a_failing_test_tells_its_requests_and_reasons(session: pytest.Pytester) -> None:
    """The report of a failing test has the journal with the reason of each refusal."""
    result = run(
        session,
        """
        def test_refused(fakeplat):
            assert fakeplat.as_user("dev").put("projects/acme%2Fsite", json={"description": "x"}).status == 200
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*fakeplat requests*", "403 PUT /api/v4/projects/acme%2Fsite by dev  (admin_project needs*"]
    )


def test_a_bug_of_the_fake_is_reported_with_its_traceback(session: pytest.Pytester) -> None:
    """A 500 of fakeplat is reported in the failing test as a bug, with its traceback."""
    result = run(
        session,
        """
        from fakeplat.domain.projects import projects
        def test_bug(fakeplat, monkeypatch):
            def broken(*_):
                raise ZeroDivisionError("planted")
            monkeypatch.setattr(projects, "star", broken)
            assert fakeplat.as_user("ada").post("projects/acme%2Fsite/star").status == 201
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*a bug in fakeplat*", "*ZeroDivisionError: planted*"])


def test_unknown_options_are_refused_with_the_nearest(session: pytest.Pytester) -> None:
    """A misspelt keyword of the marker is an error that names the right one."""
    result = run(
        session,
        """
        import pytest
        @pytest.mark.fakeplat(teir="free")
        def test_it(fakeplat):
            pass
        """,
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*unknown key 'teir'; did you mean tier?*"])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--fakeplat-strict=no", "*UsageError: fakeplat: strict must be true or false, not 'no'*"),
        ("--fakeplat-lint=eror", "*UsageError: fakeplat: lint must be one of error, warn, off, not 'eror'*"),
    ],
)
def test_invalid_values_of_options_are_refused(session: pytest.Pytester, option: str, message: str) -> None:
    """An invalid value of an option is refused in one line before a world starts."""
    result = run(session, "def test_it(fakeplat): pass", option)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


def test_true_and_false_may_be_written_as_in_python(session: pytest.Pytester) -> None:
    """Boolean options may be written `True` and `False` on the command line and in the ini file."""
    session.makeini(f"{INI}fakeplat_listen = False")
    source = "def test_it(fakeplat): assert fakeplat.url == 'http://fakeplat.test'"
    run(session, source, "--fakeplat-strict=True").assert_outcomes(passed=1)


def test_the_client_runs_on_the_tests_own_loop(session: pytest.Pytester) -> None:
    """The asynchronous client is signed in as root and, with as_user, as other users."""
    run(
        session,
        """
        async def test_client(fakeplat_client):
            async with fakeplat_client.get("user") as answer:
                assert (await answer.json())["username"] == "root"
            answer = await fakeplat_client.as_user("ada").get("/api/v4/user")
            assert (await answer.json())["username"] == "ada"
        """,
    ).assert_outcomes(passed=1)


def test_the_client_says_what_it_needs(session: pytest.Pytester) -> None:
    """Without an asyncio plugin `fakeplat_client` names the plugins that it needs."""
    session.makeini("[pytest]\n")
    result = run(session, "def test_it(fakeplat_client): pass", "-p", "no:asyncio", "-p", "no:aiohttp")
    result.stdout.fnmatch_lines(["*fakeplat_client needs pytest-aiohttp or pytest-asyncio*"])


def test_the_factory_starts_more_platforms(session: pytest.Pytester) -> None:
    """The factory starts several platforms in a test, each with its own options."""
    run(
        session,
        """
        def test_two(fakeplat_factory):
            one, other = fakeplat_factory(scenario="empty"), fakeplat_factory(tier="premium")
            assert one.url != other.url
            assert [user.username for user in one.world.users] == ["root"]
            assert other.world.user("ada").trial is None
        """,
    ).assert_outcomes(passed=1)


def test_it_works_under_xdist(session: pytest.Pytester) -> None:
    """Tests with the fixture pass under pytest-xdist with several workers."""
    source = """
        import pytest
        @pytest.mark.parametrize("n", range(6))
        def test_it(fakeplat, n):
            assert fakeplat.as_user("ada").get("user").status == 200
        """
    run(session, source, "-n", "2").assert_outcomes(passed=6)


def test_it_works_with_workers_elsewhere(session: pytest.Pytester) -> None:
    """Workers that pytest-xdist starts by `--tx`, as on other hosts, have worlds of their own; here they are local."""
    source = """
        import pytest

        @pytest.mark.parametrize("number", range(6))
        def test_a_world(fakeplat, number):
            fakeplat.as_user("ada").post("projects/acme%2Fsite/labels", json={"name": "x", "color": "#ff0000"})
            assert 201 == fakeplat.requests[-1].status
    """
    run(session, source, "--dist=load", "--tx=2*popen").assert_outcomes(passed=6)


def test_loading_the_plugin_imports_nothing_of_the_package(session: pytest.Pytester) -> None:
    """A session that does not use the fixture imports no module of the platform."""
    session.makepyfile(
        """
        import sys
        def test_it():
            assert not {"aiohttp", "fakeplat.platform", "fakeplat.api", "fakeplat.scenario"} & sys.modules.keys()
        """
    )
    session.runpytest_subprocess("-p", "no:aiohttp").assert_outcomes(passed=1)
