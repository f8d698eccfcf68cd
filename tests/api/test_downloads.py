"""Archives, raw files, patches and differences by the addresses of the platform's pages."""

from io import BytesIO
from tarfile import open as open_tar
from zipfile import ZipFile

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.journal_entries import Reply
from tests.api.histories import set_repository
from tests.api.merge_requests import commit, create_merge_request
from tests.api.requests import NO_ROUTE, outcome
from tests.git.command import Git

PROJECT = "acme/site/-"


def get(fake: Fakeplat, path: str, by: str | None = "rep") -> Reply:
    return fake.as_user(by).get(f"{fake.url}/{path}")


def find_folder(content: bytes) -> str:
    """The name of the one folder that everything in a tar archive is in."""
    with open_tar(fileobj=BytesIO(content)) as archive:
        (name,) = {member.name.partition("/")[0] for member in archive}
    return name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("light/site-light.tar.gz", "site-light"),
        ("light/anything.tar.gz", "site-light-{light}"),
        ("light.tar.gz", "site-light-{light}"),
        ("{light}/site-{light}.tar.gz", "site-{light}"),
        ("{light}.tar.gz", "site-{light}"),
        ("team/topic/site-team-topic.tar.gz", "site-team-topic"),
        ("team/topic.tar.gz", "site-team-topic-{light}"),
        ("v1.0/site-v1.0.tar.gz", "site-v1.0"),
    ],
)
def test_an_archive_by_its_page(fakeplat: Fakeplat, site: Git, path: str, name: str) -> None:
    """The name has no hash where the client's does not, or the ref is one."""
    light = site.sha("light^{commit}")
    fakeplat.as_user("dev").post(
        "projects/acme%2Fsite/repository/branches", json={"branch": "team/topic", "ref": light}
    )
    reply = get(fakeplat, f"{PROJECT}/archive/{path.format(light=light)}")
    expected = name.format(light=light)

    assert (200, "application/octet-stream") == (reply.status, reply.headers["Content-Type"])
    assert f'attachment; filename="{expected}.tar.gz"' == reply.headers["Content-Disposition"]
    assert "binary" == reply.headers["Content-Transfer-Encoding"]
    assert expected == find_folder(reply.content)
    seconds = 3600 if light in path.format(light=light) else 60
    assert f"max-age={seconds}, private" == reply.headers["Cache-Control"]


def test_an_archive_of_a_folder(fakeplat: Fakeplat, site: Git) -> None:
    """The archive of a folder names it, and an unknown folder answers 404."""
    reply = get(fakeplat, f"{PROJECT}/archive/light/site-light.zip?path=src/deep")
    assert 'attachment; filename="site-light-src-deep.zip"' == reply.headers["Content-Disposition"]
    assert "application/zip" == reply.headers["Content-Type"]
    files = {name for name in ZipFile(BytesIO(reply.content)).namelist() if not name.endswith("/")}
    expected = site.lines("ls-tree", "-r", "--name-only", "light", "src/deep/")
    assert {f"site-light-src-deep/{name}" for name in expected} == files
    assert NO_ROUTE == outcome(get(fakeplat, f"{PROJECT}/archive/light/site-light.zip?path=nowhere"))


@pytest.mark.parametrize("path", ["src/main.py", "with space", "grüße/ñandú.txt", "logo.bin"])
@pytest.mark.parametrize("ref", ["light", "commit"])
def test_a_raw_file_by_its_page(fakeplat: Fakeplat, site: Git, path: str, ref: str) -> None:
    """The raw page of a file serves its bytes as text or as a download."""
    revision = site.sha("light^{commit}") if ref == "commit" else ref
    reply = get(fakeplat, f"{PROJECT}/raw/{revision}/{path}")
    assert (200, site.raw("cat-file", "blob", f"light:{path}")) == (reply.status, reply.content)
    kind = "application/octet-stream" if path == "logo.bin" else "text/plain; charset=utf-8"
    assert (kind, "nosniff") == (reply.headers["Content-Type"], reply.headers["X-Content-Type-Options"])
    assert reply.headers["Content-Disposition"].startswith("inline; filename=")
    assert f"max-age={60 if ref == 'light' else 3600}, private" == reply.headers["Cache-Control"]
    saved = get(fakeplat, f"{PROJECT}/raw/{revision}/{path}?inline=false")
    assert saved.headers["Content-Disposition"].startswith("attachment; filename=")


