"""Debian distributions, uploads and repositories. Source: docs/platform/packages.md."""

import lzma
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import DEBIAN_DISTRIBUTIONS_WANT_HEADERS, DEBIAN_REPOSITORIES
from tests.api.company import COMPANY
from tests.api.deb_files import build_changes, build_deb, pack_members, write_control
from tests.api.package_files import DOCS, SITE, basic, deploy_token, job_token, list_statuses
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY, version="16.11")
GROUP = "groups/acme/-"
DEB = "hello_1.0-1_amd64.deb"
POOL = f"pool/sid/h/hello/1.0-1/{DEB}"
Factory = Callable[..., Fakeplat]


@pytest.fixture(autouse=True)
def _features(request: pytest.FixtureRequest) -> None:
    if "fakeplat" in request.fixturenames:
        switch_on(request.getfixturevalue("fakeplat"))


def switch_on(fake: Fakeplat) -> None:
    for name in ("debian_packages", "debian_group_packages"):
        assert 201 == fake.as_user("root").post(f"features/{name}", json={"value": True}).status


def create(fake: Fakeplat, container: str = SITE, codename: str = "sid", **fields: Any) -> Any:
    return fake.as_user("mia").post(f"{container}/debian_distributions", json={"codename": codename, **fields})


def upload(fake: Fakeplat, name: str, content: bytes, query: str = "", project: str = SITE) -> Any:
    return fake.as_user("dev").put(f"{project}/packages/debian/{name}{query}", data=content)


def publish(fake: Fakeplat, content: bytes | None = None, name: str = DEB, project: str = SITE) -> Any:
    query = "?distribution=sid&component=main"
    return upload(fake, name, build_deb() if content is None else content, query, project)


def read(fake: Fakeplat, path: str, container: str = SITE) -> str:
    reply = fake.as_user("rep").get(f"{container}/packages/debian/{path}")
    assert (path, 200) == (path, reply.status)
    return reply.text


def test_distributions_are_created_with_defaults(fakeplat: Fakeplat) -> None:
    """A distribution has the component main and the architectures all and amd64, unless others are given."""
    reply = create(fakeplat)
    expected = {
        "id": 9_635_001,
        "codename": "sid",
        "suite": None,
        "origin": None,
        "label": None,
        "version": None,
        "description": None,
        "valid_time_duration_seconds": None,
        "components": ["main"],
        "architectures": ["all", "amd64"],
    }
    assert (201, expected) == (reply.status, reply.json())
    names = {"components": ["main", "contrib"], "architectures": "i386,arm64"}
    further = create(fakeplat, GROUP, "trixie", suite="testing", valid_time_duration_seconds=86400, **names).json()
    assert ["contrib", "main"] == further["components"]
    assert ["all", "arm64", "i386"] == further["architectures"]
    assert further == fakeplat.as_user("rep").get(f"{GROUP}/debian_distributions/trixie").json()


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ({"codename": "no name"}, {"error": "codename is invalid"}),
        ({"suite": "-"}, {"error": "suite is invalid"}),
        ({"version": "x"}, {"error": "version is invalid"}),
        ({"components": ["main", "a b"]}, {"error": "components is invalid"}),
        ({"architectures": "AMD64"}, {"error": "architectures is invalid"}),
        ({"codename": "sid"}, {"message": {"codename": ["has already been taken"]}}),
        ({"suite": "unstable"}, {"message": {"suite": ["has already been taken"]}}),
        ({"codename": "unstable"}, {"message": {"codename": ["has already been taken as Suite"]}}),
        ({"suite": "sid"}, {"message": {"suite": ["has already been taken as Codename"]}}),
        (
            {"valid_time_duration_seconds": 86399},
            {"message": {"valid_time_duration_seconds": ["must be greater than or equal to 86400"]}},
        ),
    ],
)
def test_distributions_are_checked(fakeplat: Fakeplat, fields: dict[str, Any], body: Any) -> None:
    """Names have their form, and codenames and suites are taken once in a project."""
    create(fakeplat, suite="unstable")
    reply = create(fakeplat, **{"codename": "new", **fields})
    assert (400, body) == (reply.status, reply.json())
    assert 1 == len(fakeplat.as_user("rep").get(f"{SITE}/debian_distributions").json())


