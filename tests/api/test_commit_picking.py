"""Cherry-picks and reverts. Source: docs/platform/commits.md ('Cherry-pick / revert'). git itself."""

from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.histories import set_repository
from tests.api.requests import FORBIDDEN, Outcome, invalid, outcome, refusal, resource_not_found
from tests.git.command import Git

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)

COMMITS = "projects/acme%2Fsite/repository/commits"
NO_PUSH: Outcome = (403, {"message": "403 Forbidden - You are not allowed to push into this branch"})
WAYS = pytest.mark.parametrize("way", ["cherry_pick", "revert"])


@pytest.fixture
def git(fakeplat: Fakeplat, tmp_path: Path) -> Git:
    """A line of commits, a branch that picks fit on, one that conflicts, and a merge."""
    git = Git(tmp_path / "work")
    text = "".join(f"line {number}\n" for number in range(20))
    git.commit("first", {"text": text})
    git("branch", "stable")
    git.commit("a change\n\nwith a body", {"text": text.replace("line 3\n", "line three\n")})
    git("branch", "conflicting")
    git("checkout", "-q", "conflicting")
    git.commit("another", {"text": text.replace("line 3\n", "line 3!\n")})
    git("checkout", "-q", "-b", "topic", "master")
    git.commit("topic", {"topic.txt": "x\n"})
    git("checkout", "-q", "master")
    git.minute += 1
    git("merge", "-q", "--no-ff", "-m", "Merge branch 'topic'", "topic")
    set_repository(fakeplat, git)
    return git


def refusal_of(verb: str, done: str, what: str, code: str) -> Outcome:
    text = (
        f"Sorry, we cannot {verb} this {what} automatically. This {what} may already have been {done}, "
        "or a more recent commit may have updated some of its content."
    )
    return 400, {"message": text, "error_code": code}


def apply_commit(fake: Fakeplat, sha: str, way: str, branch: str, who: str = "dev") -> dict[str, Any]:
    reply = fake.as_user(who).post(f"{COMMITS}/{sha}/{way}", json={"branch": branch})
    assert 201 == reply.status, reply.text
    new_commit: dict[str, Any] = reply.json()
    return new_commit


def read_text(fake: Fakeplat, ref: str, path: str = "text") -> bytes:
    return fake.as_user("rep").get(f"projects/acme%2Fsite/repository/files/{path}/raw?ref={ref}").content


def test_a_pick_is_what_git_makes_of_it(fakeplat: Fakeplat, git: Git) -> None:
    """A cherry-pick has git's tree, the original author and the caller as committer."""
    picked = git.sha("master^1")
    new_commit = apply_commit(fakeplat, picked, "cherry_pick", "stable")
    git("checkout", "-q", "stable")
    git("cherry-pick", picked)
    author, email = git("log", "-1", "--format=%an%n%ae", picked).split("\n")[:2]

    assert "web_url" == list(new_commit)[-1]
    assert git.raw("show", "stable:text") == read_text(fakeplat, "stable")
    assert (author, email, "dev") == (
        new_commit["author_name"],
        new_commit["author_email"],
        new_commit["committer_name"],
    )
    assert f"a change\n\nwith a body\n\n\n(cherry picked from commit {picked})" == new_commit["message"]
    assert git.sha("stable^") == new_commit["parent_ids"][0]
    assert new_commit["id"] == fakeplat.as_user("rep").get(f"{COMMITS}/stable").json()["id"]


def test_a_revert_is_what_git_makes_of_it(fakeplat: Fakeplat, git: Git) -> None:
    """A revert has git's tree and a message with the reverted title and commit."""
    reverted = git.sha("conflicting")
    new_commit = apply_commit(fakeplat, reverted, "revert", "conflicting")
    git("checkout", "-q", "conflicting")
    git("revert", "--no-edit", reverted)

    assert git.raw("show", "conflicting:text") == read_text(fakeplat, "conflicting")
    assert ("dev", "dev") == (new_commit["author_name"], new_commit["committer_name"])
    assert f'Revert "another"\n\nThis reverts commit {reverted}' == new_commit["message"]


def test_a_merge_is_picked_against_its_first_parent(fakeplat: Fakeplat, git: Git) -> None:
    """A merge commit is cherry-picked relative to its first parent."""
    apply_commit(fakeplat, git.sha("master"), "cherry_pick", "stable")

    assert b"x\n" == read_text(fakeplat, "stable", "topic.txt")


