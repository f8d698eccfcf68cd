"""Times that git stores and no calendar has, wherever times of commits are shown. Source: git itself."""

from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.deliveries import URL, Deliveries
from tests.api.histories import set_repository
from tests.git.command import Git

pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master", scenario=COMPANY)

SITE = "projects/acme%2Fsite"
FILES = {
    "go.mod": "module 127.0.0.1/acme/site\n\ngo 1.16\n",
    ".gitlab-ci.yml": "check:\n  script: make check\n  rules:\n    - if: $CI_COMMIT_TIMESTAMP =~ /^DATE/\n",
}
TIMES = {"99999999999999 +0000": "9999-12-31", "-99999999999999 +0000": "0001-01-0", "1600000000 +9900": "2020-09-13"}


@pytest.fixture(params=TIMES)
def time(request: pytest.FixtureRequest) -> str:
    text: str = request.param
    return text


@pytest.fixture
def git(fakeplat: Fakeplat, tmp_path: Path, time: str) -> Git:
    """The repository of the site, whose second commit is of the time."""
    git = Git(tmp_path / "work")
    rows = b""
    for name, content in sorted(FILES.items()):
        blob = git("hash-object", "-w", "--stdin", stdin=content.replace("DATE", TIMES[time]).encode()).strip()
        rows += f"100644 blob {blob}\t{name}\n".encode()
    sha = ""
    for entries, when, parent in ((b"", "1500000000 +0000", ""), (rows, time, "parent {}\n")):
        tree = git("mktree", stdin=entries).strip()
        header = f"tree {tree}\n{parent.format(sha)}author A <a@example.test> {when}\ncommitter C <> {when}\n"
        commit = f"{header}\nChange\n".encode()
        sha = git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=commit).strip()
    for ref in ("heads/master", "heads/other", "tags/v1.0.0"):
        git("update-ref", f"refs/{ref}", sha)
    set_repository(fakeplat, git)
    return git


@pytest.mark.usefixtures("git")
def test_commits_show_them(fakeplat: Fakeplat, time: str) -> None:
    """A commit shows the nearest time."""
    row = fakeplat.as_user("ada").get(f"{SITE}/repository/commits/master").json()
    assert row["committed_date"].startswith(TIMES[time])


@pytest.mark.usefixtures("git")
def test_feeds_show_them(fakeplat: Fakeplat, time: str) -> None:
    """The feed of commits shows the nearest time."""
    feed = fakeplat.as_user("ada").get(f"{fakeplat.url}/acme/site/-/commits/master?format=atom")
    assert 200 == feed.status
    assert f"<updated>{TIMES[time]}" in feed.text


@pytest.mark.usefixtures("git")
def test_hooks_tell_of_them(fakeplat: Fakeplat, time: str) -> None:
    """The payload of a push shows the nearest time."""
    ada, sent = fakeplat.as_user("ada"), Deliveries(fakeplat)
    hook = ada.post(f"{SITE}/hooks", json={"url": URL}).json()
    assert 201 == ada.post(f"{SITE}/hooks/{hook['id']}/test/push_events").status
    (payload,) = sent.payloads()
    assert payload["commits"][0]["timestamp"].startswith(TIMES[time])


@pytest.mark.usefixtures("git")
def test_pipelines_know_them(fakeplat: Fakeplat) -> None:
    """A variable of pipelines has the nearest time, without which this one would have no job."""
    created = fakeplat.as_user("ada").post(f"{SITE}/pipeline", json={"ref": "master"})
    assert (201, "master") == (created.status, created.json()["ref"])


@pytest.mark.usefixtures("git")
def test_the_go_proxy_shows_them(fakeplat: Fakeplat, time: str) -> None:
    """The description of a version shows the nearest time."""
    fakeplat.as_user("root").post("features/go_proxy", json={"value": True})
    info = fakeplat.as_user("ada").get(f"{SITE}/packages/go/127.0.0.1/acme/site/@v/v1.0.0.info")
    assert 200 == info.status, info.text
    assert info.json()["Time"].startswith(TIMES[time])


def test_patches_show_them(fakeplat: Fakeplat, git: Git) -> None:
    """A commit as a mail has a date."""
    patch = fakeplat.as_user("ada").get(f"{fakeplat.url}/acme/site/-/commit/{git.sha()}.patch")
    assert (200, True) == (patch.status, "\nDate: " in patch.text)


@pytest.mark.usefixtures("git")
@pytest.mark.parametrize("path", ["branches/other", "tags/v1.0.0"])
def test_refs_are_deleted(fakeplat: Fakeplat, path: str) -> None:
    """A branch or tag of such a commit is deleted."""
    assert 204 == fakeplat.as_user("ada").delete(f"{SITE}/repository/{path}").status


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_archives_are_those_of_git(fakeplat: Fakeplat, git: Git, form: str, time: str) -> None:
    """An archive has the time as far as its format has room for it; tar files equal those of git."""
    archive: Any = fakeplat.as_user("ada").get(f"{SITE}/repository/archive.{form}?sha={git.sha()}")
    assert 200 == archive.status
    if form == "tar" and not time.startswith("-"):
        name = f"site-{git.sha()}-{git.sha()}"
        assert git.raw("archive", f"--prefix={name}/", "--format", "tar", git.sha()) == archive.content
