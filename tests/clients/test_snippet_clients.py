"""python-gitlab keeps snippets: personal ones and those of a project, with several files."""

from collections.abc import Iterator
from typing import Any

import gitlab
import pytest
from gitlab.v4.objects import Project

ALL = {"get_all": True}
TWO = [{"file_path": "a.sh", "content": "ls\n"}, {"file_path": "docs/b.md", "content": "# B\n"}]


@pytest.fixture
def clients(fakeplat: Any) -> Iterator[dict[str, gitlab.Gitlab]]:
    """A client for each of three people."""
    with (
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev")) as dev,
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as mia,
        gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("root")) as root,
    ):
        yield {"dev": dev, "mia": mia, "root": root}


@pytest.fixture
def site(clients: dict[str, gitlab.Gitlab]) -> Project:
    return clients["dev"].projects.get("acme/site")


def test_a_personal_snippet_lives(clients: dict[str, gitlab.Gitlab]) -> None:
    """A personal snippet is created, read, changed by file actions, listed and deleted."""
    dev = clients["dev"]
    snippet = dev.snippets.create({"title": "Tools", "files": TWO, "visibility": "internal"})
    assert b"ls\n" == snippet.content()

    snippet.title = "Better tools"
    snippet.files = [
        {"action": "update", "file_path": "a.sh", "content": "ls -l\n"},
        {"action": "move", "file_path": "b.md", "previous_path": "docs/b.md"},
    ]
    snippet.save()
    reread = dev.snippets.get(snippet.id)

    assert ("Better tools", ["a.sh", "b.md"]) == (reread.title, [file["path"] for file in reread.files])
    assert b"ls -l\n" == clients["mia"].snippets.get(snippet.id).content()
    assert [snippet.id] == [row.id for row in dev.snippets.list(**ALL)]
    reread.delete()
    assert [] == dev.snippets.list(**ALL)
    with pytest.raises(gitlab.GitlabGetError) as gone:
        dev.snippets.get(snippet.id)
    assert (404, "404 Snippet Not Found") == (gone.value.response_code, gone.value.error_message)


def test_public_snippets_are_listed(clients: dict[str, gitlab.Gitlab]) -> None:
    """`snippets.list_public` lists the public snippets of all users."""
    snippet = clients["dev"].snippets.create({"title": "For all", "files": TWO, "visibility": "public"})
    assert [snippet.id] == [snippet.id for snippet in clients["mia"].snippets.list_public(**ALL)]


def test_a_snippet_of_a_project_lives(site: Project, clients: dict[str, gitlab.Gitlab]) -> None:
    """A project snippet is created, streamed, saved, listed and deleted by a maintainer."""
    snippet = site.snippets.create({"title": "Deploy", "files": TWO, "visibility": "private"})
    pieces: list[bytes] = []
    snippet.content(streamed=True, action=pieces.append)
    assert b"ls\n" == b"".join(pieces)

    snippet.description = "How we deploy"
    snippet.save()
    (listed,) = clients["mia"].projects.get("acme/site").snippets.list(**ALL)
    assert ("How we deploy", "dev", site.id) == (listed.description, listed.author["username"], listed.project_id)
    clients["mia"].projects.get("acme/site").snippets.delete(snippet.id)
    assert [] == site.snippets.list(**ALL)


def test_administrators_read_the_user_agent(site: Project, clients: dict[str, gitlab.Gitlab]) -> None:
    """Only administrators read the user agent of a snippet."""
    snippet = site.snippets.create({"title": "Deploy", "files": TWO, "visibility": "private"})
    detail = clients["root"].projects.get(site.id).snippets.get(snippet.id).user_agent_detail()

    assert detail["user_agent"].startswith("python-gitlab/")
    assert "127.0.0.1" == detail["ip_address"]
    with pytest.raises(gitlab.GitlabGetError) as refused:
        snippet.user_agent_detail()
    assert 403 == refused.value.response_code


def test_a_mistake_in_the_actions(clients: dict[str, gitlab.Gitlab]) -> None:
    """An invalid file action gets 422 with the platform's text and keeps the snippet."""
    dev = clients["dev"]
    snippet = dev.snippets.create({"title": "Tools", "files": TWO})
    snippet.files = [{"action": "move", "file_path": "c"}]
    with pytest.raises(gitlab.GitlabUpdateError) as refused:
        snippet.save()

    message: Any = refused.value.error_message
    assert (422, {"error": "Snippet actions have invalid data"}) == (
        refused.value.response_code,
        message,
    )
    assert ["a.sh", "docs/b.md"] == [file["path"] for file in dev.snippets.get(snippet.id).files]


def test_a_snippet_is_talked_about(site: Project, clients: dict[str, gitlab.Gitlab]) -> None:
    """A project snippet has notes, discussions and emoji."""
    snippet = site.snippets.create({"title": "Deploy", "files": TWO, "visibility": "private"})
    other = clients["mia"].projects.get("acme/site").snippets.get(snippet.id)
    note = snippet.notes.create({"body": "Frist!"})
    note.body = "First!"
    note.save()
    note.awardemojis.create({"name": "tada"})
    discussion = other.discussions.create({"body": "Why?"})
    snippet.discussions.get(discussion.id).notes.create({"body": "Because."})
    award = other.awardemojis.create({"name": "thumbsup"})

    assert ["First!", "Why?", "Because."] == [row.body for row in other.notes.list(sort="asc", **ALL)]
    assert ["tada"] == [award.name for award in other.notes.get(note.id).awardemojis.list(**ALL)]
    assert [2] == [len(discussion.attributes["notes"]) for discussion in snippet.discussions.list(get_all=True)[1:]]
    assert [("thumbsup", "mia")] == [(award.name, award.user["username"]) for award in snippet.awardemojis.list(**ALL)]
    award.delete()
    assert [] == snippet.awardemojis.list(**ALL)
