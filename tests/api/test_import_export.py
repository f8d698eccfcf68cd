"""Exports of projects and groups, and imports of their archives. Source: docs/platform/import-export.md."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    EXPORT_DOWNLOADS_COUNT_IN_NAMESPACES,
    EXPORTS_HAVE_USERS,
    IMPORTS_NEED_LOGIN,
    PROJECT_EXPORTS_RUN_ALONE,
)
from tests.api.company import COMPANY
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    Outcome,
    form,
    invalid,
    invalid_record,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, clock="virtual", start="2020-11-20T09:00:00.000Z")
SITE, ACME, IMPORT = "projects/acme%2Fsite", "groups/acme", "projects/import"
ACCEPTED: Outcome = (202, {"message": "202 Accepted"})
RUNNING: Outcome = (400, {"message": "An export is already running or queued for this project."})
EXPIRED: Outcome = (404, {"message": "404 Not found or has expired"})
TOO_MANY: Outcome = (
    429,
    {"message": {"error": "This endpoint has been requested too many times. Try again later."}},
)
RICH: dict[str, Any] = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "description": "The site",
            "wiki": {"pages": [{"title": "home", "content": "# Home", "author": "dev"}]},
            "uploads": [{"filename": "a.txt", "content": "x", "secret": "0" * 32}],
            "lfs_objects": [{"content": "large"}],
            "labels": [{"name": "own", "color": "#FF0000", "description": "Ours"}],
            "milestones": [{"title": "Soon", "due_date": "2021-01-01"}],
            "snippets": [{"title": "One", "files": {"a.txt": "a", "b.txt": "b"}, "author": "dev"}],
            "releases": [{"tag_name": "v1.0", "name": "First", "description": "All", "author": "dev"}],
            "protected_branches": ["feature"],
            "protected_tags": ["v*"],
            "issues": [
                {
                    "title": "Broken",
                    "author": "dev",
                    "assignees": ["rep"],
                    "labels": ["own"],
                    "milestone": "Soon",
                    "state": "closed",
                    "closed_by": "dev",
                    "notes": [{"author": "gus", "body": "Indeed", "award_emoji": [{"name": "tada", "user": "dev"}]}],
                    "award_emoji": [{"name": "thumbsup", "user": "rep"}],
                }
            ],
        }
    ],
}


def archive_of(fake: Fakeplat, container: str = SITE, by: str = "ada") -> bytes:
    """Export a project or group, and download the archive."""
    calls = fake.as_user(by)
    assert 202 == calls.post(f"{container}/export").status
    fake.clock.advance("2s")
    reply = calls.get(f"{container}/export/download")
    assert 200 == reply.status
    return reply.content


def files_of(archive: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(archive))) as file:
        return {member.name: read.read() for member in file if (read := file.extractfile(member)) is not None}


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return an archive, as the platform's own commands make it."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w:gz") as file:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content))
    return output.getvalue()


def build_import_form(archive: bytes, filename: str = "export.tar.gz", /, **fields: str) -> dict[str, Any]:
    return form(file=(filename, "application/gzip", archive), **fields)


def import_archive(fake: Fakeplat, archive: bytes, by: str = "root", **fields: str) -> dict[str, Any]:
    """Import an archive, and return the status at the end."""
    calls = fake.as_user(by)
    reply = calls.post(IMPORT, **build_import_form(archive, **{"path": "copy", **fields}))
    assert 201 == reply.status, reply.json()
    fake.clock.advance("2s")
    return dict(calls.get(f"projects/{reply.json()['id']}/import").json())


def test_an_export_goes_through_its_states(fakeplat: Fakeplat) -> None:
    """The status of an export shows links only at the end."""
    calls = fakeplat.as_user("ada")
    project = calls.get(SITE).json()
    names = ("id", "description", "name", "name_with_namespace", "path", "path_with_namespace", "created_at")
    identity = {name: project[name] for name in names}

    assert {**identity, "export_status": "none"} == calls.get(f"{SITE}/export").json()
    assert (202, {"message": "202 Accepted"}) == outcome(calls.post(f"{SITE}/export"))
    states = []
    for _ in range(3):
        states.append(calls.get(f"{SITE}/export").json()["export_status"])
        fakeplat.clock.advance("1s")
    assert ["queued", "started", "finished"] == states
    assert {
        "api_url": f"{fakeplat.url}/api/v4/projects/{project['id']}/export/download",
        "web_url": f"{fakeplat.url}/acme/site/download_export",
    } == calls.get(f"{SITE}/export").json()["_links"]


@pytest.mark.fakeplat(scenario=COMPANY, clock="auto")
def test_polling_an_export_finishes_it(fakeplat: Fakeplat) -> None:
    """Each read of an export's status moves the export on by one step."""
    calls = fakeplat.as_user("ada")
    calls.post(f"{SITE}/export")

    assert ["started", "finished", "finished"] == [
        calls.get(f"{SITE}/export").json()["export_status"] for _ in range(3)
    ]


