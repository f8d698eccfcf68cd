"""Maven repositories. Source: docs/platform/packages.md."""

from hashlib import md5, sha1
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    MAVEN_ASKS_VISITORS_TO_LOGIN,
    MAVEN_CHECKS_PATHS,
    MAVEN_GROUPS_SERVE_READABLE_PACKAGES,
    MAVEN_LIMITS_FILE_NAMES,
    MAVEN_NAMES_WHAT_IS_MISSING,
    MAVEN_REPEATS_ERRORS,
    MAVEN_SAYS_DIGESTS,
    MAVEN_SERVES_LAST_METADATA,
)
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, KIT, SITE, basic, deploy_token, finish_jobs, job_token, list_statuses
from tests.by_release import by_release

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(clock="virtual", scenario=COMPANY)]
PATHS = {DOCS: "acme/docs/1.0", KIT: "acme/tools/kit/1.0", SITE: "acme/site/1.0"}
GROUPS = {DOCS: "groups/acme", KIT: "groups/acme%2Ftools", SITE: "groups/acme"}
OPEN = "200 200 200 200 200 200 200 200 200"
INTERNAL = "404 200 404 200 200 200 200 200 200"
MEMBERS = "403 403 403 403 200 200 200 200 200"


def put_file(fake: Fakeplat, path: str, content: bytes = b"jar", project: str = SITE, user: str = "dev") -> Any:
    return fake.as_user(user).put(f"{project}/packages/maven/{path}", data=content)


@pytest.mark.parametrize(
    ("project", "of_project", "of_group", "of_instance"),
    [
        (DOCS, OPEN, OPEN, OPEN),
        (KIT, INTERNAL, INTERNAL, INTERNAL.replace("404", "403")),
        # The group is public: what the caller does not see is not there.
        (SITE, "404 404 404 403 200 200 200 200 200", "404 404 404 403 200 200 200 200 200", MEMBERS),
    ],
    ids=["public", "internal", "private"],
)
def test_roles_that_download(
    fakeplat: Fakeplat, project: str, of_project: str, of_group: str, of_instance: str
) -> None:
    """Each role downloads Maven files from the project, group and instance as expected."""
    file = f"packages/maven/{PATHS[project]}/app-1.0.jar"
    fakeplat.as_user("dev").put(f"{project}/{file}", data=b"jar")
    statuses_by_path = [
        list_statuses(fakeplat, "GET", path) for path in (f"{project}/{file}", f"{GROUPS[project]}/-/{file}", file)
    ]
    expected = [of_project, of_group, of_instance]
    profile = fakeplat.bench.platform.view.profile
    if profile.has(MAVEN_ASKS_VISITORS_TO_LOGIN) and project != DOCS:
        expected = [f"401{row[3:]}" for row in expected]
    if profile.has(MAVEN_GROUPS_SERVE_READABLE_PACKAGES):
        expected[1] = expected[1].replace("403", "404")
    assert expected == statuses_by_path


@pytest.mark.parametrize(
    ("project", "expected"),
    [(DOCS, "401 403 403 403 403 200 200 200 200"), (SITE, "401 404 404 403 403 200 200 200 200")],
    ids=["public", "private"],
)
def test_roles_that_upload(fakeplat: Fakeplat, project: str, expected: str) -> None:
    """Developers and above upload Maven packages."""
    assert expected == list_statuses(fakeplat, "PUT", f"{project}/packages/maven/com/acme/1.0/a.jar", data=b"jar")


