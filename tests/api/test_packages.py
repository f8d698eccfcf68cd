"""Packages of projects and groups. Source: docs/platform/packages.md."""

from base64 import urlsafe_b64encode
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    GROUPS_LIST_READABLE_PACKAGES,
    PACKAGE_PIPELINES_NEED_A_RIGHT,
    PACKAGES_HIDE_PIPELINES,
    PACKAGES_NEED_NO_REPOSITORY,
    PACKAGES_WITH_ERRORS_HAVE_NO_PAGE,
    PIPELINES_OF_PACKAGES_ARE_EMPTY,
    PROTECTED_PACKAGES_ARE_NAMED_ALONE,
)
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, KIT, SITE, finish_jobs, job_token, list_statuses
from tests.by_release import by_release


def build_package(name: str, package_type: str, version: str | None, day: int, **rest: Any) -> dict[str, Any]:
    created_at = f"2020-11-0{day}T10:00:00.000Z"
    return {"name": name, "package_type": package_type, "version": version, "created_at": created_at, **rest}


PACKAGES = [
    build_package("zeta", "generic", "1.10.0", 1, files=[{"file_name": "a.txt", "content": "abc"}]),
    build_package("Alpha-lib", "pypi", "1.9.0", 3),
    build_package("@acme/app", "npm", "2.0.0", 2, tags=[{"name": "latest"}]),
    build_package("@acme/app", "npm", "1.0.0", 4),
    build_package("acme/site", "maven", None, 5, path="acme/site"),
    build_package("NuGet.Temporary.Package", "nuget", "0.0.1", 5),
    build_package("kept", "generic", "3.0.0", 5, status="hidden"),
    build_package("hello", "conan", "0.1", 5, conan_username="acme+site", conan_channel="stable"),
]
BROKEN = build_package("broken", "helm", "0.0.0", 5, status="error")
pytestmark = pytest.mark.fakeplat(
    clock="virtual",
    scenario={**COMPANY, "groups": COMPANY["groups"], "clock": {"start": "2020-11-20T09:00:00Z"}},
)


@pytest.fixture(autouse=True)
def loaded(fakeplat: Fakeplat) -> None:
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": PACKAGES}]})


def list_packages(fake: Fakeplat, query: str = "", path: str = SITE, user: str | None = "rep") -> list[str]:
    return [f"{row['name']} {row['version']}" for row in fake.as_user(user).get(f"{path}/packages?{query}").json()]


ALL = ["zeta 1.10.0", "@acme/app 2.0.0", "Alpha-lib 1.9.0", "@acme/app 1.0.0", "hello/0.1@acme+site/stable 0.1"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("sort=desc", [4, 3, 2, 1, 0]),
        ("order_by=name", [1, 3, 2, 4, 0]),
        ("order_by=name&sort=desc", [0, 4, 2, 3, 1]),
        # As texts: 1.10.0 comes before 1.9.0.
        ("order_by=version", [4, 3, 0, 2, 1]),
        ("order_by=version&sort=desc", [1, 2, 0, 3, 4]),
        # npm, Conan, PyPI, generic.
        ("order_by=type", [1, 3, 4, 2, 0]),
        ("package_type=npm", [1, 3]),
        ("package_type=golang", []),
        ("package_name=LIB", [2]),
        ("package_name=pha+lib", [2]),
        ("package_name=app", [1, 3]),
        # Below three characters, the whole name.
        ("package_name=ze", []),
        ("per_page=2&page=2", [2, 3]),
    ],
    ids=str,
)
def test_packages_are_filtered_sorted_and_paginated(fakeplat: Fakeplat, query: str, expected: list[int]) -> None:
    """Packages are filtered, sorted and paged without hidden or temporary ones."""
    assert [ALL[number] for number in expected] == list_packages(fakeplat, query)


