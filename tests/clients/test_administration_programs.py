"""Programs for many users and projects: accounts, settings, milestones, and the repositories of a course."""

import json
from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import PythonClient
from tests.clients.tools import Tool, write_configuration

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest", tier="premium")]

USERS = PythonClient("gitlab-users", "2.0.1")
SETTINGS = PythonClient("gitlab-projects-settings", "6.4.0")
ISSUES = PythonClient("gitlab-projects-issues", "4.2.0")
TEACHERS = PythonClient("teachers-gitlab", "0.4.0")
SITE = "projects/acme%2Fsite"


def list_unserved(fakeplat: Fakeplat) -> list[str]:
    """The requests of a test that the fake did not serve."""
    return [f"{entry.method} {entry.path}" for entry in fakeplat.requests if entry.status >= 500]


def test_gitlab_users_creates_and_deletes_accounts(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-users creates the accounts of a table with memberships, exports them, and deletes them."""
    file = write_configuration(fakeplat, tmp_path, "root")
    tool = Tool(USERS, tmp_path, PYTHON_GITLAB_CFG=str(file))
    (tmp_path / "new.csv").write_text("kim,Kim Example,kim@example.test,Acme,Berlin,acme,developer\n", "utf-8")

    printed = tool.run("gitlab-users", "create-from-csv", "new.csv")
    assert "Added to group acme as developer" in printed
    root = fakeplat.as_user("root")
    members = root.get("groups/acme/members").json()
    assert [30] == [member["access_level"] for member in members if member["username"] == "kim"]
    tool.run("gitlab-users", "export-users", "all.csv")
    assert ",kim,Kim Example,kim@example.test,active" in (tmp_path / "all.csv").read_text("utf-8")
    assert "Deleted user: kim" in tool.run("gitlab-users", "delete-user", "kim", given="y\ny\nyes\n")
    fakeplat.settle()
    assert [] == root.get("users?username=kim").json()


def test_gitlab_projects_settings_changes_a_group(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-projects-settings changes the settings of a group and of the projects below it in one run."""
    tool = Tool(SETTINGS, tmp_path, CI="1", GITLAB_TOKEN=fakeplat.token("root"))
    url = fakeplat.url.rstrip("/")
    tool.run(
        "gitlab-projects-settings",
        *("--no-color", "--confirm", "--set-description", "Hello", "--set-roles-create-projects", "maintainer"),
        *("--protect-branches", "--protect-tags", "no-one", "--set-merge-method", "ff"),
        *("--set-merge-pipelines", "true", "--add-jobs-token-allowlist", "acme/docs", "--run-housekeeping"),
        *("--", f"{url}/acme"),
    )
    ada = fakeplat.as_user("ada")
    site = ada.get(SITE).json()

    assert ("Hello", "ff", True) == (
        site["description"],
        site["merge_method"],
        site["only_allow_merge_if_pipeline_succeeds"],
    )
    assert ["v1.0"] == [tag["name"] for tag in ada.get(f"{SITE}/protected_tags").json()]
    allowed = ada.get(f"{SITE}/job_token_scope/allowlist").json()
    assert {"acme/docs", "acme/site"} == {project["path_with_namespace"] for project in allowed}
    assert "maintainer" == ada.get("groups/acme").json()["project_creation_level"]
    assert [] == list_unserved(fakeplat)


def test_gitlab_projects_settings_shows_labels(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-projects-settings prints the labels of a project, and fails where the user sees no project."""
    tool = Tool(SETTINGS, tmp_path, CI="1", GITLAB_TOKEN=fakeplat.token("mia"))
    arguments = ("--no-color", "--get-project-labels", "--", f"{fakeplat.url.rstrip('/')}/acme/site")
    printed = tool.run("gitlab-projects-settings", *arguments)
    (line,) = [line for line in printed.splitlines() if "Get labels to JSON" in line]

    names = [label["name"] for label in json.loads(line.partition(": ")[2])]
    assert {"bug", "feature", "docs"} <= set(names)
    refused = tool.run(
        "gitlab-projects-settings", *arguments, environment={"GITLAB_TOKEN": fakeplat.token("eve")}, status=1
    )
    assert "404 Project Not Found" in refused


def test_gitlab_projects_issues_counts_by_milestone(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-projects-issues writes the statistics of issues into their milestones, and creates a milestone."""
    tool = Tool(ISSUES, tmp_path, CI="1", GITLAB_TOKEN=fakeplat.token("mia"))
    url = f"{fakeplat.url.rstrip('/')}/acme/site"
    # As the platform's page sends it, unlike the API's default.
    for milestone in fakeplat.as_user("mia").get(f"{SITE}/milestones").json():
        fakeplat.as_user("mia").put(f"{SITE}/milestones/{milestone['id']}", json={"description": ""})

    tool.run(
        "gitlab-projects-issues", "--no-color", "--milestones-statistics", "--ignore-issues-without-milestone", url
    )
    options = ("--milestone", "v1.2", "--create-milestone", "--set-milestone-due-date", "2026-12-12")
    tool.run("gitlab-projects-issues", "--no-color", *options, url)

    milestones = {row["title"]: row for row in fakeplat.as_user("mia").get(f"{SITE}/milestones").json()}
    assert "Milestone statistics" in milestones["v1.1"]["description"]
    assert "2026-12-12" == milestones["v1.2"]["due_date"]


def test_teachers_gitlab_prepares_a_course(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """teachers-gitlab forks a project for each student, and adds members, files and tags."""
    write_configuration(fakeplat, tmp_path, "root")
    (tmp_path / "students.csv").write_text("login\ndev\nrep\n", "utf-8")
    tool = Tool(TEACHERS, tmp_path)
    options = ("--config-file", ".python-gitlab.cfg", "--instance", "fake", "--entries", "students.csv")
    project = ("--project", "acme/{login}-kit")

    tool.run("teachers-gitlab", "fork", *options, "--from", "acme/tools/kit", "--to", "acme/{login}-kit")
    tool.run("teachers-gitlab", "add-member", *options, *project, "--access-level", "developer")
    file = ("--branch", "main", "--from", "students.csv", "--to", "list.csv", "--message", "Add a list")
    tool.run("teachers-gitlab", "put-file", *options, *project, *file)
    tag = ("--tag", "handed-in", "--ref", "main", "--message", "Done")
    tool.run("teachers-gitlab", "create-tag", *options, *project, *tag)
    remote = ("--branch", "main", "--remote-file", "list.csv", "--local-file", "{login}.csv")
    tool.run("teachers-gitlab", "get-file", *options, *project, *remote)

    for login in ("dev", "rep"):
        path = f"projects/acme%2F{login}-kit"
        root = fakeplat.as_user("root")
        assert "acme/tools/kit" == root.get(path).json()["forked_from_project"]["path_with_namespace"]
        assert "handed-in" in [row["name"] for row in root.get(f"{path}/repository/tags").json()]
        id_ = fakeplat.world.user(login).id
        assert 30 == root.get(f"{path}/members/{id_}").json()["access_level"]
        assert "login\ndev\nrep\n" == (tmp_path / f"{login}.csv").read_text("utf-8")
    assert [] == list_unserved(fakeplat)