@by_release(MAVEN_ASKS_VISITORS_TO_LOGIN, "expected", {"17.7": (404, 404, 403), "17.8": (401, 401, 401)})
def test_visitors_are_asked_to_login(fakeplat: Fakeplat, expected: tuple[int, ...]) -> None:
    """Later, closed projects and groups are 401 with a challenge for visitors; what they may read they still get."""
    for project, name in PATHS.items():
        put_file(fakeplat, f"{name}/app-1.0.jar", project=project)
    visitor = fakeplat.as_user(None)
    file = f"packages/maven/{PATHS[KIT]}/app-1.0.jar"
    replies = [visitor.get(path) for path in (f"{KIT}/{file}", f"groups/acme%2Ftools/-/{file}", file)]
    assert expected == tuple(reply.status for reply in replies)
    if expected[0] == 401:
        assert ['Basic realm="Platform Packages Registry"'] * 3 == [
            reply.headers["WWW-Authenticate"] for reply in replies
        ]
    public = f"packages/maven/{PATHS[DOCS]}/app-1.0.jar"
    assert [200] * 3 == [visitor.get(path).status for path in (f"{DOCS}/{public}", f"groups/acme/-/{public}", public)]
    assert 403 == visitor.get("packages/maven/none/1.0/app-1.0.jar").status
    projects = [fakeplat.as_user("ext").get(f"{project}/{file}") for project in (KIT, "projects/none")]
    assert [404, 404] == [reply.status for reply in projects]
    groups = [fakeplat.as_user("ext").get(f"groups/{group}/-/{file}") for group in ("acme%2Ftools", "none")]
    messages = ("404 Project Not Found", "404 Group Not Found") if expected[0] == 404 else ("404 Not Found",) * 2
    assert messages == tuple(reply.json()["message"] for reply in (projects[0], groups[0]))
    assert messages == tuple(reply.json()["message"] for reply in (projects[1], groups[1]))


@by_release(MAVEN_SAYS_DIGESTS, "is_said", {"17.7": False, "17.8": True})
def test_digests_of_a_download(fakeplat: Fakeplat, is_said: bool) -> None:
    """Later, the headers of a file have its digests; those of a digest do not."""
    put_file(fakeplat, "com/acme/app/1.0/app.jar")
    calls = fakeplat.as_user("rep")
    headers = calls.get(f"{SITE}/packages/maven/com/acme/app/1.0/app.jar").headers
    sums = (sha1(b"jar").hexdigest(), md5(b"jar").hexdigest()) if is_said else (None, None)
    assert sums == (headers.get("X-Checksum-Sha1"), headers.get("X-Checksum-Md5"))
    assert "X-Checksum-Sha1" not in calls.get(f"{SITE}/packages/maven/com/acme/app/1.0/app.jar.md5").headers


@by_release(MAVEN_LIMITS_FILE_NAMES, "status", {"17.7": 200, "17.8": 400})
def test_names_of_files_are_limited(fakeplat: Fakeplat, status: int) -> None:
    """Later, the name of a file has at most 5000 characters."""
    assert 200 == put_file(fakeplat, f"com/acme/app/1.0/{'a' * 5000}").status
    reply = put_file(fakeplat, f"com/acme/app/1.0/{'a' * 5001}")
    assert status == reply.status
    assert status == 200 or {"message": "400 Bad request - File name is too long"} == reply.json()


def test_each_way_to_send_a_token(fakeplat: Fakeplat) -> None:
    """Maven accepts tokens in headers and as password, and stores the pipeline of a job's token."""
    personal, job, deploy = fakeplat.token("dev"), job_token(fakeplat), deploy_token(fakeplat)
    headers = [
        {"Private-Token": personal},
        {"Job-Token": job},
        {"Deploy-Token": deploy},
        {"Authorization": f"Bearer {personal}"},
        basic("dev", personal),
        basic("gitlab-ci-token", job),
        basic("ci", deploy),
    ]
    caller = fakeplat.as_user(None)
    for number, sent in enumerate(headers):
        path = f"{SITE}/packages/maven/com/acme/app/1.{number}/app.jar"
        assert 200 == caller.put(path, data=b"jar", headers=sent).status
        assert b"jar" == caller.get(path, headers=sent).content
    packages = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    assert [False, True, False, False, False, True, False] == ["pipeline" in package for package in packages]
    finish_jobs(fakeplat)
    assert 401 == caller.get(f"{SITE}/packages/maven/com/acme/app/1.0/app.jar", headers={"Job-Token": job}).status