@pytest.mark.parametrize(
    ("path", "query", "error"),
    [
        (SITE, "order_by=project_path", "order_by does not have a valid value"),
        (SITE, "order_by=id", "order_by does not have a valid value"),
        (SITE, "sort=up", "sort does not have a valid value"),
        (SITE, "package_type=debian", "package_type does not have a valid value"),
        ("groups/acme", "package_type=rpm", "package_type does not have a valid value"),
    ],
)
def test_unknown_filters_are_refused(fakeplat: Fakeplat, path: str, query: str, error: str) -> None:
    """Unknown filters of packages answer 400 with the parameter's name."""
    reply = fakeplat.as_user("rep").get(f"{path}/packages?{query}")
    assert (400, {"error": error}) == (reply.status, reply.json())


def test_a_package_shows_its_links_and_other_versions(fakeplat: Fakeplat) -> None:
    """A package shows its other versions, tags and links by right."""
    first, *_ = fakeplat.as_user("mia").get(f"{SITE}/packages?package_name=acme/app").json()
    package = fakeplat.as_user("mia").get(f"{SITE}/packages/{first['id']}").json()
    links = {
        "web_path": f"/acme/site/-/packages/{first['id']}",
        "delete_api_path": f"{fakeplat.url}/api/v4/projects/5001/packages/{first['id']}",
    }
    assert ("2.0.0", "npm", links) == (package["version"], package["package_type"], package["_links"])
    assert [("1.0.0", [])] == [(version["version"], version["tags"]) for version in package["versions"]]
    (tag,) = package["tags"]
    assert ("latest", first["id"]) == (tag["name"], tag["package_id"])
    assert {"id", "package_id", "name", "created_at", "updated_at"} == tag.keys()
    assert "versions" not in first
    assert {"pipeline", "build_info", "conan_package_name", "status"}.isdisjoint(package)
    seen = fakeplat.as_user("dev").get(f"{SITE}/packages/{first['id']}").json()
    assert {"web_path": links["web_path"]} == seen["_links"]


def test_a_conan_package_has_its_recipe_as_its_name(fakeplat: Fakeplat) -> None:
    """A Conan package shows its recipe as name and its own name in an extra field."""
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages?package_type=conan").json()
    assert ("hello/0.1@acme+site/stable", "hello") == (package["name"], package["conan_package_name"])


def test_a_package_of_another_project_is_not_found(fakeplat: Fakeplat) -> None:
    """Unknown, hidden and foreign packages are not found; one without a version is."""
    packages = {row.name: row.id for row in fakeplat.bench.platform.view.packages.all()}
    for path in (f"{DOCS}/packages/{packages['zeta']}", f"{SITE}/packages/1", f"{SITE}/packages/{packages['kept']}"):
        reply = fakeplat.as_user("root").get(path)
        assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/{packages['acme/site']}")
    assert (200, None) == (reply.status, reply.json()["version"])
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/x")
    assert (400, {"error": "package_id is invalid"}) == (reply.status, reply.json())


def test_files_show_their_size_and_digests(fakeplat: Fakeplat) -> None:
    """Package files are listed in the order of upload with sizes and digests."""
    fakeplat.as_user("dev").put(f"{SITE}/packages/generic/zeta/1.10.0/b.txt", data=b"b")
    id_ = fakeplat.as_user("rep").get(f"{SITE}/packages?package_name=zeta").json()[0]["id"]
    first, second = fakeplat.as_user("rep").get(f"{SITE}/packages/{id_}/package_files").json()
    assert {
        "id": first["id"],
        "package_id": id_,
        "created_at": "2020-11-01T10:00:00.000Z",
        "file_name": "a.txt",
        "size": 3,
        "file_md5": "900150983cd24fb0d6963f7d28e17f72",
        "file_sha1": "a9993e364706816aba3e25717850c26c9cd0d89d",
    } == first
    assert "b.txt" == second["file_name"]
    assert 404 == fakeplat.as_user("rep").get(f"{SITE}/packages/0/package_files").status


