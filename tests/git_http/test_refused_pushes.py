"""Pushes that are refused: git shows why, and nothing has moved."""

from collections.abc import Callable

import pytest

from tests.git.command import Git
from tests.git_http.remote import DEVELOPER, MAINTAINER, Remote, error_output

Change = Callable[[Git, Remote], None]
DECLINED = "(pre-receive hook declined)"


def get_refused_push_error(remote: Remote, git: Git, *arguments: str) -> str:
    """What git is told about a push that must leave the world as it is."""
    before = remote.fake.bench.platform.state
    text = error_output(git.tried("push", *arguments))
    assert before is remote.fake.bench.platform.state, "the refusal changed the world"
    return text


def protect_branch(remote: Remote, name: str, push: int, merge: int = MAINTAINER, *, force: bool = False) -> None:
    rule = {"push_access_level": push, "merge_access_level": merge, "allow_force_push": force}
    remote.call("POST", "/protected_branches", json={"name": name, **rule})


def test_a_developer_may_not_push_to_what_is_protected(work: Git, remote: Remote) -> None:
    """A Developer's push to a protected branch is refused, and a Maintainer's is accepted."""
    work.commit("second")
    text = get_refused_push_error(remote, work, remote.url("dev"), "master")
    assert "remote: Platform: You are not allowed to push code to protected branches on this project." in text
    assert f"! [remote rejected] master -> master {DECLINED}" in text
    work("push", "-q", remote.url("mia"), "master")
    assert work.sha() == remote.branches["master"]


@pytest.mark.fakeplat(product_name="Hub")
def test_the_product_names_itself(work: Git, remote: Remote) -> None:
    """Messages to git begin with the instance's product name."""
    work.commit("second")
    assert "remote: Hub: You are not allowed" in get_refused_push_error(remote, work, remote.url("dev"), "master")


def test_one_objection_declines_the_whole_push(work: Git, remote: Remote) -> None:
    """If one ref of a push is refused, all refs are declined."""
    work.commit("second")
    text = get_refused_push_error(remote, work, remote.url("dev"), "master", "master:refs/heads/feature")
    assert 2 == text.count(DECLINED)
    assert {"master"} == set(remote.branches)


def test_the_default_branch_is_not_deleted(work: Git, remote: Remote) -> None:
    """Not even the owner deletes the default branch with git."""
    text = get_refused_push_error(remote, work, "origin", "--delete", "master")
    assert "remote: Platform: The default branch of a project cannot be deleted." in text


@pytest.mark.parametrize(
    ("username", "text"),
    [
        ("ada", "You can only delete protected branches using the web interface."),
        ("dev", "You are not allowed to delete protected branches from this project."),
    ],
)
def test_a_protected_branch_is_not_deleted(work: Git, remote: Remote, username: str, text: str) -> None:
    """Deleting a protected branch with git is refused, and the owner is told where it can be done."""
    work("push", "-q", "origin", "master:refs/heads/stable")
    protect_branch(remote, "stable", DEVELOPER)
    assert f"remote: Platform: {text}" in get_refused_push_error(
        remote, work, remote.url(username), "--delete", "stable"
    )


def test_a_protected_branch_is_not_forced(work: Git, remote: Remote) -> None:
    """A forced push to a protected branch is refused, also for users who may push to it."""
    work("commit", "-q", "--amend", "-m", "other")
    text = get_refused_push_error(remote, work, "--force", "origin", "master")
    assert "remote: Platform: You are not allowed to force push code to a protected branch on this project." in text


@pytest.mark.fakeplat(version="13.11.0")
def test_a_protected_branch_may_be_forced_if_its_rule_allows_it(work: Git, remote: Remote) -> None:
    """A forced push to a protected branch is accepted if its rule allows it."""
    protect_branch(remote, "stable", DEVELOPER, force=True)
    work("push", "-q", "origin", "master:refs/heads/stable")
    work("commit", "-q", "--amend", "-m", "other")
    work("push", "-q", "--force", "origin", "master:refs/heads/stable")
    assert work.sha() == remote.get("/repository/branches/stable")["commit"]["id"]


NEW = [
    (MAINTAINER, MAINTAINER, "You are not allowed to create protected branches on this project."),
    (
        MAINTAINER,
        DEVELOPER,
        "You can only use an existing protected branch ref as the basis of a new protected branch.",
    ),
]


@pytest.mark.parametrize(("push", "merge", "text"), NEW)
def test_a_branch_that_a_pattern_protects_is_not_made(
    work: Git, remote: Remote, push: int, merge: int, text: str
) -> None:
    """Creating a branch that matches a protected pattern is refused to users without permission."""
    protect_branch(remote, "stable-*", push, merge)
    work.commit("second")
    assert f"remote: Platform: {text}" in get_refused_push_error(
        remote, work, remote.url("dev"), "HEAD:refs/heads/stable-1"
    )


