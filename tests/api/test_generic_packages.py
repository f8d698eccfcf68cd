"""Generic packages: upload and download. Source: docs/platform/packages.md."""

import hashlib

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    BAD_REQUEST_WITH_REASON,
    GENERIC_FILE_NAMES_HAVE_MORE_SIGNS,
    GENERIC_FILES_ARE_PUBLIC,
    GENERIC_FILES_SAY_THEIR_DIGEST,
    LOOSE_VERSIONS_OF_GENERIC_PACKAGES,
)
from fakeplat.workbench.journal_entries import Reply
from tests.api.company import COMPANY
from tests.api.package_files import (
    DOCS,
    KIT,
    SITE,
    basic,
    deploy_token,
    finish_jobs,
    job_token,
    list_statuses,
    multipart,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY)
FILE = "packages/generic/app/1.0.0/app-1.0.tar.gz"
CREATED = (201, {"message": "201 Created"})


def list_file_names(fake: Fakeplat) -> list[str]:
    return [file.file_name for file in fake.bench.platform.view.package_files.all()]


@pytest.mark.parametrize(
    ("project", "upload", "download"),
    [
        (DOCS, "401 403 403 403 403 201 201 201 201", "401 200 200 200 200 200 200 200 200"),
        (KIT, "401 403 404 403 403 201 201 201 201", "401 200 404 200 200 200 200 200 200"),
        (SITE, "401 404 404 403 403 201 201 201 201", "401 404 404 403 200 200 200 200 200"),
    ],
    ids=["public", "internal", "private"],
)
def test_roles_that_upload_and_download(fakeplat: Fakeplat, project: str, upload: str, download: str) -> None:
    """Developers upload; both need a login, also for public projects."""
    assert upload == list_statuses(fakeplat, "PUT", f"{project}/{FILE}", data=b"app")
    fakeplat.as_user("dev").put(f"{project}/{FILE}", data=b"app")
    assert download == list_statuses(fakeplat, "GET", f"{project}/{FILE}")


@by_release(GENERIC_FILES_ARE_PUBLIC, "expected", {"14.9": (401,) * 4, "14.10": (200, 401, 401, 404)})
def test_visitors_download_from_public_projects(fakeplat: Fakeplat, expected: tuple[int, ...]) -> None:
    """Later, anonymous callers get the files of public projects, of closed ones still 401; they never upload."""
    for project in (DOCS, KIT, SITE):
        fakeplat.as_user("dev").put(f"{project}/{FILE}", data=b"app")
    visitor = fakeplat.as_user(None)
    projects = (DOCS, KIT, SITE, "projects/1")
    assert expected == tuple(visitor.get(f"{project}/{FILE}").status for project in projects)
    assert {"message": "401 Unauthorized"} == visitor.get(f"{SITE}/{FILE}").json()
    assert [401] * 4 == [visitor.put(f"{project}/{FILE}", data=b"app").status for project in projects]
    assert 404 == fakeplat.as_user("eve").get(f"{SITE}/{FILE}").status


@pytest.mark.parametrize("project", [DOCS, SITE], ids=["public", "private"])
def test_rights_of_deploy_tokens(fakeplat: Fakeplat, project: str) -> None:
    """Deploy tokens download with either scope and upload with one; unknown ones are anonymous."""
    read, write = "read_package_registry", "write_package_registry"
    both, writing, reading = (deploy_token(fakeplat, project, *scopes) for scopes in ((read, write), (write,), (read,)))
    group = deploy_token(fakeplat, "groups/acme")
    expired = deploy_token(fakeplat, project, expires_at="2020-11-21T00:00:00Z")
    fakeplat.clock.advance("2d")
    tokens = (both, writing, reading, group, expired, "wrong")
    caller = fakeplat.as_user(None)
    puts, gets = (
        [caller.request(method, f"{project}/{FILE}", headers={"Deploy-Token": token}).status for token in tokens]
        for method in ("PUT", "GET")
    )
    assert [201, 201, 403, 201, 401, 401] == puts
    assert [200, 200, 200, 200, 401, 401] == gets


def test_a_deploy_token_of_another_project_is_refused(fakeplat: Fakeplat) -> None:
    """A deploy token of another project is refused except for reading public packages."""
    headers = {"Deploy-Token": deploy_token(fakeplat, KIT)}
    for project in (DOCS, SITE):
        fakeplat.as_user("dev").put(f"{project}/{FILE}", data=b"app")
    caller = fakeplat.as_user(None)
    statuses = [
        caller.request(method, f"{project}/{FILE}", headers=headers).status
        for project in (DOCS, SITE)
        for method in ("PUT", "GET")
    ]
    assert [403, 200, 403, 403] == statuses