def test_a_deleted_package_is_gone_with_its_files(fakeplat: Fakeplat) -> None:
    """Deleting a package deletes its files and reduces statistics; 412 if it changed."""
    root, mia = fakeplat.as_user("root"), fakeplat.as_user("mia")
    path = f"{SITE}/packages/{mia.get(f'{SITE}/packages').json()[0]['id']}"
    assert 3 == root.get(f"{SITE}?statistics=true").json()["statistics"]["packages_size"]
    stale = mia.delete(path, headers={"If-Unmodified-Since": "Fri, 23 Oct 2020 09:00:00 GMT"})
    assert (412, {"message": "412 Precondition Failed"}) == (stale.status, stale.json())
    assert 204 == mia.delete(path).status
    again = mia.delete(path)
    assert (404, {"message": "404 Not found"}) == (again.status, again.json())
    assert 0 == root.get(f"{SITE}?statistics=true").json()["statistics"]["packages_size"]
    assert 0 == len(fakeplat.bench.platform.view.package_files.all())


def test_sizes_of_packages_are_part_of_the_storage(fakeplat: Fakeplat) -> None:
    """Sizes of packages count for the storage of project and group."""
    root = fakeplat.as_user("root")
    before = root.get(f"{SITE}?statistics=true").json()["statistics"]
    fakeplat.as_user("dev").put(f"{SITE}/packages/generic/a/1.0.0/a.bin", data=b"x" * 100)
    after = root.get(f"{SITE}?statistics=true").json()["statistics"]
    assert (100, 100) == tuple(after[name] - before[name] for name in ("packages_size", "storage_size"))
    groups = {group["full_path"]: group for group in root.get("groups?statistics=true").json()}
    assert 103 == groups["acme"]["statistics"]["packages_size"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (DOCS, "200 200 200 200 200 200 200 200 200"),
        # An internal project: whoever is signed in, except for external users.
        (KIT, "404 200 404 200 200 200 200 200 200"),
        (SITE, "404 404 404 403 200 200 200 200 200"),
        ("groups/acme", "200 200 200 200 200 200 200 200 200"),
        ("groups/acme%2Ftools", "404 403 404 403 200 200 200 200 200"),
    ],
)
def test_roles_that_list_packages(fakeplat: Fakeplat, path: str, expected: str) -> None:
    """Packages are listed by everybody if public, signed-in users if internal, else by Reporters."""
    assert expected == list_statuses(fakeplat, "GET", f"{path}/packages")


def test_the_packages_of_an_archived_project_change(fakeplat: Fakeplat) -> None:
    """Packages are none of the features that are read-only in an archived project."""
    assert 201 == fakeplat.as_user("ada").post(f"{SITE}/archive").status
    assert 201 == fakeplat.as_user("dev").put(f"{SITE}/packages/generic/new/1.0.0/a.bin", data=b"a").status
    (package,) = fakeplat.as_user("dev").get(f"{SITE}/packages?package_name=new").json()
    assert 204 == fakeplat.as_user("mia").delete(f"{SITE}/packages/{package['id']}").status


def test_a_hidden_project_is_not_found(fakeplat: Fakeplat) -> None:
    """Packages of hidden projects and groups are not found."""
    reply = fakeplat.as_user(None).get(f"{SITE}/packages")
    assert (404, {"message": "404 Project Not Found"}) == (reply.status, reply.json())
    reply = fakeplat.as_user(None).get("groups/acme%2Ftools/packages")
    assert (404, {"message": "404 Group Not Found"}) == (reply.status, reply.json())
    reply = fakeplat.as_user("gus").get(f"{SITE}/packages")
    assert (403, {"message": "403 Forbidden"}) == (reply.status, reply.json())


def test_a_group_lists_the_packages_that_the_caller_may_read(fakeplat: Fakeplat) -> None:
    """A group lists the readable packages of its subgroups unless excluded."""
    for path in (DOCS, KIT):
        fakeplat.as_user("dev").put(f"{path}/packages/generic/new/1.0.0/a.txt", data=b"a")
    rep = fakeplat.as_user("rep")
    assert [*ALL, "new 1.0.0", "new 1.0.0"] == list_packages(fakeplat, path="groups/acme")
    assert [*ALL, "new 1.0.0"] == list_packages(fakeplat, "exclude_subgroups=true", "groups/acme")
    assert ["new 1.0.0", "new 1.0.0"] == list_packages(fakeplat, path="groups/acme", user="eve")
    assert ["new 1.0.0"] == list_packages(fakeplat, path="groups/acme", user="ext")
    paths = [row["project_path"] for row in rep.get("groups/acme/packages?order_by=project_path").json()]
    assert ["acme/docs", *["acme/site"] * 5, "acme/tools/kit"] == paths
    assert [5002] == [row["project_id"] for row in fakeplat.as_user(None).get("groups/acme/packages").json()]