def test_the_deploy_token_of_a_group_opens_its_repository(fakeplat: Fakeplat) -> None:
    """A group's deploy token opens the group's repository, a project's only the project."""
    put_file(fakeplat, "com/acme/app/1.0/app.jar", project=KIT)
    file = "packages/maven/com/acme/app/1.0/app.jar"
    caller = fakeplat.as_user(None)
    group, project = deploy_token(fakeplat, "groups/acme%2Ftools"), deploy_token(fakeplat, KIT)
    statuses_by_path = [
        caller.get(f"{container}/{file}", headers={"Deploy-Token": token}).status
        for token in (group, project)
        for container in ("groups/acme%2Ftools/-", KIT)
    ]
    assert [200, 200, 404, 200] == statuses_by_path


def test_a_sha1_is_compared(fakeplat: Fakeplat) -> None:
    """An uploaded SHA-1 is compared with the file, an MD5 only accepted."""
    put_file(fakeplat, "com/acme/app/1.0/app.jar")
    digest = sha1(b"jar").hexdigest().encode()
    replies = [
        put_file(fakeplat, f"com/acme/app/1.0/{name}", content)
        for name, content in (
            ("app.jar.sha1", digest),
            ("app.jar.sha1", b"0" * 40),
            ("app.pom.sha1", digest),
            ("app.jar.md5", b"whatever"),
        )
    ]
    assert [204, 409, 404, 200] == [reply.status for reply in replies]
    assert ("409 Conflict", "404 Not found") == tuple(reply.json()["message"] for reply in replies[1:3])
    assert (b"", b"") == (replies[0].content, replies[3].content)
    assert 1 == len(fakeplat.bench.platform.view.package_files.all())


def test_digests_are_computed(fakeplat: Fakeplat) -> None:
    """SHA-1 and MD5 digests are computed as text; files of other digests are stored."""
    put_file(fakeplat, "com/acme/app/1.0/app.jar")
    put_file(fakeplat, "com/acme/app/1.0/app.jar.sha256", b"sent by Gradle")
    rep, base = fakeplat.as_user("rep"), f"{SITE}/packages/maven/com/acme/app/1.0/app.jar"
    replies = [rep.get(f"{base}{suffix}") for suffix in ("", ".md5", ".sha1", ".sha256")]
    assert [b"jar", md5(b"jar").hexdigest().encode(), sha1(b"jar").hexdigest().encode(), b"sent by Gradle"] == [
        reply.content for reply in replies
    ]
    octets, text = "application/octet-stream", "text/plain"
    assert [octets, text, text, octets] == [reply.headers["Content-Type"] for reply in replies]
    assert 200 == rep.head(base).status


def test_the_newest_file_of_a_name_counts(fakeplat: Fakeplat) -> None:
    """Snapshots are uploaded again and again."""
    for content in (b"first", b"second"):
        put_file(fakeplat, "com/acme/app/1.0-SNAPSHOT/maven-metadata.xml", content)
    rep = fakeplat.as_user("rep")
    assert b"second" == rep.get(f"{SITE}/packages/maven/com/acme/app/1.0-SNAPSHOT/maven-metadata.xml").content
    (package,) = rep.get(f"{SITE}/packages").json()
    assert ("com/acme/app", "1.0-SNAPSHOT") == (package["name"], package["version"])


def test_the_metadata_of_all_versions_is_not_listed(fakeplat: Fakeplat) -> None:
    """The metadata of all versions is an unlisted package without a version."""
    put_file(fakeplat, "com/acme/app/maven-metadata.xml", b"<metadata/>")
    rep = fakeplat.as_user("rep")
    assert [] == rep.get(f"{SITE}/packages").json()
    assert b"<metadata/>" == rep.get(f"{SITE}/packages/maven/com/acme/app/maven-metadata.xml").content
    (package,) = fakeplat.bench.platform.view.packages.all()
    assert ("com/acme/app", None) == (package.name, package.version)


