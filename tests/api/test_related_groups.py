"""Shares, locations, uploads, avatars and more of later releases. Source: docs/platform/later-releases.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import IMPORTED_MEMBERS_HAVE_NO_TEXT
from tests.api.requests import FORBIDDEN, Outcome, form, names, person, refusal, resource_not_found
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", default_branch="master")
SITE, DOCS, ACME, TOOLS = "projects/acme%2Fsite", "projects/acme%2Fdocs", "groups/acme", "groups/acme%2Ftools"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
PNG = ("face.png", "image/png", b"\x89PNG\r\n\x1a\n")


def add_group(fake: Fakeplat, path: str, by: str = "ada") -> int:
    """Create a group; return its id."""
    return int(fake.as_user(by).post("groups", json={"name": path.title(), "path": path}).json()["id"])


def full_paths(fake: Fakeplat, path: str, by: str = "ada") -> list[str]:
    return names(fake.as_user(by).get(path).json(), "full_path")


def test_invited_groups_are_listed(fakeplat: Fakeplat) -> None:
    """A project lists the groups that it and the groups above it are shared with."""
    friends, others = add_group(fakeplat, "friends"), add_group(fakeplat, "others")
    fakeplat.as_user("ada").post(f"{SITE}/share", json={"group_id": friends, "group_access": 10})
    fakeplat.as_user("ada").post(f"{ACME}/share", json={"group_id": others, "group_access": 10})

    assert ["friends", "others"] == full_paths(fakeplat, f"{SITE}/invited_groups")
    assert ["friends"] == full_paths(fakeplat, f"{SITE}/invited_groups?relation=direct")
    assert ["others"] == full_paths(fakeplat, f"{SITE}/invited_groups?relation=inherited")
    assert ["others"] == full_paths(fakeplat, f"{SITE}/invited_groups?search=oth")
    assert ["others"] == full_paths(fakeplat, f"{ACME}/invited_groups")
    assert ["others"] == full_paths(fakeplat, f"{TOOLS}/invited_groups")
    assert [] == full_paths(fakeplat, f"{TOOLS}/invited_groups?relation=direct")
    assert [] == full_paths(fakeplat, f"{SITE}/invited_groups", by="dev")
    assert [] == full_paths(fakeplat, f"{SITE}/invited_groups?min_access_level=40", by="mia")


def test_groups_that_are_shared_with_a_group(fakeplat: Fakeplat) -> None:
    """A group lists the groups that are shared with it."""
    friends = add_group(fakeplat, "friends")
    fakeplat.as_user("ada").post(f"{ACME}/share", json={"group_id": friends, "group_access": 10})
    assert ["acme"] == full_paths(fakeplat, "groups/friends/groups/shared")
    for query in ("skip_groups=1,2,210", "visibility=private", "search=none"):
        paths = full_paths(fakeplat, f"groups/friends/groups/shared?{query}")
        assert paths == ([] if query != "visibility=private" else paths)
    assert resource_not_found("Group") == refusal(fakeplat, "dev", "GET", "groups/friends/groups/shared")


def test_locations(fakeplat: Fakeplat) -> None:
    """A project and a group list where they could go, and whom a project could be shared with."""
    add_group(fakeplat, "friends")
    add_group(fakeplat, "strangers", by="eve")

    assert ["acme/tools", "friends"] == full_paths(fakeplat, f"{SITE}/transfer_locations")
    assert ["friends"] == full_paths(fakeplat, f"{SITE}/transfer_locations?search=fri")
    assert ["friends"] == full_paths(fakeplat, f"{ACME}/transfer_locations")
    assert ["acme/tools", "friends"] == full_paths(fakeplat, f"{SITE}/share_locations")
    assert [FORBIDDEN] * 3 == [
        refusal(fakeplat, user, "GET", path)
        for user, path in (
            ("mia", f"{SITE}/transfer_locations"),
            ("mia", f"{ACME}/transfer_locations"),
            ("dev", f"{SITE}/share_locations"),
        )
    ]


def test_uploads_of_a_project(fakeplat: Fakeplat) -> None:
    """Uploaded files are listed, downloaded and deleted, by id or by the parts of their address."""
    mia, dev = fakeplat.as_user("mia"), fakeplat.as_user("dev")
    url = dev.post(f"{SITE}/uploads", **form(file=("a.txt", "text/plain", b"hello"))).json()["url"]
    (row,) = mia.get(f"{SITE}/uploads").json()
    by_id, by_secret = f"{SITE}/uploads/{row['id']}", f"{SITE}{url}"
    user = fakeplat.world.user("dev")

    author = {"id": user.id, "name": user.name, "username": "dev", "public_email": ""}
    assert ("a.txt", 5, author) == (row["filename"], row["size"], row["uploaded_by"])
    assert [b"hello", b"hello"] == [mia.get(by_id).content, dev.get(by_secret).content]
    assert [FORBIDDEN] * 3 == [
        refusal(fakeplat, "dev", method, path)
        for method, path in (("GET", by_id), ("DELETE", by_id), ("DELETE", by_secret))
    ]
    assert 204 == mia.delete(by_secret).status
    assert NOT_FOUND == refusal(fakeplat, "mia", "DELETE", by_id)
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "mia", "GET", by_secret)


def test_uploads_of_a_group(fakeplat: Fakeplat) -> None:
    """The files of groups are listed, downloaded and deleted as those of projects are."""
    fakeplat.load(
        {"groups": [{"full_path": "acme", "uploads": [{"filename": "a.txt", "content": "x", "secret": "s"}]}]}
    )
    mia = fakeplat.as_user("mia")
    (row,) = mia.get(f"{ACME}/uploads").json()

    assert [b"x", b"x"] == [mia.get(f"{ACME}/uploads/{end}").content for end in (row["id"], "s/a.txt")]
    assert 204 == mia.delete(f"{ACME}/uploads/{row['id']}").status
    assert [] == mia.get(f"{ACME}/uploads").json()


@pytest.mark.parametrize("path", [SITE, ACME])
def test_avatars_are_downloaded(fakeplat: Fakeplat, path: str) -> None:
    """The avatar of a project or group is an image; without one the answer is 404."""
    ada = fakeplat.as_user("ada")
    assert resource_not_found("Avatar") == refusal(fakeplat, "ada", "GET", f"{path}/avatar")
    ada.put(path, **form(avatar=PNG))
    assert (200, PNG[2]) == (ada.get(f"{path}/avatar").status, ada.get(f"{path}/avatar").content)


def test_saml_links(fakeplat: Fakeplat) -> None:
    """The SAML links of a group are listed, read and deleted."""
    ada = fakeplat.as_user("ada")
    link = {"name": "team", "access_level": 30, "provider": None}
    ada.post(f"{ACME}/saml_group_links", json={"saml_group_name": "team", "access_level": 30})
    path, missing = f"{ACME}/saml_group_links/team", (404, {"message": "Linked SAML group link not found"})

    assert [[link], link] == [ada.get(each).json() for each in (f"{ACME}/saml_group_links", path)]
    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", path)
    assert 204 == ada.delete(path).status
    assert [missing, missing] == [refusal(fakeplat, "ada", method, path) for method in ("GET", "DELETE")]


@by_release(IMPORTED_MEMBERS_HAVE_NO_TEXT, "text", {"17.11": {"message": "Successfully imported"}, "18.0": {}})
def test_members_are_imported(fakeplat: Fakeplat, text: dict[str, str]) -> None:
    """The direct members of another project become members, at their levels; the others stay."""
    ada, eve = fakeplat.as_user("ada"), person(fakeplat, "eve")
    ada.post(f"{DOCS}/members", json={"user_id": eve, "access_level": 30})
    docs = ada.get(DOCS).json()["id"]
    reply = ada.post(f"{SITE}/import_project_members/{docs}")

    assert (201, {"status": "success", **text}) == (reply.status, reply.json())
    assert 30 == ada.get(f"{SITE}/members/{eve}").json()["access_level"]
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{SITE}/import_project_members/{docs}")
    assert resource_not_found("Project") == refusal(fakeplat, "ada", "POST", f"{SITE}/import_project_members/1")


def test_releases_of_a_group(fakeplat: Fakeplat) -> None:
    """A group lists the releases of its projects that the caller sees, the newest first."""
    ada = fakeplat.as_user("ada")
    known = [release["tag_name"] for release in ada.get(f"{SITE}/releases").json()]
    ada.post(f"{SITE}/releases", json={"tag_name": "v99", "ref": "master"})
    assert ["v99", *known] == names(ada.get(f"{ACME}/releases").json(), "tag_name")
    assert ["v99"] == names(ada.get(f"{ACME}/releases").json(), "tag_name")[:1]
    simple = ada.get(f"{ACME}/releases?simple=true").json()[0]
    assert ["name", "tag_name", "description", "created_at", "released_at", "upcoming_release"] == list(simple)
    ada.put(SITE, json={"releases_access_level": "disabled"})
    assert "v99" not in names(ada.get(f"{ACME}/releases").json(), "tag_name")


def test_a_mirror_is_read(fakeplat: Fakeplat) -> None:
    """A single mirror of a project is shown."""
    ada = fakeplat.as_user("ada")
    mirror = ada.post(f"{SITE}/remote_mirrors", json={"url": "https://mirror.test/a.git"}).json()
    assert mirror == ada.get(f"{SITE}/remote_mirrors/{mirror['id']}").json()
    assert NOT_FOUND == refusal(fakeplat, "ada", "GET", f"{SITE}/remote_mirrors/1")


def test_the_size_of_a_repository_is_updated(fakeplat: Fakeplat) -> None:
    """Maintainers may have the size of a repository computed."""
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/repository_size").status
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{SITE}/repository_size")


def test_artifacts_of_a_project_are_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers delete the artifacts of a project, except for those of the latest pipelines of its refs."""
    job = {"name": "build", "status": "success", "artifact_files": [{"files": {"a.txt": "x"}}]}
    entry = [{"ref": "master", "status": "success", "jobs": [job]} for _ in range(2)]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "pipelines": entry}]})
    mia = fakeplat.as_user("mia")

    def list_archives() -> list[bool]:
        jobs = mia.get(f"{SITE}/jobs?per_page=100").json()
        return [job.get("artifacts_file") is not None for job in jobs if job["name"] == "build"][:2]

    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{SITE}/artifacts")
    reply = mia.delete(f"{SITE}/artifacts")
    assert (202, {"message": "202 Accepted"}) == (reply.status, reply.json())
    assert [True, False] == list_archives()
