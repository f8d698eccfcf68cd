"""Programs pull images and packages through dependency proxies, and packages from the registry of a group."""

import json
import tarfile
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.package_files import npm_document, project_id
from tests.clients.documented import settings
from tests.clients.environments import NodeClient
from tests.clients.programs import get_program, podman_command
from tests.clients.test_image_programs import Skopeo, run

PNPM = NodeClient("pnpm", "9.15.9")
YARN = NodeClient("yarn", "1.22.22")
BERRY = NodeClient("@yarnpkg/cli-dist", "4.9.4")
HUB = {"name": "library/alpine", "tags": [{"name": "3", "layers": [{"etc/alpine-release": "3.20.0\n"}]}]}
WORLD = {
    "extends": "starter",
    "instance": {"version": "latest", "tier": "premium", "upstreams": {"images": "hub/images"}},
    "groups": [{"path": "hub", "visibility": "private"}],
    "projects": [
        {"path_with_namespace": "hub/images", "container_repositories": [HUB]},
        {
            "path_with_namespace": "acme/site",
            "dependency_proxy_packages": {
                "enabled": True,
                "maven_external_registry_url": "/api/v4/projects/hub%2Fimages/packages/maven",
            },
        },
    ],
}
IMAGE = "acme/dependency_proxy/containers/alpine:3"
pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(clock="virtual", scenario=WORLD)]


