"""A review bot with python-gitlab: from a branch to a closed issue, under all three clocks and each way of checking."""

from typing import Any

import gitlab
import pytest

CHECKS: list[Any] = ["immediate", {"after": "2s"}, {"polls": 3}]
WORLDS = [
    pytest.param(id=f"{clock} {check}", marks=pytest.mark.fakeplat(clock=clock, merge_check=check))
    for clock in ("real", "virtual", "auto")
    for check in CHECKS
    if not (clock == "real" and check == {"after": "2s"})
]


def wait_for_merge_check(fakeplat: Any, project: Any, iid: int) -> Any:
    """The bot's loop: read until it is known whether it can be merged."""
    merge_request: Any = None
    for _ in range(10):
        merge_request = project.mergerequests.get(iid)
        if merge_request.merge_status in ("can_be_merged", "cannot_be_merged"):
            return merge_request
        if fakeplat.bench.platform.clock.kind == "virtual":
            fakeplat.clock.advance("1s")
    pytest.fail(f"still {merge_request.merge_status}")


@pytest.mark.parametrize((), WORLDS)
def test_a_review_bot_merges_what_was_approved(fakeplat: Any) -> None:
    """An approved merge request is merged, its issue closed and its branch deleted."""
    with (
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev")) as dev,
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as mia,
    ):
        theirs, ours = dev.projects.get("acme/site"), mia.projects.get("acme/site")
        issue = theirs.issues.create({"title": "Say hello"})
        theirs.branches.create({"branch": "hello", "ref": "master"})
        theirs.commits.create(
            {
                "branch": "hello",
                "commit_message": "Say hello",
                "actions": [{"action": "create", "file_path": "hello.txt", "content": "Hello\n"}],
            }
        )
        created = theirs.mergerequests.create(
            {
                "source_branch": "hello",
                "target_branch": "master",
                "title": "Say hello",
                "description": f"Closes #{issue.iid}",
                "remove_source_branch": True,
            }
        )
        assert ("opened", "unchecked") == (created.state, created.merge_status)
        merge_request = wait_for_merge_check(fakeplat, ours, created.iid)
        assert "can_be_merged" == merge_request.merge_status
        assert ["hello.txt"] == [change["new_path"] for change in merge_request.changes()["changes"]]
        assert ["Say hello"] == [commit.title for commit in merge_request.commits()]
        assert [issue.iid] == [closed.iid for closed in merge_request.closes_issues()]
        merge_request.approve(sha=merge_request.sha)
        assert ["mia"] == [approval["user"]["username"] for approval in merge_request.approvals.get().approved_by]
        ours.mergerequests.get(created.iid).merge(squash=True)  # approve() leaves an object without its iid
        assert "merged" == ours.mergerequests.get(created.iid).state
        assert "closed" == ours.issues.get(issue.iid).state
        assert "hello" not in [branch.name for branch in ours.branches.list(get_all=True)]
        assert b"Hello\n" == ours.files.raw("hello.txt", ref="master")


def test_the_client_raises_its_own_errors(fakeplat: Any) -> None:
    """A second merge request gets 409, a conflict 406 and a merge without permission 401."""
    with (
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev")) as dev,
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as mia,
    ):
        project, theirs = mia.projects.get("acme/site"), dev.projects.get("acme/site")
        with pytest.raises(gitlab.GitlabCreateError) as taken:
            project.mergerequests.create({"source_branch": "feature", "target_branch": "master", "title": "again"})
        message: Any = taken.value.error_message
        assert (409, ["Another open merge request already exists for this source branch: !1"]) == (
            taken.value.response_code,
            message,
        )
        with pytest.raises(gitlab.GitlabMRClosedError) as conflict:
            project.mergerequests.get(2).merge()
        assert (406, "Branch cannot be merged") == (conflict.value.response_code, conflict.value.error_message)
        with pytest.raises(gitlab.GitlabAuthenticationError):
            theirs.mergerequests.get(1).merge()


def test_the_client_follows_a_rebase(fakeplat: Any) -> None:
    """A rebase is accepted as in progress and ends with a new head and a new version."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev")) as dev:
        project = dev.projects.get("acme/site")
        before = project.mergerequests.get(1)
        assert {"rebase_in_progress": True} == before.rebase()
        after = project.mergerequests.get(1, include_rebase_in_progress=True)
        assert (False, None) == (after.rebase_in_progress, after.merge_error)
        assert before.sha != after.sha
        assert [after.sha, before.sha] == [diff.head_commit_sha for diff in after.diffs.list(get_all=True)]


def test_lists_and_interest(fakeplat: Any) -> None:
    """Merge requests are filtered, unsubscribed from, given an estimate and closed with a state event."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as mia:
        project = mia.projects.get("acme/site")
        assert [2] == [row.iid for row in project.mergerequests.list(source_branch="readme", get_all=True)]
        assert [1] == [row.iid for row in mia.mergerequests.list(scope="assigned_to_me", get_all=True)]
        assert 2 == len(mia.groups.get("acme").mergerequests.list(get_all=True))
        merge_request = project.mergerequests.get(1)
        merge_request.todo()
        assert ["MergeRequest"] == [todo.target_type for todo in mia.todos.list(get_all=True)]
        merge_request.unsubscribe()
        assert project.mergerequests.get(1).subscribed is False
        assert ["dev", "mia"] == [participant["username"] for participant in merge_request.participants()]
        merge_request.time_estimate("2h")
        merge_request = project.mergerequests.get(1)
        assert 7_200 == merge_request.time_stats()["time_estimate"]
        merge_request.state_event = "close"
        merge_request.save()
        assert ["closed"] == [event.state for event in merge_request.resourcestateevents.list(get_all=True)]
