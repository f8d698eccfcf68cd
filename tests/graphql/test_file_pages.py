"""How files of repositories are shown and edited, by GraphQL. Source: docs/platform/graphql.md."""

from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import query_data, query_project

OID = "6c17f2007cbe934aee6e309b28b2dba3c119c5dff2ef813ed124699efe319868"
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize 4096\n"
FILES = {
    "README.md": "# Site\n",
    "src/Gemfile": "gem 'rack'\n",
    "data.csv": "a,b\n",
    "logo.png": {"content": "iVBORw0KGgoAAAA=", "encoding": "base64"},
    "photo.jpg": POINTER,
    "notes.bin": POINTER,
    "empty.txt": "",
    "big.txt": "x" * 1_048_577,
    "docs/CODEOWNERS": "* @ada\n",
    ".gitlab/CODEOWNERS": "* @mia\n",
}
SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "repository": {
        "commits": [{"message": "First", "files": FILES}, {"message": "Second", "files": {"README.md": "# New\n"}}],
    },
    "snippets": [{"title": "Hint", "author": "dev", "visibility": "internal", "files": {"a.md": "Do.", "b.txt": ""}}],
}
pytestmark = pytest.mark.fakeplat(
    version="latest", tier="ultimate", clock="virtual", scenario={"extends": "starter", "projects": [SITE]}
)


def read_file(fake: Fakeplat, by: str | None, path: str, selection: str, more: str = "") -> Any:
    """Return fields of a file of the project."""
    query = f'repository {{ blobs(paths: ["{path}"]{more}) {{ nodes {{ {selection} }} }} }}'
    (file,) = query_project(fake, by, query)["repository"]["blobs"]["nodes"]
    return file


@pytest.mark.fakeplat(version="14.0")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", ("readme", "text", "markup")),
        ("src/Gemfile", ("gemfile", "text", None)),
        ("data.csv", (None, "text", "csv")),
        ("empty.txt", (None, "empty", None)),
        ("photo.jpg", (None, "download", "image")),
        ("notes.bin", (None, "download", None)),
    ],
)
def test_viewers_follow_from_name_and_content(fakeplat: Fakeplat, path: str, expected: tuple[str | None, ...]) -> None:
    """A file has a type by its name, a simple viewer by its content, and a rich one by its extension."""
    file = read_file(fakeplat, "dev", path, "fileType simpleViewer { type fileType } richViewer { type fileType }")
    rich = file["richViewer"]
    assert expected == (file["fileType"], file["simpleViewer"]["fileType"], rich and rich["fileType"])
    assert ("simple", rich and "rich") == (file["simpleViewer"]["type"], rich and rich["type"])


def test_viewers_say_what_they_do_not_show(fakeplat: Fakeplat) -> None:
    """Large files are collapsed; what the server renders is not shown if it is stored elsewhere."""
    shown = "loadAsync collapsed tooLarge renderError loadingPartialName"
    big = read_file(fakeplat, "dev", "big.txt", f"simpleViewer {{ {shown} }}")["simpleViewer"]
    assert {
        "loadAsync": True,
        "collapsed": True,
        "tooLarge": False,
        "renderError": "collapsed",
        "loadingPartialName": "loading",
    } == big
    readme = read_file(fakeplat, "dev", "README.md", f"richViewer {{ {shown} }}")["richViewer"]
    assert (True, False, None) == (readme["loadAsync"], readme["collapsed"], readme["renderError"])
    photo = read_file(fakeplat, "dev", "photo.jpg", f"simpleViewer {{ {shown} }} richViewer {{ {shown} }}")
    assert [(False, None)] * 2 == [(viewer["loadAsync"], viewer["renderError"]) for viewer in photo.values()]


def test_files_of_snippets_have_viewers(fakeplat: Fakeplat) -> None:
    """Files of snippets are shown as those of repositories."""
    query = "snippets { nodes { blobs { nodes { simpleViewer { fileType } richViewer { fileType renderError } } } } }"
    (snippet,) = query_project(fakeplat, "dev", query)["snippets"]["nodes"]
    assert [
        {"simpleViewer": {"fileType": "text"}, "richViewer": {"fileType": "markup", "renderError": None}},
        {"simpleViewer": {"fileType": "empty"}, "richViewer": None},
    ] == snippet["blobs"]["nodes"]