def test_distributions_are_found_by_codename_and_suite(fakeplat: Fakeplat) -> None:
    """Lists are filtered by codename and suite; a single one is found by its codename."""
    create(fakeplat, suite="unstable")
    create(fakeplat, codename="trixie")
    rep = fakeplat.as_user("rep")
    for query, names in (("", ["sid", "trixie"]), ("?codename=trixie", ["trixie"]), ("?suite=unstable", ["sid"])):
        assert names == [row["codename"] for row in rep.get(f"{SITE}/debian_distributions{query}").json()]
    reply = rep.get(f"{SITE}/debian_distributions/unstable")
    assert (404, {"message": "404 Distribution Not Found"}) == (reply.status, reply.json())


def test_distributions_are_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """Given lists replace the former ones; the packages of a deleted distribution stay."""
    create(fakeplat)
    assert 201 == publish(fakeplat).status
    mia = fakeplat.as_user("mia")
    changed = mia.put(f"{SITE}/debian_distributions/sid", json={"label": "x", "architectures": ["i386"]})
    assert (200, "x", ["all", "i386"]) == (changed.status, changed.json()["label"], changed.json()["architectures"])
    assert ["main"] == changed.json()["components"]
    reply = mia.delete(f"{SITE}/debian_distributions/sid")
    assert (202, {"message": "202 Accepted"}) == (reply.status, reply.json())
    assert [] == mia.get(f"{SITE}/debian_distributions").json()
    assert ["hello"] == [package["name"] for package in mia.get(f"{SITE}/packages").json()]


def test_roles_that_manage_distributions(fakeplat: Fakeplat) -> None:
    """Reporters of a private project read, Developers create and change, Maintainers delete."""
    create(fakeplat)
    create(fakeplat, DOCS)
    private, public = f"{SITE}/debian_distributions", f"{DOCS}/debian_distributions"
    assert "404 404 404 403 200 200 200 200 200" == list_statuses(fakeplat, "GET", private)
    assert " ".join(["200"] * 9) == list_statuses(fakeplat, "GET", f"{public}/sid")
    body = {"json": {"codename": "new"}}
    assert "404 404 404 403 403 201 201 201 201" == list_statuses(fakeplat, "POST", private, **body)
    assert "401 403 403 403 403 201 201 201 201" == list_statuses(fakeplat, "POST", public, **body)
    assert "401 403 403 403 403 200 200 200 200" == list_statuses(fakeplat, "PUT", f"{public}/sid", json={})
    assert "401 403 403 403 403 403 202 202 202" == list_statuses(fakeplat, "DELETE", f"{public}/sid")
    groups = f"{GROUP}/debian_distributions"
    assert "401 403 403 403 403 201 201 201 201" == list_statuses(fakeplat, "POST", groups, **body)


@by_release(DEBIAN_DISTRIBUTIONS_WANT_HEADERS, "expected", {"17.8": [200, 200, 201], "17.9": [404, 404, 401]})
def test_distributions_ignore_passwords(fakeplat: Fakeplat, expected: list[int]) -> None:
    """From 17.9 on, distributions are managed with tokens in their headers; one that is a password is ignored."""
    caller, personal, deploy = fakeplat.as_user(None), fakeplat.token("dev"), deploy_token(fakeplat)
    path, body = f"{SITE}/debian_distributions", {"codename": "new"}
    replies = [caller.get(path, headers=basic(name, token)) for name, token in (("dev", personal), ("ci", deploy))]
    replies.append(caller.post(f"{DOCS}/debian_distributions", json=body, headers=basic("dev", personal)))
    assert expected == [reply.status for reply in replies]
    for headers in ({"Private-Token": personal}, {"Deploy-Token": deploy}, {"Job-Token": job_token(fakeplat)}):
        assert 200 == caller.get(path, headers=headers).status
    assert 404 == caller.get(f"{SITE}/packages/debian/dists/sid/Release", headers=basic("dev", personal)).status


@pytest.mark.parametrize("container", [SITE, GROUP])
def test_the_registry_is_off_by_default(fakeplat: Fakeplat, container: str) -> None:
    """Without the feature nothing of the registry is found; it may be on for one project."""
    create(fakeplat, container)
    for name in ("debian_packages", "debian_group_packages"):
        fakeplat.as_user("root").delete(f"features/{name}")
    for path in ("debian_distributions", "debian_distributions/sid", "packages/debian/dists/sid/Release"):
        reply = fakeplat.as_user("mia").get(f"{container}/{path}")
        assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())
    fakeplat.as_user("root").post("features/debian_packages", json={"value": True, "project": "acme/site"})
    expected = 200 if container == SITE else 404
    assert expected == fakeplat.as_user("mia").get(f"{container}/debian_distributions").status


