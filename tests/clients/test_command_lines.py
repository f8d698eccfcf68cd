"""Command lines of the platform's API, and helpers for jobs: each command's effect is in the world."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import NodeClient, PythonClient
from tests.clients.mcp import ToolError, running
from tests.clients.server import serving
from tests.clients.tools import Tool

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest")]

COMMENTER = PythonClient("gitlab-mr-commenter", "2.0.3")
QODEV = PythonClient("qodev-gitlab-cli", "0.3.0")
GITBEAKER = NodeClient("@gitbeaker/cli", "43.8.0")
PACKAGES = PythonClient("glpkg", "1.6.0")
COMMITTERS = PythonClient("mkdocs-git-committers-plugin-2", "2.5.0")
ASSISTANT = PythonClient("mcp-gitlab", "0.21.2")
SITE = "projects/acme%2Fsite"


def test_gitlab_mr_commenter_keeps_one_comment(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-mr-commenter creates a comment and changes it in a second run; an unknown merge request is 404."""
    variables = {"CI_API_V4_URL": fakeplat.api_url.rstrip("/"), "GITLAB_TOKEN": fakeplat.token("dev")}
    tool = Tool(COMMENTER, tmp_path, CI_PROJECT_ID="5001", CI_MERGE_REQUEST_IID="1", **variables)
    for text in ("One", "Two"):
        tool.run("gitlab-mr-commenter", "plan", given=text)

    (note,) = fakeplat.as_user("dev").get(f"{SITE}/merge_requests/1/notes").json()
    assert note["body"].startswith("Two")
    assert "404: 404 Not found" in tool.run("gitlab-mr-commenter", "plan", "--mr-iid", "99", given="x", status=1)


