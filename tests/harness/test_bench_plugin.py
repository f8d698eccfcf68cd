"""What the test author's bench does in test sessions: warnings, strictness, races that fail, bundles."""

import json
from pathlib import Path

import pytest

from tests.harness.test_plugin import run, run_command, session

__all__ = ["session"]

DEPRECATED = """
    def test_it(fakeplat):
        assert fakeplat.as_user("ada").get("issues?scope=created-by-me&colour=red").status == 200
    """


def test_what_clients_should_not_send_is_a_warning_of_the_test(session: pytest.Pytester) -> None:
    """Unknown and deprecated parameters are FakeplatWarnings of the test, with the operation and the right name."""
    result = run(session, DEPRECATED)
    result.assert_outcomes(passed=1, warnings=2)
    result.stdout.fnmatch_lines(
        [
            "*test_what_clients*.py:1: FakeplatWarning: list_issues has no parameter colour",
            "*FakeplatWarning: list_issues: scope=created-by-me is deprecated; use created_by_me",
        ]
    )


def test_warnings_can_be_filtered_as_any_other(session: pytest.Pytester) -> None:
    """FakeplatWarning can be ignored or turned into an error by a warning filter."""
    run(session, DEPRECATED, "-W", "ignore::fakeplat.FakeplatWarning").assert_outcomes(passed=1, warnings=0)
    run(session, DEPRECATED, "-W", "error::fakeplat.FakeplatWarning").assert_outcomes(failed=1)


def test_a_failing_test_is_warned_too_and_keeps_its_failure(session: pytest.Pytester) -> None:
    """A failing test keeps its failure beside its warnings, even if warnings are errors."""
    source = DEPRECATED.replace("== 200", "== 299")
    run(session, source).assert_outcomes(failed=1, warnings=2)
    result = run(session, source, "-W", "error::fakeplat.FakeplatWarning")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 200 == 299*"])


@pytest.mark.parametrize("how", ["option", "ini", "marker"])
def test_under_strict_they_fail_the_test(session: pytest.Pytester, how: str) -> None:
    """In strict mode, set by marker, option or ini key, all warnings fail the test in one message."""
    source, options = DEPRECATED, []
    if how == "marker":
        source = "import pytest\n@pytest.mark.fakeplat(strict=True)" + DEPRECATED.replace("\n    ", "\n")
    elif how == "option":
        options = ["--fakeplat-strict=true"]
    else:
        session.makeini("[pytest]\nfakeplat_strict = true\nasyncio_default_fixture_loop_scope = function\n")
    result = run(session, source, *options)
    result.assert_outcomes(failed=1, warnings=0)
    result.stdout.fnmatch_lines(
        ["*StrictModeError: list_issues has no parameter colour", "E*list_issues: scope=created-by-me is deprecated*"]
    )


UNBUILT = """
import pytest

@pytest.mark.fakeplat(version="18.9", strict=True)
def test_what_clients_send(fakeplat):
    assert fakeplat.as_user("root").put("groups/acme?duo_availability=never_on").status == 200
"""


def test_under_strict_a_parameter_that_is_not_built_fails_the_test(session: pytest.Pytester) -> None:
    """In strict mode, a parameter that the release has and fakeplat has not fails the test in words of its own."""
    result = run(session, UNBUILT)
    result.assert_outcomes(failed=1)
    expected = "duo_availability exists since 17.9 at the latest and is not built: it had no effect"
    result.stdout.fnmatch_lines([f"*StrictModeError: update_group: {expected}"])


WITHOUT_EFFECT = """
import pytest

@pytest.mark.fakeplat(version="18.0", strict=True)
def test_what_clients_send(fakeplat):
    change = {"action": "update", "file_path": ".gitlab-ci.yml", "content": "job: {script: x, identity: google_cloud}"}
    body = {"branch": "main", "commit_message": "Identify", "actions": [change]}
    assert fakeplat.as_user("ada").post("projects/acme%2Fsite/repository/commits", json=body).status == 201
"""


def test_under_strict_a_keyword_without_effect_fails_the_test(session: pytest.Pytester) -> None:
    """In strict mode, a pipeline with a keyword that has no effect yet fails the test that created it."""
    result = run(session, WITHOUT_EFFECT)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*StrictModeError: jobs:job:identity is valid and has no effect in fakeplat yet"])


