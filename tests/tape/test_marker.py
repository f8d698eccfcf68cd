"""`@pytest.mark.fakeplat(replay="file")`, in test sessions of their own, as users have them."""

from pathlib import Path

import pytest

from tests.harness.test_plugin import run, run_session
from tests.tape.tapes import build_exchange, build_tape, write_tape

INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"


@pytest.fixture
def session(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini(INI)
    recorded = build_tape(
        build_exchange("GET", "/api/v4/user", {"username": "ada"}), build_exchange("GET", "/api/v4/projects", [])
    )
    write_tape(recorded, pytester.path / "session.tape")
    return pytester


def test_the_fixture_serves_the_tape(session: pytest.Pytester) -> None:
    """The fixture replays a tape over HTTP and in process, with any token."""
    run(
        session,
        """
        import json, urllib.request, pytest
        @pytest.mark.fakeplat(replay="session.tape")
        def test_replay(fakeplat):
            headers = {"PRIVATE-TOKEN": fakeplat.token("eve")}
            request = urllib.request.Request(fakeplat.api_url + "/user", headers=headers)
            assert json.load(urllib.request.urlopen(request)) == {"username": "ada"}
            assert fakeplat.as_user("bob").get("projects").json() == []
            assert fakeplat.api_url == fakeplat.url + "/api/v4"
            assert [entry.operation for entry in fakeplat.requests] == ["get_current_user", "list_projects"]
            assert len(fakeplat.tape) == 2
        @pytest.mark.fakeplat(replay="session.tape")
        async def test_client(fakeplat_client):
            async with fakeplat_client.get("user") as answer:
                assert await answer.json() == {"username": "ada"}
        """,
    ).assert_outcomes(passed=2)


def test_what_needs_a_world_says_so(session: pytest.Pytester) -> None:
    """Attributes of the fixture that need a world raise an error when a tape is replayed."""
    run(
        session,
        """
        import pytest
        @pytest.mark.fakeplat(replay="session.tape")
        @pytest.mark.parametrize("name", ["world", "clock", "settle", "snapshot", "restore", "load", "bench"])
        def test_world(fakeplat, name):
            with pytest.raises(AttributeError, match=f"fakeplat.{name} needs a world; this test replays a tape"):
                getattr(fakeplat, name)
            assert not hasattr(fakeplat, "nothing")
        """,
    ).assert_outcomes(passed=7)


def test_under_strict_a_test_asks_what_the_tape_holds(session: pytest.Pytester) -> None:
    """A strict test fails if it omits a recorded request or sends another one, and its report says which."""
    done = run(
        session,
        """
        import pytest
        @pytest.mark.fakeplat(replay="session.tape", strict=True)
        class TestStrict:
            def test_whole(self, fakeplat):
                assert [fakeplat.as_user("ada").get(path).status for path in ("user", "projects")] == [200, 200]
            def test_left(self, fakeplat):
                fakeplat.as_user("ada").get("user")
            def test_unasked(self, fakeplat):
                for path in ("user", "groups", "projects"):
                    fakeplat.as_user("ada").get(path)
        @pytest.mark.fakeplat(replay="session.tape")
        def test_loose(fakeplat):
            fakeplat.as_user("ada").get("groups")
        """,
    )
    done.assert_outcomes(passed=2, failed=2)
    done.stdout.fnmatch_lines(
        [
            "*never requested: GET /api/v4/projects (line 3)*",
            "*GET /api/v4/groups is not the next recorded request: *(line 3)*",
        ]
    )


@pytest.mark.parametrize("option", ["--fakeplat-replay=session.tape", "-o fakeplat_replay=session.tape"])
def test_the_tape_can_be_an_option_or_an_ini_key(session: pytest.Pytester, option: str) -> None:
    """A tape given as an option or ini key is found from the root of the tests."""
    (session.path / "below").mkdir()
    test = "def test_it(fakeplat): assert fakeplat.as_user('ada').get('user').status == 200"
    (session.path / "below" / "test_below.py").write_text(test, "utf-8")
    run_session(session, *option.split()).assert_outcomes(passed=1)


def test_a_factory_starts_tapes_too(session: pytest.Pytester) -> None:
    """The factory starts a world that replays a tape."""
    run(
        session,
        """
        def test_factory(fakeplat_factory):
            assert fakeplat_factory(replay="session.tape").as_user("ada").get("user").status == 200
        """,
    ).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("content", "message"), [(b"nonsense\n", "session.tape:1: is not valid JSON"), (None, "no such file")]
)
def test_an_unusable_tape_is_refused_in_one_line(session: pytest.Pytester, content: bytes | None, message: str) -> None:
    """A test with an unusable tape has an error of one line with the file and its line."""
    path = Path(session.path / "session.tape")
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    done = run(
        session,
        """
        import pytest
        @pytest.mark.fakeplat(replay="session.tape")
        def test_it(fakeplat): pass
        """,
    )
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines([f"*{message}*"])