def test_an_archive_has_the_platforms_layout(fakeplat: Fakeplat) -> None:
    """An archive has one JSON object per line in a file for each relation."""
    fakeplat.as_user("ada").post(f"{SITE}/issues", json={"title": "One", "labels": "new"})
    archive = archive_of(fakeplat)
    files = files_of(archive)

    assert b"0.2.4" == files["./VERSION"]
    assert ["One"] == [orjson.loads(line)["title"] for line in files["./tree/project/issues.ndjson"].splitlines()]
    assert ["new"] == [orjson.loads(line)["title"] for line in files["./tree/project/labels.ndjson"].splitlines()]
    assert 0 == orjson.loads(files["./tree/project.json"])["visibility_level"]


def test_the_download_has_a_name(fakeplat: Fakeplat) -> None:
    """The name of an export's archive consists of the time and the full path."""
    calls = fakeplat.as_user("ada")
    calls.post(f"{SITE}/export", json={"description": "Another"})
    fakeplat.clock.advance("2s")
    reply = calls.get(f"{SITE}/export/download")
    headers = {name.lower(): value for name, value in reply.headers.items()}

    assert "application/octet-stream" == headers["content-type"]
    assert 'filename="2020-11-20_09-00-000_acme_site_export.tar.gz"' in headers["content-disposition"]
    assert "Another" == orjson.loads(files_of(reply.content)["./tree/project.json"])["description"]


def test_an_archive_is_kept_until_the_next_export(fakeplat: Fakeplat) -> None:
    """An archive can be downloaded from the end of its export until the next one starts."""
    fakeplat.as_user("root").put("application/settings", json={"project_download_export_limit": 0})
    calls, download_path = fakeplat.as_user("ada"), f"{SITE}/export/download"
    assert EXPIRED == outcome(calls.get(download_path))
    calls.post(f"{SITE}/export")
    assert EXPIRED == outcome(calls.get(download_path))
    fakeplat.clock.advance("2s")
    assert 200 == calls.get(download_path).status
    calls.post(f"{SITE}/export")
    assert EXPIRED == outcome(calls.get(download_path))


@pytest.mark.parametrize("container", [SITE, "groups/acme"])
@by_release(EXPORTS_HAVE_USERS, "is_shared", {"17.10": True, "17.11": False})
def test_users_have_exports_of_their_own(fakeplat: Fakeplat, is_shared: bool, container: str) -> None:
    """Later releases keep the export of each user, which nobody else sees or replaces."""
    settings = {"project_download_export_limit": 0, "group_download_export_limit": 0}
    fakeplat.as_user("root").put("application/settings", json=settings)
    path = f"{container}/export/download"
    fakeplat.as_user("ada").post(f"{container}/export")
    fakeplat.clock.advance("2s")
    first = fakeplat.as_user("ada").get(path)
    assert (200, 200 if is_shared else 404) == (first.status, fakeplat.as_user("root").get(path).status)
    if container == SITE:
        status = fakeplat.as_user("root").get(f"{container}/export").json()["export_status"]
        assert ("finished" if is_shared else "none") == status
    fakeplat.clock.advance("1m")
    fakeplat.as_user("root").post(f"{container}/export")
    fakeplat.clock.advance("2s")
    headers = [fakeplat.as_user(user).get(path).headers["content-disposition"] for user in ("ada", "root")]

    assert (headers[0] == headers[1]) is is_shared
    assert (first.headers["content-disposition"] == headers[0]) is not is_shared


