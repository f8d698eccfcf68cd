"""Programs that write changelogs, tags and lists of contributors from what the platform knows."""

import json
from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import NodeClient, PythonClient
from tests.clients.tools import Tool, clone

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest")]

CLIFF = PythonClient("git-cliff", "2.14.2")
SEMVERTAG = PythonClient("semvertag", "0.11.1")
CONTRIBUTORS = NodeClient("all-contributors-cli", "6.26.1")
SITE = "projects/acme%2Fsite"
TEMPLATE = """
[remote.gitlab]
owner = "acme"
repo = "site"
[changelog]
body = '{% for c in commits %}{{ c.message }} by {{ c.remote.username }};{% endfor %}'
[git]
conventional_commits = false
filter_unconventional = false
"""


def test_git_cliff_names_authors(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """git-cliff finds the authors of commits with the API, page by page, after a merge."""
    mia = fakeplat.as_user("mia")
    assert 200 == mia.put(f"{SITE}/merge_requests/1/merge", json={"squash": True}).status
    folder = clone(fakeplat.url, fakeplat.token("mia"), "acme/site", tmp_path)
    (folder / "cliff.toml").write_text(TEMPLATE, "utf-8")
    variables = {"GITLAB_API_URL": fakeplat.api_url.rstrip("/"), "GITLAB_TOKEN": fakeplat.token("mia")}

    printed = Tool(CLIFF, folder, **variables).run("git-cliff", "-c", "cliff.toml")

    assert "Initial commit by Ada Example" in printed
    assert [] == [request.path for request in fakeplat.requests if request.status >= 400 and "/api/" in request.path]


def test_semvertag_tags_the_next_version(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """semvertag tags the newest commit with the version that its message asks for, and nothing a second time."""
    mia = fakeplat.as_user("mia")
    mia.post(f"{SITE}/repository/tags", json={"tag_name": "1.2.0", "ref": "main"})
    actions = [{"action": "create", "file_path": "new.txt", "content": "x"}]
    body = {"branch": "main", "commit_message": "feat: something new", "actions": actions}
    newest = mia.post(f"{SITE}/repository/commits", json=body).json()["id"]
    variables = {"SEMVERTAG_TOKEN": fakeplat.token("mia"), "CI_PROJECT_ID": "5001", "GITLAB_CI": "true"}
    tool = Tool(SEMVERTAG, tmp_path, **variables)
    options = ("--provider", "gitlab", "--gitlab-endpoint", fakeplat.url.rstrip("/"))
    strategy = ("--strategy", "conventional-commits")

    tool.run("semvertag", *options, *strategy, "tag")
    tool.run("semvertag", *options, *strategy, "tag")

    tags = {tag["name"]: tag["commit"]["id"] for tag in mia.get(f"{SITE}/repository/tags").json()}
    assert newest == tags["1.3.0"]
    assert {"v1.0", "1.2.0", "1.3.0"} == {*tags}


def test_all_contributors_adds_people(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """all-contributors-cli finds who committed and is not listed, and adds a person with what they did."""
    folder = clone(fakeplat.url, fakeplat.token("mia"), "acme/site", tmp_path)
    settings = {
        "projectName": "site",
        "projectOwner": "acme",
        "repoType": "gitlab",
        "repoHost": fakeplat.url.rstrip("/"),
        "files": ["README.md"],
        "imageSize": 100,
        "commit": False,
        "contributors": [],
    }
    (folder / ".all-contributorsrc").write_text(json.dumps(settings), "utf-8")
    tool = Tool(CONTRIBUTORS, folder, PRIVATE_TOKEN=fakeplat.token("mia"))

    assert "Ada Example" in tool.run("all-contributors", "check")
    tool.run("all-contributors", "add", "dev", "code,doc")

    (row,) = json.loads((folder / ".all-contributorsrc").read_text("utf-8"))["contributors"]
    assert ("dev", "Dev Example", ["code", "doc"]) == (row["login"], row["name"], row["contributions"])
