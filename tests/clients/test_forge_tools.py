"""gfo, a command line for all forges: each command's effect is in the world, and what it prints is the world's."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import PythonClient

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest")]

GFO = PythonClient("gfo", "0.11.0")
Run = Callable[..., Any]


@pytest.fixture
def clone(fakeplat: Fakeplat, tmp_path: Path) -> Path:
    """A clone of acme/site by mia."""
    folder = tmp_path / "site"
    git(
        tmp_path,
        "clone",
        "-q",
        fakeplat.url.replace("://", f"://mia:{fakeplat.token('mia')}@") + "/acme/site.git",
        "site",
    )
    for key, value in {"user.name": "Mia Example", "user.email": "mia@example.test"}.items():
        git(folder, "config", key, value)
    return folder


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.fixture
def gfo(fakeplat: Fakeplat, clone: Path, tmp_path: Path) -> Run:
    """Run a command of gfo in the clone, signed in as mia, and return what it prints as JSON."""
    GFO.make()
    host = fakeplat.url.partition("://")[2]

    def run(*arguments: str, given: str = "") -> Any:
        done = subprocess.run(
            [GFO.program("gfo"), "--format", "json", *arguments],
            cwd=clone,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert 0 == done.returncode, done.stdout + done.stderr
        return json.loads(done.stdout) if done.stdout.startswith(("[", "{")) else done.stdout

    run("init", "--non-interactive", "--type", "gitlab", "--host", host, "--api-url", fakeplat.api_url)
    run("auth", "login", "--host", host, "--token-stdin", given=fakeplat.token("mia"))
    return run


def test_gfo_takes_a_change_from_a_branch_to_a_release(fakeplat: Fakeplat, clone: Path, gfo: Run) -> None:
    """A pushed branch becomes a merge request with a reviewer, is approved, merged and released."""
    git(clone, "checkout", "-q", "-b", "topic")
    (clone / "hello.txt").write_text("Hello\n", "utf-8")
    git(clone, "add", ".")
    git(clone, "commit", "-q", "-m", "Say hello")
    git(clone, "push", "-q", "origin", "topic")

    (opened,) = gfo("pr", "create", "--title", "Say hello", "--head", "topic", "--base", "main")
    number = str(opened["number"])
    gfo("pr", "reviewers", "add", number, "dev")
    gfo("pr", "comment", "create", number, "--body", "Nice")
    gfo("pr", "review", "create", number, "--approve")

    assert ["dev"] == gfo("pr", "reviewers", "list", number)
    assert ["hello.txt"] == [changed["filename"] for changed in gfo("pr", "files", number)]
    assert "+Hello" in gfo("pr", "diff", number)
    assert ["Say hello\n"] == [commit["message"] for commit in gfo("pr", "commits", number)]
    gfo("pr", "merge", number, "--squash", "--delete-branch")
    gfo("release", "create", "v9.0.0", "--title", "Nine", "--notes", "All that is new")

    mia = fakeplat.as_user("mia")
    merged = mia.get(f"projects/acme%2Fsite/merge_requests/{number}").json()
    assert ("merged", True) == (merged["state"], merged["squash_on_merge"])
    assert ["dev"] == [user["username"] for user in merged["reviewers"]]
    branches = mia.get("projects/acme%2Fsite/repository/branches").json()
    assert "topic" not in [branch["name"] for branch in branches]
    assert "All that is new" == mia.get("projects/acme%2Fsite/releases/v9.0.0").json()["description"]
    assert ["v9.0.0"] == [release["tag"] for release in gfo("release", "list")]


def test_gfo_manages_a_project(fakeplat: Fakeplat, gfo: Run) -> None:
    """Issues, labels, milestones, wiki pages, members, variables and protected tags are made and listed."""
    (issue,) = gfo("issue", "create", "--title", "From gfo", "--body", "Hello", "--label", "bug")
    gfo("issue", "comment", "create", str(issue["number"]), "--body", "Done")
    gfo("issue", "close", str(issue["number"]))
    gfo("label", "create", "forge", "--color", "112233")
    gfo("milestone", "create", "v9")
    gfo("wiki", "create", "--title", "Home", "--content", "Hello")
    gfo("tag-protect", "create", "v*")
    gfo("variable", "set", "NAME", "--value", "value")
    gfo("variable", "set", "NAME", "--value", "other")

    mia = fakeplat.as_user("mia")
    project = "projects/acme%2Fsite"
    assert "closed" == mia.get(f"{project}/issues/{issue['number']}").json()["state"]
    assert "#112233" == mia.get(f"{project}/labels/forge").json()["color"]
    assert "other" == mia.get(f"{project}/variables/NAME").json()["value"]
    assert "Hello" == mia.get(f"{project}/wikis/home").json()["content"]
    assert ["v*"] == [tag["pattern"] for tag in gfo("tag-protect", "list")]
    assert "v9" in [milestone["title"] for milestone in gfo("milestone", "list")]
    assert [issue["number"]] == [found["number"] for found in gfo("search", "issues", "gfo")]
    assert "mia" == gfo("user", "whoami")["username"]
    # Setting a variable asks first whether it exists.
    refused = [entry for entry in fakeplat.requests if entry.status >= 400 and entry.path.startswith("/api/")]
    assert [(404, "/api/v4/projects/acme%2Fsite/variables/NAME")] == [(entry.status, entry.path) for entry in refused]