@pytest.mark.fakeplat(version="14.0")
def test_pointers_of_lfs_tell_what_they_point_to(fakeplat: Fakeplat) -> None:
    """A pointer of Git LFS shows the hash and the size of the object; other files have none."""
    shown = "lfsOid storedExternally size rawSize editBlobPath replacePath"
    pointer = read_file(fakeplat, "dev", "photo.jpg", shown)
    assert {
        "lfsOid": OID,
        "storedExternally": True,
        "size": str(len(POINTER)),
        "rawSize": "4096",
        "editBlobPath": "/acme/site/-/edit/main/photo.jpg",
        "replacePath": "/acme/site/-/update/main/photo.jpg",
    } == pointer
    plain = read_file(fakeplat, "dev", "data.csv", "lfsOid storedExternally rawSize")
    assert {"lfsOid": None, "storedExternally": False, "rawSize": "4"} == plain


@pytest.mark.fakeplat(version="14.9")
def test_the_storage_of_a_file_is_named(fakeplat: Fakeplat) -> None:
    """What is in Git LFS says so."""
    files = [read_file(fakeplat, "dev", path, "externalStorage") for path in ("photo.jpg", "data.csv")]
    assert ["lfs", None] == [file["externalStorage"] for file in files]


EDIT = "canModifyBlob ideEditPath forkAndEditPath ideForkAndEditPath forkAndViewPath externalStorageUrl"


@pytest.mark.fakeplat(version="14.10")
def test_who_may_push_edits_files(fakeplat: Fakeplat) -> None:
    """Developers edit files here, and paths of forks name the caller's namespace."""
    file = read_file(fakeplat, "dev", "README.md", EDIT)
    fork = urlsplit(file["forkAndEditPath"])
    query = parse_qs(fork.query)
    namespace = fakeplat.as_user("dev").get("namespaces/dev").json()

    assert (True, None) == (file["canModifyBlob"], file["externalStorageUrl"])
    assert "/-/ide/project/acme/site/edit/main/-/README.md" == file["ideEditPath"]
    assert ("/acme/site/-/forks", ["/acme/site/-/edit/main/README.md"], [str(namespace["id"])]) == (
        fork.path,
        query["continue[to]"],
        query["namespace_key"],
    )
    assert query["continue[notice]"][0].startswith("You're not allowed to make changes to this project directly.")
    ide = parse_qs(urlsplit(file["ideForkAndEditPath"]).query)
    assert [file["ideEditPath"]] == ide["continue[to]"]
    view = parse_qs(urlsplit(file["forkAndViewPath"]).query)
    assert {"continue[to]": ["/acme/site/-/blob/main/README.md"], "namespace_key": [str(namespace["id"])]} == view


def test_who_may_not_push_edits_in_a_fork(fakeplat: Fakeplat) -> None:
    """Reporters edit files in their own fork; tags, commits and what is in Git LFS are not edited."""
    shown = "canModifyBlob canModifyBlobWithWebIde ideEditPath"
    reporter = read_file(fakeplat, "rep", "README.md", shown)
    assert {
        "canModifyBlob": False,
        "canModifyBlobWithWebIde": False,
        "ideEditPath": "/-/ide/project/rep/site/edit/main/-/README.md",
    } == reporter
    fakeplat.as_user("rep").post("projects/acme%2Fsite/fork", json={})
    forked = read_file(fakeplat, "rep", "README.md", shown)
    assert (True, True) == (forked["canModifyBlob"], forked["canModifyBlobWithWebIde"])
    sha = fakeplat.as_user("dev").get("projects/acme%2Fsite/repository/branches/main").json()["commit"]["id"]
    at_commit = read_file(fakeplat, "dev", "README.md", shown, f', ref: "{sha}"')
    assert (False, True) == (at_commit["canModifyBlob"], at_commit["canModifyBlobWithWebIde"])
    pointer = read_file(fakeplat, "dev", "photo.jpg", shown)
    assert (False, False) == (pointer["canModifyBlob"], pointer["canModifyBlobWithWebIde"])


