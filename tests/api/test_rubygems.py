"""The RubyGems registry. Source: docs/platform/packages.md."""

import gzip
import tarfile
import zlib
from io import BytesIO
from typing import Any

import pytest

from fakeplat.core import ruby_marshal
from fakeplat.core.ruby_marshal import Dumped, Marshaled, Symbol
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import GEMS_ARE_INDEXED, GEMS_HAVE_SERIALIZED_SPECIFICATIONS
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, basic, deploy_token, job_token, list_statuses, multipart
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
GEMS = "packages/rubygems/api/v1/gems"
METADATA = """--- !ruby/object:Gem::Specification
name: acme-tool
version: !ruby/object:Gem::Version
  version: {version}
platform: ruby
date: 2020-11-20 00:00:00.000000000 Z
authors:
- Ada "A" Example
dependencies:
- !ruby/object:Gem::Dependency
  name: rake
  requirement: !ruby/object:Gem::Requirement
    requirements:
    - - ">="
      - !ruby/object:Gem::Version
        version: '12'
    - - "<"
      - !ruby/object:Gem::Version
        version: '14'
  type: :runtime
- !ruby/object:Gem::Dependency
  name: minitest
  requirement: !ruby/object:Gem::Requirement
    requirements:
    - - ">="
      - !ruby/object:Gem::Version
        version: '0'
  type: :development
require_paths:
- lib
summary: A tool
"""


def build_gem(version: str = "1.2.0", metadata: str = METADATA, name: str = "metadata.gz") -> bytes:
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        packed = gzip.compress(metadata.replace("{version}", version).encode(), mtime=0)
        info = tarfile.TarInfo(name)
        info.size = len(packed)
        archive.addfile(info, BytesIO(packed))
    return buffer.getvalue()


@pytest.fixture
def gems(fakeplat: Fakeplat) -> Fakeplat:
    """A world whose feature of gems is on."""
    assert 201 == fakeplat.as_user("root").post("features/rubygem_packages", json={"value": "true"}).status
    return fakeplat


def push(fake: Fakeplat, content: bytes, user: str = "dev", project: str = SITE) -> Any:
    return fake.as_user(user).post(f"{project}/{GEMS}", data=content)


def test_a_pushed_gem_is_a_package_with_its_gemspec(gems: Fakeplat) -> None:
    """Name and version come from the gem, and the gemspec is a file beside it."""
    reply = push(gems, build_gem())
    assert (201, {"message": "201 Created"}) == (reply.status, reply.json())
    (package,) = gems.as_user("rep").get(f"{SITE}/packages?package_type=rubygems").json()
    assert ("acme-tool", "1.2.0", "rubygems") == (package["name"], package["version"], package["package_type"])
    files = gems.as_user("rep").get(f"{SITE}/packages/{package['id']}/package_files").json()
    assert ["acme-tool-1.2.0.gem", "acme-tool-1.2.0.gemspec.rz"] == [file["file_name"] for file in files]


@pytest.mark.fakeplat(version="18.10")
def test_the_gemspec_was_a_program(gems: Fakeplat) -> None:
    """Up to 18.10, the specification of a gem is a program in Ruby."""
    push(gems, build_gem())
    text = gems.as_user("rep").get(f"{SITE}/packages/rubygems/gems/acme-tool.gemspec").text
    assert 's.authors = ["Ada \\"A\\" Example".freeze]' in text
    assert 's.add_runtime_dependency("rake".freeze, ["< 14", ">= 12"])' in text
    assert 's.add_development_dependency("minitest".freeze, [">= 0"])' in text


@pytest.mark.parametrize(
    ("project", "read", "post"),
    [
        (DOCS, "200 200 200 200 200 200 200 200 200", "401 403 403 403 403 201 201 201 201"),
        (SITE, "404 404 404 403 200 200 200 200 200", "401 404 404 403 403 201 201 201 201"),
    ],
    ids=["public", "private"],
)
def test_roles(gems: Fakeplat, project: str, read: str, post: str) -> None:
    """Developers push gems, and Reporters of a private project or anybody of a public one download them."""
    assert post == list_statuses(gems, "POST", f"{project}/{GEMS}", data=build_gem())
    push(gems, build_gem(), project=project)
    assert read == list_statuses(gems, "GET", f"{project}/packages/rubygems/gems/acme-tool-1.2.0.gem")
    assert read == list_statuses(gems, "GET", f"{project}/packages/rubygems/api/v1/dependencies?gems=acme-tool")


def test_tokens_are_sent_without_a_scheme(gems: Fakeplat) -> None:
    """RubyGems sends a token of a person, a job or a deployment as the whole header."""
    personal, job, deploy = gems.token("dev"), job_token(gems), deploy_token(gems)
    nobody = gems.as_user(None)
    for number, token in enumerate((personal, job, deploy)):
        headers = {"Authorization": token}
        reply = nobody.post(f"{SITE}/{GEMS}", data=build_gem(f"1.{number}.0"), headers=headers)
        assert 201 == reply.status
        path = f"{SITE}/packages/rubygems/gems/acme-tool-1.{number}.0.gem"
        assert 200 == nobody.get(path, headers=headers).status
    for path in (f"{SITE}/packages/rubygems/gems/a.gem", f"{DOCS}/packages/rubygems/gems/a.gem"):
        assert 401 == nobody.get(path, headers={"Authorization": "wrong"}).status
    assert 200 == nobody.get(f"{SITE}/packages/rubygems/gems/acme-tool-1.0.0.gem", headers=basic("x", personal)).status


