"""python-gitlab as a review bot: it discusses changed lines, answers, settles, and waits for that to merge."""

from collections.abc import Iterator
from typing import Any

import gitlab
import pytest

FILE = {"file_path": "hello.txt", "content": "Hello\nworld\n"}


@pytest.fixture
def clients(fakeplat: Any) -> Iterator[dict[str, Any]]:
    """A client's project for each of three people."""
    with (
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("ada")) as ada,
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as mia,
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev")) as dev,
    ):
        clients = {"ada": ada, "mia": mia, "dev": dev}
        yield {name: client.projects.get("acme/site") for name, client in clients.items()}


def open_merge_request(project: Any) -> Any:
    """A merge request with one new file."""
    project.branches.create({"branch": "hello", "ref": "master"})
    create_commit(project, action="create", **FILE)
    return project.mergerequests.create({"source_branch": "hello", "target_branch": "master", "title": "Say hello"})


def create_commit(project: Any, **action: Any) -> Any:
    return project.commits.create({"branch": "hello", "commit_message": "Say hello", "actions": [action]})


def build_position(merge_request: Any, line: int) -> dict[str, Any]:
    """A position as the client's documentation builds it: from the newest version."""
    version = merge_request.diffs.list(get_all=True)[0]
    return {
        "base_sha": version.base_commit_sha,
        "start_sha": version.start_commit_sha,
        "head_sha": version.head_commit_sha,
        "position_type": "text",
        "new_path": "hello.txt",
        "old_path": "hello.txt",
        "new_line": line,
    }


def test_a_bot_discusses_a_line_until_it_is_settled(clients: dict[str, Any]) -> None:
    """A merge request with an unresolved discussion of a line is merged only after it is resolved."""
    ada, mia, dev = clients["ada"], clients["mia"], clients["dev"]
    ada.only_allow_merge_if_all_discussions_are_resolved = True
    ada.save()
    theirs = open_merge_request(dev)
    ours = mia.mergerequests.get(theirs.iid)
    discussion = ours.discussions.create({"body": "Capital W?", "position": build_position(ours, 2)})
    (note,) = discussion.attributes["notes"]

    assert ("DiffNote", 2, False) == (note["type"], note["position"]["new_line"], note["resolved"])
    other = theirs.discussions.get(discussion.id)
    other.notes.create({"body": "No."})
    assert mia.mergerequests.get(ours.iid).blocking_discussions_resolved is False
    with pytest.raises(gitlab.GitlabMRClosedError) as refused:
        ours.merge()
    assert (405, "405 Method Not Allowed") == (refused.value.response_code, refused.value.error_message)
    other.resolved = True
    other.save()
    notes = ours.discussions.get(discussion.id).attributes["notes"]
    assert [(True, "dev"), (True, "dev")] == [(note["resolved"], note["resolved_by"]["username"]) for note in notes]
    mia.mergerequests.get(ours.iid).merge()
    assert "merged" == mia.mergerequests.get(ours.iid).state


def test_a_bot_settles_one_note(clients: dict[str, Any]) -> None:
    """Resolving a single note through its own object resolves its discussion."""
    theirs = open_merge_request(clients["dev"])
    discussion = theirs.discussions.create({"body": "Why?", "position": build_position(theirs, 1)})
    note = discussion.notes.get(discussion.attributes["notes"][0]["id"])
    note.resolved = True
    note.save()
    assert theirs.discussions.get(discussion.id).attributes["notes"][0]["resolved"] is True
    assert clients["mia"].mergerequests.get(theirs.iid).blocking_discussions_resolved is True


def test_a_bot_asks_for_a_line_that_is_not_there(clients: dict[str, Any]) -> None:
    """A discussion of a line that does not exist gets 400 with the platform's text."""
    theirs = open_merge_request(clients["dev"])
    with pytest.raises(gitlab.GitlabCreateError) as refused:
        theirs.discussions.create({"body": "Why?", "position": build_position(theirs, 9)})
    text = '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}'
    assert (400, text) == (refused.value.response_code, refused.value.error_message)


def test_a_bot_sees_which_of_its_notes_are_outdated(clients: dict[str, Any]) -> None:
    """The position of a current diff note has the newest head, that of an outdated note an older one."""
    dev = clients["dev"]
    theirs = open_merge_request(dev)
    first, second = (
        theirs.discussions.create({"body": "x", "position": build_position(theirs, line)}) for line in (1, 2)
    )
    create_commit(dev, action="update", file_path="hello.txt", content="Hello\nWorld\n")
    head = dev.mergerequests.get(theirs.iid).sha
    heads = {
        discussion.id: discussion.attributes["notes"][0]["position"]["head_sha"]
        for discussion in theirs.discussions.list(get_all=True)
        if discussion.attributes["notes"][0].get("position")
    }
    assert (True, False) == (head == heads[first.id], head == heads[second.id])


def test_a_bot_comments_and_corrects_itself(clients: dict[str, Any]) -> None:
    """Notes of a merge request are created, edited, awarded emoji, listed and deleted."""
    theirs = open_merge_request(clients["dev"])
    note = theirs.notes.create({"body": "Frist!"})
    note.body = "First!"
    note.save()
    note.awardemojis.create({"name": "tada"})
    award = theirs.awardemojis.create({"name": "thumbsup"})

    assert ["First!"] == [row.body for row in theirs.notes.list(get_all=True) if not row.system]
    assert ["tada"] == [award.name for award in note.awardemojis.list(get_all=True)]
    merge_request = clients["mia"].mergerequests.get(theirs.iid)
    assert (1, 1) == (merge_request.user_notes_count, merge_request.upvotes)
    award.delete()
    note.delete()
    merge_request = clients["mia"].mergerequests.get(theirs.iid)
    assert (0, 0) == (merge_request.user_notes_count, merge_request.upvotes)


def test_a_commit_is_discussed(clients: dict[str, Any]) -> None:
    """Comments and discussions of a commit are the same notes."""
    dev = clients["dev"]
    open_merge_request(dev)
    commit_ = dev.commits.get("hello")
    commit_.comments.create({"note": "Well done", "path": "hello.txt", "line": 1, "line_type": "new"})
    discussion = commit_.discussions.create({"body": "Indeed"})
    discussion.notes.create({"body": "Thanks"})

    assert ["Well done", "Indeed", "Thanks"] == [comment.note for comment in commit_.comments.list(get_all=True)]
    bodies = [
        [note["body"] for note in discussion.attributes["notes"]]
        for discussion in commit_.discussions.list(get_all=True)
    ]
    assert [["Well done"], ["Indeed", "Thanks"]] == bodies