@pytest.mark.fakeplat(version="16.2")
def test_the_kind_of_a_ref_tells_branches_from_tags(fakeplat: Fakeplat) -> None:
    """A branch and a tag of one name are told apart; the paths of pages keep the kind."""
    maintainer = fakeplat.as_user("mia")
    first = maintainer.get("projects/acme%2Fsite/repository/commits").json()[-1]["id"]
    maintainer.post("projects/acme%2Fsite/repository/tags", json={"tag_name": "main", "ref": first})
    shown = "rawBlob webPath rawPath blamePath editBlobPath permalinkPath"
    branch, tag = (
        read_file(fakeplat, "dev", "README.md", shown, f', ref: "main", refType: {kind}') for kind in ("HEADS", "TAGS")
    )
    assert ("# New\n", "# Site\n") == (branch["rawBlob"], tag["rawBlob"])
    assert "/acme/site/-/blob/main/README.md?ref_type=tags" == tag["webPath"]
    assert [True] * 3 == [tag[key].endswith("?ref_type=tags") for key in ("rawPath", "blamePath", "editBlobPath")]
    assert "ref_type" not in tag["permalinkPath"]
    trees = query_project(
        fakeplat,
        "dev",
        """repository { tree(ref: "main", refType: TAGS) { lastCommit { title } }
        paginatedTree(ref: "main", refType: HEADS) { nodes { lastCommit { title } } }
        none: tree(ref: "none", refType: HEADS) { lastCommit { title } } }""",
    )["repository"]
    assert {"lastCommit": {"title": "First"}} == trees["tree"]
    assert [{"lastCommit": {"title": "Second"}}] == trees["paginatedTree"]["nodes"]
    assert None is trees["none"]


@pytest.mark.fakeplat(version="17.11")
def test_folders_show_their_own_last_commit(fakeplat: Fakeplat) -> None:
    """The last commit of a folder is the newest that changed it; its permanent path names the commit of the ref."""
    query = "{ lastCommit { title sha } permalinkPath }"
    repository = query_project(fakeplat, "dev", f'repository {{ root: tree {query} src: tree(path: "src") {query} }}')
    root, src = repository["repository"]["root"], repository["repository"]["src"]
    sha = root["lastCommit"]["sha"]

    assert ("Second", "First") == (root["lastCommit"]["title"], src["lastCommit"]["title"])
    assert (f"/acme/site/-/tree/{sha}", f"/acme/site/-/tree/{sha}/src") == (root["permalinkPath"], src["permalinkPath"])


@pytest.mark.fakeplat(version="14.0")
def test_administrators_see_where_a_repository_is_stored(fakeplat: Fakeplat) -> None:
    """Administrators see the path of the storage, which is the hash of the id of the project."""
    digest = sha256(str(fakeplat.world.project("acme/site").id).encode()).hexdigest()
    query = "repository { diskPath }"
    expected = f"@hashed/{digest[:2]}/{digest[2:4]}/{digest}"
    assert {"repository": {"diskPath": expected}} == query_project(fakeplat, "root", query)
    assert {"repository": {"diskPath": None}} == query_project(fakeplat, "mia", query)


@pytest.mark.fakeplat(version="16.2")
def test_the_file_of_code_owners_is_found(fakeplat: Fakeplat) -> None:
    """Of several files that name owners of code, the first place counts; none is null."""
    query = 'repository { codeOwnersPath none: codeOwnersPath(ref: "none") }'
    assert {"codeOwnersPath": "docs/CODEOWNERS", "none": None} == query_project(fakeplat, "dev", query)["repository"]


@pytest.mark.fakeplat(version="18.2")
def test_commits_show_a_picture_of_their_author(fakeplat: Fakeplat) -> None:
    """The picture follows from the e-mail address, unless the instance shows none."""
    query = "repository { tree { lastCommit { authorGravatar } } }"
    commit = query_project(fakeplat, "dev", query)["repository"]["tree"]["lastCommit"]
    assert "/avatar/" in commit["authorGravatar"]
    fakeplat.as_user("root").put("application/settings", params={"gravatar_enabled": False})
    commit = query_project(fakeplat, "dev", query)["repository"]["tree"]["lastCommit"]
    assert {"authorGravatar": None} == commit


PUBLIC = {**SITE, "path_with_namespace": "open/site", "visibility": "public"}
OPEN = {"path": "open", "visibility": "public", "members": {"ada": "owner"}}


@pytest.mark.fakeplat(scenario={"extends": "starter", "groups": [OPEN], "projects": [PUBLIC]})
def test_an_anonymous_caller_edits_nothing(fakeplat: Fakeplat) -> None:
    """Without sign-in nothing is edited, and there is no path of a fork."""
    query = f"""{{ project(fullPath: "open/site") {{
        repository {{ blobs(paths: ["README.md"]) {{ nodes {{ {EDIT} }} }} }} }} }}"""
    (file,) = query_data(fakeplat, None, query)["project"]["repository"]["blobs"]["nodes"]
    assert (False, None, None) == (file["canModifyBlob"], file["forkAndEditPath"], file["ideForkAndEditPath"])
    assert "/-/ide/project/open/site/edit/main/-/README.md" == file["ideEditPath"]