def test_the_registry_is_off_by_default(fakeplat: Fakeplat) -> None:
    """Without the feature of the platform, every request is answered 404, and the reason names the feature."""
    for method, path in (
        ("POST", GEMS),
        ("GET", "packages/rubygems/gems/a-1.0.gem"),
        ("GET", "packages/rubygems/api/v1/dependencies"),
        ("GET", "packages/rubygems/specs.4.8.gz"),
        ("GET", "packages/rubygems/quick/Marshal.4.8/a-1.0.gemspec.rz"),
    ):
        reply = fakeplat.as_user("dev").request(method, f"{SITE}/{path}")
        assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


@by_release(GEMS_HAVE_SERIALIZED_SPECIFICATIONS, "status", {"18.10": 404, "18.11": 200})
def test_specifications_are_files(gems: Fakeplat, status: int) -> None:
    """From 18.11 on, a gem has a serialized specification, which is no download of the package."""
    push(gems, build_gem())
    path = f"{SITE}/packages/rubygems/quick/Marshal.4.8"
    assert status == gems.as_user("rep").get(f"{path}/acme-tool-1.2.0.gemspec.rz").status
    if status == 200:
        (package,) = gems.as_user("rep").get(f"{SITE}/packages").json()
        assert package["last_downloaded_at"] is None
        reply = gems.as_user("rep").get(f"{path}/none-1.0.gemspec.rz")
        assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())
        reply = gems.as_user("rep").get(f"{path}/acme-tool.txt")
        assert (404, {"error": "404 Not Found"}) == (reply.status, reply.json())


def test_a_specification_in_the_format_of_ruby(gems: Fakeplat) -> None:
    """The specification of a gem has its name, version, date, texts and dependencies as Ruby reads them."""
    push(gems, build_gem())
    path = f"{SITE}/packages/rubygems/quick/Marshal.4.8/acme-tool-1.2.0.gemspec.rz"
    content = zlib.decompress(gems.as_user("rep").get(path).content)
    assert content.startswith(b"\x04\bu:\x17Gem::Specification\x02")
    # Versions and requirements are objects, and so is the date: 20 November 2020 in bits.
    assert b'I"\x0eacme-tool\x06;\x00TU:\x11Gem::Version[\x06I"\n1.2.0\x06;\x00T' in content
    date = (1 << 31 | 1 << 30 | 120 << 14 | 10 << 10 | 20 << 5).to_bytes(4, "little") + bytes(4)
    assert b"Iu:\tTime\r" + date + b'\x06:\tzoneI"\bUTC\x06;\x00T' in content
    assert b"o:\x14Gem::Dependency\t:\n@name" in content
    assert b":\x0cruntime" in content
    assert b":\x10development" in content


@by_release(GEMS_ARE_INDEXED, "status", {"19.0": 404, "19.1": 200})
def test_gems_are_indexed(gems: Fakeplat, status: int) -> None:
    """From 19.1 on, a project with gems has an index of them."""
    path = f"{SITE}/packages/rubygems/specs.4.8.gz"
    assert 404 == gems.as_user("rep").get(path).status
    push(gems, build_gem())
    assert status == gems.as_user("rep").get(path).status


def test_a_project_keeps_its_indexes(gems: Fakeplat) -> None:
    """A project that never had gems has no index; one whose gems are deleted has empty ones."""
    names = ("specs.4.8.gz", "latest_specs.4.8.gz", "prerelease_specs.4.8.gz")
    paths = [f"{SITE}/packages/rubygems/{name}" for name in names]
    reader = gems.as_user("rep")
    for reply in map(reader.get, paths):
        assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())
    unknown = reader.get(f"{SITE}/packages/rubygems/api/v1/dependencies?gems=acme-tool")
    assert (404, {"message": "acme-tool not found"}) == (unknown.status, unknown.json())
    push(gems, build_gem())
    (package,) = reader.get(f"{SITE}/packages").json()
    assert 204 == gems.as_user("mia").delete(f"{SITE}/packages/{package['id']}").status
    for reply in map(reader.get, paths):
        assert (200, ruby_marshal.dump([])) == (reply.status, gzip.decompress(reply.content))
    assert gems.export()["projects"][0].get("has_gem_indexes")