@pytest.mark.parametrize("compression", ["gz", "xz", ""])
def test_a_binary_package_is_published_in_a_distribution(fakeplat: Fakeplat, compression: Any) -> None:
    """With a distribution and a component, a binary package needs no changes file."""
    create(fakeplat, suite="unstable")
    content = build_deb(compression)
    reply = upload(fakeplat, DEB, content, "?distribution=unstable&component=main")
    assert (201, {"message": "201 Created"}) == (reply.status, reply.json())
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages?package_type=debian").json()
    assert ("hello", "1.0-1", "default") == (package["name"], package["version"], package["status"])
    assert read(fakeplat, "dists/sid/main/binary-amd64/Packages") == (
        "Package: hello\nVersion: 1.0-1\nMaintainer: Ada <ada@example.com>\nArchitecture: amd64\n"
        "Description: Says hello\n Each time.\n .\n Loudly.\nSection: misc\nPriority: optional\n"
        f"Filename: {POOL}\nSize: {len(content)}\nSHA256: {sha256(content).hexdigest()}\n"
    )
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/debian/{POOL}")
    assert (content, "application/octet-stream") == (reply.content, reply.headers["Content-Type"])


def test_the_source_names_the_package(fakeplat: Fakeplat) -> None:
    """A binary package belongs to its source, whose version may be another one; libraries have longer letters."""
    create(fakeplat)
    publish(fakeplat, build_deb(Package="libhello1", Source="libhello (2.0)"), "libhello1_1.0-1_amd64.deb")
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    assert ("libhello", "2.0") == (package["name"], package["version"])
    path = "pool/sid/libh/libhello/2.0/libhello1_1.0-1_amd64.deb"
    assert f"Filename: {path}\n" in read(fakeplat, "dists/sid/main/binary-amd64/Packages")
    assert 200 == fakeplat.as_user("rep").get(f"{SITE}/packages/debian/{path}").status


def upload_source(fake: Fakeplat, changes: str = "", section: str = "misc") -> dict[str, bytes]:
    """Upload a source package with its binaries and a changes file; return the files."""
    tar = b"tar"
    description = write_control({"Source": "hello", "Version": "1.0-1", "Files": f"\n {'0' * 32} 3 hello_1.0.tar.xz"})
    files = {
        "hello_1.0-1.dsc": description.encode(),
        "hello_1.0.tar.xz": tar,
        DEB: build_deb(),
        "hello_1.0-1_amd64.udeb": build_deb(Package="hello-udeb"),
        "hello_1.0-1_amd64.buildinfo": b"Format: 1.0\nSource: hello\n",
    }
    for name, content in files.items():
        assert 201 == upload(fake, name, content).status
    text = changes or build_changes(files, section=section)
    assert 201 == upload(fake, "hello_1.0-1_amd64.changes", text.encode()).status
    return files


def test_a_changes_file_publishes_what_it_names(fakeplat: Fakeplat) -> None:
    """Files wait until a changes file names them; then they are in the indexes of their component."""
    create(fakeplat, components=["contrib"])
    files = upload_source(fakeplat, section="contrib/misc")
    rep = fakeplat.as_user("rep")
    (package,) = rep.get(f"{SITE}/packages").json()
    listed = rep.get(f"{SITE}/packages/{package['id']}/package_files").json()
    assert {*files, "hello_1.0-1_amd64.changes"} == {file["file_name"] for file in listed}
    assert "Package: hello\n" in read(fakeplat, "dists/sid/contrib/binary-amd64/Packages")
    installer = read(fakeplat, "dists/sid/contrib/debian-installer/binary-amd64/Packages")
    assert ("Package: hello-udeb\n" in installer, "Package: hello\n" in installer) == (True, False)
    dsc = files["hello_1.0-1.dsc"]
    assert read(fakeplat, "dists/sid/contrib/source/Sources") == (
        f"Package: hello\nVersion: 1.0-1\nFiles:\n {listed[0]['file_md5']} {len(dsc)} hello_1.0-1.dsc\n"
        f" {'0' * 32} 3 hello_1.0.tar.xz\n"
        f"Checksums-Sha256:\n {sha256(dsc).hexdigest()} {len(dsc)} hello_1.0-1.dsc\n"
        f"Checksums-Sha1:\n {listed[0]['file_sha1']} {len(dsc)} hello_1.0-1.dsc\n"
        "Section: misc\nPriority: extra\nDirectory: pool/sid/h/hello/1.0-1\n"
    )


