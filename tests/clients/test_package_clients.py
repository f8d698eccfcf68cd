"""Package managers publish packages and install them, with each kind of token."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from hashlib import md5, sha1
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import requests

from fakeplat.harness.fake import Fakeplat
from tests.api import nuget_files, package_files
from tests.clients.documented import environment, settings
from tests.clients.environments import NodeClient, PythonClient
from tests.clients.programs import get_program

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(clock="virtual")]
PATH = "projects/acme%2Fsite"
PAGE = "packages"
TWINE = PythonClient("twine", "6.2.0")
NUGET = NodeClient("nuget-exe", "5.8.0")
"""The program of NuGet for Mono, in a package of npm."""
TIMEOUT = 120


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a program with its home in the folder; return its output. Fails with the output unless it succeeds."""
    result = subprocess.run(
        command,
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert 0 == result.returncode, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def list_tokens(fake: Fakeplat) -> dict[str, str]:
    return {
        "personal": fake.token("dev"),
        "job": package_files.job_token(fake),
        "deploy": package_files.deploy_token(fake, PATH),
    }


@dataclass
class Npm:
    """npm with its own settings, as a user of acme's registry."""

    fake: Fakeplat
    folder: Path
    token: str

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        site = package_files.project_id(self.fake, PATH)
        self.project = f"{self.fake.url}/api/v4/projects/{site}/packages/npm/"
        text = settings(self.fake, PAGE, ".npmrc", **{"dev-token": self.token, "5001": str(site)})
        options = "audit=false\nfund=false\nupdate-notifier=false\nfetch-retries=0\n"
        (self.folder / ".npmrc").write_text(text + options)

    def __call__(self, *arguments: str, cwd: Path | None = None) -> str:
        return run(get_program("npm"), *arguments, cwd=cwd or self.folder, HOME=str(self.folder))

    def publish(self, version: str, *options: str, **manifest: Any) -> None:
        package = self.folder / f"tool-{version}"
        package.mkdir()
        values = {"name": "@acme/tool", "version": version, "bin": {"tool": "tool.js"}, **manifest}
        (package / "package.json").write_text(json.dumps(values))
        (package / "tool.js").write_text(f"#!/usr/bin/env node\nconsole.log('{version}')\n")
        # npm takes the scope's registry from the settings, unless the package itself names one.
        self("publish", f"--@acme:registry={self.project}", *options, cwd=package)

    def install(self, wanted: str) -> str:
        """Install into an empty project; return what the installed program says."""
        there = self.folder / f"user-of-{quote(wanted, safe='')}"
        there.mkdir()
        shutil.copy(self.folder / ".npmrc", there)
        (there / "package.json").write_text('{"name": "user", "version": "1.0.0"}')
        self("install", wanted, cwd=there)
        return run(there / "node_modules" / ".bin" / "tool", cwd=there).strip()


@pytest.mark.parametrize("kind", ["personal", "job", "deploy"])
def test_npm_publishes_and_installs(fakeplat: Fakeplat, tmp_path: Path, kind: str) -> None:
    """npm publishes and installs by range, tag and version, with a personal, job or deploy token."""
    npm = Npm(fakeplat, tmp_path / "npm", list_tokens(fakeplat)[kind])
    npm.publish("1.0.0")
    npm.publish("1.1.0")
    npm.publish("2.0.0-rc.1", "--tag", "next")
    assert ["1.1.0", "2.0.0-rc.1", "1.0.0"] == [npm.install(f"@acme/tool{tail}") for tail in ("", "@next", "@~1.0.0")]


def test_npm_lists_moves_and_deletes_tags(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A Maintainer lists, moves and deletes tags with `npm dist-tag`."""
    npm = Npm(fakeplat, tmp_path / "npm", fakeplat.token("mia"))
    npm.publish("1.0.0")
    npm.publish("1.1.0")
    npm("dist-tag", "add", "@acme/tool@1.0.0", "stable")
    assert "latest: 1.1.0\nstable: 1.0.0" == npm("dist-tag", "ls", "@acme/tool").strip()
    npm("dist-tag", "rm", "@acme/tool", "stable")
    assert "latest: 1.1.0" == npm("dist-tag", "ls", "@acme/tool").strip()


def test_npm_does_not_publish_a_version_again(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """npm gets 403 when it publishes a version again, and the first one stays."""
    npm = Npm(fakeplat, tmp_path / "npm", fakeplat.token("dev"))
    npm.publish("1.0.0")
    shutil.rmtree(npm.folder / "tool-1.0.0")
    with pytest.raises(AssertionError, match=r"403 Forbidden - PUT .*/packages/npm/@acme%2ftool"):
        npm.publish("1.0.0")
    assert "1.0.0" == npm.install("@acme/tool")


@pytest.mark.fakeplat(version="latest")
def test_npm_deprecates_and_audits(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A Maintainer deprecates a version with npm, which warns of it, and an audit finds nothing without forwarding."""
    fakeplat.load({"settings": {"npm_package_requests_forwarding": False}})
    npm = Npm(fakeplat, tmp_path / "npm", fakeplat.token("mia"))
    npm.publish("1.0.0")
    npm.publish("1.1.0")
    npm("deprecate", "@acme/tool@1.0.0", "use 1.1.0", f"--@acme:registry={npm.project}")
    assert "use 1.1.0" == npm("view", "@acme/tool@1.0.0", "deprecated").strip()
    assert "" == npm("view", "@acme/tool@1.1.0", "deprecated").strip()
    assert "1.1.0" == npm.install("@acme/tool")
    there = npm.folder / f"user-of-{quote('@acme/tool', safe='')}"
    assert "found 0 vulnerabilities" in npm("audit", f"--registry={npm.project}", cwd=there)


@pytest.mark.fakeplat(version="latest")
def test_npm_installs_from_a_group(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """npm installs a package of a project from the registry of its group."""
    npm = Npm(fakeplat, tmp_path / "npm", fakeplat.token("dev"))
    npm.publish("1.0.0")
    settings_file = npm.folder / ".npmrc"
    text = settings_file.read_text()
    settings_file.write_text(text.replace("/api/v4/packages/npm/", "/api/v4/groups/acme/-/packages/npm/"))
    assert "1.0.0" == npm.install("@acme/tool")


def build_python_package(folder: Path) -> list[Path]:
    """Build a wheel and a source distribution by hand, so that no build backend is needed."""
    folder.mkdir()
    info = "acme_tool-1.2.dist-info"
    metadata = "Metadata-Version: 2.1\nName: Acme.Tool\nVersion: 1.2\nRequires-Python: >=3.8\n"
    files = {
        "acme_tool.py": "VERSION = '1.2'\n",
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    wheel, source = folder / "acme_tool-1.2-py3-none-any.whl", folder / "acme_tool-1.2.tar.gz"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD")))
    (folder / "PKG-INFO").write_text(metadata)
    with tarfile.open(source, "w:gz") as archive:
        for name in ("PKG-INFO", "setup.cfg"):
            archive.add(folder / "PKG-INFO", f"acme_tool-1.2/{name}")
    return [wheel, source]


def publish_with_twine(fake: Fakeplat, folder: Path, name: str, password: str, *files: Path) -> None:
    variables = environment(fake, PAGE, "environment of twine", **{"dev-token": password, "__token__": name})
    TWINE.make()
    run(
        TWINE.folder / "bin" / "twine",
        "upload",
        "--non-interactive",
        "--disable-progress-bar",
        *files,
        cwd=folder,
        **variables,
    )


def install_with_pip(
    fake: Fakeplat, folder: Path, name: str, password: str, wanted: str, replaced: tuple[str, str] = ("", "")
) -> str:
    """Install a package without its dependencies; return its version."""
    target = folder / "site-packages"
    options = ["--no-input", "--no-deps", "--no-cache-dir", "--disable-pip-version-check", "--target", str(target)]
    configuration = folder / "pip.conf"
    text = settings(fake, PAGE, "pip.conf", **{"dev-token": password, "__token__": name})
    configuration.write_text(text.replace(*replaced))
    run(sys.executable, "-m", "pip", "install", *options, wanted, cwd=folder, PIP_CONFIG_FILE=str(configuration))
    versions: dict[str, str] = {}
    exec((target / "acme_tool.py").read_text(), versions)  # the package that was built above
    return versions["VERSION"]


@pytest.mark.parametrize(("kind", "name"), [("personal", "__token__"), ("job", "gitlab-ci-token"), ("deploy", "ci")])
def test_twine_publishes_and_pip_installs(fakeplat: Fakeplat, tmp_path: Path, kind: str, name: str) -> None:
    """twine publishes and pip installs with a personal, job or deploy token as the password."""
    token = list_tokens(fakeplat)[kind]
    publish_with_twine(fakeplat, tmp_path, name, token, *build_python_package(tmp_path / "dist"))
    assert "1.2" == install_with_pip(fakeplat, tmp_path, name, token, "acme.tool>=1")
    (package,) = fakeplat.as_user("dev").get(f"{PATH}/packages").json()
    files = fakeplat.as_user("dev").get(f"{PATH}/packages/{package['id']}/package_files").json()
    assert ["acme_tool-1.2-py3-none-any.whl", "acme_tool-1.2.tar.gz"] == sorted(file["file_name"] for file in files)


@pytest.mark.fakeplat(version="latest")
def test_pip_installs_from_a_group(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """pip installs a package of a project from the index of its group."""
    token = fakeplat.token("dev")
    publish_with_twine(fakeplat, tmp_path, "dev", token, *build_python_package(tmp_path / "dist"))
    site = package_files.project_id(fakeplat, PATH)
    replaced = (f"/projects/{site}/packages/", "/groups/acme/-/packages/")
    assert "1.2" == install_with_pip(fakeplat, tmp_path, "dev", token, "acme-tool", replaced)


def test_twine_does_not_publish_a_file_again(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """twine gets 400 when it publishes the same file again."""
    token = fakeplat.token("dev")
    wheel, _ = build_python_package(tmp_path / "dist")
    publish_with_twine(fakeplat, tmp_path, "dev", token, wheel)
    with pytest.raises(AssertionError, match="400 Bad Request"):
        publish_with_twine(fakeplat, tmp_path, "dev", token, wheel)


class MavenRepository:
    """Exchanges files with a repository in the order and layout of Maven."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.headers.update(headers)

    def deploy(self, path: str, artifact: str, files: dict[str, bytes]) -> None:
        """Look for metadata, upload files with their digests, and then the metadata."""
        version = path.rpartition("/")[2]
        assert self.get(f"{path.rpartition('/')[0]}/maven-metadata.xml").status_code in (200, 404)
        for suffix, content in files.items():
            self._put(f"{path}/{artifact}-{version}{suffix}", content)
        metadata = f"<metadata><versioning><release>{version}</release></versioning></metadata>"
        self._put(f"{path.rpartition('/')[0]}/maven-metadata.xml", metadata.encode())

    def _put(self, path: str, content: bytes) -> None:
        digests = {".sha1": sha1(content).hexdigest(), ".md5": md5(content).hexdigest()}
        for suffix, body in {"": content, **{key: text.encode() for key, text in digests.items()}}.items():
            headers = {"Expect": "100-continue"} if not suffix else {}
            response = self.session.put(f"{self.url}/{path}{suffix}", data=body, headers=headers, timeout=TIMEOUT)
            assert response.status_code in (200, 201, 204), response.text

    def get(self, path: str) -> requests.Response:
        return self.session.get(f"{self.url}/{path}", timeout=TIMEOUT)

    def resolve(self, path: str) -> bytes:
        """Download a file, and compare its digest."""
        file = self.get(path)
        file.raise_for_status()
        assert sha1(file.content).hexdigest() == self.get(f"{path}.sha1").text
        return file.content


@pytest.mark.parametrize(
    ("kind", "header"), [("personal", "Private-Token"), ("job", "Job-Token"), ("deploy", "Deploy-Token")]
)
def test_maven_deploys_and_resolves(fakeplat: Fakeplat, kind: str, header: str) -> None:
    """A Maven release is resolved through the repositories of the project, the group and the instance."""
    headers = {header: list_tokens(fakeplat)[kind]}
    if kind == "deploy":
        # Tokens of the project do not open the repository of its group.
        headers = {header: package_files.deploy_token(fakeplat, "groups/acme")}
    api = f"{fakeplat.url}/api/v4"
    project = MavenRepository(f"{api}/{PATH}/packages/maven", headers)
    project.deploy("acme/site/1.0", "site", {".jar": b"jar", ".pom": b"<project/>"})
    for path in (f"{PATH}/packages/maven", "groups/acme/-/packages/maven", "packages/maven"):
        repository = MavenRepository(f"{api}/{path}", headers)
        assert b"jar" == repository.resolve("acme/site/1.0/site-1.0.jar")
        assert b"<release>1.0<" in repository.resolve("acme/site/maven-metadata.xml")


POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>{body}
<packaging>pom</packaging></project>
"""
COORDINATES = "<groupId>com.acme</groupId><artifactId>base</artifactId><version>1.0</version>"


def test_mvn_resolves_a_parent(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """mvn resolves a parent POM with a token in a header of its settings."""
    repository = f"{fakeplat.url}/api/v4/{PATH}/packages/maven"
    token = fakeplat.token("dev")
    files = {".pom": POM.format(body=COORDINATES).encode()}
    MavenRepository(repository, {"Private-Token": token}).deploy("com/acme/base/1.0", "base", files)
    parent = f"<parent>{COORDINATES}<relativePath/></parent><artifactId>user</artifactId>"
    repositories = settings(fakeplat, PAGE, "repositories in pom.xml")
    (tmp_path / "pom.xml").write_text(POM.format(body=f"{parent}{repositories}"))
    (tmp_path / "settings.xml").write_text(settings(fakeplat, PAGE, "settings.xml"))
    run(
        get_program("mvn"),
        "-B",
        "-q",
        "-s",
        "settings.xml",
        f"-Dmaven.repo.local={tmp_path / 'm2'}",
        "validate",
        cwd=tmp_path,
    )
    assert (tmp_path / "m2/com/acme/base/1.0/base-1.0.pom").exists()


@pytest.mark.parametrize(("kind", "name"), [("personal", "dev"), ("job", "gitlab-ci-token"), ("deploy", "ci")])
@pytest.mark.fakeplat(version="latest")
def test_gradle_resolves_a_dependency(fakeplat: Fakeplat, tmp_path: Path, kind: str, name: str) -> None:
    """gradle resolves a module with a personal, job or deploy token as its password."""
    files = {".pom": POM.format(body=COORDINATES).encode(), ".jar": b"the jar"}
    repository = f"{fakeplat.url}/api/v4/{PATH}/packages/maven"
    MavenRepository(repository, {"Private-Token": fakeplat.token("dev")}).deploy("com/acme/base/1.0", "base", files)
    token = list_tokens(fakeplat)[kind]
    site = str(package_files.project_id(fakeplat, PATH))
    build = settings(fakeplat, PAGE, "build.gradle", **{"dev-token": token, "'dev'": f"'{name}'", "5001": site})
    (tmp_path / "build.gradle").write_text(build)
    (tmp_path / "settings.gradle").write_text("rootProject.name = 'user'")
    run(get_program("gradle"), "--no-daemon", "-q", "-g", tmp_path / "home", "install", cwd=tmp_path)
    assert b"the jar" == (tmp_path / "installed/base-1.0.jar").read_bytes()


CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="nuspec" ContentType="application/octet"/>'
    '<Default Extension="txt" ContentType="text/plain"/></Types>'
)


def run_nuget(folder: Path, *arguments: str | Path) -> str:
    NUGET.make()
    program = NUGET.folder / "node_modules/nuget-exe/nuget-5.8.0.exe"
    options = ("-ConfigFile", "nuget.config", "-NonInteractive")
    return run(get_program("mono"), program, *arguments, "-Source", "acme", *options, cwd=folder)


@pytest.mark.parametrize(("kind", "name"), [("personal", "dev"), ("job", "gitlab-ci-token"), ("deploy", "ci")])
@pytest.mark.fakeplat(version="latest")
def test_nuget_publishes_installs_and_deletes(fakeplat: Fakeplat, tmp_path: Path, kind: str, name: str) -> None:
    """nuget pushes and installs with a personal, job or deploy token, and a Maintainer deletes a version."""
    token = list_tokens(fakeplat)[kind]
    text = settings(fakeplat, PAGE, "nuget.config", **{"dev-token": token, 'value="dev"': f'value="{name}"'})
    (tmp_path / "nuget.config").write_text(text)
    for version in ("1.0.0", "1.1.0"):
        spec = nuget_files.nuspec(version=version)
        content = {"[Content_Types].xml": CONTENT_TYPES, "Acme.Tool.nuspec": spec, "content/version.txt": version}
        (tmp_path / f"{version}.nupkg").write_bytes(nuget_files.archive(content))
        run_nuget(tmp_path, "push", f"{version}.nupkg", "-ApiKey", token)
    run_nuget(tmp_path, "install", "Acme.Tool", "-OutputDirectory", "installed", "-DirectDownload", "-NoCache")
    assert "1.1.0" == (tmp_path / "installed/Acme.Tool.1.1.0/content/version.txt").read_text()
    run_nuget(tmp_path, "delete", "Acme.Tool", "1.0.0", "-ApiKey", fakeplat.token("mia"))
    (package,) = fakeplat.as_user("dev").get(f"{PATH}/packages").json()
    assert "1.1.0" == package["version"]


GEMSPEC = """Gem::Specification.new do |spec|
  spec.name = "acme-tool"
  spec.version = "1.2.0"
  spec.summary = "A tool"
  spec.authors = ["Ada"]
  spec.homepage = "https://acme.test"
  spec.licenses = ["MIT"]
  spec.add_runtime_dependency "rake", ">= 12", "< 14"
end
"""
LOAD = "p Marshal.load(File.binread('dependencies')).map { |row| [row[:name], row[:number], row[:dependencies]] }"


@pytest.mark.parametrize("kind", ["personal", "job", "deploy"])
@pytest.mark.fakeplat(version="latest")
def test_gem_pushes_and_installs(fakeplat: Fakeplat, tmp_path: Path, kind: str) -> None:
    """gem pushes with a personal, job or deploy token and installs, and Ruby reads the dependencies."""
    fakeplat.as_user("root").post("features/rubygem_packages", json={"value": "true"})
    token = list_tokens(fakeplat)[kind]
    variables = environment(fakeplat, PAGE, "environment of gem", **{"dev-token": token})
    (tmp_path / "acme.gemspec").write_text(GEMSPEC)
    gem = get_program("gem")
    run(gem, "build", "acme.gemspec", cwd=tmp_path)
    registry = f"{PATH}/packages/rubygems"
    output = run(
        gem, "push", "acme-tool-1.2.0.gem", "--host", f"{fakeplat.url}/api/v4/{registry}", cwd=tmp_path, **variables
    )
    assert "201 Created" in output
    rep = fakeplat.as_user("rep")
    assert (tmp_path / "acme-tool-1.2.0.gem").read_bytes() == rep.get(f"{registry}/gems/acme-tool-1.2.0.gem").content
    reader, path = fakeplat.token("rep"), fakeplat.url.removeprefix("http://")
    source = f"http://__token__:{reader}@{path}/api/v4/{registry}/"
    options = ("--remote", "--install-dir", "installed", "--ignore-dependencies", "--no-document")
    run(gem, "install", "acme-tool", "--clear-sources", "--source", source, *options, cwd=tmp_path)
    program = "spec = Gem::Specification.load(ARGV[0]); puts spec.full_name, spec.dependencies.first.to_s"
    installed = "installed/specifications/acme-tool-1.2.0.gemspec"
    assert "acme-tool-1.2.0\nrake (>= 12, < 14)\n" == run(gem.parent / "ruby", "-e", program, installed, cwd=tmp_path)
    dependencies = rep.get(f"{registry}/api/v1/dependencies?gems=acme-tool").content
    (tmp_path / "dependencies").write_bytes(dependencies)
    loaded = run(gem.parent / "ruby", "-e", LOAD, cwd=tmp_path)
    assert '[["acme-tool", "1.2.0", [["rake", "< 14, >= 12"]]]]' == loaded.strip()
