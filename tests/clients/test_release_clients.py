"""Tools that make releases, unchanged: each pushes a commit and a tag with git, and creates the release by the API."""

import subprocess
from base64 import b64decode
from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.documented import environment, settings
from tests.clients.environments import Client, NodeClient, PythonClient
from tests.git.command import ALONE, Git
from tests.git_http.remote import Remote

pytestmark = pytest.mark.clients

# Tools of today run with the newest release, those of the time of 13.5 with that one.
TODAY = pytest.mark.fakeplat(version="latest", default_branch="master")
OF_SEMANTIC_RELEASE = ("@semantic-release/gitlab@13.3.3",)
SEMANTIC_RELEASES = [
    pytest.param(NodeClient("semantic-release", "24.2.9", plugins=OF_SEMANTIC_RELEASE), id="semantic-release 24"),
    pytest.param(
        NodeClient("semantic-release", "25.0.9", plugins=OF_SEMANTIC_RELEASE, node="24"),
        id="semantic-release 25",
        marks=TODAY,
    ),
]
RELEASE_ITS = [
    pytest.param(NodeClient("release-it", "18.1.2"), id="release-it 18"),
    pytest.param(NodeClient("release-it", "20.2.1", node="24"), id="release-it 20", marks=TODAY),
]
CHANGESETS = NodeClient("changesets-gitlab", "0.13.4", plugins=("@changesets/cli@2.31.1",))
LERNA = NodeClient("lerna", "8.2.4")
PYTHON_SEMANTIC_RELEASES = [
    pytest.param(PythonClient("python-semantic-release", "10.5.3"), id="python-semantic-release 10.5"),
    pytest.param(PythonClient("python-semantic-release", "10.7.0"), id="python-semantic-release 10.7", marks=TODAY),
]
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


@pytest.mark.parametrize("semantic_release", SEMANTIC_RELEASES)
def test_semantic_release_publishes(
    fakeplat: Fakeplat, remote: Remote, work: Git, semantic_release: NodeClient
) -> None:
    """semantic-release pushes a tag and describes the commits in the release."""
    name = ".releaserc.json"
    (work.path / name).write_text(settings(fakeplat, PAGE, name, **{"acme/site": remote.path}), "utf-8")
    variables = environment(fakeplat, PAGE, "environment of semantic-release")
    run(semantic_release, "semantic-release", work, "--no-ci", **variables)

    assert [("v1.0.0", "v1.0.0", work.sha())] == list_releases(remote)
    assert "### Features\n\n* first" in remote.get("/releases/v1.0.0")["description"]


@pytest.mark.parametrize("release_it", RELEASE_ITS)
def test_release_it_publishes(fakeplat: Fakeplat, remote: Remote, work: Git, release_it: NodeClient) -> None:
    """release-it commits the version and adds a file and a milestone to the release."""
    remote.call("POST", "/milestones", json={"title": "First"})
    name = ".release-it.json"
    work.commit(
        "feat: second",
        {"package.json": '{"name": "released", "private": true}\n', name: settings(fakeplat, PAGE, name)},
    )
    run(release_it, "release-it", work, "minor", "--ci", **environment(fakeplat, PAGE, "environment of release-it"))

    assert [("v0.1.0", "Release 0.1.0", work.sha())] == list_releases(remote)
    release = remote.get("/releases/v0.1.0")
    assert (["First"], ["a.txt"]) == (
        [milestone["title"] for milestone in release["milestones"]],
        [link["name"] for link in release["assets"]["links"]],
    )


@pytest.mark.parametrize("semantic_release", PYTHON_SEMANTIC_RELEASES)
def test_python_semantic_release_publishes(
    fakeplat: Fakeplat, remote: Remote, work: Git, semantic_release: PythonClient
) -> None:
    """python-semantic-release commits the version and creates a release with the list of changes."""
    work.commit("fix: settings", {"pyproject.toml": settings(fakeplat, PAGE, "pyproject.toml")})
    work("push", "-q")
    variables = environment(fakeplat, PAGE, "environment of python-semantic-release")
    run(semantic_release, "semantic-release", work, "version", **variables)

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


