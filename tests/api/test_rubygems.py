"""The RubyGems registry. Source: docs/platform/packages.md."""

import gzip
import tarfile
from io import BytesIO
from typing import Any

import pytest

from fakeplat.core import ruby_marshal
from fakeplat.core.ruby_marshal import Symbol
from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, basic, deploy_token, job_token, list_statuses, multipart

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
    assert ["acme-tool-1.2.0.gem", "acme-tool.gemspec"] == [file["file_name"] for file in files]
    text = gems.as_user("rep").get(f"{SITE}/packages/rubygems/gems/acme-tool.gemspec").text
    assert 's.authors = ["Ada \\"A\\" Example".freeze]' in text
    assert 's.add_runtime_dependency("rake".freeze, ["< 14", ">= 12"])' in text


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


@pytest.mark.parametrize(
    "path", ["specs.4.8.gz", "latest_specs.4.8.gz", "quick/Marshal.4.8/acme-tool-1.2.0.gemspec.rz"]
)
def test_indexes_are_missing(gems: Fakeplat, path: str) -> None:
    """The platform has no index of all gems, so that gems are not found by it."""
    push(gems, build_gem())
    reply = gems.as_user("dev").get(f"{SITE}/packages/rubygems/{path}")
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


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
