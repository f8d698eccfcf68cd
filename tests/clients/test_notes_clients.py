"""python-gitlab around notes, discussions, emoji and to-dos, as a review bot uses them."""

from collections.abc import Iterator
from typing import Any

import gitlab
import pytest


@pytest.fixture
def clients(fakeplat: Any) -> Iterator[dict[str, Any]]:
    """A client for each of two people."""
    with (
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as mia,
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev")) as dev,
    ):
        yield {"mia": mia, "dev": dev}


def create_issue(client: Any, **given: Any) -> Any:
    return client.projects.get("acme/site").issues.create({"title": "A talk", **given})


def test_a_bot_comments_and_corrects_itself(clients: dict[str, Any]) -> None:
    """A note of an issue is created, edited, listed and deleted."""
    issue = create_issue(clients["mia"])
    note = issue.notes.create({"body": "Frist!"})
    note.body = "First!"
    note.save()

    assert "First!" == issue.notes.get(note.id).body
    assert ["First!"] == [row.body for row in issue.notes.list(get_all=True)]
    assert 1 == clients["mia"].projects.get("acme/site").issues.get(issue.iid).user_notes_count
    note.delete()
    assert [] == issue.notes.list(get_all=True)


def test_a_discussion_goes_back_and_forth(clients: dict[str, Any]) -> None:
    """Another user replies in a discussion of an issue and edits the reply."""
    issue = create_issue(clients["mia"])
    discussion = issue.discussions.create({"body": "Why?"})
    other = clients["dev"].projects.get("acme/site").issues.get(issue.iid).discussions.get(discussion.id)
    reply = other.notes.create({"body": "Because."})
    reply.body = "Because!"
    reply.save()
    notes = issue.discussions.get(discussion.id).attributes["notes"]

    assert [("Why?", "mia"), ("Because!", "dev")] == [(note["body"], note["author"]["username"]) for note in notes]
    assert [discussion.id] == [row.id for row in issue.discussions.list(get_all=True)]


def test_emoji_are_given_and_taken_back(clients: dict[str, Any]) -> None:
    """Emoji are awarded to an issue and a note and removed, and a second award is refused."""
    issue = create_issue(clients["mia"])
    note = issue.notes.create({"body": "Good?"})
    award = issue.awardemojis.create({"name": "thumbsup"})
    note.awardemojis.create({"name": "tada"})

    assert (["thumbsup"], ["tada"]) == (
        [award.name for award in issue.awardemojis.list(get_all=True)],
        [award.name for award in note.awardemojis.list(get_all=True)],
    )
    assert 1 == clients["dev"].projects.get("acme/site").issues.get(issue.iid).upvotes
    with pytest.raises(gitlab.GitlabCreateError) as refused:
        issue.awardemojis.create({"name": "thumbsup"})
    assert (404, "404 Award Emoji Name has already been taken Not Found") == (
        refused.value.response_code,
        refused.value.error_message,
    )
    award.delete()
    assert [] == issue.awardemojis.list(get_all=True)


def test_who_is_named_works_through_the_list(clients: dict[str, Any]) -> None:
    """A mentioned user lists to-dos, marks them as done and adds one."""
    issue = create_issue(clients["mia"], description="@dev, please look")
    issue.notes.create({"body": "cc @dev"})
    todos = clients["dev"].todos
    pending = todos.list(get_all=True)

    assert ["mentioned", "directly_addressed"] == [todo.action_name for todo in pending]
    assert [issue.iid] * 2 == [todo.target["iid"] for todo in pending]
    pending[0].mark_as_done()
    assert ["directly_addressed"] == [todo.action_name for todo in todos.list(get_all=True)]
    todos.mark_all_as_done()
    assert ([], 2) == (todos.list(get_all=True), len(todos.list(state="done", get_all=True)))
    own = clients["dev"].projects.get("acme/site").issues.get(issue.iid)
    own.todo()
    assert ["marked"] == [todo.action_name for todo in todos.list(get_all=True)]


def test_a_command_is_done_without_a_note(clients: dict[str, Any]) -> None:
    """A note with only a quick action closes the issue and returns the summary."""
    issue = create_issue(clients["mia"])
    answer = issue.notes.create({"body": "/close"})

    assert ["Closed this issue."] == answer.summary
    assert "closed" == clients["mia"].projects.get("acme/site").issues.get(issue.iid).state