def test_a_project_without_packages_refuses_everybody(fakeplat: Fakeplat) -> None:
    """With disabled packages or repository even owners are refused."""
    root = fakeplat.as_user("root")
    for changes in ({"packages_enabled": False}, {"packages_enabled": True, "repository_access_level": "disabled"}):
        assert 200 == root.put(SITE, json=changes).status
        for method, path in (("GET", "packages"), ("GET", "packages/9640001"), ("DELETE", "packages/9640001")):
            reply = root.request(method, f"{SITE}/{path}")
            assert (403, {"message": "403 Forbidden"}) == (reply.status, reply.json())
        assert 403 == root.put(f"{SITE}/packages/generic/a/1.0.0/a", data=b"a").status


@by_release(PACKAGES_NEED_NO_REPOSITORY, "expected", {"17.7": (403, 403, 403), "17.8": (200, 201, 204)})
def test_packages_without_a_repository(fakeplat: Fakeplat, expected: tuple[int, ...]) -> None:
    """Later, packages are read, published and deleted although the repository is disabled, but not if they are."""
    mia = fakeplat.as_user("mia")
    closed = {f"{feature}_access_level": "disabled" for feature in ("merge_requests", "builds", "repository")}

    def ask() -> tuple[int, ...]:
        return (
            mia.get(f"{SITE}/packages/9640001").status,
            mia.put(f"{SITE}/packages/generic/a/1.0.0/a", data=b"a").status,
            mia.delete(f"{SITE}/packages/9640001").status,
        )

    assert 200 == mia.put(SITE, json=closed).status
    assert expected == ask()
    mia.put(SITE, json={"packages_enabled": False})
    assert (403, 403, 403) == ask()


@by_release(PACKAGES_NEED_NO_REPOSITORY, "guest", {"17.7": 403, "17.8": 200})
def test_packages_beside_a_repository_for_members(fakeplat: Fakeplat, guest: int) -> None:
    """Later, everybody reads the packages of a public project whose repository is for its members only."""
    fakeplat.as_user("mia").put(DOCS, json={"repository_access_level": "private"})
    assert guest == fakeplat.as_user("gus").get(f"{DOCS}/packages").status
    assert guest == fakeplat.as_user(None).get(f"{DOCS}/packages").status
    assert 200 == fakeplat.as_user("rep").get(f"{DOCS}/packages").status


def test_a_package_shows_the_pipeline_whose_job_published_it(fakeplat: Fakeplat) -> None:
    """A package published by a job shows its pipeline."""
    token = job_token(fakeplat)
    path = "packages/generic/built/1.0.0/a.txt"
    assert 201 == fakeplat.as_user(None).put(f"{SITE}/{path}", data=b"a", headers={"JOB-TOKEN": token}).status
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages?package_name=built").json()
    pipeline = package["pipeline"]
    assert pipeline == package["build_info"]
    assert ("running", "master", "dev") == (pipeline["status"], pipeline["ref"], pipeline["user"]["username"])
    assert f"{fakeplat.url}/acme/site/-/pipelines/{pipeline['id']}" == pipeline["web_url"]
    finish_jobs(fakeplat)
    reply = fakeplat.as_user(None).put(f"{SITE}/{path}", data=b"a", headers={"JOB-TOKEN": token})
    assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())
    fakeplat.as_user("root").delete(f"{SITE}/pipelines/{pipeline['id']}")
    assert "pipeline" not in fakeplat.as_user("rep").get(f"{SITE}/packages?package_name=built").json()[0]


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_packages_of_models_are_not_implemented(fakeplat: Fakeplat) -> None:
    """Packages of machine learning models answer 501."""
    reply = fakeplat.as_user("dev").get(f"{SITE}/packages/ml_models/1/files/model.bin")
    assert 501 == reply.status
    assert reply.json()["message"].endswith("See /_fakeplat/coverage")