def test_each_way_to_send_a_token(fakeplat: Fakeplat) -> None:
    """Tokens are accepted in their own header, as Bearer and as a password."""
    personal, job, deploy = fakeplat.token("dev"), job_token(fakeplat), deploy_token(fakeplat)
    headers = [
        {"PRIVATE-TOKEN": personal},
        {"Authorization": f"Bearer {personal}"},
        basic("anybody", personal),
        {"JOB-TOKEN": job},
        {"Authorization": f"Bearer {job}"},
        basic("gitlab-ci-token", job),
        {"Deploy-Token": deploy},
        {"Authorization": f"Bearer {deploy}"},
        basic("anybody", deploy),
    ]
    caller = fakeplat.as_user(None)
    assert [201] * 9 == [caller.put(f"{SITE}/{FILE}", data=b"app", headers=sent).status for sent in headers]
    wrong = [
        {"PRIVATE-TOKEN": "wrong"},
        {"JOB-TOKEN": "wrong"},
        {"Deploy-Token": "wrong"},
        basic("anybody", "wrong"),
        basic("anybody", job),
        basic("gitlab-ci-token", "wrong"),
        {"Authorization": "Basic ?"},
    ]
    for sent in wrong:
        reply = caller.get(f"{SITE}/{FILE}", headers=sent)
        assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())
    finish_jobs(fakeplat)
    assert 401 == caller.get(f"{SITE}/{FILE}", headers=basic("gitlab-ci-token", job)).status


def test_a_password_is_checked_as_any_token(fakeplat: Fakeplat) -> None:
    """A token sent as password is checked for its scopes and the state of its user."""
    caller = fakeplat.as_user(None)
    reading = fakeplat.token("dev", scopes=["read_api"])
    fakeplat.as_user("dev").put(f"{SITE}/{FILE}", data=b"app")
    assert 200 == caller.get(f"{SITE}/{FILE}", headers=basic("dev", reading)).status
    reply = caller.put(f"{SITE}/{FILE}", data=b"app", headers=basic("dev", reading))
    assert (403, "insufficient_scope") == (reply.status, reply.json()["error"])
    registry = fakeplat.token("dev", scopes=["read_repository"])
    assert 403 == caller.get(f"{SITE}/{FILE}", headers=basic("dev", registry)).status


def test_deploy_tokens_are_no_callers_of_other_operations(fakeplat: Fakeplat) -> None:
    """Other operations accept deploy tokens neither in a header nor as a password."""
    token = deploy_token(fakeplat)
    for headers in ({"Deploy-Token": token}, basic("ci", token), basic("dev", fakeplat.token("dev"))):
        assert 404 == fakeplat.as_user(None).get(f"{SITE}/packages", headers=headers).status
    assert 401 == fakeplat.as_user(None).get(f"{SITE}/issues", headers={"Authorization": f"Bearer {token}"}).status


@pytest.mark.parametrize(
    "path",
    [
        "%2E%2E%2Fapp/1.0.0/a",
        "a%2Fb/1.0.0/a",
        "%252e%252e/1.0.0/a",
        "..%2f../1.0.0/a",
        "my%20app/1.0.0/a",
        "%2E%2E/1.0.0/a",
        "a%00b/1.0.0/a",
    ],
)
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_names_of_packages_are_checked(fakeplat: Fakeplat, method: str, path: str) -> None:
    """Invalid package names are refused in every encoding."""
    reply = fakeplat.as_user("dev").request(method, f"{SITE}/packages/generic/{path}")
    assert 400 == reply.status
    assert "%00" in path or {"error": "package_name is invalid"} == reply.json()


@pytest.mark.parametrize("name", ["..%2Fa", "%2E%2E", "a%2Fb", "%252e%252e%252fa", "a%5Cb", "a%20b", "%C3%A4"])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_names_of_files_are_checked(fakeplat: Fakeplat, method: str, name: str) -> None:
    """Invalid file names of generic packages are refused before anything is stored."""
    reply = fakeplat.as_user("dev").request(method, f"{SITE}/packages/generic/app/1.0.0/{name}")
    assert (400, {"error": "file_name is invalid"}) == (reply.status, reply.json())
    assert [] == list_file_names(fakeplat)


@pytest.mark.parametrize("version", ["1", "1.0", "1.0.0.0", "1.0.0-rc1", "v1.0.0", "1.x.0", "..", "1.0.0%0A"])
def test_versions_are_three_numbers(fakeplat: Fakeplat, version: str) -> None:
    """At 13.5 the version of a generic package consists of three numbers."""
    reply = fakeplat.as_user("dev").put(f"{SITE}/packages/generic/app/{version}/a.txt", data=b"a")
    assert (400, {"error": "package_version is invalid"}) == (reply.status, reply.json())