@by_release(EXPORT_DOWNLOADS_COUNT_IN_NAMESPACES, "status", {"16.10": 404, "16.11": 429})
def test_downloads_are_limited_in_a_namespace(fakeplat: Fakeplat, status: int) -> None:
    """Later releases count the downloads of exports of all projects in a group together."""
    calls = fakeplat.as_user("ada")
    assert [404, status] == [calls.get(f"projects/acme%2F{name}/export/download").status for name in ("site", "docs")]


@by_release(PROJECT_EXPORTS_RUN_ALONE, "expected", {"19.1": ACCEPTED, "19.2": RUNNING})
def test_only_one_export_of_a_project_runs(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Later releases refuse another export until the one that was requested is finished; groups do not."""
    calls = fakeplat.as_user("ada")
    calls.post(f"{SITE}/export")
    fakeplat.clock.advance("1s")
    assert expected == outcome(calls.post(f"{SITE}/export"))
    fakeplat.clock.advance("2s")
    assert ACCEPTED == outcome(calls.post(f"{SITE}/export"))
    assert [ACCEPTED] * 2 == [outcome(calls.post("groups/acme/export")) for _ in range(2)]


@pytest.mark.fakeplat(version="15.3")
def test_large_projects_are_not_exported(fakeplat: Fakeplat) -> None:
    """A setting limits the size of projects that are exported, in MB."""
    calls = fakeplat.as_user("ada")
    assert 200 == fakeplat.as_user("root").put("application/settings", json={"max_export_size": 1}).status
    assert ACCEPTED == outcome(calls.post(f"{SITE}/export"))
    content = {"content": "x" * 2**21, "filename": "large", "title": "Large", "visibility": "private"}
    assert 201 == calls.post(f"{SITE}/snippets", json={**content, "file_name": "large"}).status
    too_large = (400, {"message": "The project size exceeds the export limit."})
    assert too_large == refusal(fakeplat, "ada", "POST", f"{SITE}/export")


@pytest.mark.fakeplat(version="latest")
def test_relations_are_left_out_of_an_archive(fakeplat: Fakeplat) -> None:
    """Later releases leave out what is named, and refuse names that they do not know."""
    calls = fakeplat.as_user("ada")
    wrong = {"excluded_relations": ["issues", "things", "others"]}
    refused = (400, {"message": "Invalid excluded_relations: things, others"})
    assert refused == refusal(fakeplat, "ada", "POST", f"{SITE}/export", json=wrong)
    for kind in ("issues", "milestones"):
        assert 201 == calls.post(f"{SITE}/{kind}", json={"title": "One"}).status
    calls.post(f"{SITE}/export", json={"excluded_relations": ["issues", "user_contributions"]})
    fakeplat.clock.advance("2s")
    files = files_of(calls.get(f"{SITE}/export/download").content)
    assert ("./tree/project/issues.ndjson" not in files, "./tree/project/milestones.ndjson" in files) == (True, True)


@pytest.mark.parametrize(
    ("upload", "expected"),
    [
        ({"url": "whatever"}, invalid_record(url=["is blocked: Only allowed schemes are http, https"])),
        (
            {"url": "https://x.test", "http_method": "GET"},
            invalid_record(http_method=["invalid. Only PUT and POST methods allowed."]),
        ),
    ],
)
def test_a_wrong_upload_is_refused(fakeplat: Fakeplat, upload: dict[str, str], expected: Outcome) -> None:
    """A right one starts the export."""
    assert expected == refusal(fakeplat, "ada", "POST", f"{SITE}/export", json={"upload": upload})
    right = {"upload": {"url": "https://x.test"}}
    assert 202 == fakeplat.as_user("ada").post(f"{SITE}/export", json=right).status


EXPORTS = [("GET", f"{SITE}/export"), ("POST", f"{SITE}/export"), ("GET", f"{SITE}/export/download")]


@pytest.mark.parametrize(("method", "path"), EXPORTS)
def test_exports_can_be_disabled(fakeplat: Fakeplat, method: str, path: str) -> None:
    """Where exports are disabled their operations are not found."""
    fakeplat.as_user("root").put("application/settings", json={"project_export_enabled": False})

    assert [(404, {"message": "404 Not Found"})] * 2 == [
        refusal(fakeplat, name, method, path) for name in ("root", "ada")
    ]


def test_exports_are_limited(fakeplat: Fakeplat) -> None:
    """Exports are limited to six a minute, and downloads to one."""
    calls = fakeplat.as_user("ada")
    assert [202] * 6 == [calls.post(f"{SITE}/export").status for _ in range(6)]
    assert TOO_MANY == outcome(calls.post(f"{SITE}/export"))
    fakeplat.clock.advance("61s")
    assert [200, 429] == [calls.get(f"{SITE}/export/download").status for _ in range(2)]
    fakeplat.clock.advance("61s")
    assert 200 == calls.get(f"{SITE}/export/download").status


PARTS = (
    "labels",
    "milestones",
    "issues",
    "issues/1",
    "issues/4/notes",
    "issues/4/award_emoji",
    "merge_requests?scope=all",
    "merge_requests/1/notes",
    "merge_requests/1/changes",
    "repository/branches",
    "repository/tags",
    "repository/commits",
    "protected_branches",
    "protected_tags",
    "releases",
    "snippets",
    "wikis?with_content=true",
)


def remove_differences(value: Any, copy: str) -> Any:
    """Return an answer without what differs between a project and its copy: ids and addresses."""
    if isinstance(value, dict):
        return {key: remove_differences(inner, copy) for key, inner in value.items() if not _is_own(key)}
    if isinstance(value, list):
        return [remove_differences(inner, copy) for inner in value]
    return value.replace(copy, "acme/site") if isinstance(value, str) else value


def _is_own(key: str) -> bool:
    return key in ("id", "url", "_links") or key.endswith(("_id", "_url", "url_to_repo", "_updated_at", "updated_at"))


@pytest.mark.fakeplat(scenario=RICH, clock="virtual", start="2020-12-01T09:00:00.000Z")
@pytest.mark.parametrize("path", PARTS)
def test_an_imported_project_is_like_the_exported_one(fakeplat: Fakeplat, path: str) -> None:
    """The parts of an imported project answer like the original's, ids apart."""
    status = import_archive(fakeplat, archive_of(fakeplat, by="root"), namespace="acme")
    calls = fakeplat.as_user("root")

    assert ("finished", []) == (status["import_status"], status["failed_relations"])
    before, after = calls.get(f"{SITE}/{path}"), calls.get(f"projects/acme%2Fcopy/{path}")
    assert (before.status, remove_differences(before.json(), "acme/site")) == (
        after.status,
        remove_differences(after.json(), status["path_with_namespace"]),
    )


@pytest.mark.fakeplat(scenario=RICH, clock="virtual", start="2020-12-01T09:00:00.000Z")
def test_the_members_of_a_project_are_imported(fakeplat: Fakeplat) -> None:
    """Members of the project and of groups above are imported, at most as Maintainers."""
    root = fakeplat.as_user("root")
    root.post(f"{SITE}/members", json={"user_id": fakeplat.world.user("eve").id, "access_level": 20})
    import_archive(fakeplat, archive_of(fakeplat, by="root"))
    levels = {row["username"]: row["access_level"] for row in root.get("projects/root%2Fcopy/members").json()}

    assert {"root": 40, "ada": 40, "mia": 40, "dev": 30, "rep": 20, "gus": 10, "eve": 20} == levels


@pytest.mark.fakeplat(scenario=RICH, clock="virtual", start="2020-12-01T09:00:00.000Z")
def test_the_files_of_a_project_are_imported(fakeplat: Fakeplat) -> None:
    """Uploads are imported at the same addresses below the new project, with large files."""
    import_archive(fakeplat, archive_of(fakeplat, by="root"), namespace="acme")
    reply = fakeplat.as_user("root").get(f"{fakeplat.url}/acme/copy/uploads/{'0' * 32}/a.txt")
    statistics = fakeplat.as_user("root").get("projects/acme%2Fcopy?statistics=true").json()["statistics"]

    assert (200, b"x", 5) == (reply.status, reply.content, statistics["lfs_objects_size"])


@pytest.mark.fakeplat(scenario=RICH, clock="virtual", start="2020-12-01T09:00:00.000Z")
def test_only_administrators_import_for_others(fakeplat: Fakeplat) -> None:
    """Records imported by users belong to the importer and name their original author."""
    import_archive(fakeplat, archive_of(fakeplat, by="root"), by="eve")
    calls = fakeplat.as_user("eve")
    issue = next(row for row in calls.get("projects/eve%2Fcopy/issues").json() if row["title"] == "Broken")
    (note,) = calls.get(f"projects/eve%2Fcopy/issues/{issue['iid']}/notes").json()

    assert ("eve", [], None) == (issue["author"]["username"], issue["assignees"], issue["closed_by"])
    assert issue["description"].startswith("*By Dev")
    assert note["body"].startswith("Indeed\n\n*By Gus")


def test_an_import_goes_through_its_states(fakeplat: Fakeplat) -> None:
    """An import goes from scheduled to finished, and its project exists at once."""
    archive, calls = archive_of(fakeplat), fakeplat.as_user("ada")
    first = calls.post(IMPORT, **build_import_form(archive, path="copy")).json()
    import_path = f"projects/{first['id']}/import"
    states = [first["import_status"]]
    for _ in range(2):
        fakeplat.clock.advance("1s")
        states.append(calls.get(import_path).json()["import_status"])

    assert ["scheduled", "started", "finished"] == states
    assert {**first, "import_status": "finished", "description": None} == calls.get(import_path).json()
    assert ("ada/copy", "copy", []) == (first["path_with_namespace"], first["name"], first["failed_relations"])
    assert 32 == len(first["correlation_id"])
    assert "none" == calls.get(f"{SITE}/import").json()["import_status"]


def test_the_name_and_attributes_may_be_others(fakeplat: Fakeplat) -> None:
    """An import may give the project another name and attributes than the archive."""
    fields = {"path": "copy", "name": "A copy", "override_params[description]": "Mine", "namespace": "acme"}
    import_archive(fakeplat, archive_of(fakeplat), by="ada", **fields)
    project = fakeplat.as_user("ada").get("projects/acme%2Fcopy").json()

    assert ("A copy", "Mine") == (project["name"], project["description"])


def test_an_import_may_replace_a_project(fakeplat: Fakeplat) -> None:
    """With `overwrite` an import replaces a project, but only for its owner."""
    archive = archive_of(fakeplat)
    calls = fakeplat.as_user("ada")
    old = calls.get("projects/acme%2Fdocs").json()["id"]
    fields = {"path": "docs", "namespace": "acme", "overwrite": "true"}
    refused = refusal(fakeplat, "dev", "POST", IMPORT, **build_import_form(archive, **fields))
    status = import_archive(fakeplat, archive, by="ada", **fields)

    assert (400, {"message": "Path has already been taken"}) == refused
    assert ("finished", "acme/docs") == (status["import_status"], status["path_with_namespace"])
    assert [404, 200] == [calls.get(f"projects/{id_}").status for id_ in (old, status["id"])]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("path is missing, file is missing")),
        ({"path": "x", "file": "x"}, invalid("file is invalid")),
        (
            build_import_form(b"x", "README.md", path="x"),
            (422, {"message": {"error": "You need to upload a Platform project export archive (ending in .gz)."}}),
        ),
        (build_import_form(b"x", path="x", namespace="nowhere"), resource_not_found("Namespace")),
        (build_import_form(b"x", path="site", namespace="acme"), (400, {"message": "Path has already been taken"})),
    ],
    ids=["nothing", "no file", "no archive", "no namespace", "taken"],
)
def test_a_wrong_import_is_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """An import with invalid parameters is refused and changes nothing."""
    rest = body if "data" in body else {"json": body}
    assert expected == refusal(fakeplat, "ada", "POST", IMPORT, **rest)