def test_a_branch_that_a_pattern_protects_is_made_elsewhere(work: Git, remote: Remote) -> None:
    """A user who may only merge is told to create a protected branch in the web interface or by the API."""
    protect_branch(remote, "stable-*", MAINTAINER, DEVELOPER)
    text = get_refused_push_error(remote, work, remote.url("dev"), "HEAD:refs/heads/stable-1")
    assert "You can only create protected branches using the web interface and API." in text


DELETED_BELOW = (
    "You are not allowed to delete protected tags from this project. "
    "Only a project maintainer or owner can delete a protected tag."
)
DELETED_HERE = "You can only delete protected tags using the web interface."
TAGS: list[tuple[str, list[str], str]] = [
    ("created", ["v2"], "You are not allowed to create this tag as it is protected."),
    ("moved", ["--force", "HEAD:refs/tags/v1"], "Protected tags cannot be updated."),
    ("deleted", ["--delete", "v1"], "Protected tags cannot be deleted."),
]


@pytest.mark.parametrize(("arguments", "text"), [row[1:] for row in TAGS], ids=[row[0] for row in TAGS])
def test_a_protected_tag_stays_as_it_is(work: Git, remote: Remote, arguments: list[str], text: str) -> None:
    """A Developer can neither create nor move nor delete a protected tag with git."""
    work("tag", "v1")
    work("push", "-q", "origin", "v1")
    remote.call("POST", "/protected_tags", json={"name": "v*"})
    work.commit("second")
    work("tag", "v2")
    assert f"remote: Platform: {text}" in get_refused_push_error(remote, work, remote.url("dev"), *arguments)


@pytest.mark.fakeplat(version="latest", default_branch="master")
@pytest.mark.parametrize(("username", "text"), [("dev", DELETED_BELOW), ("mia", DELETED_HERE)])
def test_protected_tags_are_deleted_elsewhere_in_later_releases(
    work: Git, remote: Remote, username: str, text: str
) -> None:
    """Later releases tell who may delete a protected tag, and that git cannot."""
    work("tag", "v1")
    work("push", "-q", "origin", "v1")
    remote.call("POST", "/protected_tags", json={"name": "v*"})
    assert f"remote: Platform: {text}" in error_output(work.tried("push", remote.url(username), "--delete", "v1"))


def archive_project(git: Git, remote: Remote) -> None:
    del git
    remote.call("POST", "/archive")


FORBIDDEN: list[tuple[str, str, Change]] = [
    ("who only reads", "rep", lambda git, remote: None),
    ("what is archived", "ada", archive_project),
]


@pytest.mark.parametrize(("username", "change"), [row[1:] for row in FORBIDDEN], ids=[row[0] for row in FORBIDDEN])
def test_a_push_without_permission_is_refused_before_anything_is_sent(
    work: Git, remote: Remote, username: str, change: Change
) -> None:
    """A push without permission gets 403 with the platform's text before anything is sent."""
    change(work, remote)
    text = get_refused_push_error(remote, work, remote.url(username), "HEAD:refs/heads/feature")
    assert "You are not allowed to push code to this project." in text
    assert "403" in text


def test_a_pack_over_the_limit_is_refused(work: Git, remote: Remote) -> None:
    """A pack over `receive_max_input_size` is refused with a message, and the branch stays."""
    remote.fake.load({"settings": {"receive_max_input_size": 1}})
    noise = b"".join(number.to_bytes(4, "little") * 3 + bytes([number * 7 % 251]) for number in range(400_000))
    sha = work.commit("large", {"large": noise})
    text = get_refused_push_error(remote, work, "origin", "master")
    assert "pack exceeds maximum allowed size" in text
    assert "(unpacker error)" in text
    assert sha != remote.branches["master"]


def test_refs_of_the_platforms_own_are_not_pushed(work: Git, remote: Remote) -> None:
    """Pushes to internal refs are refused as hidden, and other refs of the push move."""
    done = work.tried("push", "origin", "HEAD:refs/keep-around/x", "HEAD:refs/heads/feature")
    assert "(deny updating a hidden ref)" in error_output(done)
    assert {"master", "feature"} == set(remote.branches)


def test_an_atomic_push_moves_all_or_nothing(work: Git, remote: Remote) -> None:
    """In an atomic push, one refused ref makes all others stay."""
    work.commit("second")
    text = get_refused_push_error(
        remote, work, "--atomic", "origin", "HEAD:refs/heads/feature", "HEAD:refs/merge-requests/1/head"
    )
    assert "refs/merge-requests/1/head (deny updating a hidden ref)" in text
    assert {"master"} == set(remote.branches)


def test_a_pointer_to_a_large_file_that_was_not_sent_is_refused(work: Git, remote: Remote) -> None:
    """A push with an LFS pointer is refused if its file is missing, unless LFS is disabled."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12\n"
    work.commit("large", {"large.bin": pointer})
    assert "remote: Platform: LFS objects are missing." in get_refused_push_error(remote, work, "origin", "master")
    remote.call("PUT", "", json={"lfs_enabled": False})
    work("push", "-q", "origin", "master")
    assert work.sha() == remote.branches["master"]
