"""Backstage's scaffolder makes projects, and its catalogue finds what is there, against a served world."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import SUITES, NodeClient
from tests.clients.programs import get_program

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest", tier="ultimate")]

SCAFFOLDER = NodeClient("@backstage/plugin-scaffolder-backend-module-gitlab", "0.12.0", options=("--ignore-scripts",))
CATALOGUE = NodeClient("@backstage/plugin-catalog-backend-module-gitlab", "0.8.8", options=("--ignore-scripts",))
Outputs = dict[str, Any]


def run_script(client: NodeClient, script: str, task: dict[str, Any]) -> Any:
    """Run a script in the environment of a client, and return what it prints."""
    client.make()
    done = subprocess.run(
        [get_program("node"), shutil.copy(SUITES / script, client.folder)],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return json.loads(done.stdout)


def run_actions(fakeplat: Fakeplat, workspace: Path, *actions: tuple[str, dict[str, Any]]) -> list[Outputs]:
    """Run actions as root, one after another, and return their outputs."""
    task = {
        "server": fakeplat.url.rstrip("/"),
        "token": fakeplat.token("root"),
        "workspace": str(workspace),
        "actions": [{"id": id_, "input": values} for id_, values in actions],
    }
    outputs: list[Outputs] = run_script(SCAFFOLDER, "backstage_actions.cjs", task)
    return outputs


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The files that a template has made."""
    (tmp_path / "README.md").write_text("# Made\n", "utf-8")
    (tmp_path / ".gitlab-ci.yml").write_text("unit:\n  script: make test\n", "utf-8")
    return tmp_path


def test_a_template_makes_a_project(fakeplat: Fakeplat, workspace: Path) -> None:
    """A project is published with branches and variables, and gets a merge request, an issue, tokens and a pipeline."""
    host = fakeplat.url.rstrip("/").partition("://")[2]
    url = f"{host}?owner=acme&repo=made"
    (made,) = run_actions(
        fakeplat,
        workspace,
        (
            "publish:gitlab",
            {
                "repoUrl": url,
                "repoVisibility": "private",
                "defaultBranch": "main",
                "topics": ["made"],
                "settings": {"description": "Made from a template"},
                "branches": [{"name": "dev", "ref": "main", "create": True, "protect": True}],
                "projectVariables": [{"key": "STAGE", "value": "dev"}],
            },
        ),
    )
    of_it = {"repoUrl": url, "projectId": made["projectId"]}
    (workspace / "hello.txt").write_text("Hello\n", "utf-8")
    opened, pushed, issue, edited, token, deploy_token, _, pipeline = run_actions(
        fakeplat,
        workspace,
        (
            "publish:gitlab:merge-request",
            {"repoUrl": url, "title": "Say hello", "description": "Hello", "branchName": "topic", "reviewers": ["mia"]},
        ),
        ("gitlab:repo:push", {"repoUrl": url, "branchName": "other", "commitMessage": "Push", "targetPath": "sub"}),
        ("gitlab:issues:create", {**of_it, "title": "Say hello", "description": "Hello", "labels": "made"}),
        ("gitlab:issue:edit", {**of_it, "issueIid": 1, "title": "Said hello", "stateEvent": "close"}),
        (
            "gitlab:projectAccessToken:create",
            {**of_it, "name": "bot", "accessLevel": 30, "scopes": ["api"], "expiresAt": "2021-01-01"},
        ),
        ("gitlab:projectDeployToken:create", {**of_it, "name": "deploy", "scopes": ["read_repository"]}),
        ("gitlab:projectVariable:create", {**of_it, "key": "KEY", "value": "a value", "variableType": "env_var"}),
        ("gitlab:pipeline:trigger", {**of_it, "tokenDescription": "template", "branch": "main"}),
    )

    root, project = fakeplat.as_user("root"), f"projects/{made['projectId']}"
    shown = root.get(project).json()
    assert ("Made from a template", ["made"], "main") == (
        shown["description"],
        shown["topics"],
        shown["default_branch"],
    )
    assert {"dev", "main"} == {branch["name"] for branch in root.get(f"{project}/protected_branches").json()}
    assert made["commitHash"] == root.get(f"{project}/repository/commits/main").json()["id"]
    merge_request = root.get(f"{project}/merge_requests/1").json()
    assert opened["mergeRequestUrl"] == merge_request["web_url"]
    assert ["mia"] == [user["username"] for user in merge_request["reviewers"]]
    assert pushed["commitHash"] == root.get(f"{project}/repository/commits/other").json()["id"]
    assert (1, "closed") == (issue["issueIid"], edited["state"])
    assert "Said hello" == root.get(f"{project}/issues/1").json()["title"]
    assert {"STAGE", "KEY"} == {variable["key"] for variable in root.get(f"{project}/variables").json()}
    assert token["access_token"].startswith("glpat-")
    assert deploy_token["deploy_token"].startswith("gldt-")
    assert pipeline["pipelineUrl"] == root.get(f"{project}/pipelines/latest?ref=main").json()["web_url"]


def test_a_template_makes_a_group(fakeplat: Fakeplat, workspace: Path) -> None:
    """A missing group is made below an existing one, and gets a member; the caller is known."""
    host = fakeplat.url.rstrip("/").partition("://")[2]
    url = f"{host}?owner=acme&repo=made"
    group, access, caller = run_actions(
        fakeplat,
        workspace,
        ("gitlab:group:ensureExists", {"repoUrl": url, "path": ["acme", "fresh"]}),
        (
            "gitlab:group:access",
            {
                "repoUrl": url,
                "path": "acme/fresh",
                "userIds": [fakeplat.world.user("gus").id],
                "accessLevel": "developer",
            },
        ),
        ("gitlab:user:info", {"repoUrl": url}),
    )

    root = fakeplat.as_user("root")
    assert "acme/fresh" == root.get(f"groups/{group['groupId']}").json()["full_path"]
    members = root.get("groups/acme%2Ffresh/members").json()
    assert {"gus": 30} == {
        member["username"]: member["access_level"] for member in members if member["username"] == "gus"
    }
    assert (30, "root") == (access["accessLevel"], caller["username"])


def test_the_catalogue_finds_components_and_people(fakeplat: Fakeplat) -> None:
    """Projects with a description of a component are found, and the groups and members of the organisation."""
    root, mia = fakeplat.as_user("root"), fakeplat.as_user("mia")
    file = {"branch": "main", "content": "kind: Component\n", "commit_message": "Describe"}
    assert 201 == mia.post("projects/acme%2Fsite/repository/files/catalog-info.yaml", json=file).status
    task = {"server": fakeplat.url.rstrip("/"), "token": fakeplat.token("root"), "group": "acme"}
    found = run_script(CATALOGUE, "backstage_catalogue.cjs", task)

    assert [] == found["problems"]
    targets = [location["spec"]["target"] for location in found["locations"]]
    assert [f"{fakeplat.url}/acme/site/-/blob/main/catalog-info.yaml"] == targets
    people = [entity for entity in found["organisation"] if entity["kind"] == "User"]
    members = {member["username"] for member in root.get("groups/acme/members/all").json()}
    assert members == {person["metadata"]["name"] for person in people}
    assert [["acme"]] * len(members) == [person["spec"]["memberOf"] for person in people]
    (group,) = (entity for entity in found["organisation"] if entity["kind"] == "Group")
    assert ("acme", "Acme") == (group["metadata"]["name"], group["spec"]["profile"]["displayName"])
