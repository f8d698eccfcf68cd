"""Worlds of `fakeplat_factory`: as good as the test's own."""

import pytest

import conftest_plugin
from fakeplat.harness.session import OPTIONS
from tests.harness.test_plugin import INI, run, run_session, session

__all__ = ["session"]


def test_the_plugin_declares_every_option() -> None:
    """The option names in the plugin, which imports nothing of the package, are those of the package."""
    assert OPTIONS == tuple(conftest_plugin.OPTIONS)


def test_a_failing_test_shows_the_requests_of_all_its_worlds(session: pytest.Pytester) -> None:
    """The report of a failing test lists its own requests under the URL of each world, with the reasons."""
    result = run(
        session,
        """
        import pytest
        @pytest.fixture(scope="module")
        def shared(fakeplat_factory):
            return fakeplat_factory()
        def test_passes(shared):
            assert shared.as_user("ada").get("version").status == 200
        def test_fails(shared, fakeplat_factory):
            other = fakeplat_factory(scenario="empty")
            other.as_user("root").get("users/99")
            shared.as_user("eve").get("projects/acme%2Fsite")
            assert 0
        """,
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*fakeplat requests of http://127.0.0.1:*",
            "404 GET /api/v4/projects/acme%2Fsite by eve*(project acme/site *is private and hidden from eve*",
            "*fakeplat requests of http://127.0.0.1:*",
            "404 GET /api/v4/users/99 by root*",
        ]
    )
    result.stdout.no_fnmatch_line("*GET /api/v4/version*")


def test_worlds_of_the_factory_are_strict_too(session: pytest.Pytester) -> None:
    """In a shared strict world only the test with an invalid request fails."""
    result = run(
        session,
        """
        import pytest
        @pytest.fixture(scope="module")
        def shared(fakeplat_factory):
            return fakeplat_factory(strict=True)
        def test_unclean(shared):
            assert shared.as_user("ada").get("issues?colour=red").status == 200
        def test_clean(shared):
            assert shared.as_user("ada").get("issues").status == 200
        """,
    )
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*StrictModeError: list_issues has no parameter colour"])


def test_what_an_act_of_others_raises_fails_the_test_it_ran_in(session: pytest.Pytester) -> None:
    """An exception in a callback fails the test in which it ran, and no later one."""
    result = run(
        session,
        """
        import pytest
        @pytest.fixture(scope="module")
        def shared(fakeplat_factory):
            return fakeplat_factory()
        def test_raises(shared):
            def act(world):
                raise ValueError("by somebody else")
            shared.before("get_version", act)
            assert shared.as_user("ada").get("version").status == 200
        def test_after(shared):
            assert shared.as_user("ada").get("version").status == 200
        """,
    )
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*ValueError: by somebody else"])


def test_worlds_of_the_factory_leave_bundles(session: pytest.Pytester) -> None:
    """A failing test leaves a bundle for each world that it sent requests to."""
    run(
        session,
        """
        def test_fails(fakeplat_factory):
            for _ in range(2):
                fakeplat_factory().as_user("ada").get("version")
            assert 0
        """,
        "--fakeplat-bundle=bundles",
    ).assert_outcomes(failed=1)
    names = sorted(path.name for path in session.path.joinpath("bundles").iterdir())
    stem = "test_worlds_of_the_factory_leave_bundles.py-test_fails"
    assert [f"{stem}-2.json", f"{stem}.json"] == names


def test_a_bundle_is_removed_when_its_test_passes_again(session: pytest.Pytester) -> None:
    """The bundle of a failed test is removed when a repeated run of the test passes."""
    session.makeconftest(
        """
        from _pytest.runner import runtestprotocol
        def pytest_runtest_protocol(item, nextitem):
            runtestprotocol(item, nextitem=nextitem, log=False)
            item._initrequest()
            for report in runtestprotocol(item, nextitem=nextitem, log=False):
                item.ihook.pytest_runtest_logreport(report=report)
            return True
        """
    )
    run(
        session,
        """
        runs = []
        def test_flaky(fakeplat):
            runs.append(fakeplat.as_user("ada").get("version").status)
            assert len(runs) == 2
        """,
        "--fakeplat-bundle=bundles",
    ).assert_outcomes(passed=1)
    assert [] == list(session.path.joinpath("bundles").iterdir())


def test_fakeplat_config_holds_for_the_factory(session: pytest.Pytester) -> None:
    """The options of `fakeplat_config` apply to the factory, and arguments of the call override them."""
    run(
        session,
        """
        import pytest
        @pytest.fixture(scope="session")
        def fakeplat_config():
            return {"tier": "premium", "version": "13.5.9"}
        def test_it(fakeplat_factory):
            instance = fakeplat_factory(tier="ultimate").bench.platform.view.instance
            assert (instance.tier, instance.version) == ("ultimate", "13.5.9")
        """,
    ).assert_outcomes(passed=1)


