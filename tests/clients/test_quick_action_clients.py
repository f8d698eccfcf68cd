"""python-gitlab as a review bot that speaks in quick actions: it plans, drafts, approves and merges by notes."""

from collections.abc import Iterator
from typing import Any

import gitlab
import pytest

Clients = dict[str, Any]


@pytest.fixture
def clients(fakeplat: Any) -> Iterator[Clients]:
    """acme/site for each of two people."""
    with (
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as mia,
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev")) as dev,
    ):
        yield {name: client.projects.get("acme/site") for name, client in (("mia", mia), ("dev", dev))}


def open_merge_request(project: Any, description: str) -> Any:
    """A merge request of a new branch."""
    project.branches.create({"branch": "hello", "ref": "master"})
    action = {"action": "create", "file_path": "hello.txt", "content": "Hello\n"}
    project.commits.create({"branch": "hello", "commit_message": "Say hello", "actions": [action]})
    branches = {"source_branch": "hello", "target_branch": "master"}
    return project.mergerequests.create({"title": "Say hello", "description": description, **branches})


def test_a_bot_reviews_with_notes(clients: Clients) -> None:
    """Quick actions in a description and in notes label, assign, approve and merge a merge request."""
    merge_request = open_merge_request(clients["dev"], "Says hello.\n/label ~bug\n/draft")
    assert ("Draft: Say hello", ["bug"], "Says hello.") == (
        merge_request.title,
        merge_request.labels,
        merge_request.description,
    )
    bot = clients["mia"].mergerequests.get(merge_request.iid)
    assigned = bot.notes.create({"body": "/assign @mia\n/milestone %v1.1"})
    assert ['Assigned @mia. Set the milestone to %"v1.1".'] == assigned.summary
    clients["dev"].mergerequests.get(merge_request.iid).notes.create({"body": "/draft"})
    approved = bot.notes.create({"body": "Well done.\n/approve"})
    while bot.pipelines.list(get_all=True)[0].status != "success":
        pass
    merged = bot.notes.create({"body": "/merge"})
    now = clients["dev"].mergerequests.get(merge_request.iid)

    assert ("Well done.", {}) == (approved.body, approved.commands_changes)
    assert ({"merge": merge_request.sha}, ["Merged this merge request."]) == (merged.commands_changes, merged.summary)
    assert ("merged", "mia", "Say hello") == (now.state, now.merged_by["username"], now.title)
    assert ["Well done."] == [note.body for note in now.notes.list(get_all=True) if not note.system]
    assert ["mia"] == [row["user"]["username"] for row in now.approvals.get().approved_by]


def test_who_may_not_merge_gets_the_clients_own_error(clients: Clients) -> None:
    """The quick action /merge without permission gets 400 and merges nothing."""
    merge_request = open_merge_request(clients["dev"], "")
    with pytest.raises(gitlab.GitlabCreateError) as refused:
        merge_request.notes.create({"body": "/merge"})

    assert (400, "opened") == (refused.value.response_code, clients["dev"].mergerequests.get(merge_request.iid).state)


def test_a_description_is_saved_with_commands(clients: Clients) -> None:
    """`save` returns the results of quick actions and a description without them."""
    merge_request = open_merge_request(clients["dev"], "")
    merge_request.description = "Greets.\n/estimate 2h\n/title Greet"
    merge_request.save()

    assert ("Greets.", "Greet", 7200) == (
        merge_request.description,
        merge_request.title,
        merge_request.time_stats()["time_estimate"],
    )


def test_a_bot_tidies_issues_by_notes(clients: Clients) -> None:
    """A note with only quick actions changes an issue, has no id and is not stored."""
    issue = clients["dev"].issues.create({"title": "A talk", "description": "Long.\n/label ~docs\n/assign me"})
    assert (["docs"], "dev") == (issue.labels, issue.assignee["username"])
    note = clients["mia"].issues.get(issue.iid).notes.create({"body": "/close\n/unlabel"})

    assert (["Closed this issue. Removed all labels."], None) == (note.summary, note.attributes.get("id"))
    now = clients["dev"].issues.get(issue.iid)
    assert ("closed", [], 0) == (now.state, now.labels, now.user_notes_count)