def test_a_signed_changes_file_is_read(fakeplat: Fakeplat) -> None:
    """The text of a signed changes file is read, whoever signed it."""
    create(fakeplat)
    text = build_changes({DEB: build_deb()})
    upload(fakeplat, DEB, build_deb())
    head, tail = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n", "\n-----BEGIN PGP SIGNATURE-----\n\nx\n"
    upload(fakeplat, "hello_1.0-1_amd64.changes", f"{head}{text}{tail}".encode())
    assert ["hello"] == [package["name"] for package in fakeplat.as_user("rep").get(f"{SITE}/packages").json()]


def test_files_wait_in_a_package_that_is_not_listed(fakeplat: Fakeplat) -> None:
    """Without a changes file, files are in the package incoming, which has no version."""
    assert 201 == upload(fakeplat, DEB, build_deb()).status
    assert [] == fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    (package,) = fakeplat.bench.platform.view.packages.all()
    assert ("incoming", None) == (package.name, package.version)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (DEB, b"no archive"),
        (DEB, pack_members({"debian-binary": b"2.0\n"})),
        (DEB, pack_members({"debian-binary": b"2.0\n", "control.tar.zst": b"x"})),
        (DEB, pack_members({"debian-binary": b"2.0\n", "control.tar.xz": b"x"})),
        (DEB, pack_members({"debian-binary": b"2.0\n", "control.tar.xz": lzma.compress(bytes(65 * 1024 * 1024))})),
        (DEB, build_deb(Version="one")),
        (DEB, build_deb(Package="Hello")),
        (DEB, build_deb(Architecture="AMD")),
        ("hello_1.0-1_amd64.ddeb", build_deb()),
    ],
    ids=["no archive", "no control", "zstd", "no xz", "bomb", "version", "name", "architecture", "ddeb"],
)
def test_unreadable_packages_have_an_error(fakeplat: Fakeplat, name: str, content: bytes) -> None:
    """The upload is accepted, since packages are read later, and the package has the status error."""
    create(fakeplat)
    assert 201 == publish(fakeplat, content, name).status
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    assert ("debian-temporary-package", "error") == (package["name"], package["status"])
    assert 204 == fakeplat.as_user("rep").get(f"{SITE}/packages/debian/dists/sid/main/binary-amd64/Packages").status


@pytest.mark.parametrize(
    "changes",
    [
        "no fields",
        build_changes({"other.deb": b"x"}),
        build_changes({DEB: b"other"}),
        build_changes({DEB: build_deb()}, Files=""),
        build_changes({DEB: build_deb()}, Checksums_Sha1=""),
        build_changes({DEB: build_deb()}, Distribution="none"),
        build_changes({DEB: build_deb()}, Source="Hello"),
    ],
    ids=["no fields", "not uploaded", "digests", "no files", "no sums", "distribution", "source"],
)
def test_wrong_changes_files_publish_nothing(fakeplat: Fakeplat, changes: str) -> None:
    """A changes file with a mistake is a package with an error, and the files go on waiting."""
    create(fakeplat)
    upload_source(fakeplat, changes)
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    assert ("debian-temporary-package", "error") == (package["name"], package["status"])
    assert {"incoming", "debian-temporary-package"} == {row.name for row in fakeplat.bench.platform.view.packages.all()}


def test_a_version_is_in_one_distribution(fakeplat: Fakeplat) -> None:
    """A package of another distribution is not published again; another file of its version is added."""
    create(fakeplat)
    create(fakeplat, codename="trixie")
    publish(fakeplat)
    publish(fakeplat, build_deb(Architecture="all"), "hello_1.0-1_all.deb")
    upload(fakeplat, DEB, build_deb(), "?distribution=trixie&component=main")
    rows = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    assert ["default", "error"] == [package["status"] for package in rows]
    assert "Architecture: all\n" in read(fakeplat, "dists/sid/main/binary-all/Packages")


@pytest.mark.parametrize(
    ("query", "name", "error"),
    [
        ("?distribution=a%20b&component=main", DEB, "distribution is invalid"),
        ("?distribution=sid", DEB, "component is missing"),
        ("?distribution=sid&component=a%20b", DEB, "component is invalid"),
        (
            "?distribution=sid&component=main",
            "hello.dsc",
            "file_name Only debs, udebs and ddebs can be directly added to a distribution",
        ),
    ],
)
def test_uploads_are_checked(fakeplat: Fakeplat, query: str, name: str, error: str) -> None:
    """Only binary packages go to a distribution at once, and into a component."""
    reply = upload(fakeplat, name, b"x", query)
    assert (400, {"error": error}) == (reply.status, reply.json())
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