def test_files_are_looked_for_beside_the_test_and_below_the_root(session: pytest.Pytester) -> None:
    """Scenario files are searched beside the test and below the root, and an error names the searched places."""
    session.makeini(INI + "fakeplat_scenario = worlds/mine.yaml\n")
    session.mkdir("worlds").joinpath("mine.yaml").write_text("users: [{username: rooted}]\n", "utf-8")
    folder = session.mkdir("deep")
    folder.joinpath("beside.yaml").write_text("users: [{username: beside}]\n", "utf-8")
    folder.joinpath("test_deep.py").write_text(
        """
import pytest
def test_ini(fakeplat, fakeplat_factory):
    assert fakeplat.world.user("rooted").name
    assert fakeplat_factory(scenario="beside.yaml").world.user("beside").name
@pytest.mark.fakeplat(scenario="nowhere.yaml")
def test_nowhere(fakeplat):
    pass
""",
        "utf-8",
    )
    result = run_session(session, "--rootdir", str(session.path), "-c", "tox.ini", "deep")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*scenario nowhere.yaml: no such file; tried *deep/nowhere.yaml, */nowhere.yaml"])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ('seed="abc"', "*seed: 'abc' is not a whole number"),
        ('replay="x.tape", tier="premium"', "*a tape cannot be combined with the options tier"),
    ],
)
def test_options_that_make_no_sense_are_refused(session: pytest.Pytester, options: str, text: str) -> None:
    """Options that would have no effect are refused with the reason."""
    result = run(session, f"import pytest\n@pytest.mark.fakeplat({options})\ndef test_it(fakeplat): pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([text])


def test_a_world_is_stopped_reset_and_used_as_a_context(session: pytest.Pytester) -> None:
    """A stopped world closes its port and keeps its journal readable."""
    run(
        session,
        """
        import socket
        from urllib.parse import urlsplit
        def is_open(world):
            with socket.socket() as probe:
                address = urlsplit(world.listen_url)
                return probe.connect_ex((address.hostname, address.port)) == 0
        def test_it(fakeplat_factory):
            with fakeplat_factory() as world:
                assert is_open(world)
                world.as_user("ada").post("projects/acme%2Fsite/star")
                assert world.world.project("acme/site").star_count == 1
                world.reset()
                assert (world.world.project("acme/site").star_count, len(world.requests)) == (0, 0)
                world.as_user("ada").get("version")
            assert not is_open(world)
            assert len(world.requests) == 1
            world.stop()
        """,
    ).assert_outcomes(passed=1)


def test_a_world_can_be_reached_whatever_its_base_url(session: pytest.Pytester) -> None:
    """With a `base_url` responses name that URL, and the world listens at `listen_url`."""
    run(
        session,
        """
        import json, pytest, urllib.request
        @pytest.mark.fakeplat(base_url="http://git.example.test")
        def test_it(fakeplat):
            assert fakeplat.url == "http://git.example.test"
            answer = urllib.request.urlopen(fakeplat.listen_url + "/api/v4/projects/acme%2Fdocs")
            assert json.load(answer)["web_url"] == "http://git.example.test/acme/docs"
        """,
    ).assert_outcomes(passed=1)


def test_the_report_of_many_requests_is_short(session: pytest.Pytester) -> None:
    """A long report lists the last requests and all refusals and counts those that it omits."""
    result = run(
        session,
        """
        def test_many(fakeplat):
            ada = fakeplat.as_user("ada")
            for number in range(200):
                ada.get("user" if number != 20 else "projects/none")
            assert 0
        """,
    )
    result.stdout.fnmatch_lines(
        ["… 20 requests that succeeded …", "404 GET /api/v4/projects/none by ada*", "… 129 requests that succeeded …"]
    )
    assert 50 + 1 == sum(" by ada" in line and line[:3].isdigit() for line in result.outlines)


def test_what_follows_a_reset_belongs_to_the_running_test(session: pytest.Pytester) -> None:
    """Requests after a reset belong to the running test in its report and in strict mode."""
    result = run(
        session,
        """
        import pytest
        @pytest.fixture(scope="module")
        def shared(fakeplat_factory):
            with fakeplat_factory(strict=True) as world:
                yield world
        def test_many(shared):
            for _ in range(3):
                shared.as_user("ada").get("version")
        def test_reset(shared):
            shared.reset()
            assert shared.as_user("gus").delete("projects/acme%2Fsite").status == 202
        def test_strict(shared):
            shared.reset()
            shared.as_user("ada").get("version", params={"nonsense": 1})
        def test_one_that_resets_last(shared):
            shared.as_user("ada").get("version")
            shared.reset()
        def test_after_it(shared):
            assert shared.as_user("gus").post("projects").status == 500
        """,
    )
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        ["*403 DELETE */projects/acme%2Fsite by gus *", "*nonsense*", "*400 POST /api/v4/projects by gus*"]
    )
    result.stdout.no_fnmatch_line("no requests")
