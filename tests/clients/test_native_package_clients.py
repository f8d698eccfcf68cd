"""Conan publishes packages and installs them, Terraform installs modules, and Go downloads them."""

import io
import json
import shlex
import tarfile
from pathlib import Path
from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api import package_files
from tests.api.company import COMPANY
from tests.clients.documented import environment, settings
from tests.clients.environments import PythonClient
from tests.clients.programs import get_program
from tests.clients.test_package_clients import list_tokens, run

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(clock="virtual")]
PATH: Final = "projects/acme%2Fsite"
PAGE: Final = "packages"
CONAN_1: Final = PythonClient("conan", "1.66.0")
CONAN_2: Final = PythonClient("conan", "2.34.0")
TERRAFORM: Final = PythonClient("terraform-binary", "0.11.11.post1")
RECIPE: Final = """from conan import ConanFile
from conan.tools.files import copy

class Hello(ConanFile):
    name = "hello"
    version = "0.1"
    settings = "os"
    exports_sources = "hello.h"
    no_copy_source = True

    def package(self):
        copy(self, "*.h", self.source_folder, self.package_folder)
"""


class Conan:
    """Conan with a home of its own and the packages of a project as its only remote."""

    def __init__(self, client: PythonClient, folder: Path) -> None:
        client.make()
        self.client, self.folder = client, folder
        folder.mkdir()
        (folder / "conanfile.py").write_text(RECIPE)
        (folder / "hello.h").write_text("#define HELLO 1\n")

    def __call__(self, *arguments: str, home: str = "home") -> str:
        # Conan 1 and Conan 2 have different names for the folder of their settings.
        variables = {name: str(self.folder / home) for name in ("CONAN_HOME", "CONAN_USER_HOME")}
        return run(self.client.program("conan"), *arguments, cwd=self.folder, **variables)

    def build(self, *arguments: str) -> None:
        profile = "[settings]\nos=Linux\n"
        for home in ("home", "other"):
            self._write_profile(self.folder / home, profile)
        self("create", ".", *arguments)

    def _write_profile(self, home: Path, profile: str) -> None:
        for folder in (home / "profiles", home / ".conan" / "profiles"):
            folder.mkdir(parents=True)
            (folder / "default").write_text(profile)


NAME: Final = "hello/0.1@acme+site/stable"


def remote_url(fake: Fakeplat) -> str:
    url = settings(fake, PAGE, "remote of conan", **{"5001": str(package_files.project_id(fake, PATH))})
    return url.split()[-1]


@pytest.mark.parametrize(("kind", "name"), [("personal", "dev"), ("job", "ci_user"), ("deploy", "ci")])
def test_conan_1_publishes_and_installs(fakeplat: Fakeplat, tmp_path: Path, kind: str, name: str) -> None:
    """Conan 1 publishes a recipe with a binary package, finds it and installs it, with each kind of token."""
    conan, token = Conan(CONAN_1, tmp_path / "conan"), list_tokens(fakeplat)[kind]
    conan.build("acme+site/stable")
    for home in ("home", "other"):
        conan("remote", "clean", home=home)
        conan("remote", "add", "acme", remote_url(fakeplat), home=home)
        conan("user", name, "-p", token, "-r", "acme", home=home)
    conan("upload", NAME, "--all", "--confirm", "-r", "acme")
    assert NAME in conan("search", "hel*", "-r", "acme")
    conan("install", NAME, "-r", "acme", "-if", "out", home="other")
    assert 1 == len(list((conan.folder / "other").rglob("package/**/hello.h")))
    (package,) = fakeplat.as_user("dev").get(f"{PATH}/packages").json()
    assert (NAME, "conan") == (package["name"], package["package_type"])