def test_what_an_act_of_others_raises_fails_the_test(session: pytest.Pytester) -> None:
    """An exception in a callback fails the test at its end and does not change the client's response."""
    result = run(
        session,
        """
        def test_it(fakeplat):
            def act(world):
                assert world.as_user("ada").get("user").json()["username"] == "mia"
            fakeplat.before("get_version", act)
            assert fakeplat.as_user("ada").get("version").status == 200
        """,
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 'ada' == 'mia'*"])


def test_faults_are_declared_by_marker_and_option(session: pytest.Pytester) -> None:
    """Faults can be declared by marker and option, and an invalid one is an error that names the nearest key."""
    source = """
        import pytest
        @pytest.mark.fakeplat(faults=[{"operation": "get_version", "status": 503, "nth": 2}])
        def test_marker(fakeplat):
            assert [fakeplat.as_user("ada").get("version").status for _ in "abc"] == [200, 503, 200]
        def test_option(fakeplat):
            assert fakeplat.as_user("ada").get("version").status == 409
        @pytest.mark.fakeplat(faults=[{"operation": "get_verzion", "status": 503}])
        def test_wrong(fakeplat):
            pass
        @pytest.mark.fakeplat(faults={"status": 503})
        def test_no_list(fakeplat):
            pass
        """
    result = run(session, source, '--fakeplat-faults=[{"path": "version", "status": 409}]')
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(["*did you mean get_version?*", "*faults must be a list of declarations*"])
    result.stdout.no_fnmatch_line("*harness/fake.py*")  # a mistake of the test's is told without our insides


FAILING = """
    import pytest
    @pytest.mark.fakeplat(
        scenario={"extends": "starter", "users": [{"username": "zed"}]},
        tier="premium",
        seed=5,
        faults=[{"operation": "create_issue", "connection": "lost_reply", "nth": 2}],
    )
    def test_it(fakeplat):
        zed, ada = fakeplat.as_user("zed"), fakeplat.as_user("ada")
        ada.post("projects/acme%2Fsite/issues", json={"title": "one"})
        fakeplat.load({"users": [{"username": "late"}]})
        fakeplat.clock.advance("1d")
        with pytest.raises(ConnectionError):
            ada.post("projects/acme%2Fsite/issues", json={"title": "two"})
        narrow = fakeplat.token("ada", scopes=["read_user"])
        assert fakeplat.as_user(None).get("projects", headers={"PRIVATE-TOKEN": narrow}).status == 403
        for _ in range(2):
            assert fakeplat.as_user("late").get("user").status == 200
        assert zed.get("projects/acme%2Fsite").status == 200
    """


@pytest.fixture
def bundle(session: pytest.Pytester) -> Path:
    """The bundle that a failing test leaves."""
    result = run(session, FAILING, "--fakeplat-bundle=left")
    result.assert_outcomes(failed=1)
    (path,) = session.path.joinpath("left").iterdir()
    result.stdout.fnmatch_lines([f"*fakeplat bundle run {path}*"])
    return path


def test_a_failing_test_leaves_one_file(bundle: Path) -> None:
    """The bundle of a failing test has its options, versions and tape, without tokens."""
    document = json.loads(bundle.read_text("utf-8"))
    assert 1 == document["bundle"]
    assert document["test"].endswith("::test_it")
    assert {"fakeplat", "faker", "python"} == document["versions"].keys()
    assert (5, {"tier": "premium"}) == (document["options"]["seed"], document["options"]["instance"])
    assert {"username": "zed"} in document["documents"][-1]["users"]
    assert [201, 201, 403, 200, 404] == [
        line["response"]["status"] for line in document["tape"][1:] if "request" in line
    ]
    assert 1 == len([line for line in document["tape"] if "again" in line])
    assert "ada-token" not in json.dumps(document["tape"])


def test_the_command_runs_it_again(session: pytest.Pytester, bundle: Path) -> None:
    """`bundle run` repeats the requests with the same responses, faults and reasons, and exits with 0."""
    result = run_command(session, "bundle", "run", bundle)
    assert 0 == result.ret
    result.stdout.fnmatch_lines(
        [
            "*::test_it",
            "201 POST*by ada  (fault 1: connection lost_reply)",
            "404 GET*is private and hidden*",
            "*no drift",
        ]
    )


def test_a_changed_response_is_reported(session: pytest.Pytester, bundle: Path) -> None:
    """`bundle run` exits with 1 and prints the difference if a response changed."""
    content = json.loads(bundle.read_text("utf-8"))
    content["tape"][-1]["response"]["status"] = 200
    bundle.write_text(json.dumps(content), "utf-8")
    result = run_command(session, "bundle", "run", bundle)
    assert 1 == result.ret
    result.stdout.fnmatch_lines(["get_project*status 200*404*"])


def test_a_test_goes_on_where_it_ended(session: pytest.Pytester, bundle: Path) -> None:
    """A test with a bundle starts with the world and the journal that the failing test left."""
    run(
        session,
        """
        import pytest
        @pytest.mark.fakeplat(bundle="left/NAME")
        def test_again(fakeplat):
            assert fakeplat.requests[-1].status == 404
            assert [issue.title for issue in fakeplat.world.project("acme/site").issues][-2:] == ["one", "two"]
            assert fakeplat.world.user("late").username == "late"
            assert fakeplat.clock.now.startswith("2020-11-21T")
        @pytest.mark.fakeplat(bundle="left/NAME", tier="free")
        def test_other_options(fakeplat):
            pass
        """.replace("NAME", bundle.name),
    ).assert_outcomes(passed=1, errors=1)


BY_ID = """
    import httpx
    def test_it(fakeplat):
        ada = {"PRIVATE-TOKEN": "ada-token"}
        for path in ("projects/5001", "groups/2", "users/3", "projects/5001/merge_requests/1", "issues/999999"):
            httpx.get(f"{fakeplat.api_url}/{path}", headers=ada)
        fakeplat.as_user("dev").post("projects/5001/issues", json={"title": "t", "assignee_ids": [3]})
        fakeplat.as_user("root").get("issues/10001")
        assert 0
    """


def test_ids_in_a_bundle_are_exact(session: pytest.Pytester) -> None:
    """Replaying a bundle sends recorded ids unchanged and no requests of its own."""
    run(session, BY_ID, "--fakeplat-bundle=left.json").assert_outcomes(failed=1)
    result = run_command(session, "bundle", "run", "left.json")
    result.stdout.fnmatch_lines(["201 POST /api/v4/projects/5001/issues*", "*no drift"])
    requests = [line for line in result.outlines if "/api/v4/" in line]
    assert (0, 7) == (result.ret, len(requests))
    run(
        session,
        """
        import pytest
        @pytest.mark.fakeplat(bundle="left.json")
        def test_again(fakeplat):
            assert "t" == fakeplat.world.project("acme/site").issues[-1].title
            assert 7 == len(fakeplat.requests)
        """,
    ).assert_outcomes(passed=1)


def test_faults_and_callbacks_are_replayed(session: pytest.Pytester) -> None:
    """Replaying a bundle repeats the faults and callbacks of the test, with and without a reset of the world."""
    source = """
        import pytest
        @pytest.mark.fakeplat(faults=[{"operation": "get_version", "status": 503}])
        def test_it(fakeplat):
            ada = fakeplat.as_user("ada")
            assert ada.get("version").status == 503
            if RESET:
                fakeplat.load({"users": [{"username": "gone"}]})
                fakeplat.reset()
            fakeplat.before("update_issue", lambda world: world.as_user("ada").put(ISSUE, json={"title": "theirs"}))
            ada.get("user")
            first = fakeplat.faults.add(operation="update_issue", status=502, nth=2)
            other = fakeplat.faults.add(operation="get_user", status=500)
            statuses = [ada.put(ISSUE, json={"title": "x"}).status for _ in range(2)]
            fakeplat.faults.remove(other)
            statuses.append(ada.get("users/4").status)
            fakeplat.faults.clear()
            statuses.append(ada.get("version").status)
            assert statuses == [200, 502, 200, 200], statuses
            assert 0
        """
    for reset in ("True", "False"):
        text = source.replace("RESET", reset).replace("ISSUE", '"projects/5001/issues/1"')
        result = run(session, text, "--fakeplat-bundle=left.json")
        result.stdout.fnmatch_lines(["*assert 0*"])
        result = run_command(session, "bundle", "run", "left.json")
        result.stdout.fnmatch_lines(["*no drift"])
        assert 0 == result.ret


@pytest.mark.parametrize("content", ["", "{", "[]", '{"bundle": 2}'])
def test_a_file_that_is_no_bundle_is_refused_in_one_line(session: pytest.Pytester, content: str) -> None:
    """`bundle run` with a file that is no bundle exits with status 2 and prints one line."""
    file = session.path / "broken.json"
    file.write_text(content, "utf-8")
    result = run_command(session, "bundle", "run", file)
    assert (2, 1) == (result.ret, len(result.errlines))
    result.stderr.fnmatch_lines([f"fakeplat: {file}*"])


def test_an_altered_bundle_is_refused_in_one_line(session: pytest.Pytester, bundle: Path) -> None:
    """A bundle with an invalid part is refused in one line with the file, the path and the expected value."""
    whole = json.loads(bundle.read_text("utf-8"))
    options, steps = whole["options"], whole["script"]
    for part, other, message in (
        ("numbers", [1], "has 1 numbers for"),
        ("numbers", ["a"], "$.numbers[0]: must be a whole number"),
        ("options", {"teir": 1}, "$.options.teir: unknown key 'teir'"),
        ("options", {**options, "seed": "x"}, "$.options.seed: must be"),
        ("options", {**options, "instance": {"teir": "free"}}, "instance: unknown key 'teir'; did you mean tier?"),
        ("options", {**options, "clock": {"start": "x"}}, "clock: "),
        ("options", {**options, "faults": [{"stats": 500}]}, "fault: unknown key 'stats'; did you mean status?"),
        ("script", [{"a": 1}], "$.script[0]: must be a step"),
        ("script", [{**steps[0], "what": "dance"}], "$.script[0]: must be a step"),
        ("script", [{"after": 0, "what": "now", "given": "noon", "value": ""}], "$.script[0]: must be a step"),
        (
            "script",
            [{"after": 0, "what": "token", "given": {"username": "zzz"}, "value": ""}],
            "there is no user 'zzz'",
        ),
        ("documents", [5], "$.documents[0]: must be a map"),
        ("tape", [{}], "tape:1: needs 'tape'"),
    ):
        file = session.path / "changed.json"
        file.write_text(json.dumps({**whole, part: other}), "utf-8")
        result = run_command(session, "bundle", "run", file)
        assert (2, 1) == (result.ret, len(result.errlines))
        assert result.errlines[0].startswith(f"fakeplat: {file}: {message}")
