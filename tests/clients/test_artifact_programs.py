"""crane and oras, of Debian's unstable suite, push, pull, list and delete images and other artifacts."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients import debian
from tests.clients.debian import DebianProgram
from tests.clients.test_image_programs import WORLD, find_tag

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(clock="virtual", scenario=WORLD, version="latest")]
SBOM = "application/spdx+json"


class Program:
    """A program that is logged in as a user, with its home in a folder."""

    def __init__(self, program: DebianProgram, fake: Fakeplat, folder: Path, *login: str) -> None:
        self.program = program
        self.folder = folder
        self.host = fake.listen_url.partition("://")[2].rstrip("/")
        self(*login, "-u", "mia", "-p", fake.token("mia"), self.host)

    def __call__(self, *arguments: str) -> str:
        result = self.tried(*arguments)
        assert 0 == result.returncode, f"{arguments}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def tried(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [self.program.folder / self.program.name, *arguments],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "TMPDIR": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def at(self, path: str) -> str:
        return f"{self.host}/{path}"


@pytest.fixture
def crane(fakeplat: Fakeplat, tmp_path: Path) -> Program:
    return Program(debian.CRANE, fakeplat, tmp_path, "auth", "login")


@pytest.fixture
def oras(fakeplat: Fakeplat, tmp_path: Path) -> Program:
    return Program(debian.ORAS, fakeplat, tmp_path, "login", "--plain-http")


# crane


def test_crane_pulls_and_pushes(fakeplat: Fakeplat, crane: Program) -> None:
    """crane pulls an image as a folder and pushes it under another name, which has the same digest."""
    source, target = crane.at("acme/site/web:v1"), crane.at("acme/site/pushed:v1")
    crane("pull", "--format=oci", source, "image")
    crane("push", "image", target)
    assert crane("digest", source) == crane("digest", target)
    assert find_tag(fakeplat, "acme/site/pushed", "v1")["digest"] == crane("digest", target).strip()
    assert "etc/hello.txt" in listed_files(crane, target)


def listed_files(crane: Program, image: str) -> str:
    crane("export", image, "files.tar")
    listing: list[str | Path] = ["tar", "-tf", crane.folder / "files.tar"]
    return subprocess.run(listing, capture_output=True, text=True, check=True).stdout


def test_crane_changes_images(fakeplat: Fakeplat, crane: Program) -> None:
    """crane adds a layer and labels, copies with all tags, and tags images within the registry."""
    (crane.folder / "new.txt").write_text("new\n", "utf-8")
    subprocess.run(["tar", "-cf", "layer.tar", "new.txt"], cwd=crane.folder, check=True)
    web, more = crane.at("acme/site/web:v1"), crane.at("acme/site/web:more")
    crane("append", "--base", web, "--new_layer", "layer.tar", "--new_tag", more)
    crane("mutate", more, "--label", "team=docs", "--tag", more)
    crane("tag", more, "latest")
    assert {"team": "docs"} == json.loads(crane("config", more))["config"]["Labels"]
    assert ["latest", "more", "v1"] == sorted(crane("ls", crane.at("acme/site/web")).split())
    crane("copy", "--all-tags", crane.at("acme/site/web"), crane.at("acme/docs/copies"))
    assert ["latest", "more", "v1"] == sorted(crane("ls", crane.at("acme/docs/copies")).split())
    assert "new.txt" in listed_files(crane, crane.at("acme/docs/copies:latest"))


def test_crane_pushes_an_index(fakeplat: Fakeplat, crane: Program) -> None:
    """crane makes an index of images for several platforms, of which each is pulled."""
    web = crane.at("acme/site/web:v1")
    for system in ("amd64", "arm64"):
        crane("mutate", web, "--set-platform", f"linux/{system}", "--tag", crane.at(f"acme/site/web:{system}"))
    members = [part for system in ("amd64", "arm64") for part in ("-m", crane.at(f"acme/site/web:{system}"))]
    crane("index", "append", *members, "-t", crane.at("acme/site/web:all"))
    manifest = json.loads(crane("manifest", crane.at("acme/site/web:all")))
    assert ["amd64", "arm64"] == [row["platform"]["architecture"] for row in manifest["manifests"]]
    for system in ("amd64", "arm64"):
        single = crane("digest", "--platform", f"linux/{system}", crane.at("acme/site/web:all"))
        assert crane("digest", crane.at(f"acme/site/web:{system}")) == single


def test_crane_deletes(fakeplat: Fakeplat, crane: Program) -> None:
    """crane deletes an image by its digest, and with it the tag."""
    web = crane.at("acme/site/web")
    crane("delete", f"{web}@{crane('digest', f'{web}:v1').strip()}")
    assert "" == crane("ls", web)
    done = crane.tried("manifest", f"{web}:v1")
    assert (1, True) == (done.returncode, "MANIFEST_UNKNOWN" in done.stderr)


def test_crane_lists_repositories_for_administrators_only(fakeplat: Fakeplat, crane: Program) -> None:
    """The catalog is for administrators: crane is refused for others."""
    assert 0 != crane.tried("catalog", crane.host).returncode
    crane("auth", "login", "-u", "root", "-p", fakeplat.token("root"), crane.host)
    assert ["acme/site/web"] == crane("catalog", crane.host).split()


# oras


def push_artifact(oras: Program, place: str = "acme/site/notes:v1") -> str:
    """Push an artifact of two files, and return its digest."""
    (oras.folder / "a.txt").write_text("a\n", "utf-8")
    (oras.folder / "b.json").write_text("{}\n", "utf-8")
    files = ("a.txt:text/plain", "b.json:application/json")
    options = ("--plain-http", "--artifact-type", "application/vnd.acme.notes", "--annotation", "team=docs")
    oras("push", *options, oras.at(place), *files)
    return oras("resolve", "--plain-http", oras.at(place)).strip()


def discover(oras: Program, place: str, *options: str) -> list[Any]:
    artifacts = json.loads(oras("discover", "--plain-http", "--format", "json", *options, oras.at(place)))
    rows: list[Any] = artifacts.get("referrers", artifacts.get("manifests", []))
    return rows


def test_oras_pushes_and_pulls_artifacts(fakeplat: Fakeplat, oras: Program) -> None:
    """An artifact that is no image stands among the repositories, and comes back with its files."""
    digest = push_artifact(oras)
    assert digest == find_tag(fakeplat, "acme/site/notes", "v1")["digest"]
    assert ["v1"] == oras("repo", "tags", "--plain-http", oras.at("acme/site/notes")).split()
    manifest = json.loads(oras("manifest", "fetch", "--plain-http", oras.at("acme/site/notes:v1")))
    assert ("application/vnd.acme.notes", "docs") == (manifest["artifactType"], manifest["annotations"]["team"])
    oras("pull", "--plain-http", "-o", "out", oras.at("acme/site/notes:v1"))
    assert {"a.txt": "a\n", "b.json": "{}\n"} == {
        file.name: file.read_text("utf-8") for file in (oras.folder / "out").iterdir()
    }


def test_oras_attaches_and_discovers_referrers(oras: Program) -> None:
    """What is attached to an image is found from it, by its type, and is copied along with it."""
    (oras.folder / "sbom.json").write_text('{"spdxVersion": "SPDX-2.3"}\n', "utf-8")
    (oras.folder / "scan.txt").write_text("ok\n", "utf-8")
    web = oras.at("acme/site/web:v1")
    for kind, file in ((SBOM, "sbom.json:application/json"), ("application/vnd.acme.scan", "scan.txt")):
        oras("attach", "--plain-http", "--artifact-type", kind, web, file)
    assert {SBOM, "application/vnd.acme.scan"} == {row["artifactType"] for row in discover(oras, "acme/site/web:v1")}
    (artifact,) = discover(oras, "acme/site/web:v1", "--artifact-type", SBOM)
    oras("cp", "-r", "--from-plain-http", "--to-plain-http", web, oras.at("acme/docs/copies:v1"))
    (copied,) = discover(oras, "acme/docs/copies:v1", "--artifact-type", SBOM)
    assert artifact["digest"] == copied["digest"]


def test_oras_fetches_and_deletes_what_it_pushed(fakeplat: Fakeplat, oras: Program) -> None:
    """Blobs are pushed and fetched by their digest, tags are added, and manifests are deleted."""
    digest = push_artifact(oras)
    oras("tag", "--plain-http", oras.at("acme/site/notes:v1"), "v2", "stable")
    manifest = json.loads(oras("manifest", "fetch", "--plain-http", oras.at(f"acme/site/notes@{digest}")))
    blob = oras.at(f"acme/site/notes@{manifest['layers'][0]['digest']}")
    assert "a\n" == oras("blob", "fetch", "--plain-http", "--output", "-", blob)
    (oras.folder / "c.txt").write_text("c\n", "utf-8")
    oras("blob", "push", "--plain-http", oras.at("acme/site/notes"), "c.txt")
    oras("manifest", "delete", "--plain-http", "--force", oras.at("acme/site/notes:v2"))
    assert "" == oras("repo", "tags", "--plain-http", oras.at("acme/site/notes"))
    assert "not found" in oras.tried("pull", "--plain-http", oras.at("acme/site/notes:v1")).stderr


def test_oras_is_refused_like_anybody(fakeplat: Fakeplat, oras: Program) -> None:
    """Who may not push is told so, and nothing is pushed."""
    oras("login", "--plain-http", "-u", "rep", "-p", fakeplat.token("rep"), oras.host)
    (oras.folder / "a.txt").write_text("a\n", "utf-8")
    done = oras.tried("push", "--plain-http", oras.at("acme/site/notes:v1"), "a.txt")
    assert 0 != done.returncode
    assert "denied" in done.stderr.lower() or "unauthorized" in done.stderr.lower()
    assert ["acme/site/web"] == [
        row["path"] for row in fakeplat.as_user("mia").get("projects/acme%2Fsite/registry/repositories").json()
    ]