def test_conan_1_deletes_a_recipe(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A Maintainer deletes a recipe with Conan 1, and a Developer may not."""
    conan = Conan(CONAN_1, tmp_path / "conan")
    conan.build("acme+site/stable")
    conan("remote", "clean")
    conan("remote", "add", "acme", remote_url(fakeplat))
    conan("user", "dev", "-p", fakeplat.token("dev"), "-r", "acme")
    conan("upload", NAME, "--all", "--confirm", "-r", "acme")
    with pytest.raises(AssertionError, match="Permission denied for user: 'dev'"):
        conan("remove", NAME, "-f", "-r", "acme")
    conan("user", "mia", "-p", fakeplat.token("mia"), "-r", "acme")
    conan("remove", NAME, "-f", "-r", "acme")
    assert [] == fakeplat.as_user("dev").get(f"{PATH}/packages").json()


def add_remote(conan: Conan, fake: Fakeplat, name: str, token: str, home: str = "home") -> None:
    conan("remote", "remove", "conancenter", home=home)
    conan("remote", "add", "acme", remote_url(fake), home=home)
    conan("remote", "login", "acme", name, "-p", token, home=home)


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(("kind", "name"), [("personal", "dev"), ("job", "ci_user"), ("deploy", "ci")])
def test_conan_2_publishes_and_installs(fakeplat: Fakeplat, tmp_path: Path, kind: str, name: str) -> None:
    """Conan 2 publishes revisions of a recipe and its binary package, lists them and installs the latest ones."""
    conan, token = Conan(CONAN_2, tmp_path / "conan"), list_tokens(fakeplat)[kind]
    conan.build("--user", "acme+site", "--channel", "stable")
    add_remote(conan, fakeplat, name, token)
    add_remote(conan, fakeplat, name, token, home="other")
    conan("upload", NAME, "--confirm", "-r", "acme")
    (conan.folder / "hello.h").write_text("#define HELLO 2\n")
    conan("create", ".", "--user", "acme+site", "--channel", "stable")
    conan("upload", NAME, "--confirm", "-r", "acme")
    assert NAME in conan("search", "hel*", "-r", "acme")
    listed = json.loads(conan("list", f"{NAME}#*:*#*", "-r", "acme", "--format", "json"))
    revisions = listed["acme"][NAME]["revisions"]
    assert 2 == len(revisions)
    assert all("Linux" in json.dumps(revision["packages"]) for revision in revisions.values())
    conan("install", "--requires", NAME, "-r", "acme", "-of", "out", home="other")
    (header,) = (conan.folder / "other").rglob("p/hello.h")
    assert "#define HELLO 2\n" == header.read_text()


@pytest.mark.fakeplat(version="latest")
def test_conan_2_deletes_revisions(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A Maintainer deletes the revision of a binary package and then the recipe with Conan 2; a Developer may not."""
    conan = Conan(CONAN_2, tmp_path / "conan")
    conan.build("--user", "acme+site", "--channel", "stable")
    add_remote(conan, fakeplat, "dev", fakeplat.token("dev"))
    conan("upload", NAME, "--confirm", "-r", "acme")
    with pytest.raises(AssertionError, match="Permission denied for user: 'dev'"):
        conan("remove", NAME, "-c", "-r", "acme")
    conan("remote", "login", "acme", "mia", "-p", fakeplat.token("mia"))
    conan("remove", f"{NAME}#latest:*#latest", "-c", "-r", "acme")
    assert 1 == len(fakeplat.as_user("dev").get(f"{PATH}/packages").json())
    conan("remove", NAME, "-c", "-r", "acme")
    assert [] == fakeplat.as_user("dev").get(f"{PATH}/packages").json()


def build_module(answer: int) -> bytes:
    """Return the archive of a Terraform module with an output."""
    packed, text = io.BytesIO(), f'output "answer" {{\n  value = "{answer}"\n}}\n'.encode()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("main.tf")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return packed.getvalue()


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("kind", ["personal", "job", "deploy"])
def test_terraform_installs_a_module(fakeplat: Fakeplat, tmp_path: Path, kind: str) -> None:
    """Terraform installs the newest version of a module in a range, with each kind of token."""
    site = str(package_files.project_id(fakeplat, PATH))
    for version, answer in (("1.0.0", 1), ("1.2.0", 12), ("2.0.0", 2)):
        (tmp_path / "module.tgz").write_bytes(build_module(answer))
        command = settings(fakeplat, PAGE, "upload a module", **{"5001": site, "1.0.0": version})
        run(*shlex.split(command), cwd=tmp_path)
    token = package_files.deploy_token(fakeplat, "groups/acme") if kind == "deploy" else list_tokens(fakeplat)[kind]
    configuration = tmp_path / "terraform.rc"
    # This release of Terraform takes no address for the name of a host; the settings tell where the host is.
    address, host = fakeplat.url.partition("://")[2].strip("/"), "platform.example.test"
    written = settings(fakeplat, PAGE, "terraform.rc", **{"dev-token": token})
    configuration.write_text(written.replace(f'"{address}"', f'"{host}"'))
    output = 'output "answer" {\n  value = "${module.network.answer}"\n}\n'
    (tmp_path / "main.tf").write_text(settings(fakeplat, PAGE, "main.tf").replace(address, host) + output)
    TERRAFORM.make()
    # Releases from 0.12 on call it TF_CLI_CONFIG_FILE.
    variables = {"TERRAFORM_CONFIG": str(configuration), "CHECKPOINT_DISABLE": "1"}
    for arguments in (["init"], ["apply", "-auto-approve"]):
        run(TERRAFORM.program("terraform"), *arguments, "-no-color", cwd=tmp_path, **variables)
    assert "12" == run(TERRAFORM.program("terraform"), "output", "answer", cwd=tmp_path, **variables).strip()


def build_go_world() -> dict[str, Any]:
    """Return a world with a public project that is a Go module, with a second major version in a folder."""
    module = "127.0.0.1/acme/site"
    commits: list[dict[str, Any]] = [
        {
            "message": "First version",
            "tags": ["v1.0.1"],
            "files": {"go.mod": f"module {module}\n\ngo 1.16\n", "a.go": "package a\n\nconst Answer = 42\n"},
        },
        {
            "message": "Second version",
            "tags": ["v2.0.0"],
            "files": {"v2/go.mod": f"module {module}/v2\n", "v2/x.go": "package a\n\nconst Answer = 2\n"},
        },
    ]
    (group,) = COMPANY["groups"]
    site = {"path": "site", "visibility": "public", "repository": {"commits": commits}}
    return {**COMPANY, "groups": [{**group, "projects": [site]}]}


@pytest.mark.fakeplat(scenario=build_go_world())
def test_go_downloads_modules(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """Go lists the versions of a module, downloads two major versions of it and runs a program that imports both."""
    run(*shlex.split(settings(fakeplat, PAGE, "switch the proxy on")), cwd=tmp_path)
    site, module = str(package_files.project_id(fakeplat, PATH)), "127.0.0.1/acme/site"
    variables = environment(fakeplat, PAGE, "environment of go", **{"5001": site})
    variables |= {"GOFLAGS": "-mod=mod -modcacherw", "GONOSUMDB": "*"}
    (tmp_path / "go.mod").write_text(f"module example.test/user\n\ngo 1.16\n\nrequire {module} v1.0.1\n")
    (tmp_path / "main.go").write_text(
        f'package main\n\nimport (\n\t"fmt"\n\ta "{module}"\n\tb "{module}/v2"\n)\n\n'
        "func main() { fmt.Println(a.Answer, b.Answer) }\n"
    )
    go = get_program("go")
    assert f"{module} v1.0.1" == run(go, "list", "-m", "-versions", module, cwd=tmp_path, **variables).strip()
    run(go, "get", f"{module}/v2@latest", cwd=tmp_path, **variables)
    run(go, "mod", "download", cwd=tmp_path, **variables)
    assert "42 2" == run(go, "run", ".", cwd=tmp_path, **variables).strip()
