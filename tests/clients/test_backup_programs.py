"""Programs that copy whole groups: what they leave on the disk, or restore, is what the world has."""

import subprocess
from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import PythonClient
from tests.clients.tools import Tool

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest")]

GITLABBER = PythonClient("gitlabber", "2.1.2")
BACKUP = PythonClient("gitlab-backup", "0.6.0")
RESTORE = PythonClient("gitlab-dr", "0.4.0")
MIGRATE = PythonClient("gitlab-projects-migrate", "6.9.0")


def read_head(folder: Path) -> str:
    """The newest commit of a repository, bare or not."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def find_head(fake: Fakeplat, path: str) -> str:
    branch = fake.as_user("root").get(f"projects/{path.replace('/', '%2F')}/repository/branches/main")
    return str(branch.json()["commit"]["id"])


def test_gitlabber_clones_a_tree_of_groups(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlabber clones every project into the folders of its groups, and fails with a wrong token."""
    tool = Tool(GITLABBER, tmp_path)
    options = ("-t", fakeplat.token("root"), "-u", fakeplat.url, "-m", "http")

    assert "kit [/acme/tools/kit]" in tool.run("gitlabber", *options, "-n", "path", "-p")
    tool.run("gitlabber", *options, "-n", "path", "out")

    for path in ("acme/site", "acme/docs", "acme/tools/kit"):
        assert find_head(fakeplat, path) == read_head(tmp_path / "out" / path)
    refused = tool.run("gitlabber", "-t", "wrong", "-u", fakeplat.url, "-p", status=1)
    assert "401 Unauthorized" in refused


def test_gitlab_backup_clones_bare(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-backup makes bare clones of the projects that the user is a member of, and of no others."""
    options = ("--host", fakeplat.url, "--private-token", fakeplat.token("mia"), "--output-directory", "out")
    Tool(BACKUP, tmp_path).run("gitlab-backup", *options, "--clone-bare", "--with-membership")

    heads = {folder.parent for folder in (tmp_path / "out").rglob("HEAD") if folder.with_name("objects").is_dir()}
    assert {find_head(fakeplat, path) for path in ("acme/site", "acme/docs", "acme/tools/kit")} == set(
        map(read_head, heads)
    )


REPOSITORY = {"commits": [{"message": "First", "author": "root", "files": {"a.txt": "a"}}]}
KIT = {"path": "kit", "visibility": "internal", "repository": REPOSITORY}
TOOLS = {
    "path": "acme",
    "visibility": "internal",
    "groups": [{"path": "tools", "visibility": "internal", "projects": [KIT]}],
}


@pytest.mark.fakeplat(scenario={"groups": [TOOLS]})
def test_gitlab_dr_restores_what_was_deleted(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-dr puts groups and repositories into a folder, from which it creates them again."""
    root = fakeplat.as_user("root")
    tool, head = Tool(RESTORE, tmp_path), find_head(fakeplat, "acme/tools/kit")
    options = ("--gitlab-url", fakeplat.url, "--backup-dir", "out", "--token", fakeplat.token("root"))
    assert "completed with no warnings" in tool.run("gitlab_dr", "--backup", *options)
    id_ = root.get("groups/acme%2Ftools").json()["id"]
    assert 202 == root.delete(f"groups/{id_}").status
    path = root.get(f"groups/{id_}").json()["full_path"]
    assert 202 == root.delete(f"groups/{id_}?permanently_remove=true&full_path={path}").status
    fakeplat.settle()
    assert 404 == root.get("groups/acme%2Ftools").status

    assert "completed with no warnings" in tool.run("gitlab_dr", "--restore", *options)

    assert head == find_head(fakeplat, "acme/tools/kit")


def test_gitlab_projects_migrate_moves_a_project(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-projects-migrate exports a project and imports it into a namespace, with its repository."""
    head = find_head(fakeplat, "acme/docs")
    source, target = f"{fakeplat.url.rstrip('/')}/acme/docs", f"{fakeplat.url.rstrip('/')}/ada"
    tool = Tool(MIGRATE, tmp_path, CI="1", GITLAB_TOKEN=fakeplat.token("root"))

    printed = tool.run("gitlab-projects-migrate", "--no-color", "--confirm", source, target)

    assert "Migrated project: Success" in printed
    assert head == find_head(fakeplat, "ada/docs")
    assert [] == [request.path for request in fakeplat.requests if request.status >= 500]