def test_changes_name_packages_by_name_and_version(fakeplat: Fakeplat) -> None:
    """Changes name packages by name and version, and files by their package."""
    with fakeplat.changes() as changes:
        fakeplat.as_user("dev").put(f"{SITE}/packages/generic/app/1.0.0/app.txt", data=b"app")
    files = ["acme/site: app 1.0.0: app.txt"]
    assert {"packages": ["acme/site: app 1.0.0"], "package_files": files} == changes.created


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("status=hidden", ["kept"]),
        ("status=default&package_type=npm", ["@acme/app", "@acme/app"]),
        ("status=error", []),
        ("status=processing", []),
        ("package_version=1.0.0", ["@acme/app"]),
        ("package_version=1.0", []),
        ("include_versionless=true&package_type=maven", ["acme/site"]),
        ("include_versionless=false&package_type=maven", []),
    ],
)
@pytest.mark.parametrize("path", [SITE, "groups/acme"], ids=["project", "group"])
def test_later_releases_filter_by_status_and_version(
    fakeplat: Fakeplat, path: str, query: str, expected: list[str]
) -> None:
    """Packages are filtered by status and exact version, and those without a version are listed on request."""
    assert expected == [row["name"] for row in fakeplat.as_user("rep").get(f"{path}/packages?{query}").json()]
    reply = fakeplat.as_user("rep").get(f"{path}/packages?status=new")
    assert (400, {"error": "status does not have a valid value"}) == (reply.status, reply.json())


@pytest.mark.fakeplat(version="latest")
def test_modules_are_listed_only_by_their_type(fakeplat: Fakeplat) -> None:
    """Lists show Terraform modules only if they are filtered by this type."""
    module = build_package("network/aws", "terraform_module", "1.0.0", 6)
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": [module]}]})
    assert ALL == list_packages(fakeplat)
    assert ["network/aws 1.0.0"] == list_packages(fakeplat, "package_type=terraform_module")


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "b a c"),
        ("sort=desc", "c a b"),
        ("order_by=file_name", "a b c"),
        ("order_by=file_name&sort=desc", "c b a"),
        ("order_by=created_at", "a b c"),
    ],
)
def test_files_of_packages_are_sorted(fakeplat: Fakeplat, query: str, expected: str) -> None:
    """The files of a package are sorted by id, time or name."""
    days = {"b": "2020-11-03", "a": "2020-11-02", "c": "2020-11-04"}
    files = [{"file_name": name, "content": name, "created_at": f"{day}T10:00:00.000Z"} for name, day in days.items()]
    package = build_package("sorted", "generic", "1.0.0", 6, files=files)
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": [package]}]})
    rep = fakeplat.as_user("rep")
    (found,) = rep.get(f"{SITE}/packages?package_name=sorted").json()
    reply = rep.get(f"{SITE}/packages/{found['id']}/package_files?{query}")
    assert expected.split() == [file["file_name"] for file in reply.json()]
    reply = rep.get(f"{SITE}/packages/{found['id']}/package_files?order_by=size")
    assert (400, {"error": "order_by does not have a valid value"}) == (reply.status, reply.json())


@by_release(PIPELINES_OF_PACKAGES_ARE_EMPTY, "numbers", {"13.12": [1, 1], "16.1": [0, 0]})
def test_pipelines_of_packages_moved_to_a_list_of_their_own(fakeplat: Fakeplat, numbers: list[int]) -> None:
    """A package and its versions list their pipelines until these have an operation of their own."""
    token = job_token(fakeplat)
    for version in ("1.0.0", "1.1.0"):
        path = f"{SITE}/packages/generic/built/{version}/a.txt"
        assert 201 == fakeplat.as_user(None).put(path, data=b"a", headers={"JOB-TOKEN": token}).status
    (package, *_) = fakeplat.as_user("rep").get(f"{SITE}/packages?package_name=built").json()
    single = fakeplat.as_user("rep").get(f"{SITE}/packages/{package['id']}").json()
    assert numbers == [len(package["pipelines"]), len(single["versions"][0]["pipelines"])]
    assert "pipelines" not in fakeplat.as_user("rep").get(f"{SITE}/packages?package_name=zeta").json()[0]


