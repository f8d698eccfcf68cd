"""Push rules, as git's users meet them. Source: ee/lib/ee/gitlab/checks/push_rules/ of the platform."""

from typing import Any

import pytest

from tests.git.command import Git
from tests.git_http.remote import Remote
from tests.git_http.test_refused_pushes import get_refused_push_error

pytestmark = pytest.mark.fakeplat(tier="premium")


def set_rule(remote: Remote, **fields: Any) -> None:
    remote.call("POST", "/push_rule", json=fields)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"commit_message_regex": "^JIRA"}, "Commit message does not follow the pattern '^JIRA'"),
        ({"reject_unsigned_commits": True}, "Commit must be signed with a GPG key"),
        (
            {"commit_committer_check": True},
            "You cannot push commits for 'rep@example.test'.",
        ),
        ({"member_check": True}, "Author 'eli@example.test' is not a member of team"),
        ({"prevent_secrets": True}, r"File name id_rsa was prohibited by the denylist pattern id_rsa$."),
        ({"max_file_size": 1}, 'File "large" is larger than the allowed size of 1 MB'),
    ],
)
def test_a_push_complies_with_the_rule(work: Git, remote: Remote, rule: dict[str, Any], text: str) -> None:
    """A push with a new commit that breaks the rule is refused; existing commits are not checked."""
    set_rule(remote, **rule)
    work("push", "-q", "origin", "master:refs/heads/same")

    work.commit("second", {"id_rsa": "key", "large": "x" * (1024 * 1024 + 1)})
    work("commit", "-q", "--amend", "--author", "Eli <eli@example.test>", "-m", "second")
    assert f"remote: Platform: {text}" in get_refused_push_error(remote, work, "origin", "master")


def test_branches_are_named_by_the_rule(work: Git, remote: Remote) -> None:
    """A new branch must match the rule's pattern, except the default branch; deletions are not checked."""
    work("push", "-q", "origin", "master:refs/heads/old")
    set_rule(remote, branch_name_regex="^topic/")

    text = get_refused_push_error(remote, work, "origin", "master:refs/heads/new")
    assert "remote: Platform: Branch name does not follow the pattern '^topic/'" in text
    work.commit("second")
    work("push", "-q", "origin", "master", "master:refs/heads/topic/new", ":old")
    assert {"master", "topic/new"} == set(remote.branches)


def test_tags_are_not_deleted_with_git(work: Git, remote: Remote) -> None:
    """A push rule denies the deletion of tags with git, and the API still deletes them."""
    work("push", "-q", "origin", "master:refs/tags/v1")
    set_rule(remote, deny_delete_tag=True)

    assert "remote: Platform: You cannot delete a tag" in get_refused_push_error(
        remote, work, "origin", ":refs/tags/v1"
    )
    remote.call("DELETE", "/repository/tags/v1")
    work("push", "-q", "origin", "master:refs/tags/v2")


def test_commits_that_comply_are_pushed(work: Git, remote: Remote) -> None:
    """A commit that matches the rule's expressions anywhere in its texts is accepted."""
    set_rule(remote, commit_message_regex="sec", author_email_regex="example", file_name_regex="exe$", max_file_size=1)

    work.commit("second", {"a": "a"})
    work("push", "-q", "origin", "master")
    assert work.sha() == remote.branches["master"]
