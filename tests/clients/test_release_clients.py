"""Tools that make releases, unchanged: each pushes a commit and a tag with git, and creates the release by the API."""

import subprocess
from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.documented import environment, settings
from tests.clients.environments import Client, NodeClient, PythonClient
from tests.git.command import ALONE, Git
from tests.git_http.remote import Remote

pytestmark = pytest.mark.clients

SEMANTIC_RELEASE = NodeClient("semantic-release", "24.2.9", plugins=("@semantic-release/gitlab@13.3.3",))
RELEASE_IT = NodeClient("release-it", "18.1.2")
LERNA = NodeClient("lerna", "8.2.4")
PYTHON_SEMANTIC_RELEASE = PythonClient("python-semantic-release", "10.5.3")
PAGE = "releases"


@pytest.fixture
def remote(fakeplat: Fakeplat) -> Remote:
    return Remote.make(fakeplat, "released")


@pytest.fixture
def work(remote: Remote, tmp_path: Path) -> Git:
    """A clone of ada's with one commit, which is pushed."""
    work = Git(tmp_path / "work")
    work("remote", "add", "origin", remote.url("ada"))
    work.commit("feat: first", {"a.txt": "a\n"})
    work("push", "-q", "-u", "origin", "master")
    return work


def run(client: Client, name: str, work: Git, *arguments: str, **variables: str) -> str:
    """Run a program of a client in a work tree; return what it printed."""
    identity = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.test"}
    identity |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in identity.items()}
    environment = {**ALONE, **identity, "PATH": client.search_path, "HOME": str(work.path.parent), **variables}
    client.make()
    result = subprocess.run(
        [client.program(name), *arguments],
        cwd=work.path,
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    output = (result.stdout + result.stderr).decode(errors="replace")
    assert 0 == result.returncode, output
    return output


def list_releases(remote: Remote) -> list[tuple[str, str, str]]:
    """The releases of the project: tag, name and commit."""
    return [(row["tag_name"], row["name"], row["commit"]["id"]) for row in remote.get("/releases")]


def test_semantic_release_publishes(fakeplat: Fakeplat, remote: Remote, work: Git) -> None:
    """semantic-release pushes a tag and describes the commits in the release."""
    name = ".releaserc.json"
    (work.path / name).write_text(settings(fakeplat, PAGE, name, **{"acme/site": remote.path}), "utf-8")
    variables = environment(fakeplat, PAGE, "environment of semantic-release")
    run(SEMANTIC_RELEASE, "semantic-release", work, "--no-ci", **variables)

    assert [("v1.0.0", "v1.0.0", work.sha())] == list_releases(remote)
    assert "### Features\n\n* first" in remote.get("/releases/v1.0.0")["description"]


def test_release_it_publishes(fakeplat: Fakeplat, remote: Remote, work: Git) -> None:
    """release-it commits the version and adds a file and a milestone to the release."""
    remote.call("POST", "/milestones", json={"title": "First"})
    name = ".release-it.json"
    work.commit(
        "feat: second",
        {"package.json": '{"name": "released", "private": true}\n', name: settings(fakeplat, PAGE, name)},
    )
    run(RELEASE_IT, "release-it", work, "minor", "--ci", **environment(fakeplat, PAGE, "environment of release-it"))

    assert [("v0.1.0", "Release 0.1.0", work.sha())] == list_releases(remote)
    release = remote.get("/releases/v0.1.0")
    assert (["First"], ["a.txt"]) == (
        [milestone["title"] for milestone in release["milestones"]],
        [link["name"] for link in release["assets"]["links"]],
    )


def test_python_semantic_release_publishes(fakeplat: Fakeplat, remote: Remote, work: Git) -> None:
    """python-semantic-release commits the version and creates a release with the list of changes."""
    work.commit("fix: settings", {"pyproject.toml": settings(fakeplat, PAGE, "pyproject.toml")})
    work("push", "-q")
    variables = environment(fakeplat, PAGE, "environment of python-semantic-release")
    run(PYTHON_SEMANTIC_RELEASE, "semantic-release", work, "version", **variables)

    ((tag, name, sha),) = list_releases(remote)
    assert (work.lines("tag"), tag, work.sha("HEAD")) == ([tag], name, sha)
    assert f"## {tag}" in remote.get(f"/releases/{tag}")["description"]


def test_lerna_publishes(fakeplat: Fakeplat, remote: Remote, work: Git) -> None:
    """lerna raises the versions of packages and creates a release with the list of changes."""
    work.commit(
        "feat: packages",
        {
            "package.json": '{"name": "root", "private": true, "workspaces": ["packages/*"]}\n',
            "lerna.json": '{"version": "1.0.0", "useNx": false}\n',
            "packages/a/package.json": '{"name": "a", "version": "1.0.0"}\n',
        },
    )
    options = ("version", "--conventional-commits", "--create-release", "gitlab", "--yes")
    run(LERNA, "lerna", work, *options, **environment(fakeplat, PAGE, "environment of lerna"))

    assert [("v1.1.0", "v1.1.0", work.sha())] == list_releases(remote)
    assert "### Features" in remote.get("/releases/v1.1.0")["description"]