@TODAY
def test_changesets_opens_a_merge_request_with_the_versions(fakeplat: Fakeplat, remote: Remote, work: Git) -> None:
    """changesets-gitlab pushes the raised versions to a branch and opens its merge request; a second run updates it."""
    CHANGESETS.make()
    work.commit(
        "feat: packages",
        {
            ".gitignore": "node_modules\n",
            "package.json": '{"name": "released", "version": "1.0.0", "private": true, "workspaces": ["packages/*"]}\n',
            "package-lock.json": "{}\n",
            ".changeset/config.json": '{"changelog": "@changesets/cli/changelog", "baseBranch": "master"}\n',
            ".changeset/brave-cats-jump.md": "---\na: minor\n---\n\nAdd a feature\n",
            "packages/a/package.json": '{"name": "a", "version": "1.0.0"}\n',
        },
    )
    work("push", "-q")
    (work.path / "node_modules").symlink_to(CHANGESETS.folder / "node_modules")
    variables = environment(fakeplat, PAGE, "environment of changesets-gitlab") | {
        "CI_PROJECT_ID": str(remote.get()["id"]),
        "CI_PROJECT_PATH": remote.path,
        "CI_COMMIT_REF_NAME": "master",
    }

    run(CHANGESETS, "changesets-gitlab", work, **variables, INPUT_TITLE="Release", INPUT_LABELS="release")
    work("checkout", "-q", "master")
    run(CHANGESETS, "changesets-gitlab", work, **variables, INPUT_TITLE="Release again")

    (opened,) = remote.get("/merge_requests?state=opened")
    assert ("changeset-release/master", "Release again") == (opened["source_branch"], opened["title"])
    assert "## a@1.1.0" in opened["description"]
    package = remote.get("/repository/files/packages%2Fa%2Fpackage.json?ref=changeset-release%2Fmaster")
    assert '"version": "1.1.0"' in b64decode(package["content"]).decode()


@TODAY
def test_changesets_comments_on_a_merge_request_without_a_changeset(
    fakeplat: Fakeplat, remote: Remote, work: Git
) -> None:
    """changesets-gitlab tells in a discussion what is missing, and changes its note in the next run."""
    work.commit(
        "feat: packages",
        {
            "package.json": '{"name": "released", "version": "1.0.0", "private": true}\n',
            "package-lock.json": "{}\n",
            ".changeset/config.json": '{"baseBranch": "master"}\n',
        },
    )
    work("push", "-q")
    work("checkout", "-q", "-b", "topic")
    work.commit("fix: it", {"a.txt": "b\n"})
    work("push", "-q", "origin", "topic")
    fields = {"source_branch": "topic", "target_branch": "master", "title": "Topic"}
    remote.call("POST", "/merge_requests", json=fields)
    (opened,) = remote.get("/merge_requests?state=opened")
    variables = environment(fakeplat, PAGE, "environment of changesets-gitlab") | {
        "CI_PROJECT_ID": str(remote.get()["id"]),
        "CI_PROJECT_PATH": remote.path,
        "CI_MERGE_REQUEST_IID": str(opened["iid"]),
        "CI_MERGE_REQUEST_TITLE": "Topic",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": opened["sha"],
        "CI_MERGE_REQUEST_PROJECT_URL": fakeplat.url + remote.path,
    }

    run(CHANGESETS, "changesets-gitlab", work, "comment", **variables)
    run(CHANGESETS, "changesets-gitlab", work, "comment", **variables)

    (note,) = [row for row in remote.get(f"/merge_requests/{opened['iid']}/notes") if not row["system"]]
    assert "No Changeset found" in note["body"]
    assert "DiscussionNote" == note["type"]