def test_the_repository_of_the_instance_has_packages_named_after_their_project(fakeplat: Fakeplat) -> None:
    """The instance serves Maven packages named after their project; others get a 403."""
    for path in ("acme/docs/1.0/a.jar", "acme/docs/maven-metadata.xml", "com/acme/docs/1.0/a.jar"):
        put_file(fakeplat, path, project=DOCS)
    statuses_by_path = [
        fakeplat.as_user(None).get(f"packages/maven/{path}").status
        for path in (
            "acme/docs/1.0/a.jar",
            "acme/docs/maven-metadata.xml",
            "com/acme/docs/1.0/a.jar",
        )
    ]
    visitor = 401 if fakeplat.bench.platform.view.profile.has(MAVEN_ASKS_VISITORS_TO_LOGIN) else 403
    assert [200, 200, visitor] == statuses_by_path


def test_a_group_has_the_newest_package_of_its_projects(fakeplat: Fakeplat) -> None:
    """A group serves the newest package among its projects that the caller sees."""
    for project in (DOCS, SITE):
        put_file(fakeplat, "com/acme/app/1.0/app.jar", project.encode(), project)
    path = "groups/acme/-/packages/maven/com/acme/app/1.0/app.jar"
    assert [SITE.encode(), DOCS.encode()] == [fakeplat.as_user(user).get(path).content for user in ("rep", None)]


@pytest.mark.parametrize("name", ["..%2Fa.jar", "a%2Fb.jar", "a%20b.jar", "%252e%252e", "a%5Cb.jar"])
def test_names_of_files_are_checked(fakeplat: Fakeplat, name: str) -> None:
    """Invalid file names of Maven packages are refused, also encoded ones."""
    reply = fakeplat.as_user("dev").put(f"{SITE}/packages/maven/com/acme/1.0/{name}", data=b"jar")
    assert (400, {"error": "file_name is invalid"}) == (reply.status, reply.json())


@by_release(MAVEN_CHECKS_PATHS, "statuses", {"19.0": [404, 404, 404], "19.1": [400, 400, 404]})
def test_paths_of_downloads_are_checked(fakeplat: Fakeplat, statuses: list[int]) -> None:
    """From 19.1 on, paths of downloads may not lead elsewhere or have line breaks; other signs are not looked at."""
    base = f"{SITE}/packages/maven"
    paths = (f"{base}/foo/bar/%0d%0ahttp/a.jar", f"{base}/foo/bar/1.0/%0d%0ahttp", f"{base}/foo/bar/1.0/a%20b.jar")
    replies = [fakeplat.as_user("dev").get(path) for path in paths]
    assert statuses == [reply.status for reply in replies]
    if statuses[0] == 400:
        errors = [{"error": f"{name} should be a valid file path"} for name in ("path", "file_name")]
        assert errors == [reply.json() for reply in replies[:2]]


@by_release(MAVEN_REPEATS_ERRORS, "keys", {"19.0": ["message"], "19.1": ["message", "error"]})
def test_refusals_repeat_their_message(fakeplat: Fakeplat, keys: list[str]) -> None:
    """From 19.1 on, refusals of Maven have their message under error, too."""
    reply = fakeplat.as_user("dev").get(f"{SITE}/packages/maven/foo/bar/1.0/a.jar")
    assert (404, dict.fromkeys(keys, "404 Project Not Found")) == (reply.status, reply.json())
    put_file(fakeplat, "acme/site/1.0/a.jar")
    reply = fakeplat.as_user("dev").get("packages/maven/acme/site/1.0/b.jar")
    assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())
    reply = fakeplat.as_user(None).put(f"{SITE}/packages/maven/foo/bar/1.0/a.jar", data=b"jar")
    assert (401, dict.fromkeys(keys, "401 Unauthorized")) == (reply.status, reply.json())


@by_release(MAVEN_NAMES_WHAT_IS_MISSING, "statuses", {"15.3": [404, 404], "15.4": [403, 403]})
def test_the_instance_forbids_unknown_paths(fakeplat: Fakeplat, statuses: list[int]) -> None:
    """From 15.4 on, the repository of the instance forbids a path that no package has, whoever asks."""
    replies = [fakeplat.as_user(user).get("packages/maven/acme/docs/9.0/a.jar") for user in ("mia", None)]
    assert statuses == [reply.status for reply in replies]