def test_skopeo_pulls_through_the_dependency_proxy(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """skopeo copies an image of the hub through the group's proxy, which keeps it."""
    skopeo = Skopeo(fakeplat, tmp_path, f"mia:{fakeplat.token('mia')}")
    skopeo.copy(skopeo.at(IMAGE), "dir:image")
    manifest = json.loads((tmp_path / "image" / "manifest.json").read_text("utf-8"))
    layer = (tmp_path / "image" / manifest["layers"][0]["digest"].partition(":")[2]).read_bytes()
    assert b"3.20.0\n" in layer
    assert ["alpine:3.json"] == [kept.file_name for kept in fakeplat.bench.platform.view.proxied_manifests.all()]


def test_podman_pulls_through_the_dependency_proxy(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """podman pulls an image of the hub through the group's proxy after a login at the server."""
    server = fakeplat.listen_url.partition("://")[2].rstrip("/")
    with TemporaryDirectory() as folder:
        podman = podman_command(Path(folder))
        login = ("login", "--tls-verify=false", "-u", "mia", "-p", fakeplat.token("mia"), server)
        assert "Login Succeeded!" in run(*podman, *login, cwd=tmp_path)
        run(*podman, "pull", "--tls-verify=false", f"{server}/{IMAGE}", cwd=tmp_path)
        assert f"{server}/acme/dependency_proxy/containers/alpine" in run(*podman, "images", cwd=tmp_path)


POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>{body}
<packaging>pom</packaging></project>
"""
BASE = "<groupId>com.acme</groupId><artifactId>base</artifactId><version>1.0</version>"


def test_mvn_resolves_through_the_dependency_proxy(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """mvn resolves a parent POM of the registry outside through the project's proxy, which keeps it."""
    path = "packages/maven/com/acme/base/1.0/base-1.0.pom"
    root = fakeplat.as_user("root")
    assert 200 == root.put(f"projects/hub%2Fimages/{path}", data=POM.format(body=BASE).encode()).status
    parent = f"<parent>{BASE}<relativePath/></parent><artifactId>user</artifactId>"
    repositories = settings(fakeplat, "packages", "repositories in pom.xml")
    proxied = repositories.replace("/packages/maven", "/dependency_proxy/packages/maven")
    (tmp_path / "pom.xml").write_text(POM.format(body=f"{parent}{proxied}"))
    (tmp_path / "settings.xml").write_text(settings(fakeplat, "packages", "settings.xml"))
    local = f"-Dmaven.repo.local={tmp_path / 'm2'}"
    run(get_program("mvn"), "-B", "-q", "-s", "settings.xml", local, "validate", cwd=tmp_path)
    assert (tmp_path / "m2/com/acme/base/1.0/base-1.0.pom").exists()
    assert 200 == fakeplat.as_user("dev").get(f"projects/acme%2Fsite/{path}").status


def publish(fake: Fakeplat, name: str, version: str) -> None:
    """Publish what npm would pack."""
    files = {
        "package.json": json.dumps({"name": name, "version": version, "main": "index.js"}),
        "index.js": f"module.exports = '{version}';\n",
    }
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, text in files.items():
            info = tarfile.TarInfo(f"package/{path}")
            info.size = len(text)
            archive.addfile(info, BytesIO(text.encode()))
    document = npm_document(name, version, buffer.getvalue())
    place = f"projects/acme%2Fsite/packages/npm/{name.replace('/', '%2f')}"
    assert 200 == fake.as_user("dev").put(place, json=document).status


def require(folder: Path, name: str) -> str:
    """Return what a program gets from an installed package."""
    return run(get_program("node"), "-p", f"require('{name}')", cwd=folder).strip()


def user_of(fake: Fakeplat, folder: Path, path: str = "groups/acme/-") -> str:
    """Write a project that installs from a registry, by default that of the group; return the registry."""
    for version in ("1.0.0", "1.1.0"):
        publish(fake, "@acme/tool", version)
    folder.mkdir()
    (folder / "package.json").write_text(json.dumps({"name": "user", "version": "1.0.0", "private": True}))
    registry = f"{fake.url}/api/v4/{path}/packages/npm/"
    host = registry.partition(":")[2]
    # The tarballs are those of the project, for which the same token is valid.
    tarballs = f"{fake.url.partition(':')[2]}/api/v4/projects/{project_id(fake, 'projects/acme%2Fsite')}/packages/npm/"
    tokens = [f"{place}:_authToken={fake.token('dev')}" for place in (host, tarballs)]
    (folder / ".npmrc").write_text("\n".join([f"@acme:registry={registry}", *tokens, "always-auth=true", ""]))
    return registry


@pytest.mark.parametrize(
    ("client", "command", "path"),
    # The first yarn sends its token to addresses below the registry only, and tarballs are below their project.
    [(PNPM, "pnpm", "groups/acme/-"), (YARN, "yarn", "projects/{id}")],
    ids=["pnpm", "yarn"],
)
def test_they_install_packages(fakeplat: Fakeplat, tmp_path: Path, client: NodeClient, command: str, path: str) -> None:
    """pnpm installs a package by version and range from the registry of its group, the first yarn of its project."""
    client.make()
    there = tmp_path / "user"
    user_of(fakeplat, there, path.format(id=project_id(fakeplat, "projects/acme%2Fsite")))
    program = client.program(command)
    for wanted, version in (("@acme/tool@1.0.0", "1.0.0"), ("@acme/tool@^1.1.0", "1.1.0")):
        run(program, "add", wanted, cwd=there, PNPM_HOME=str(tmp_path))
        assert version == require(there, "@acme/tool")


def test_yarn_4_installs_from_a_group(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """yarn 4 installs a package of a project from the registry of its group."""
    BERRY.make()
    there = tmp_path / "user"
    registry = user_of(fakeplat, there)
    (there / ".yarnrc.yml").write_text(
        "nodeLinker: node-modules\nenableTelemetry: false\nenableGlobalCache: false\n"
        "unsafeHttpWhitelist: ['127.0.0.1']\n"
        f"npmScopes:\n  acme:\n    npmRegistryServer: '{registry}'\n    npmAlwaysAuth: true\n"
        f"    npmAuthToken: '{fakeplat.token('dev')}'\n"
    )
    (there / "yarn.lock").write_text("")
    bin_ = BERRY.folder / "node_modules/@yarnpkg/cli-dist/bin/yarn.js"
    run(get_program("node"), bin_, "add", "@acme/tool@^1.0.0", cwd=there)
    assert "1.1.0" == require(there, "@acme/tool")
