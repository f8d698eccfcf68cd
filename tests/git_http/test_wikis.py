"""git itself fetches and pushes the pages of wikis."""

from typing import Any

import pytest

from tests.git.command import Git
from tests.git_http.remote import Remote, error_output


def write_page(remote: Remote, title: str, content: str = "text") -> None:
    reply = remote.fake.as_user("ada").post(f"{remote.api}/wikis", json={"title": title, "content": content})
    assert 201 == reply.status


def list_pages(remote: Remote) -> dict[str, str]:
    return {page["slug"]: page["content"] for page in remote.get("/wikis?with_content=true")}


def test_the_pages_are_cloned(remote: Remote, here: Git) -> None:
    """Cloning a wiki gives its pages and a commit for each creation."""
    write_page(remote, "home")
    write_page(remote, "Folder/My page", "mine\n")
    here("clone", "-q", remote.at(f"{remote.path}.wiki.git", "ada"), "clone")
    clone = Git(here.path / "clone", init=False)

    assert "mine\n" == (clone.path / "Folder/My-page.md").read_text()
    assert ["ada created page: Folder/My page", "ada created page: home"] == clone(
        "log", "--format=%s", "master"
    ).splitlines()


@pytest.fixture
def work(remote: Remote, here: Git) -> Git:
    """A work tree whose first commit is pushed to the empty wiki."""
    work = Git(here.path / "work")
    work("remote", "add", "origin", remote.at(f"{remote.path}.wiki.git", "ada"))
    work.commit("first", {"home.md": "# Home\n", "notes/To-do.org": "* x\n", "uploads/a.txt": "a"})
    work("push", "-q", "-u", "origin", "master")
    return work


def test_a_push_changes_the_pages(work: Git, remote: Remote) -> None:
    """Files of known formats in a push create, change and delete wiki pages."""
    assert {"home": "# Home\n", "notes/To-do": "* x\n"} == list_pages(remote)
    work.commit("second", {"home.md": "new\n"})
    work("rm", "-q", "notes/To-do.org")
    work.commit("third", {"Other page.md": "other\n"})
    work("push", "-q")

    assert {"Other-page": "other\n", "home": "new\n"} == list_pages(remote)
    write_page(remote, "one more")
    work("pull", "-q")
    assert (work.path / "one-more.md").is_file()


def test_a_push_leaves_events_of_its_pages(work: Git, remote: Remote) -> None:
    """A push to a wiki creates an event for each changed page and none for other files."""
    work.commit("second", {"home.md": "new\n", "uploads/a.txt": "b"})
    work("push", "-q")
    events = remote.get("/events?target_type=wiki")

    assert [("updated", "home"), ("created", "To do"), ("created", "home")] == [
        (event["action_name"], event["target_title"]) for event in events
    ]


@pytest.mark.parametrize("user", ["gus", "rep"])
def test_who_may_not_write_may_not_push(work: Git, remote: Remote, user: str) -> None:
    """Guests and Reporters cannot push to a wiki."""
    work.commit("second", {"home.md": "new\n"})
    text = error_output(work.tried("push", remote.at(f"{remote.path}.wiki.git", user), "master"))

    assert "You are not allowed to write to this project's wiki." in text
    assert "# Home\n" == list_pages(remote)["home"]


@pytest.mark.fakeplat(tier="premium")
def test_the_wiki_of_a_group_is_cloned(remote: Remote, here: Git) -> None:
    """The wiki of a group can be cloned from the group's path."""
    reply: Any = remote.fake.as_user("ada").post("groups/acme/wikis", json={"title": "home", "content": "ours"})
    assert 201 == reply.status
    here("clone", "-q", remote.at("acme.wiki.git", "ada"), "clone")

    assert "ours" == (here.path / "clone/home.md").read_text()