@by_release(GROUPS_LIST_READABLE_PACKAGES, "statuses", {"18.11": [403, 403], "19.2": [200, 200]})
def test_who_sees_a_group_lists_its_packages(fakeplat: Fakeplat, statuses: list[int]) -> None:
    """Guests of a group and members of its projects list what they may read, in later releases."""
    group = {"path": "closed", "name": "Closed", "visibility": "private", "members": {"gus": "guest"}}
    package = {"name": "new", "package_type": "generic", "version": "1.0.0"}
    project = {"path": "app", "name": "App", "visibility": "private", "members": {"eve": "reporter"}}
    fakeplat.load({"groups": [{**group, "projects": [{**project, "packages": [package]}]}]})
    replies = [fakeplat.as_user(user).get("groups/closed/packages") for user in ("gus", "eve")]
    assert statuses == [reply.status for reply in replies]
    if statuses == [200, 200]:
        assert [[], ["new"]] == [[row["name"] for row in reply.json()] for reply in replies]
    assert [404, 404] == [fakeplat.as_user(user).get("groups/closed/packages").status for user in (None, "ext")]


@pytest.mark.fakeplat(version="19.2")
def test_pipelines_of_a_package_are_paged_by_cursor(fakeplat: Fakeplat) -> None:
    """The pipelines of a package have pages that follow a cursor, never a number or a total."""
    headers = {"JOB-TOKEN": job_token(fakeplat)}
    fakeplat.as_user(None).put(f"{SITE}/packages/generic/built/1.0.0/a", data=b"a", headers=headers)
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages?package_name=built").json()
    path = f"{SITE}/packages/{package['id']}/pipelines"
    reply = fakeplat.as_user("rep").get(f"{path}?page=2")
    assert (1, None) == (len(reply.json()), reply.headers.get("X-Total"))
    cursor = urlsafe_b64encode(f'{{"id":"{reply.json()[0]["id"]}","_kd":"n"}}'.encode()).decode()
    assert [] == fakeplat.as_user("rep").get(f"{path}?cursor={cursor}").json()


def publish_by_job(fake: Fakeplat, file_name: str = "a.txt", token: str = "") -> Any:
    """Publish a file of a generic package by a job; return the package as a Reporter sees it."""
    headers = {"JOB-TOKEN": token or job_token(fake)}
    path = f"{SITE}/packages/generic/built/1.0.0/{file_name}"
    assert 201 == fake.as_user(None).put(path, data=b"a", headers=headers).status
    return fake.as_user("rep").get(f"{SITE}/packages?package_name=built").json()[0]


@pytest.mark.fakeplat(version="19.2")
def test_files_show_the_pipelines_whose_jobs_uploaded_them(fakeplat: Fakeplat) -> None:
    """A file has the pipeline of the job that uploaded it, and the package that of its last file."""
    publish_by_job(fakeplat)
    finish_jobs(fakeplat)
    package = publish_by_job(fakeplat, "b.txt")
    assert 201 == fakeplat.as_user("dev").put(f"{SITE}/packages/generic/built/1.0.0/c.txt", data=b"c").status
    path = f"{SITE}/packages/{package['id']}"
    files = fakeplat.as_user("rep").get(f"{path}/package_files").json()
    first, second = (file["pipelines"][0]["id"] for file in files[:2])
    assert first < second == package["pipeline"]["id"]
    assert "pipelines" not in files[2]
    assert [second, first] == [row["id"] for row in fakeplat.as_user("rep").get(f"{path}/pipelines").json()]
    fakeplat.as_user("root").delete(f"{SITE}/pipelines/{first}")
    assert "pipelines" not in fakeplat.as_user("rep").get(f"{path}/package_files").json()[0]