@by_release(LOOSE_VERSIONS_OF_GENERIC_PACKAGES, "accepted", {"13.9": 400, "13.10": 201})
@pytest.mark.parametrize(("version", "is_sound"), [("1.0-rc1", True), ("latest", True), ("..", False), (".1", False)])
def test_later_releases_accept_other_versions(fakeplat: Fakeplat, version: str, is_sound: bool, accepted: int) -> None:
    """From 13.10 on, versions of generic packages may have no digits."""
    status = accepted if is_sound else 400
    assert status == fakeplat.as_user("dev").put(f"{SITE}/packages/generic/app/{version}/a.txt", data=b"a").status


def test_a_file_is_served_unchanged(fakeplat: Fakeplat) -> None:
    """A generic package file is served unchanged as an attachment."""
    content = bytes(range(256))
    dev = fakeplat.as_user("dev")
    reply = dev.put(f"{SITE}/{FILE}", data=content, headers={"Content-Type": "application/json"})
    assert CREATED == (reply.status, reply.json())
    download = dev.get(f"{SITE}/{FILE}")
    disposition = "attachment; filename=\"app-1.0.tar.gz\"; filename*=UTF-8''app-1.0.tar.gz"
    assert (200, content, "application/octet-stream", disposition) == (
        download.status,
        download.content,
        download.headers["Content-Type"],
        download.headers["Content-Disposition"],
    )
    assert 200 == dev.head(f"{SITE}/{FILE}").status


def test_an_upload_may_be_a_form(fakeplat: Fakeplat) -> None:
    """A form uploads its part `file`, and answers 400 without it."""
    dev = fakeplat.as_user("dev")
    assert 201 == dev.put(f"{SITE}/{FILE}", **multipart({}, ("file", "other.bin", b"content"))).status
    assert b"content" == dev.get(f"{SITE}/{FILE}").content
    reply = dev.put(f"{SITE}/{FILE}", **multipart({"file": "text"}, None))
    assert (400, {"error": "file is missing"}) == (reply.status, reply.json())


def test_an_empty_file_is_a_file(fakeplat: Fakeplat) -> None:
    """An empty file of a generic package is stored and served."""
    dev = fakeplat.as_user("dev")
    assert 201 == dev.put(f"{SITE}/{FILE}", data=b"").status
    assert (200, b"") == (dev.get(f"{SITE}/{FILE}").status, dev.get(f"{SITE}/{FILE}").content)


def test_the_newest_file_of_a_name_is_downloaded(fakeplat: Fakeplat) -> None:
    """Of two files of one name in a package the newer one is served."""
    dev = fakeplat.as_user("dev")
    for content in (b"first", b"second"):
        assert 201 == dev.put(f"{SITE}/{FILE}", data=content).status
    dev.put(f"{SITE}/packages/generic/app/1.0.0/other.txt", data=b"other")
    assert b"second" == dev.get(f"{SITE}/{FILE}").content
    (package,) = dev.get(f"{SITE}/packages").json()
    files = dev.get(f"{SITE}/packages/{package['id']}/package_files").json()
    assert [5, 6, 5] == [file["size"] for file in files]


@pytest.mark.parametrize("path", ["packages/generic/app/1.0.0/none", "packages/generic/app/2.0.0/a.txt"])
def test_unknown_files_and_versions_are_not_found(fakeplat: Fakeplat, path: str) -> None:
    """Unknown files and versions of generic packages are not found."""
    fakeplat.as_user("dev").put(f"{SITE}/packages/generic/app/1.0.0/a.txt", data=b"a")
    reply = fakeplat.as_user("dev").get(f"{SITE}/{path}")
    assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())


def test_a_hidden_package_is_not_listed(fakeplat: Fakeplat) -> None:
    """A hidden package is downloaded but not listed until a later upload shows it."""
    dev = fakeplat.as_user("dev")
    assert 201 == dev.put(f"{SITE}/{FILE}?status=hidden", data=b"app").status
    assert ([], 200) == (dev.get(f"{SITE}/packages").json(), dev.get(f"{SITE}/{FILE}").status)
    dev.put(f"{SITE}/{FILE}?status=default", data=b"app")
    assert 1 == len(dev.get(f"{SITE}/packages").json())
    reply = dev.put(f"{SITE}/{FILE}?status=new", data=b"app")
    assert (400, {"error": "status does not have a valid value"}) == (reply.status, reply.json())


