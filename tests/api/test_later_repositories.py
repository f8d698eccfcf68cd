"""What repositories have in later releases. Source: docs/platform/later-releases.md."""

from hashlib import sha256
from io import BytesIO
from tarfile import open as open_tar
from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    MAINTAINERS_DELETE_PROTECTED_TAGS,
    RAW_FILES_ARE_POINTERS,
    STRAIGHT_COMPARISONS_HAVE_TWO_DOTS,
    UNKNOWN_DIRECTORIES_ARE_NOT_FOUND,
    UNKNOWN_START_OF_BRANCH,
)
from tests.api.merge_requests import DOCS, SITE, commit
from tests.api.requests import FORBIDDEN, invalid, names, outcome, refusal, resource_not_found
from tests.api.test_lfs import call_lfs
from tests.by_release import by_release

REPOSITORY = f"{SITE}/repository"
pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master")
LARGE = b"large"
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256(LARGE).hexdigest()}\nsize 5\n"


def get(fake: Fakeplat, below: str, **params: Any) -> Any:
    reply = fake.as_user("rep").get(f"{REPOSITORY}/{below}", params=params)
    assert 200 == reply.status, reply
    return reply


def walk(fake: Fakeplat, path: str, key: str, **params: Any) -> list[str]:
    """Follow the links from page to page and return the names of all rows."""
    found, url = [], f"{REPOSITORY}/{path}"
    reply = fake.as_user("rep").get(url, params={"pagination": "keyset", "per_page": 1, **params})
    while True:
        found += names(reply.json(), key)
        link = reply.headers.get("Link", "")
        if not link:
            return found
        assert link.endswith('; rel="next"')
        assert "X-Total" not in reply.headers
        reply = fake.as_user("rep").get(link.removeprefix("<").partition(">")[0])


# Pages


@pytest.mark.parametrize(("path", "key"), [("branches", "name"), ("tags", "name"), ("tree", "name")])
def test_pages_by_token(fakeplat: Fakeplat, path: str, key: str) -> None:
    """Lists of branches, tags and entries have pages that begin after a row, in the same order."""
    commit(fakeplat, "feature", "a/b.txt")
    fakeplat.as_user("mia").post(f"{REPOSITORY}/tags", json={"tag_name": "v2.0.0", "ref": "feature"})

    assert names(get(fakeplat, path).json(), key) == walk(fakeplat, path, key)


@pytest.mark.parametrize(("path", "prefix"), [("branches", ""), ("tags", "refs/tags/")], ids=["branches", "tags"])
def test_an_unknown_token(fakeplat: Fakeplat, path: str, prefix: str) -> None:
    """A token that names no row is 422; that of a tag is named in full."""
    url = f"{REPOSITORY}/{path}?pagination=keyset&page_token=nope"
    assert (422, {"message": f"Invalid page token: {prefix}nope"}) == refusal(fakeplat, "rep", "GET", url)


def test_a_whole_tree(fakeplat: Fakeplat) -> None:
    """A recursive tree is listed at once with the pagination `none`."""
    for number in range(25):
        commit(fakeplat, "feature", f"folder/{number}.txt")
    reply = get(fakeplat, "tree", ref="feature", pagination="none", recursive=True)

    assert len(reply.json()) > 25
    assert "X-Page" not in reply.headers
    error = invalid('pagination cannot be "none" unless "recursive" is true')
    assert error == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/tree?pagination=none")


@by_release(
    UNKNOWN_DIRECTORIES_ARE_NOT_FOUND,
    "expected",
    {"18.8": (200, []), "18.9": resource_not_found("invalid revision or path")},
)
def test_an_unknown_directory(fakeplat: Fakeplat, expected: object) -> None:
    """An unknown directory is empty, and not found in later releases."""
    assert expected == outcome(fakeplat.as_user("rep").get(f"{REPOSITORY}/tree?path=nope"))


# Branches and tags


