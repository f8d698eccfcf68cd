"""skopeo, buildah and podman push, copy, pull and delete images, with each kind of token."""

import json
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api import package_files
from tests.clients.documented import settings
from tests.clients.programs import get_program, podman_command

SITE = "projects/acme%2Fsite"
HELLO = [{"etc/hello.txt": "Hello\n"}, {"etc/world.txt": "World\n"}]
DECLARED = {"name": "web", "tags": [{"name": "v1", "layers": HELLO}]}
WORLD = {
    "extends": "starter",
    "projects": [{"path_with_namespace": "acme/site", "container_repositories": [DECLARED]}],
}
pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(clock="virtual", scenario=WORLD)]
PAGE = "images"


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a program with its home in a folder; return its output. Fails with the output unless it succeeds."""
    result = subprocess.run(
        command,
        cwd=cwd,
        # The programs that build images need neither rights nor a file system of their own here.
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(cwd),
            "XDG_RUNTIME_DIR": str(cwd),
            "BUILDAH_ISOLATION": "chroot",
            "STORAGE_DRIVER": "vfs",
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert 0 == result.returncode, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


class Skopeo:
    """skopeo with the credentials of a user."""

    def __init__(self, fake: Fakeplat, folder: Path, credentials: str) -> None:
        self.registry = f"docker://{fake.listen_url.partition('://')[2].rstrip('/')}"
        self.folder = folder
        self.credentials = credentials

    def __call__(self, command: str, *arguments: str, **values: str) -> str:
        options = [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]
        return run(get_program("skopeo"), "--insecure-policy", command, *options, *arguments, cwd=self.folder)

    def at(self, path: str) -> str:
        return f"{self.registry}/{path}"

    def copy(self, source: str, target: str) -> None:
        options: dict[str, str] = {}
        for side, place in (("src", source), ("dest", target)):
            if place.startswith("docker:"):
                options |= {f"{side}_tls_verify": "false", f"{side}_creds": self.credentials}
        self("copy", source, target, **options)

    def inspect(self, path: str) -> Any:
        return json.loads(self("inspect", self.at(path), tls_verify="false", creds=self.credentials))

    def list_tags(self, path: str) -> Any:
        return json.loads(self("list-tags", self.at(path), tls_verify="false", creds=self.credentials))["Tags"]


@pytest.fixture
def skopeo(fakeplat: Fakeplat, tmp_path: Path) -> Skopeo:
    """skopeo with mia's token."""
    return Skopeo(fakeplat, tmp_path, f"mia:{fakeplat.token('mia')}")


def find_tag(fakeplat: Fakeplat, path: str, name: str) -> Any:
    """What the API says of a tag."""
    mia = fakeplat.as_user("mia")
    (repository,) = [row for row in mia.get(f"{SITE}/registry/repositories").json() if row["path"] == path]
    return mia.get(f"{SITE}/registry/repositories/{repository['id']}/tags/{name}").json()


def test_skopeo_copies_a_declared_image_out_and_in(fakeplat: Fakeplat, skopeo: Skopeo) -> None:
    """A declared image is pulled with its files, changed place, and is the same under its new name."""
    skopeo.copy(skopeo.at("acme/site/web:v1"), "dir:image")
    index = json.loads((skopeo.folder / "image" / "manifest.json").read_text("utf-8"))
    files = [(skopeo.folder / "image" / layer["digest"].partition(":")[2]).read_bytes() for layer in index["layers"]]
    assert [True, True] == [b"Hello\n" in files[0], b"World\n" in files[1]]

    skopeo.copy("dir:image", skopeo.at("acme/site/copy:v2"))

    copied, declared = (
        find_tag(fakeplat, f"acme/site/{tag.partition(':')[0]}", tag.partition(":")[2]) for tag in ("copy:v2", "web:v1")
    )
    assert declared["digest"] == copied["digest"] == skopeo.inspect("acme/site/copy:v2")["Digest"]
    assert declared["total_size"] == copied["total_size"] == sum(map(len, files))


def test_skopeo_copies_within_the_registry_and_deletes(fakeplat: Fakeplat, skopeo: Skopeo) -> None:
    """Copying between repositories shares the layers; deleting an image deletes all of its tags."""
    for source, target in (("acme/site/web:v1", "acme/docs:a"), ("acme/docs:a", "acme/docs:b")):
        skopeo.copy(skopeo.at(source), skopeo.at(target))
    assert ["a", "b"] == skopeo.list_tags("acme/docs")

    skopeo("delete", skopeo.at("acme/docs:a"), tls_verify="false", creds=skopeo.credentials)

    assert [] == skopeo.list_tags("acme/docs")
    assert ["v1"] == skopeo.list_tags("acme/site/web")