def test_an_upload_shows_the_file_on_request(fakeplat: Fakeplat) -> None:
    """With `select=package_file` an upload answers with the stored file."""
    reply = fakeplat.as_user("dev").put(f"{SITE}/{FILE}?select=package_file", data=b"abc")
    package_file = reply.json()
    assert (200, 3, "app-1.0.tar.gz") == (reply.status, package_file["size"], package_file["file_name"])
    assert "a9993e364706816aba3e25717850c26c9cd0d89d" == package_file["file_sha1"]


@by_release(
    BAD_REQUEST_WITH_REASON,
    "message",
    {"13.11": '400 (Bad request) "File is too large" not given', "13.12": "400 Bad request - File is too large"},
)
def test_the_words_for_a_file_above_the_limit(fakeplat: Fakeplat, message: str) -> None:
    """From 13.12 on, the refusal of a file above the limit names the status first."""
    fakeplat.load({"settings": {"generic_packages_max_file_size": 3}})
    reply = fakeplat.as_user("dev").put(f"{SITE}/{FILE}", data=b"four")
    assert (400, {"message": message}) == (reply.status, reply.json())


def test_a_file_above_the_limit_is_refused(fakeplat: Fakeplat) -> None:
    """A generic file above the size limit is refused and not stored; 0 disables the limit."""
    fakeplat.load({"settings": {"generic_packages_max_file_size": 3}})
    dev = fakeplat.as_user("dev")
    reply = dev.put(f"{SITE}/{FILE}", data=b"four")
    assert 400 == reply.status
    assert "File is too large" in reply.json()["message"]
    assert ([], []) == (list_file_names(fakeplat), dev.get(f"{SITE}/packages").json())
    assert 201 == dev.put(f"{SITE}/{FILE}", data=b"3 3").status
    fakeplat.load({"settings": {"generic_packages_max_file_size": 0}})
    assert 201 == dev.put(f"{SITE}/{FILE}", data=b"four").status


# Later releases


@by_release(GENERIC_FILE_NAMES_HAVE_MORE_SIGNS, "accepted", {"13.5": 400, "18.9": 201})
@pytest.mark.parametrize(
    ("name", "is_sound"),
    [("my~file.tgz", True), ("app@1.1.tgz", True), ("~app", False), ("app~", False), ("@app", False), ("app@", False)],
)
def test_later_names_of_files_have_more_signs(fakeplat: Fakeplat, name: str, is_sound: bool, accepted: int) -> None:
    """Later releases accept `~` and `@` within the name of a file."""
    reply = fakeplat.as_user("dev").put(f"{SITE}/packages/generic/app/1.0.0/{name}", data=b"app")
    assert (accepted if is_sound else 400) == reply.status


@by_release(GENERIC_FILES_SAY_THEIR_DIGEST, "digest", {"13.5": None, "18.9": hashlib.sha256(b"app").hexdigest()})
def test_later_downloads_say_the_digest(fakeplat: Fakeplat, digest: str | None) -> None:
    """Downloads of later releases have the SHA-256 of the file in a header."""
    dev = fakeplat.as_user("dev")
    dev.put(f"{SITE}/{FILE}", data=b"app")
    assert digest == dev.get(f"{SITE}/{FILE}").headers.get("X-Checksum-SHA256")


@pytest.mark.fakeplat(version="latest")
def test_files_are_in_folders(fakeplat: Fakeplat) -> None:
    """In later releases a file has a path below its package, which its stored name has with encoded slashes."""
    dev, folder = fakeplat.as_user("dev"), f"{SITE}/packages/generic/app/1.0.0"
    reply = dev.put(f"{folder}/docs/en/index.html?select=package_file", data=b"in folder")
    assert (200, "docs%2Fen%2Findex.html") == (reply.status, reply.json()["file_name"])
    assert CREATED == outcome_of(dev.put(f"{folder}/index.html", data=b"at the top"))
    assert b"in folder" == dev.get(f"{folder}/docs/en/index.html").content
    assert b"at the top" == dev.get(f"{folder}/index.html").content
    assert 404 == dev.get(f"{folder}/docs/index.html").status


def outcome_of(reply: Reply) -> tuple[int, object]:
    return reply.status, reply.json()


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("path", ["..%2f..", "a/%2e%2e", "%2e%2e%2fa"])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_folders_stay_in_their_package(fakeplat: Fakeplat, method: str, path: str) -> None:
    """A path that leaves the package is refused, and nothing is stored."""
    url = f"{SITE}/packages/generic/app/1.0.0/{path}/index.html"
    reply = fakeplat.as_user("dev").request(method, url, data=b"x" if method == "PUT" else None)
    assert (400, {"error": "path should be a valid file path"}) == outcome_of(reply)
    assert [] == list_file_names(fakeplat)
