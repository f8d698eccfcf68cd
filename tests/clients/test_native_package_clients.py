"""Conan 1 and 2 publish packages and install them, with each kind of token."""

import json
from pathlib import Path
from typing import Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api import package_files
from tests.clients.documented import settings
from tests.clients.environments import PythonClient
from tests.clients.test_package_clients import list_tokens, run

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(clock="virtual")]
PATH: Final = "projects/acme%2Fsite"
PAGE: Final = "packages"
CONAN_1: Final = PythonClient("conan", "1.66.0")
CONAN_2: Final = PythonClient("conan", "2.34.0")
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