def test_the_instance_looks_only_into_the_project_of_the_name(fakeplat: Fakeplat) -> None:
    """The repository of the instance forbids packages that have another name than their project."""
    put_file(fakeplat, "com/acme/app/1.0/app.jar", project=DOCS)
    reply = fakeplat.as_user("mia").get("packages/maven/com/acme/app/1.0/app.jar")
    assert (403, "403 Forbidden") == (reply.status, reply.json()["message"])
    asks = fakeplat.bench.platform.view.profile.has(MAVEN_ASKS_VISITORS_TO_LOGIN)
    assert (401 if asks else 403) == fakeplat.as_user(None).get("packages/maven/com/acme/app/1.0/app.jar").status


@by_release(MAVEN_GROUPS_SERVE_READABLE_PACKAGES, "outcome", {"19.0": (403, b""), "19.1": (200, DOCS.encode())})
def test_a_group_serves_what_the_caller_may_read(fakeplat: Fakeplat, outcome: tuple[int, bytes]) -> None:
    """From 19.1 on, a group passes over packages that the caller may not read."""
    for project in (DOCS, SITE):
        put_file(fakeplat, "com/acme/app/1.0/app.jar", project.encode(), project)
    reply = fakeplat.as_user("gus").get("groups/acme/-/packages/maven/com/acme/app/1.0/app.jar")
    assert outcome == (reply.status, reply.content if reply.status == 200 else b"")


@by_release(MAVEN_SERVES_LAST_METADATA, "content", {"19.0": b"second", "19.1": b"third"})
def test_metadata_is_that_of_the_last_upload(fakeplat: Fakeplat, content: bytes) -> None:
    """From 19.1 on, a group serves the metadata of all versions that was uploaded last."""
    path = "com/acme/app/maven-metadata.xml"
    for project, text in ((DOCS, b"first"), (SITE, b"second"), (DOCS, b"third")):
        put_file(fakeplat, path, text, project)
    assert content == fakeplat.as_user("rep").get(f"groups/acme/-/packages/maven/{path}").content


@by_release(MAVEN_ASKS_VISITORS_TO_LOGIN, "status", {"17.7": 404, "17.8": 401})
def test_groups_ask_visitors_to_login_for_what_they_lack(fakeplat: Fakeplat, status: int) -> None:
    """From 17.8 on, a group asks visitors to log in if a package is known that it does not show them."""
    put_file(fakeplat, "com/acme/app/1.0/app.jar")
    reply = fakeplat.as_user(None).get("groups/acme/-/packages/maven/com/acme/app/1.0/app.jar")
    assert (status, status == 401) == (reply.status, "WWW-Authenticate" in reply.headers)
    assert 404 == fakeplat.as_user(None).get("groups/acme/-/packages/maven/com/acme/none/1.0/app.jar").status


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("com/acme/app/$%25123/a.jar", "Version is invalid"),
        ("com/acme/app/1...0/a.jar", "Version is invalid"),
        ("com/ac me/app/1.0/a.jar", "Name is invalid, Maven metadatum app group is invalid"),
        ("com/acme/a+b/1.0/a.jar", "Maven metadatum app name is invalid"),
    ],
)
def test_paths_are_checked(fakeplat: Fakeplat, path: str, error: str) -> None:
    """A Maven package with an invalid path is refused and nothing is stored."""
    reply = put_file(fakeplat, path.replace(" ", "%20"))
    assert (400, f"Validation failed: {error}") == (reply.status, reply.json()["message"])
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


def test_a_file_above_the_limit_is_refused(fakeplat: Fakeplat) -> None:
    """A Maven file above the size limit is refused and nothing is stored."""
    fakeplat.load({"settings": {"maven_max_file_size": 2}})
    reply = put_file(fakeplat, "com/acme/app/1.0/app.jar")
    assert 400 == reply.status
    assert "File is too large" in reply.json()["message"]
    assert 0 == len(fakeplat.bench.platform.view.packages.all())
