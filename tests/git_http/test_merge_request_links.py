"""What a push prints about merge requests. Source: docs/platform/git-over-http.md."""

from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.git.command import Git
from tests.git_http.remote import Remote


def push(work: Git, *arguments: str) -> list[str]:
    """Push, and return the lines of the server."""
    done = work.tried("push", *arguments)
    assert 0 == done.returncode, done.stderr
    lines = done.stderr.decode().splitlines()
    return [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]


def create_branch(work: Git, name: str) -> None:
    work("checkout", "-q", "-b", name)
    work.commit(f"commit of {name}", {"more.txt": name})


def build_link(remote: Remote, name: str) -> str:
    return f"{remote.fake.url}/{remote.path}/-/merge_requests/new?merge_request%5Bsource_branch%5D={name}"


def test_a_new_branch_gets_the_link_to_a_new_merge_request(work: Git, remote: Remote) -> None:
    """A push of a new branch shows the URL to create a merge request, with the name encoded."""
    create_branch(work, "fix/one#1")
    expected = ["", "To create a merge request for fix/one#1, visit:", build_link(remote, "fix%2Fone%231"), ""]

    assert expected == push(work, "origin", "HEAD")


def test_a_branch_with_a_merge_request_gets_its_link(work: Git, remote: Remote) -> None:
    """A push to a branch with an open merge request shows its URL, also if the push itself created it."""
    create_branch(work, "topic")
    url = f"{remote.fake.url}/{remote.path}/-/merge_requests/1"
    expected = ["", "View merge request for topic:", url, ""]

    assert expected == push(work, "-o", "merge_request.create", "origin", "topic")
    work.commit("again", {"more.txt": "again"})
    assert expected == push(work, "origin", "topic")
    remote.call("PUT", "/merge_requests/1", json={"state_event": "close"})
    work.commit("later", {"more.txt": "later"})
    assert ["", "To create a merge request for topic, visit:", build_link(remote, "topic"), ""] == push(
        work, "origin", "topic"
    )


def test_each_branch_has_its_message(work: Git, remote: Remote) -> None:
    """A push shows a message for each branch, except deleted ones and the default branch, and none for tags."""
    for name in ("one", "two"):
        create_branch(work, name)
    work("tag", "v1")
    lines = push(work, "origin", "one", "two", "v1")
    assert [
        "",
        "To create a merge request for one, visit:",
        build_link(remote, "one"),
        "",
        "To create a merge request for two, visit:",
        build_link(remote, "two"),
        "",
    ] == lines
    assert [] == push(work, "origin", ":one", "two:master")


@pytest.mark.parametrize(
    "change", [{"printing_merge_request_link_enabled": False}, {"merge_requests_access_level": "disabled"}]
)
def test_links_can_be_switched_off(work: Git, remote: Remote, change: dict[str, object]) -> None:
    """Links are not shown if the project disables them or its merge requests."""
    remote.call("PUT", "", json=change)
    create_branch(work, "topic")

    assert [] == push(work, "origin", "topic")


def test_a_fork_gets_links_to_the_target_project(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A push to a fork shows the fork's URL for a new merge request and the target project's for an open one."""
    remote, fork = Remote.make(fakeplat, "shared", visibility="public"), Remote(fakeplat, "eve/shared")
    work = Git(tmp_path / "work")
    work.commit("first", {"README.md": "# Work\n"})
    work("push", "-q", remote.url("ada"), "master")
    remote.call("POST", "/fork", by="eve")
    fakeplat.settle()
    create_branch(work, "topic")

    assert build_link(fork, "topic") in push(work, fork.url("eve"), "topic")
    request = {"title": "Topic", "source_branch": "topic", "target_branch": "master"}
    fork.call("POST", "/merge_requests", by="eve", json={**request, "target_project_id": remote.get()["id"]})
    work.commit("again", {"more.txt": "again"})
    assert f"{fakeplat.url}/{remote.path}/-/merge_requests/1" in push(work, fork.url("eve"), "topic")
