"""Limits of the size of repositories, as git's users meet them."""

import pytest

from tests.git.command import Git
from tests.git_http.remote import Remote
from tests.git_http.test_refused_pushes import get_refused_push_error

pytestmark = pytest.mark.fakeplat(tier="premium")
BIG = "x" * (3 << 20)
MORE = "Please contact your GitLab administrator for more information."


def set_limit(remote: Remote) -> None:
    assert 200 == remote.fake.as_user("root").put("application/settings", json={"repository_size_limit": 1}).status


def test_a_push_that_exceeds_the_limit_is_declined(work: Git, remote: Remote) -> None:
    """A push that exceeds the size limit is declined, and a smaller one is accepted."""
    set_limit(remote)
    work.commit("second", {"small": "x"})
    work("push", "-q", "origin", "master")
    work.commit("third", {"big": BIG})
    text = "remote: Platform: Your push to this repository would cause it to exceed the size limit of 1 MB so it has"
    assert text in get_refused_push_error(remote, work, "origin", "master")


def test_a_repository_that_is_too_large_takes_deletions_only(work: Git, remote: Remote) -> None:
    """A repository over its size limit refuses new commits and accepts the deletion of a branch."""
    work.commit("second", {"big": BIG})
    work("push", "-q", "origin", "master", "master:refs/heads/topic")
    set_limit(remote)
    work.commit("third", {"small": "x"})
    text = "Your push has been rejected, because this repository has exceeded its size limit of 1 MB by 2 MB."
    assert f"remote: Platform: {text} {MORE}" in get_refused_push_error(remote, work, "origin", "master")
    work("push", "-q", "origin", ":topic")
    assert {"master"} == set(remote.branches)