def test_the_release_file_has_the_digests_of_all_indexes(fakeplat: Fakeplat) -> None:
    """The Release file describes the distribution; its date is that of the last upload."""
    create(fakeplat, suite="unstable", origin="Acme", description="Ours", valid_time_duration_seconds=86400)
    fakeplat.clock.advance(60)
    publish(fakeplat)
    text = read(fakeplat, "dists/unstable/Release")
    packages = read(fakeplat, "dists/sid/main/binary-amd64/Packages").encode()
    empty = sha256(b"").hexdigest()
    head, _, sums = text.partition("SHA256:\n")
    lines = dict(line.split(": ", 1) for line in head.splitlines())
    assert {
        "Origin": "Acme",
        "Suite": "unstable",
        "Codename": "sid",
        "Acquire-By-Hash": "yes",
        "Architectures": "all amd64",
        "Components": "main",
        "Description": "Ours",
    } == {name: value for name, value in lines.items() if name not in ("Date", "Valid-Until")}
    assert lines["Date"].endswith(" +0000")
    assert [
        f" {empty} {0:>8} main/binary-all/Packages",
        f" {empty} {0:>8} main/debian-installer/binary-all/Packages",
        f" {sha256(packages).hexdigest()} {len(packages):>8} main/binary-amd64/Packages",
        f" {empty} {0:>8} main/debian-installer/binary-amd64/Packages",
        f" {empty} {0:>8} main/source/Sources",
    ] == sums.splitlines()


@pytest.mark.parametrize("folder", ["binary-amd64", "debian-installer/binary-amd64", "source"])
def test_indexes_are_found_by_their_digest(fakeplat: Fakeplat, folder: str) -> None:
    """An index is found by its digest, an empty one has no content, and other digests are not found."""
    create(fakeplat)
    upload_source(fakeplat)
    name = "Sources" if folder == "source" else "Packages"
    text = read(fakeplat, f"dists/sid/main/{folder}/{name}")
    assert text == read(fakeplat, f"dists/sid/main/{folder}/by-hash/SHA256/{sha256(text.encode()).hexdigest()}")
    base = f"{SITE}/packages/debian/dists/sid/main/{folder}/by-hash/SHA256"
    rep = fakeplat.as_user("rep")
    assert 204 == rep.get(f"{base}/{sha256(b'').hexdigest()}").status
    reply = rep.get(f"{base}/{'0' * 64}")
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("dists/none/Release", 404, {"message": "404 Not found"}),
        ("dists/none/InRelease", 404, {"message": "404 Not found"}),
        ("dists/none/Release.gpg", 404, {"message": "404 Not found"}),
        ("dists/sid/main/amd64/Packages", 404, {"error": "404 Not Found"}),
        ("dists/sid/main/binary-AMD/Packages", 400, {"error": "architecture is invalid"}),
        ("dists/sid/a%20b/source/Sources", 400, {"error": "component is invalid"}),
        (POOL.replace("/h/", "/x/"), 404, {"message": "404 Not Found"}),
        (POOL.replace("amd64", "i386"), 404, {"message": "404 Not found"}),
        (POOL.replace("1.0-1/", "x/"), 400, {"error": "package_version is invalid"}),
        (POOL.replace("h/hello", "H/Hello"), 400, {"error": "package_name is invalid"}),
    ],
)
def test_what_the_repository_lacks(fakeplat: Fakeplat, path: str, status: int, body: Any) -> None:
    """Unknown distributions and files are not found, and names have their form."""
    create(fakeplat)
    publish(fakeplat)
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/debian/{path}")
    assert (status, body) == (reply.status, reply.json())


def test_groups_have_the_packages_of_their_public_projects(fakeplat: Fakeplat) -> None:
    """The distribution of a group has what public projects publish under its codename."""
    for container in (SITE, DOCS, GROUP):
        create(fakeplat, container)
    publish(fakeplat, build_deb(Package="secret"), "secret_1.0-1_amd64.deb")
    publish(fakeplat, project=DOCS)
    text = read(fakeplat, "dists/sid/main/binary-amd64/Packages", GROUP)
    path = f"pool/sid/{fakeplat.world.project('acme/docs').id}/h/hello/1.0-1/{DEB}"
    assert ["Package: hello"] == [line for line in text.splitlines() if line.startswith("Package:")]
    assert f"Filename: {path}\n" in text
    assert build_deb() == fakeplat.as_user(None).get(f"{GROUP}/packages/debian/{path}").content
    assert sha256(text.encode()).hexdigest() in read(fakeplat, "dists/sid/Release", GROUP)