@by_release(PACKAGES_HIDE_PIPELINES, "is_shown", {"18.10": True, "18.11": False})
def test_pipelines_are_shown_to_those_who_read_them(fakeplat: Fakeplat, is_shown: bool) -> None:
    """From 18.11 on, packages and files hide their pipelines from those who may not read any in the project."""
    package = publish_by_job(fakeplat)
    path = f"{SITE}/packages/{package['id']}"
    fakeplat.as_user("root").put(SITE, json={"builds_access_level": "private", "visibility": "public"})
    shown = fakeplat.as_user("eve").get(path).json()
    (file,) = fakeplat.as_user("eve").get(f"{path}/package_files").json()
    assert (is_shown, is_shown) == ("pipeline" in shown, "pipelines" in file)
    shown = fakeplat.as_user("rep").get(path).json()
    assert ("pipeline" in shown, is_shown) == (True, "creator_id" not in shown)


@by_release(PACKAGE_PIPELINES_NEED_A_RIGHT, "status", {"18.11": 200, "19.0": 403})
def test_the_pipelines_of_a_package_need_a_right(fakeplat: Fakeplat, status: int) -> None:
    """From 19.0 on, the list of a package's pipelines is for those who read pipelines, and for jobs."""
    token = job_token(fakeplat)
    path = f"{SITE}/packages/{publish_by_job(fakeplat, token=token)['id']}/pipelines"
    fakeplat.as_user("root").put(SITE, json={"builds_access_level": "private", "visibility": "public"})
    assert [status, 200] == [fakeplat.as_user(user).get(path).status for user in ("eve", "rep")]
    assert 200 == fakeplat.as_user(None).get(path, headers={"JOB-TOKEN": token}).status


@pytest.mark.fakeplat(version="18.4")
def test_a_package_with_an_error_lists_no_pipelines(fakeplat: Fakeplat) -> None:
    """The pipelines of a package whose upload could not be read are not found."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": [BROKEN]}]})
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages?status=error").json()
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/{package['id']}/pipelines")
    assert (404, {"message": "404 Package not found Not Found"}) == (reply.status, reply.json())


@by_release(PACKAGES_WITH_ERRORS_HAVE_NO_PAGE, "links", {"18.10": ["web_path"], "18.11": []})
def test_a_package_with_an_error_has_no_page(fakeplat: Fakeplat, links: list[str]) -> None:
    """From 18.11 on, a package whose upload could not be read links no page."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": [BROKEN]}]})
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages?status=error").json()
    assert links == list(package["_links"])


@by_release(
    PROTECTED_PACKAGES_ARE_NAMED_ALONE,
    "message",
    {"18.11": "403 Forbidden - Package is deletion protected.", "19.0": "Package is deletion protected."},
)
def test_the_words_for_a_protected_package(fakeplat: Fakeplat, message: str) -> None:
    """From 19.0 on, the refusal to delete a protected package does not name the status, that of a file does."""
    rule = {"package_name_pattern": "@acme*", "package_type": "npm", "minimum_access_level_for_delete": "owner"}
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/packages/protection/rules", json=rule).status
    file = {"file_name": "app.tgz", "content": "x"}
    row = build_package("@acme/app", "npm", "2.0.0", 2, files=[file])
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": [row]}]})
    (package, *_) = fakeplat.as_user("mia").get(f"{SITE}/packages?package_type=npm").json()
    path = f"{SITE}/packages/{package['id']}"
    reply = fakeplat.as_user("mia").delete(path)
    assert (403, {"message": message}) == (reply.status, reply.json())
    (stored,) = fakeplat.as_user("mia").get(f"{path}/package_files").json()
    reply = fakeplat.as_user("mia").delete(f"{path}/package_files/{stored['id']}")
    answer = {"message": "403 Forbidden - Package is deletion protected."}
    assert (403, answer) == (reply.status, reply.json())
