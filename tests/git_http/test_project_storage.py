"""Fetches are counted per day, and a repository is downloaded as a folder.

Sources: the platform's specs of project statistics and snapshots.
"""

import io
import tarfile

import pytest

from tests.git.command import Git
from tests.git_http.remote import Remote

pytestmark = pytest.mark.fakeplat(clock="virtual", start="2020-11-20T09:00:00.000Z")


def clone(here: Git, url: str, name: str) -> None:
    here("clone", "-q", url, name)


def test_fetches_are_counted_per_day(work: Git, remote: Remote, here: Git) -> None:
    """Fetches are counted per day for 30 days, newest first; pushes and refused fetches do not count."""
    assert {"fetches": {"total": 0, "days": []}} == remote.get("/statistics")
    clone(here, remote.url("ada"), "one")
    clone(here, remote.url("rep"), "two")
    here.tried("clone", "-q", remote.url("gus"), "three")
    remote.fake.clock.advance("1d")
    clone(here, remote.url("dev"), "four")
    days = [{"count": 1, "date": "2020-11-21"}, {"count": 2, "date": "2020-11-20"}]

    assert {"fetches": {"total": 3, "days": days}} == remote.get("/statistics")
    remote.fake.clock.advance("29d")
    assert {"fetches": {"total": 1, "days": days[:1]}} == remote.get("/statistics")


def test_fetches_of_the_wiki_are_not_counted(remote: Remote, here: Git) -> None:
    """Fetches of the wiki do not count as fetches of the project."""
    remote.fake.as_user("ada").post(f"{remote.api}/wikis", json={"title": "home", "content": "x"})
    clone(here, remote.at(f"{remote.path}.wiki.git", "ada"), "wiki")

    assert 0 == remote.get("/statistics")["fetches"]["total"]


@pytest.mark.parametrize("wiki", [False, True], ids=["code", "wiki"])
def test_a_snapshot_is_a_repository(work: Git, remote: Remote, here: Git, wiki: bool) -> None:
    """The snapshot of a project or wiki is a tar of a bare repository that git reads."""
    remote.fake.as_user("ada").post(f"{remote.api}/wikis", json={"title": "home", "content": "x"})
    reply = remote.fake.as_user("root").get(f"{remote.api}/snapshot?wiki={str(wiki).lower()}")
    headers = {name.lower(): value for name, value in reply.headers.items()}

    assert (200, "application/x-tar") == (reply.status, headers["content-type"])
    assert 'attachment; filename="snapshot.tar"' == headers["content-disposition"]
    with tarfile.open(fileobj=io.BytesIO(reply.content)) as archive:
        archive.extractall(here.path / "bare.git", filter="data")
    bare = Git(here.path / "bare.git", init=False)
    expected = "ada created page: home" if wiki else "first"
    assert [expected] == bare("log", "--format=%s", "master").splitlines()
    bare("fsck", "--strict")


@pytest.mark.fakeplat(version="latest")
def test_administrators_see_where_a_project_is_stored(remote: Remote) -> None:
    """Administrators see the hashed disk path of a project in newer releases."""
    project = remote.get()
    storage = remote.get("/storage", "root")

    assert (project["id"], project["created_at"], "default") == tuple(
        storage[key] for key in ("project_id", "created_at", "repository_storage")
    )
    parts = storage["disk_path"].split("/")
    assert ("@hashed", parts[3][:2], parts[3][2:4], 64) == (*parts[:3], len(parts[3]))