@pytest.mark.parametrize(
    ("project", "get", "put"),
    [
        (DOCS, "200 200 200 200 200 200 200 200 200", "401 403 403 403 403 201 201 201 201"),
        (SITE, "401 404 404 403 200 200 200 200 200", "401 404 404 403 403 201 201 201 201"),
    ],
    ids=["public", "private"],
)
def test_roles_that_upload_and_install(fakeplat: Fakeplat, project: str, get: str, put: str) -> None:
    """Developers upload; anonymous callers of a private project get a challenge."""
    create(fakeplat, project)
    publish(fakeplat, project=project)
    assert get == list_statuses(fakeplat, "GET", f"{project}/packages/debian/dists/sid/InRelease")
    assert get == list_statuses(fakeplat, "GET", f"{project}/packages/debian/{POOL}")
    assert put == list_statuses(fakeplat, "PUT", f"{project}/packages/debian/{DEB}", data=b"x")
    reply = fakeplat.as_user(None).get(f"{SITE}/packages/debian/dists/sid/Release")
    assert 'Basic realm="Platform Packages Registry"' == reply.headers["WWW-Authenticate"]


def test_each_kind_of_token(fakeplat: Fakeplat) -> None:
    """Passwords are personal, deploy and job tokens; a wrong one is refused even by a public project."""
    create(fakeplat)
    create(fakeplat, DOCS)
    tokens = {"dev": fakeplat.token("dev"), "ci": deploy_token(fakeplat), "gitlab-ci-token": job_token(fakeplat)}
    caller = fakeplat.as_user(None)
    for name, token in tokens.items():
        headers = basic(name, token)
        assert 201 == caller.put(f"{SITE}/packages/debian/{name}.deb", data=b"x", headers=headers).status
        assert 200 == caller.get(f"{SITE}/packages/debian/dists/sid/Release", headers=headers).status
    path = f"{DOCS}/packages/debian/dists/sid/Release"
    statuses = [caller.get(path, headers=headers).status for headers in ({}, basic("dev", "wrong"))]
    assert [200, 401] == statuses


@pytest.mark.parametrize("version", ["13.5.1", "14.1", DEBIAN_REPOSITORIES.since])
def test_the_first_releases_have_an_outline(fakeplat_factory: Factory, version: str) -> None:
    """Before 14.2 the registry accepts files and answers with texts that it is to be done."""
    fake = fakeplat_factory(scenario=COMPANY, version=version)
    switch_on(fake)
    is_finished = fake.bench.platform.view.profile.has(DEBIAN_REPOSITORIES)
    assert 201 == fake.as_user("dev").put(f"{SITE}/packages/debian/a.deb", data=b"x").status
    assert is_finished == bool(fake.bench.platform.view.packages.all())
    paths = {
        "dists/sid/Release": "TODO Release",
        "dists/sid/InRelease": "TODO InRelease",
        "dists/sid/main/binary-amd64/Packages": "TODO Packages",
        "pool/main/h/hello/hello.deb": "TODO File",
    }
    replies = {path: fake.as_user("rep").get(f"{SITE}/packages/debian/{path}") for path in paths}
    assert (not is_finished) == (paths == {path: reply.text for path, reply in replies.items()})
    assert 404 == fake.as_user("rep").get(f"{SITE}/packages/debian/dists/sid/Release.gpg").status


def test_distributions_of_a_scenario(fakeplat_factory: Factory) -> None:
    """A scenario declares distributions and their packages, and an export writes what was published."""
    fake = fakeplat_factory(scenario=COMPANY, version="16.11")
    switch_on(fake)
    create(fake, suite="unstable")
    create(fake, GROUP)
    publish(fake)
    again = fakeplat_factory(scenario=fake.export(), version="16.11")
    for path in ("packages/debian/dists/sid/Release", "packages/debian/dists/sid/main/binary-amd64/Packages"):
        texts = [world.as_user("root").get(f"{SITE}/{path}").text for world in (fake, again)]
        assert texts[0] == texts[1]
    assert again.as_user("root").get(f"{GROUP}/debian_distributions").json()[0]["codename"] == "sid"