def test_indexes_are_sorted_by_name_and_version(gems: Fakeplat) -> None:
    """The indexes have releases, the latest of each name, and pre-releases, in the order of versions."""
    for version in ("1.9.0", "1.10.0", "2.0.0.pre", "2.0.0.alpha"):
        push(gems, build_gem(version))
    push(gems, build_gem("0.1", METADATA.replace("acme-tool", "acme-app")))
    push(gems, b"unreadable")
    rows = {
        "specs.4.8.gz": [("acme-app", "0.1"), ("acme-tool", "1.9.0"), ("acme-tool", "1.10.0")],
        "latest_specs.4.8.gz": [("acme-app", "0.1"), ("acme-tool", "1.10.0")],
        "prerelease_specs.4.8.gz": [("acme-tool", "2.0.0.alpha"), ("acme-tool", "2.0.0.pre")],
    }
    for name, expected in rows.items():
        reply = gems.as_user("rep").get(f"{SITE}/packages/rubygems/{name}")
        specs: ruby_marshal.Value = [[gem, Marshaled("Gem::Version", [version]), "ruby"] for gem, version in expected]
        assert ruby_marshal.dump(specs) == gzip.decompress(reply.content)
        assert "application/octet-stream" == reply.headers["Content-Type"]


def test_other_indexes_are_refused(gems: Fakeplat) -> None:
    """There are three indexes; other names are refused."""
    reply = gems.as_user("rep").get(f"{SITE}/packages/rubygems/names.gz")
    assert (400, {"error": "file_name does not have a valid value"}) == (reply.status, reply.json())


def test_dependencies_are_serialized_by_ruby(gems: Fakeplat) -> None:
    """The versions of gems are listed with their dependencies in the format of Ruby."""
    for version in ("1.2.0", "2.0.0"):
        push(gems, build_gem(version))
    expected: ruby_marshal.Value = [
        {
            Symbol("name"): "acme-tool",
            Symbol("number"): version,
            Symbol("platform"): "ruby",
            Symbol("dependencies"): [["rake", "< 14, >= 12"], ["minitest", ">= 0"]],
        }
        for version in ("1.2.0", "2.0.0")
    ]
    reply = gems.as_user("rep").get(f"{SITE}/packages/rubygems/api/v1/dependencies?gems=acme-tool")
    assert (200, "application/octet-stream") == (reply.status, reply.headers["Content-Type"])
    assert ruby_marshal.dump(expected) == reply.content
    reply = gems.as_user("rep").get(f"{SITE}/packages/rubygems/api/v1/dependencies?gems=acme-tool,none")
    assert (404, {"message": "none not found"}) == (reply.status, reply.json())
    reply = gems.as_user("rep").get(f"{SITE}/packages/rubygems/api/v1/dependencies")
    assert (200, b"") == (reply.status, reply.content)


def test_the_format_of_ruby() -> None:
    """Texts say that they are UTF-8, symbols that come again are numbers, and long lengths have several bytes."""
    rows: ruby_marshal.Value = [{Symbol("name"): "a", Symbol("list"): []}, {Symbol("name"): "b" * 400}]
    assert (
        b'\x04\x08[\x07{\x07:\tnameI"\x06a\x06:\x06ET:\tlist[\0{\x06;\0I"\x02\x90\x01' + b"b" * 400 + b"\x06;\x06T"
    ) == ruby_marshal.dump(rows)
    values: ruby_marshal.Value = [None, True, False, 4, Symbol("a"), Dumped("Time", b"1")]
    assert b"\x04\x08[\x0b0TFi\t:\x06au:\tTime\x061" == ruby_marshal.dump(values)


UNREADABLE = {
    "no archive": b"gem",
    "no metadata": build_gem(name="data.tar.gz"),
    "no name": build_gem(metadata="---\nversion: {version: 1.0}\n"),
    "no mapping": build_gem(metadata="- 1\n"),
    "wrong version": build_gem("../1"),
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_gems_are_packages_with_an_error(gems: Fakeplat, content: bytes) -> None:
    """A file that is no gem is accepted, and becomes a package with an error."""
    assert 201 == push(gems, content).status
    (package,) = gems.bench.platform.view.packages.all()
    assert ("Gem.Temporary.Package", "error") == (package.name, package.status)


def test_a_gem_is_sent_as_a_body_or_in_a_form(gems: Fakeplat) -> None:
    """Clients send a gem as the body or as the part ``file``, and an empty body is refused."""
    sent = multipart({}, ("file", "a.gem", build_gem()))
    assert 201 == gems.as_user("dev").post(f"{SITE}/{GEMS}", **sent).status
    reply = gems.as_user("dev").post(f"{SITE}/{GEMS}")
    assert (400, {"error": "file is missing"}) == (reply.status, reply.json())


def test_a_version_that_is_pushed_again_gets_another_file(gems: Fakeplat) -> None:
    """A gem that is pushed again belongs to the same package, and the newest file is served."""
    push(gems, build_gem())
    newest = build_gem() + b"\0" * 512
    push(gems, newest)
    assert 1 == len(gems.as_user("rep").get(f"{SITE}/packages").json())
    assert newest == gems.as_user("rep").get(f"{SITE}/packages/rubygems/gems/acme-tool-1.2.0.gem").content
    reply = gems.as_user("rep").get(f"{SITE}/packages/rubygems/gems/none-1.0.gem")
    assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())