def test_public_downloads_may_be_cached_publicly(fakeplat: Fakeplat) -> None:
    """Cache-Control is public for what anonymous callers may read."""
    for path in ("raw/master/README.md", "archive/master/docs-master.zip"):
        reply = get(fakeplat, f"acme/docs/-/{path}", None)
        assert (200, "max-age=60, public") == (reply.status, reply.headers["Cache-Control"])


@pytest.mark.parametrize("form", ["patch", "diff"])
def test_the_change_of_a_commit(fakeplat: Fakeplat, site: Git, form: str) -> None:
    """A commit is downloaded as the patch or diff that git writes."""
    for revision in ("feature~1", "light"):
        sha = site.sha(f"{revision}^{{commit}}")
        reply = get(fakeplat, f"{PROJECT}/commit/{sha}.{form}")
        expected = (
            site("format-patch", "--stdout", "--signature=Platform", "-1", sha)
            if form == "patch"
            else site("diff", "--full-index", f"{sha}~1", sha)
        )
        assert (200, "text/plain; charset=utf-8", "inline") == (
            reply.status,
            reply.headers["Content-Type"],
            reply.headers["Content-Disposition"],
        )
        assert expected == reply.text


def test_the_change_of_a_merge_request(fakeplat: Fakeplat) -> None:
    """A mail for each of its commits, the oldest first; its difference as a whole."""
    for name in ("one", "two"):
        commit(fakeplat, "work", name)
    iid = create_merge_request(fakeplat, "work")["iid"]
    patch, diff = (get(fakeplat, f"{PROJECT}/merge_requests/{iid}.{form}").text for form in ("patch", "diff"))

    assert ["Subject: [PATCH 1/2] Add one", "Subject: [PATCH 2/2] Add two"] == [
        line for line in patch.splitlines() if line.startswith("Subject: ")
    ]
    assert ["diff --git a/one b/one", "diff --git a/two b/two"] == [
        line for line in diff.splitlines() if line.startswith("diff ")
    ]


PATHS = [
    f"{PROJECT}/archive/master/site-master.tar.gz",
    f"{PROJECT}/archive/master.zip",
    f"{PROJECT}/raw/master/README.md",
    f"{PROJECT}/merge_requests/1.patch",
    f"{PROJECT}/merge_requests/1.diff",
    f"{PROJECT}/commit/master.patch",
]


@pytest.mark.parametrize("path", PATHS)
def test_downloads_are_hidden_without_the_right(fakeplat: Fakeplat, path: str) -> None:
    """Guests of a private project and strangers get 404; anonymous callers are sent to the login."""
    assert 200 == get(fakeplat, path).status
    for user in ("gus", "eve"):
        assert NO_ROUTE == outcome(get(fakeplat, path, user))
    reply = get(fakeplat, path, None)
    assert (302, f"{fakeplat.url}/users/sign_in") == (reply.status, reply.headers["Location"])


@pytest.mark.parametrize(
    "path",
    [
        "archive/nowhere/site-nowhere.tar.gz",
        "archive/master/site-master.rar",
        "archive/master",
        "raw/master/nowhere",
        "raw/master/app",
        "raw/master",
        "raw/nowhere/README.md",
        "commit/nowhere.patch",
        "merge_requests/99.diff",
        "merge_requests/x.patch",
    ],
)
def test_unknown_downloads_are_not_found(fakeplat: Fakeplat, path: str) -> None:
    """Downloads of unknown refs, files or archive formats answer 404."""
    assert NO_ROUTE == outcome(get(fakeplat, f"{PROJECT}/{path}"))


@pytest.mark.fakeplat(hosted=True)
def test_archives_of_pages_count_as_those_of_the_api(fakeplat: Fakeplat) -> None:
    """Five a minute on the hosted offering, together."""
    api = "projects/acme%2Fsite/repository/archive"
    for _ in range(3):
        assert 200 == fakeplat.as_user("rep").get(api).status
    path = f"{PROJECT}/archive/master.zip"
    assert [200, 200, 429] == [get(fakeplat, path).status for _ in range(3)]


def test_pages_stay_pages(fakeplat: Fakeplat, rich_git: Git) -> None:
    """Pages of the repository without the ending of a format are no downloads."""
    set_repository(fakeplat, rich_git)
    for path in ("merge_requests/1", "commit/master"):
        assert "text/html; charset=utf-8" == get(fakeplat, f"{PROJECT}/{path}").headers["Content-Type"]