def test_qodev_gitlab_cli_works_through_a_day(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """qodev-gitlab-cli comments, waits for a pipeline, merges, releases and closes."""
    mia = fakeplat.as_user("mia")
    tool = Tool(QODEV, tmp_path, GITLAB_TOKEN=fakeplat.token("mia"), GITLAB_URL=fakeplat.url.rstrip("/"))

    def run(*arguments: str, status: int = 0) -> str:
        return tool.run("qodev-gitlab-cli", "--json", "--project", "acme/site", *arguments, status=status)

    pipeline = mia.post(f"{SITE}/pipeline", json={"ref": "main"}).json()
    fakeplat.settle()
    assert '"success"' in run("pipelines", "wait", str(pipeline["id"]))
    run("mrs", "comment", "1", "--body", "Nice")
    run("mrs", "merge", "1")
    run("issues", "create", "--title", "From a terminal")
    run("releases", "create", "--tag", "v2", "--ref", "main")
    run("variables", "set", "NAME", "value")
    refused = run("mrs", "get", "99", status=81)

    assert "not_found" in refused
    assert "merged" == mia.get(f"{SITE}/merge_requests/1").json()["state"]
    assert "From a terminal" in [issue["title"] for issue in mia.get(f"{SITE}/issues").json()]
    assert "v2" in [release["tag_name"] for release in mia.get(f"{SITE}/releases").json()]
    assert "value" == mia.get(f"{SITE}/variables/NAME").json()["value"]


def test_the_command_line_of_gitbeaker(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The command line of gitbeaker shows a project and creates an issue."""
    variables = {"GITBEAKER_TOKEN": fakeplat.token("mia"), "GITBEAKER_HOST": fakeplat.url.rstrip("/")}
    tool = Tool(GITBEAKER, tmp_path, **variables)

    assert '"path_with_namespace": "acme/site"' in tool.run(
        "gitbeaker", "projects", "show", "--project-id", "acme/site"
    )
    tool.run("gitbeaker", "issues", "create", "--project-id", "acme/site", "--title", "From gitbeaker")
    assert "From gitbeaker" in [issue["title"] for issue in fakeplat.as_user("mia").get(f"{SITE}/issues").json()]


def test_an_assistant_with_mcp_gitlab(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The tools of mcp-gitlab review a merge request with a draft, approve it, run pipelines and release."""
    variables = {"GITLAB_URL": fakeplat.url.rstrip("/"), "GITLAB_TOKEN": fakeplat.token("mia")}
    mia = fakeplat.as_user("mia")
    with running(ASSISTANT, "mcp-gitlab", tmp_path, **variables) as server:

        def call(tool: str, **arguments: Any) -> Any:
            return server.call(f"gitlab_{tool}", project_id="acme/site", **arguments)

        call("create_draft_note", mr_iid=1, body="Nice")
        call("publish_draft_notes", mr_iid=1)
        call("approve_mr", mr_iid=1)
        call("create_pipeline", ref="main")
        call("create_tag", tag_name="v3", ref="main")
        call("create_release", tag_name="v3", name="Three")
        issue = call("create_issue", title="From an assistant", labels="bug")
        call("update_issue", issue_iid=issue["iid"], state_event="close")
        with pytest.raises(ToolError, match="404 Not found"):
            call("get_issue", issue_iid=99)

    assert ["Nice"] == [note["body"] for note in mia.get(f"{SITE}/merge_requests/1/notes").json() if not note["system"]]
    assert ["mia"] == [
        row["user"]["username"] for row in mia.get(f"{SITE}/merge_requests/1/approvals").json()["approved_by"]
    ]
    assert "closed" == mia.get(f"{SITE}/issues/{issue['iid']}").json()["state"]
    assert "Three" == mia.get(f"{SITE}/releases/v3").json()["name"]
    assert [] == [request.path for request in fakeplat.requests if request.status >= 500]


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[str]:
    """The host of a server with a certificate, whose authority is in ca.pem."""
    with serving(tmp_path, "--tls", str(tmp_path / "ca.pem"), "--set", "instance.version=latest") as ready:
        yield str(ready["url"]).rstrip("/").partition("://")[2]


def test_glpkg_uploads_and_deletes_packages(secure: str, tmp_path: Path) -> None:
    """glpkg uploads a file as a generic package, lists, downloads and deletes it."""
    (tmp_path / "a.txt").write_text("Hello\n", "utf-8")
    tool = Tool(PACKAGES, tmp_path, SSL_CERT_FILE=str(tmp_path / "ca.pem"))
    options = ("-H", secure, "-p", "acme/site", "-t", "mia-token", "-n", "tools")

    tool.run("glpkg", "upload", *options, "-v", "1.0", "-f", "a.txt")
    assert "1.0" in tool.run("glpkg", "list", *options)
    tool.run("glpkg", "download", *options, "-v", "1.0", "-d", "out")
    tool.run("glpkg", "delete", *options, "-v", "1.0")

    assert "Hello\n" == (tmp_path / "out" / "a.txt").read_text("utf-8")
    assert "1.0" not in tool.run("glpkg", "list", *options)


def test_mkdocs_shows_who_wrote_a_page(secure: str, tmp_path: Path) -> None:
    """mkdocs-git-committers-plugin-2 finds the authors of a page with the API."""
    certificates = {name: str(tmp_path / "ca.pem") for name in ("REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO")}
    folder = tmp_path / "docs"
    remote = f"https://oauth2:mia-token@{secure}/acme/docs.git"
    environment = {**os.environ, "GIT_SSL_CAINFO": str(tmp_path / "ca.pem")}
    subprocess.run(["git", "clone", "-q", remote, folder], env=environment, check=True, timeout=60)
    plugin = {
        "gitlab_repository": 5002,
        "gitlab_hostname": secure,
        "api_version": "v4",
        "branch": "main",
        "token": "mia-token",
        "docs_path": "guide/",
    }
    settings = {"site_name": "Docs", "docs_dir": "guide", "plugins": [{"git-committers": plugin}]}
    (folder / "mkdocs.yml").write_text(json.dumps(settings), "utf-8")

    Tool(COMMITTERS, folder, **certificates).run("mkdocs", "build", "-q")

    cached = (folder / ".cache/plugin/git-committers/page-authors.json").read_text("utf-8")
    assert "Rep Example" in cached