REFUSED = [
    ("cherry_pick", "conflicting", "stable", refusal_of("cherry-pick", "cherry-picked", "commit", "conflict")),
    ("cherry_pick", "master^1", "conflicting", refusal_of("cherry-pick", "cherry-picked", "commit", "conflict")),
    ("cherry_pick", "topic", "topic", refusal_of("cherry-pick", "cherry-picked", "commit", "empty")),
    ("cherry_pick", "master", "topic", refusal_of("cherry-pick", "cherry-picked", "merge request", "empty")),
    ("revert", "master^1", "conflicting", refusal_of("revert", "reverted", "commit", "conflict")),
    ("revert", "topic", "stable", refusal_of("revert", "reverted", "commit", "empty")),
    ("revert", "master", "stable", refusal_of("revert", "reverted", "merge request", "empty")),
]


@pytest.mark.parametrize("dry", [True, False])
@pytest.mark.parametrize(("way", "revision", "branch", "expected"), REFUSED)
def test_conflicts_and_empty_picks_are_refused(
    fakeplat: Fakeplat, git: Git, way: str, revision: str, branch: str, expected: Outcome, dry: bool
) -> None:
    """A conflicting or empty cherry-pick or revert answers 400 with its error code."""
    body = {"branch": branch, "dry_run": dry}
    status, answer = expected
    assert (status, {**answer, "dry_run": "error"} if dry else answer) == refusal(
        fakeplat, "dev", "POST", f"{COMMITS}/{git.sha(revision)}/{way}", json=body
    )


@WAYS
def test_a_dry_run_moves_nothing(fakeplat: Fakeplat, git: Git, way: str) -> None:
    """A successful dry run answers 200 and moves nothing."""
    revision, branch = ("master^1", "stable") if way == "cherry_pick" else ("master^1", "topic")
    body = {"branch": branch, "dry_run": True}
    path = f"{COMMITS}/{git.sha(revision)}/{way}"

    assert (200, {"dry_run": "success"}) == refusal(fakeplat, "dev", "POST", path, json=body)
    assert git.sha(branch) == fakeplat.as_user("rep").get(f"{COMMITS}/{branch}").json()["id"]
    assert 201 == fakeplat.as_user("dev").post(path, json={"branch": branch}).status


CASES: list[tuple[str | None, str, dict[str, Any], Outcome]] = [
    ("dev", "master", {}, invalid("branch is missing, branch is empty")),
    ("dev", "master", {"branch": " "}, invalid("branch is empty")),
    ("dev", "master", {"branch": "stable", "dry_run": "perhaps"}, invalid("dry_run is invalid")),
    ("rep", "nowhere", {"branch": "nowhere"}, NO_PUSH),
    ("dev", "nowhere", {"branch": "a..b"}, resource_not_found("Commit")),
    ("dev", "topic", {"branch": "a..b"}, (400, {"message": "The branch refname is invalid"})),
    ("dev", "topic", {"branch": "nowhere"}, resource_not_found("Branch")),
    ("gus", "topic", {}, FORBIDDEN),
    ("eve", "topic", {}, resource_not_found("Project")),
    (None, "topic", {}, resource_not_found("Project")),
    (None, "topic", {"branch": "master"}, resource_not_found("Project")),
]


@WAYS
def test_anonymous_callers_may_not_push_to_a_public_project(fakeplat: Fakeplat, way: str) -> None:
    """Anonymous cherry-picks to a public project answer 403 instead of 401."""
    path = f"projects/acme%2Fdocs/repository/commits/master/{way}"
    assert NO_PUSH == refusal(fakeplat, None, "POST", path, json={"branch": "master"})
    assert invalid("branch is empty") == refusal(fakeplat, None, "POST", path, json={"branch": ""})


@WAYS
@pytest.mark.parametrize(("who", "sha", "body", "expected"), CASES)
@pytest.mark.usefixtures("git")
def test_the_order_of_checks(
    fakeplat: Fakeplat, way: str, who: str | None, sha: str, body: dict[str, Any], expected: Outcome
) -> None:
    """Cherry-picks check access, parameters, right, commit and branch in this order."""
    assert expected == refusal(fakeplat, who, "POST", f"{COMMITS}/{sha}/{way}", json=body)


@WAYS
def test_a_protected_branch_is_for_maintainers(fakeplat: Fakeplat, git: Git, way: str) -> None:
    """A Developer is refused, a Maintainer is not."""
    body = {"branch": "master", "commit_message": "m", "actions": [{"action": "create", "file_path": "n"}]}
    new_commit = fakeplat.as_user("mia").post(COMMITS, json=body).json()["id"]
    fakeplat.as_user("mia").post("projects/acme%2Fsite/protected_branches", json={"name": "stable"})
    branch = {"branch": "stable"}
    sha = new_commit if way == "cherry_pick" else git.sha("stable")

    assert NO_PUSH == refusal(fakeplat, "dev", "POST", f"{COMMITS}/{sha}/{way}", json=branch)
    assert 201 == outcome(fakeplat.as_user("mia").post(f"{COMMITS}/{sha}/{way}", json=branch))[0]