def test_imports_need_a_login_and_their_source(fakeplat: Fakeplat) -> None:
    """`gitlab_project` among the import sources."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", IMPORT, **build_import_form(b"x", path="x"))
    fakeplat.as_user("root").put("application/settings", json={"import_sources": ["git"]})
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", IMPORT, **build_import_form(b"x", path="x"))


@by_release(IMPORTS_NEED_LOGIN, "answers", {"16.10": [200, 403, 403], "16.11": [401, 401, 200]})
def test_who_sees_the_status_of_an_import(fakeplat: Fakeplat, answers: list[int]) -> None:
    """The status of a public project is shown after a login; earlier to all, while projects may be imported."""
    project = fakeplat.as_user("ada").post("projects", json={"name": "open", "visibility": "public"}).json()
    path = f"projects/{project['id']}/import"
    first = fakeplat.as_user(None).get(path).status
    fakeplat.as_user("root").put("application/settings", json={"import_sources": ["git"]})

    assert answers == [first, fakeplat.as_user(None).get(path).status, fakeplat.as_user("ada").get(path).status]


@pytest.mark.fakeplat(version="latest")
def test_where_an_import_goes(fakeplat: Fakeplat) -> None:
    """The namespace is named in one of three ways, by id or path; without a name, the path is the name, too."""
    archive, calls = archive_of(fakeplat), fakeplat.as_user("ada")
    id_ = calls.get(ACME).json()["id"]
    ways = [{"namespace": "acme"}, {"namespace": str(id_)}, {"namespace_id": str(id_)}, {"namespace_path": "acme"}]
    for number, way in enumerate(ways):
        created = calls.post(IMPORT, **build_import_form(archive, path=f"copy-{number}", **way)).json()
        assert (f"copy-{number}", f"acme/copy-{number}") == (created["name"], created["path_with_namespace"])
        assert "gitlab_project" == created["import_type"]

    text = "namespace, namespace_id, namespace_path are mutually exclusive"
    both = build_import_form(archive, path="x", namespace_id=str(id_), namespace_path="acme")
    assert invalid(text.replace("namespace, ", "", 1)) == refusal(fakeplat, "ada", "POST", IMPORT, **both)
    for way in ({"namespace_id": "1"}, {"namespace_path": "nowhere"}):
        missing = build_import_form(archive, path="x", **way)
        assert resource_not_found("Namespace") == refusal(fakeplat, "ada", "POST", IMPORT, **missing)
    body = {"name": "Hidden", "path": "hidden", "visibility": "private"}
    assert 201 == fakeplat.as_user("root").post("groups", json=body).status
    hidden = build_import_form(archive, path="x", namespace_path="hidden")
    assert resource_not_found("Namespace") == refusal(fakeplat, "dev", "POST", IMPORT, **hidden)


@pytest.mark.fakeplat(version="latest")
def test_tokens_of_projects_have_no_namespace(fakeplat: Fakeplat) -> None:
    """A bot has to name the namespace into which it imports."""
    body = {"name": "bot", "scopes": ["api"], "access_level": 40, "expires_at": "2020-12-01"}
    token = fakeplat.as_user("ada").post(f"{SITE}/access_tokens", json=body).json()["token"]
    sent = build_import_form(archive_of(fakeplat), path="x")
    sent["headers"] = {**sent.get("headers", {}), "PRIVATE-TOKEN": token}
    reply = fakeplat.as_user(None).post(IMPORT, **sent)

    assert (400, {"message": "Namespace is not valid"}) == outcome(reply)


def test_an_import_has_a_size(fakeplat: Fakeplat) -> None:
    """An import above `max_import_size` MB answers 413."""
    fakeplat.as_user("root").put("application/settings", json={"max_import_size": 1})
    assert 413 == refusal(fakeplat, "ada", "POST", IMPORT, **build_import_form(b"x" * 1_048_577, path="x"))[0]


@pytest.mark.parametrize(
    ("archive", "text"),
    [
        (b"no gzip\0", "the archive cannot be read"),
        (gzip.compress(b"")[:-4] + (600 << 20).to_bytes(4, "little"), "the archive is too large"),
        (gzip.compress(b"no tar"), "the archive cannot be read"),
        (pack({"VERSION": b"0.2.4"}), "the archive has no tree/project.json"),
        (pack({"tree/project.json": b"{}"}), "the archive has no VERSION"),
        (pack({"VERSION": b"0.2.4", "tree/project.json": b"{"}), "is not JSON"),
        (
            pack({"VERSION": b"0.2.4", "tree/project.json": b"{}", "project.bundle": b"x"}),
            "a repository cannot be read",
        ),
    ],
    ids=["gzip", "size", "tar", "tree", "version", "json", "bundle"],
)
def test_a_damaged_archive_fails(fakeplat: Fakeplat, archive: bytes, text: str) -> None:
    """The import of a damaged archive fails on the clock with the reason."""
    status = import_archive(fakeplat, archive, by="ada")

    assert "failed" == status["import_status"]
    assert status["import_error"].startswith("Error importing repository into ada/copy - ")
    assert text in status["import_error"]


FOREIGN_ISSUE = {
    "title": "From elsewhere",
    "author_id": 26,
    "description": "Text",
    "state": "closed",
    "iid": 7,
    "created_at": "2016-06-14T15:02:47.967Z",
    "label_links": [{"label": {"id": 26, "title": "old", "color": "#428bca", "type": "ProjectLabel"}}],
    "milestone": {"title": "v1", "state": "active", "iid": 3},
    "notes": [{"note": "Hello", "author_id": 26, "author": {"name": "Somebody"}, "created_at": "2016-06-14T15:02:47Z"}],
    "test_ee_field": "unknown",
}


@pytest.mark.parametrize("layout", ["tree", "json"])
def test_archives_of_the_platform_are_understood(fakeplat: Fakeplat, layout: str) -> None:
    """Archives of the platform are imported in both layouts, with unknown parts reported."""
    rows = [FOREIGN_ISSUE, {"title": 7, "iid": 8}, {"iid": 9}]
    project = {"description": "Foreign", "visibility_level": 20, "unknown": {}}
    if layout == "tree":
        lines = b"\n".join(orjson.dumps(row) for row in rows)
        files = {"tree/project.json": orjson.dumps(project), "tree/project/issues.ndjson": lines}
    else:
        files = {"project.json": orjson.dumps({**project, "issues": rows})}
    status = import_archive(fakeplat, pack({"VERSION": b"0.2.4", **files}), by="ada")
    (issue,) = fakeplat.as_user("ada").get("projects/ada%2Fcopy/issues").json()
    notes = fakeplat.as_user("ada").get("projects/ada%2Fcopy/issues/7/notes").json()

    assert ("finished", "Foreign") == (status["import_status"], status["description"])
    assert [("issues", "process_relation_item!")] * 2 == [
        (failure["relation_name"], failure["source"]) for failure in status["failed_relations"]
    ]
    assert (7, "From elsewhere", "closed", ["old"], "v1", "ada", "2016-06-14T15:02:47.967Z") == (
        *(issue[name] for name in ("iid", "title", "state", "labels")),
        issue["milestone"]["title"],
        issue["author"]["username"],
        issue["created_at"],
    )
    (label,) = fakeplat.as_user("ada").get("projects/ada%2Fcopy/labels").json()
    assert ("old", False) == (label["name"], label["id"] == 26)
    assert ["Hello\n\n*By Somebody on 2016-06-14T15:02:47Z (imported from Platform project)*"] == [
        note["body"] for note in notes
    ]


def test_only_milestones_of_groups_get_new_numbers(fakeplat: Fakeplat) -> None:
    """A milestone that only an issue names keeps its iid if it was the project's; one of a group or in use does not."""
    milestones = [{"title": "v1", "iid": 3}, {"title": "v2", "iid": 9, "group_id": 7}, {"title": "v3", "iid": 3}]
    rows = [
        {**FOREIGN_ISSUE, "iid": number, "milestone": {"id": 26, **row}} for number, row in enumerate(milestones, 1)
    ]
    lines = b"\n".join(orjson.dumps(row) for row in rows)
    files = {"VERSION": b"0.2.4", "tree/project.json": b"{}", "tree/project/issues.ndjson": lines}

    assert [] == import_archive(fakeplat, pack(files), by="ada")["failed_relations"]
    copies = fakeplat.as_user("ada").get("projects/ada%2Fcopy/milestones").json()
    assert {"v1": 3, "v2": 4, "v3": 5} == {milestone["title"]: milestone["iid"] for milestone in copies}
    assert 26 not in [milestone["id"] for milestone in copies]