def test_branches_by_expression_and_order(fakeplat: Fakeplat) -> None:
    """Branches are filtered by an expression, and sorted by the time of their last commit."""
    commit(fakeplat, "zebra", start_branch="master")
    everything = names(get(fakeplat, "branches").json(), "name")

    assert ["zebra"] == names(get(fakeplat, "branches", regex="^z.*a$").json(), "name")
    assert everything == names(get(fakeplat, "branches", sort="name_asc").json(), "name")
    updated = names(get(fakeplat, "branches", sort="updated_desc").json(), "name")
    assert ("zebra", set(everything)) == (updated[0], set(updated))
    assert "zebra" == names(get(fakeplat, "branches", sort="updated_asc").json(), "name")[-1]
    bad = (400, {"message": "Regex is invalid"})
    assert bad == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/branches?regex=(")


def test_annotated_tags_have_a_time(fakeplat: Fakeplat) -> None:
    """Annotated tags show when they were made."""
    created = [
        fakeplat.as_user("mia").post(f"{REPOSITORY}/tags", json={"tag_name": name, "ref": "master", "message": text})
        for name, text in (("light", ""), ("annotated", "Text"))
    ]
    light, annotated = (reply.json()["created_at"] for reply in created)

    assert light is None
    assert annotated.startswith("20")


def test_signatures_of_tags(fakeplat: Fakeplat) -> None:
    """A tag shows the kind of its signature; one without a signature has none."""
    text = "Text\n-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----"
    for name, message in (("signed", text), ("unsigned", "Text")):
        body = {"tag_name": name, "ref": "master", "message": message}
        assert 201 == fakeplat.as_user("mia").post(f"{REPOSITORY}/tags", json=body).status

    assert "PGP" == get(fakeplat, "tags/signed/signature").json()["signature_type"]
    path = f"{REPOSITORY}/tags/{{}}/signature"
    assert resource_not_found("Signature") == refusal(fakeplat, "rep", "GET", path.format("unsigned"))
    assert resource_not_found("Tag") == refusal(fakeplat, "rep", "GET", path.format("nope"))
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", path.format("signed"))


# Comparison and contributors


def test_comparisons_have_addresses_and_unified_diffs(fakeplat: Fakeplat) -> None:
    """A comparison shows its page, and diffs that name their files on demand."""
    commit(fakeplat, "feature", "new.txt")
    plain = get(fakeplat, "compare", **{"from": "master", "to": "feature"}).json()
    unified = get(fakeplat, "compare", **{"from": "master", "to": "feature", "unidiff": True}).json()
    base = get(fakeplat, "merge_base?refs=master,feature").json()["id"]

    assert plain["web_url"] == f"{fakeplat.url}/acme/site/-/compare/{base}...{plain['commit']['id']}"
    assert [True] * len(unified["diffs"]) == [row["diff"].startswith("--- ") for row in unified["diffs"]]
    assert plain["diffs"][0]["diff"].startswith("@@ ")


def test_comparisons_with_forks(fakeplat: Fakeplat) -> None:
    """A branch is compared with one of another project of the fork network; others are refused."""
    fork = fakeplat.as_user("dev").post(f"{SITE}/fork").json()
    fakeplat.settle()
    path = f"projects/{fork['id']}/repository"
    commit(fakeplat, "patch", "patch.txt", project=f"projects/{fork['id']}", start_branch="master")
    site = fakeplat.as_user("dev").get(SITE).json()["id"]
    query = {"from": "master", "to": "patch", "from_project_id": site}
    compared = fakeplat.as_user("dev").get(f"{path}/compare", params=query).json()

    assert ["patch.txt"] == names(compared["diffs"], "new_path")
    assert "/acme/site/-/compare/" in compared["web_url"]
    docs = fakeplat.as_user("dev").get("projects/acme%2Fdocs").json()["id"]
    sent = quote("acme/site", safe="")
    refused = refusal(
        fakeplat, "dev", "GET", f"projects/{sent}/repository/compare?from=master&to=feature&from_project_id={docs}"
    )
    assert (400, {"message": f"Target project id:{docs} is not a fork of project id:acme/site"}) == refused


def test_contributors_of_a_branch(fakeplat: Fakeplat) -> None:
    """Contributors are those of a branch on demand."""
    commit(fakeplat, "feature", author_name="Zoe", author_email="zoe@x.test")

    assert "Zoe" not in names(get(fakeplat, "contributors").json(), "name")
    assert "Zoe" in names(get(fakeplat, "contributors", ref="feature").json(), "name")
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/contributors?ref=no")


# Files


def list_files(fake: Fakeplat, **params: Any) -> tuple[str, list[str]]:
    """Return the name of an archive and the paths of its files, without the folder of the archive."""
    reply = get(fake, "archive.tar", sha="feature", **params)
    with open_tar(fileobj=BytesIO(reply.content)) as archive:
        paths = [member.name.partition("/")[2] for member in archive if member.isfile()]
    return reply.headers["Content-Disposition"], paths


def test_parts_of_an_archive(fakeplat: Fakeplat) -> None:
    """An archive can be one of a folder, and without some paths."""
    for path in ("a/one.txt", "a/two.txt", "b.txt"):
        commit(fakeplat, "feature", path)
    name, paths = list_files(fakeplat, path="a")

    assert ["a/one.txt", "a/two.txt"] == paths
    assert name.endswith('-a.tar"')
    assert {"a/two.txt", "a/one.txt"}.isdisjoint(list_files(fakeplat, exclude_paths="a")[1])
    assert "a/two.txt" in list_files(fakeplat, exclude_paths="a/one.txt,b.txt")[1]
    missing = resource_not_found("File")
    assert missing == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/archive.tar?path=nope")


def test_blame_of_a_range(fakeplat: Fakeplat) -> None:
    """Blame can be that of a range of lines."""
    commit(fakeplat, "feature", "lines.txt", content="1\n2\n3\n4\n")
    path = "files/lines.txt/blame?ref=feature"
    rows = get(fakeplat, f"{path}&range[start]=2&range[end]=3").json()

    assert [["2", "3"]] == [row["lines"] for row in rows]
    url = f"{REPOSITORY}/{path}"
    error = (400, {"message": "range[start] must be less than or equal to range[end]"})
    assert error == refusal(fakeplat, "rep", "GET", f"{url}&range[start]=3&range[end]=2")
    assert invalid("range[end] is missing, range[end] is empty") == refusal(
        fakeplat, "rep", "GET", f"{url}&range[start]=3"
    )


@by_release(RAW_FILES_ARE_POINTERS, "expected", {"17.1": "large", "17.2": POINTER})
def test_raw_large_files(fakeplat: Fakeplat, expected: str) -> None:
    """The raw content of a large file is its pointer in later releases, unless the file is asked for."""
    oid = sha256(LARGE).hexdigest()
    assert 200 == call_lfs(fakeplat, "PUT", f"objects/{oid}/{len(LARGE)}", "dev", LARGE)[0]
    commit(fakeplat, "feature", "large.bin", content=POINTER)

    assert expected == get(fakeplat, "files/large.bin/raw?ref=feature").text
    assert "large" == get(fakeplat, "files/large.bin/raw?ref=feature&lfs=true").text


def test_a_large_file_is_saved(fakeplat: Fakeplat) -> None:
    """A large file that is asked for is saved under its stored name; one that was not uploaded is not found."""
    commit(fakeplat, "feature", "large.bin", content=POINTER)
    path = "files/large.bin/raw?ref=feature&lfs=true"
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/{path}")
    oid = sha256(LARGE).hexdigest()
    assert 200 == call_lfs(fakeplat, "PUT", f"objects/{oid}/{len(LARGE)}", "dev", LARGE)[0]
    headers = get(fakeplat, path).headers

    assert "application/octet-stream" == headers["Content-Type"]
    name = oid[4:]
    assert f"attachment; filename=\"{name}\"; filename*=UTF-8''{name}" == headers["Content-Disposition"]
    assert "X-Gitlab-File-Name" not in headers
    assert "text" == get(fakeplat, f"files/{quote('README.md')}/raw?lfs=true").headers["Content-Type"][:4]


@by_release(Lifetime(since="19.3"), "is_shown", {"19.2": False, "19.3": True})
def test_entries_with_their_last_commits(fakeplat: Fakeplat, is_shown: bool) -> None:
    """From 19.3 on, each entry of a folder has the commit that last changed it, on demand."""
    sha = commit(fakeplat, "feature", "a/b.txt")
    rows = get(fakeplat, "tree?ref=feature&with_last_commit=true").json()
    shown = {row["path"]: row.get("last_commit", {}).get("id") for row in rows}

    assert is_shown == (sha == shown["a"] != shown["README.md"])
    assert is_shown == all(shown.values())
    assert "last_commit" not in get(fakeplat, "tree?ref=feature").json()[0]
    recursive = fakeplat.as_user("rep").get(f"{REPOSITORY}/tree?with_last_commit=true&recursive=true")
    expected = invalid('recursive cannot be "true" when "with_last_commit" is "true"')
    assert recursive.status == 200 if not is_shown else expected == outcome(recursive)


def test_archives_of_refs_with_one_name(fakeplat: Fakeplat) -> None:
    """The kind of a ref tells a branch from a tag of the same name."""
    mia = fakeplat.as_user("mia")
    for kind, name in (("branches", "branch"), ("tags", "tag_name")):
        assert 201 == mia.post(f"{REPOSITORY}/{kind}", json={name: "both", "ref": "feature"}).status
    sha = commit(fakeplat, "both", "later.txt", by="mia")
    archives = {
        kind: get(fakeplat, f"archive?sha=both&ref_type={kind}").headers["Content-Disposition"]
        for kind in ("heads", "tags")
    }

    assert f'attachment; filename="site-both-{sha}.tar.gz"' == archives["heads"]
    assert sha not in archives["tags"]
    assert archives["tags"].startswith('attachment; filename="site-both-')
    missing = resource_not_found("File")
    assert missing == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/archive?sha=feature&ref_type=tags")
    refused = refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/archive?sha=both&ref_type=notes")
    assert invalid("ref_type does not have a valid value") == refused


@by_release(STRAIGHT_COMPARISONS_HAVE_TWO_DOTS, "dots", {"19.2": "...", "19.3": ".."})
def test_addresses_of_comparisons(fakeplat: Fakeplat, dots: str) -> None:
    """The address of a comparison has three dots; the newest releases have two if it is a direct one."""
    first, second = (get(fakeplat, f"commits/{name}").json()["id"] for name in ("master", "feature"))
    direct = get(fakeplat, "compare?from=master&to=feature&straight=true").json()["web_url"]
    from_base = get(fakeplat, "compare?from=master&to=feature").json()["web_url"]

    assert direct.endswith(f"/-/compare/{first}{dots}{second}")
    assert from_base.endswith(f"...{second}")


def test_forks_of_one_branch(fakeplat: Fakeplat) -> None:
    """A fork has one branch only on demand, which becomes its default branch."""
    fork = fakeplat.as_user("dev").post(f"{SITE}/fork", json={"branches": "feature", "path": "one"}).json()
    fakeplat.settle()
    project = fakeplat.as_user("dev").get(f"projects/{fork['id']}").json()
    branches = fakeplat.as_user("dev").get(f"projects/{fork['id']}/repository/branches").json()

    assert ("feature", ["feature"]) == (project["default_branch"], names(branches, "name"))
    assert [] == fakeplat.as_user("dev").get(f"projects/{fork['id']}/repository/tags").json()


def test_kinds_of_housekeeping(fakeplat: Fakeplat) -> None:
    """Housekeeping has a task, which is one of two words."""
    path = f"{SITE}/housekeeping"
    assert invalid("task does not have a valid value") == refusal(fakeplat, "ada", "POST", path, json={"task": "x"})
    assert 201 == fakeplat.as_user("ada").post(path, json={"task": "prune"}).status


@pytest.mark.fakeplat(tier="premium")
def test_protected_branches_say_whether_a_group_protects_them(fakeplat: Fakeplat) -> None:
    """A protected branch of a project is not inherited."""
    rows = fakeplat.as_user("mia").get(f"{SITE}/protected_branches").json()
    assert {False} == {row["inherited"] for row in rows}


@by_release(
    UNKNOWN_START_OF_BRANCH,
    "text",
    {"14.9": "Invalid reference name: gone", "14.10": "Failed to create branch 'new': invalid reference name 'gone'"},
)
def test_branches_of_unknown_refs(fakeplat: Fakeplat, text: str) -> None:
    """Later releases name the branch that cannot be created, too."""
    body = {"branch": "new", "ref": "gone"}
    assert (400, {"message": text}) == refusal(fakeplat, "mia", "POST", f"{REPOSITORY}/branches", json=body)


@by_release(MAINTAINERS_DELETE_PROTECTED_TAGS, "can_delete", {"14.9": False, "14.10": True})
def test_maintainers_delete_protected_tags(fakeplat: Fakeplat, can_delete: bool) -> None:
    """Later releases let Maintainers delete protected tags with the API; others are forbidden to."""
    mia, tag = fakeplat.as_user("mia"), f"{REPOSITORY}/tags/safe"
    assert 201 == mia.post(f"{REPOSITORY}/tags", json={"tag_name": "safe", "ref": "master"}).status
    assert 201 == mia.post(f"{SITE}/protected_tags", json={"name": "safe"}).status
    kept = 400, {"message": "Protected tags cannot be deleted."}

    assert (FORBIDDEN if can_delete else kept) == refusal(fakeplat, "dev", "DELETE", tag)
    assert ((204, None) if can_delete else kept) == outcome(mia.delete(tag))
    assert (404 if can_delete else 200) == mia.get(tag).status


def test_tags_hide_releases_from_those_who_may_not_read_them(fakeplat: Fakeplat) -> None:
    """A tag of a project whose releases are for members only shows none to others, and null without a release."""
    ada, tag = fakeplat.as_user("ada"), f"{DOCS}/repository/tags/v1"
    ada.post(f"{DOCS}/repository/tags", json={"tag_name": "v1", "ref": "master"})
    assert None is fakeplat.as_user(None).get(tag).json()["release"]
    ada.post(f"{DOCS}/releases", json={"tag_name": "v1", "description": "First"})
    assert "First" == fakeplat.as_user(None).get(tag).json()["release"]["description"]

    ada.put(DOCS, json={"releases_access_level": "private"})
    assert "First" == ada.get(tag).json()["release"]["description"]
    assert "release" not in fakeplat.as_user(None).get(tag).json()
    assert "release" not in fakeplat.as_user(None).get(f"{DOCS}/repository/tags").json()[0]