def test_skopeo_syncs_a_repository(fakeplat: Fakeplat, skopeo: Skopeo) -> None:
    """All tags of a repository are copied to a folder."""
    skopeo.copy(skopeo.at("acme/site/web:v1"), skopeo.at("acme/site/web:v2"))
    repository = skopeo.at("acme/site/web").removeprefix("docker://")
    options = {"src_tls_verify": "false", "src_creds": skopeo.credentials}
    skopeo("sync", repository, "all", src="docker", dest="dir", **options)
    assert {"web:v1", "web:v2"} == {folder.name for folder in (skopeo.folder / "all").iterdir()}


@pytest.mark.parametrize("kind", ["personal", "job", "deploy"])
def test_each_kind_of_token_pushes(fakeplat: Fakeplat, tmp_path: Path, kind: str) -> None:
    """Personal, job and deploy tokens push and pull images."""
    user, token = {
        "personal": ("anything", fakeplat.token("dev", scopes=["read_registry", "write_registry"])),
        "job": ("gitlab-ci-token", package_files.job_token(fakeplat)),
        "deploy": deploy_token(fakeplat),
    }[kind]
    skopeo = Skopeo(fakeplat, tmp_path, f"{user}:{token}")
    skopeo.copy(skopeo.at("acme/site/web:v1"), skopeo.at("acme/site:pushed"))
    assert ["pushed"] == skopeo.list_tags("acme/site")


def deploy_token(fakeplat: Fakeplat) -> tuple[str, str]:
    body = {"name": "images", "scopes": ["read_registry", "write_registry"]}
    created = fakeplat.as_user("mia").post(f"{SITE}/deploy_tokens", json=body).json()
    return created["username"], created["token"]


def test_skopeo_is_refused_like_anybody(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """Who may not push is told so, and nothing is pushed."""
    skopeo = Skopeo(fakeplat, tmp_path, f"rep:{fakeplat.token('rep')}")
    with pytest.raises(AssertionError, match=r"requested access to the resource is denied|authentication required"):
        skopeo.copy(skopeo.at("acme/site/web:v1"), skopeo.at("acme/site/web:v2"))
    assert ["v1"] == skopeo.list_tags("acme/site/web")


def test_buildah_builds_on_a_declared_image(fakeplat: Fakeplat, tmp_path: Path, skopeo: Skopeo) -> None:
    """buildah pulls an image, adds a file and pushes the result, which has one layer more."""
    buildah = (get_program("buildah"), "--root", str(tmp_path / "root"), "--runroot", str(tmp_path / "run"))
    options = ("--tls-verify=false", "--creds", skopeo.credentials)
    (tmp_path / "new.txt").write_text("new\n")
    container = run(*buildah, "from", *options, skopeo.at("acme/site/web:v1"), cwd=tmp_path).strip().splitlines()[-1]
    run(*buildah, "copy", container, "new.txt", "/etc/new.txt", cwd=tmp_path)
    run(*buildah, "commit", container, "built", cwd=tmp_path)

    run(*buildah, "push", *options, "built", skopeo.at("acme/site/built:v1"), cwd=tmp_path)

    assert len(HELLO) + 1 == len(skopeo.inspect("acme/site/built:v1")["Layers"])
    assert find_tag(fakeplat, "acme/site/built", "v1")["total_size"] > 0


def test_podman_logs_in_pulls_and_pushes(fakeplat: Fakeplat, tmp_path: Path, skopeo: Skopeo) -> None:
    """podman keeps the credentials of a login, pulls an image and pushes it under another name."""
    commands = settings(fakeplat, PAGE, "podman").replace("$ podman ", "")
    login, pull, *others = [line.split() for line in commands.splitlines()]

    with TemporaryDirectory() as folder:
        podman = podman_command(Path(folder))
        assert "Login Succeeded!" in run(*podman, *login, cwd=tmp_path)
        for command in (pull, *others):
            run(*podman, *command, cwd=tmp_path)

    assert ["podman"] == skopeo.list_tags("acme/site/pushed")