@pytest.mark.fakeplat(tier="premium")
def test_a_group_is_exported_and_imported(fakeplat: Fakeplat) -> None:
    """A group is imported with labels, milestones, members, wiki and subgroups but no projects."""
    root = fakeplat.as_user("root")
    root.post(f"{ACME}/labels", json={"name": "ours", "color": "#FF0000"})
    root.post(f"{ACME}/milestones", json={"title": "Winter"})
    root.post(f"{ACME}/wikis", json={"title": "home", "content": "x"})
    archive = archive_of(fakeplat, ACME, "root")
    reply = root.post("groups/import", **build_import_form(archive, path="again", name="Again"))
    fakeplat.clock.advance("1s")
    group = root.get("groups/again").json()

    assert (202, {"message": "202 Accepted"}) == outcome(reply)
    assert ("Again", "private", []) == (group["name"], group["visibility"], group["projects"])
    assert ["ours"] == [label["name"] for label in root.get("groups/again/labels").json()]
    assert ["Winter"] == [milestone["title"] for milestone in root.get("groups/again/milestones").json()]
    assert ["again/tools"] == [row["full_path"] for row in root.get("groups/again/subgroups").json()]
    assert ["home"] == [page["slug"] for page in root.get("groups/again/wikis").json()]
    members = {row["username"]: row["access_level"] for row in root.get("groups/again/members").json()}
    assert {"root": 50, "ada": 50, "mia": 40, "dev": 30, "rep": 20, "gus": 10} == members


