"""Faults as git meets them."""

from fakeplat.harness.fake import Fakeplat
from tests.git.command import Git
from tests.git_http.remote import Remote, error_output


def test_a_push_whose_connection_breaks_has_not_happened(fakeplat: Fakeplat, work: Git, remote: Remote) -> None:
    """A push whose connection is reset changes nothing, and the next one works."""
    fault = fakeplat.faults.add(operation="receive_git_pack", connection="reset")
    before, sha = remote.branches, work.commit("second")
    assert "Connection reset by peer" in error_output(work.tried("push"))
    assert before == remote.branches
    fakeplat.faults.remove(fault)
    work("push", "-q")
    assert {"master": sha} == remote.branches


def test_a_push_whose_reply_is_lost_has_happened(fakeplat: Fakeplat, work: Git, remote: Remote) -> None:
    """A push whose reply is lost fails for git but is done, so the next one is up to date."""
    fault = fakeplat.faults.add(operation="receive_git_pack", connection="lost_reply")
    sha = work.commit("second")
    assert "the remote end hung up unexpectedly" in error_output(work.tried("push"))
    assert {"master": sha} == remote.branches
    fakeplat.faults.remove(fault)
    assert b"Everything up-to-date" in work.tried("push", check=True).stderr


def test_a_clone_that_is_cut_off_leaves_nothing(fakeplat: Fakeplat, work: Git, remote: Remote, here: Git) -> None:
    """A clone whose pack is truncated fails and leaves nothing, and the next one works."""
    fakeplat.faults.add(operation="upload_git_pack", connection="truncated", nth=1)
    there = ("clone", "-q", remote.url("dev"), "clone")
    assert "fatal:" in error_output(here.tried("-c", "protocol.version=0", *there))
    assert not (here.path / "clone").exists()
    here(*there)
    assert work.sha() == Git(here.path / "clone", init=False).sha()


def test_a_status_is_shown_by_git(fakeplat: Fakeplat, work: Git) -> None:
    """The status of an injected fault is shown by git."""
    fakeplat.faults.add(operation="advertise_git_refs", status=503, nth=2)
    assert "The requested URL returned error: 503" in error_output(work.tried("fetch"))


def test_the_journal_names_what_git_did(fakeplat: Fakeplat, work: Git) -> None:
    """The journal names operation, status, user and credential of git's requests."""
    work("fetch", "-q")
    journal = [(request.operation, request.status, request.user, request.credential) for request in fakeplat.requests][
        -3:
    ]
    assert [
        ("advertise_git_refs", 401, None, None),
        ("advertise_git_refs", 200, "ada", "personal"),
        ("upload_git_pack", 200, "ada", "personal"),
    ] == journal