@pytest.mark.parametrize(
    ("by", "fields", "expected"),
    [
        ("ada", {"path": "x"}, invalid("name is missing")),
        ("ada", {"name": "x"}, invalid("path is missing")),
        (
            "ada",
            {"path": "acme", "name": "x"},
            (400, {"message": 'Failed to save group {:path=>["has already been taken"]}'}),
        ),
        ("ext", {"path": "x", "name": "x"}, FORBIDDEN),
        ("dev", {"path": "x", "name": "x", "parent_id": "acme"}, FORBIDDEN),
        ("ada", {"path": "x", "name": "x", "parent_id": "999999"}, resource_not_found("Group")),
    ],
)
def test_a_wrong_import_of_a_group_is_refused(
    fakeplat: Fakeplat, by: str, fields: dict[str, str], expected: Outcome
) -> None:
    """An import of a group with invalid parameters is refused and changes nothing."""
    ids = {"acme": str(fakeplat.world.group("acme").id)}
    body = build_import_form(
        b"x", **{name: ids.get(value, value) if name == "parent_id" else value for name, value in fields.items()}
    )
    assert expected == refusal(fakeplat, by, "POST", "groups/import", **body)


def test_a_damaged_archive_leaves_an_empty_group(fakeplat: Fakeplat) -> None:
    """Importing a damaged archive of a group leaves an empty group."""
    calls = fakeplat.as_user("ada")
    assert 202 == calls.post("groups/import", **build_import_form(b"x", path="again", name="Again")).status
    fakeplat.clock.advance("1s")

    assert "Again" == calls.get("groups/again").json()["name"]
    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", f"{ACME}/export")
    assert EXPIRED == outcome(calls.get(f"{ACME}/export/download"))
