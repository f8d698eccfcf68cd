"""Programs that collect what happened, and keep issues as files, unchanged, against a served world."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import PythonClient

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest")]

ACTIVITY = PythonClient("gitlab-activity", "0.3.1")
ISSUES = PythonClient("gitlab-issue-sync", "0.1.1", python="3.12")
SITE = "projects/acme%2Fsite"


def run(client: PythonClient, folder: Path, *command: str | Path) -> str:
    """Run a program in a folder and return what it prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": client.search_path, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("target", ["acme/site", "acme"])
def test_gitlab_activity_writes_a_changelog(tmp_path: Path, target: str) -> None:
    """The issues and merge requests of a project or group become a changelog, by their labels, with who took part."""
    ACTIVITY.make()
    arguments = "--since 2019-01-01 --until 2030-01-01 --activity issues --activity merge_requests --include-opened"
    program = f'{shlex.quote(str(ACTIVITY.program("gitlab-activity")))} --target "$FAKEPLAT_URL/{target}" {arguments}'
    served = (sys.executable, "-m", "fakeplat", "run", "--tls", "--set", "instance.version=latest", "--set")
    shell = ("instance.tier=ultimate", "--", "sh", "-c", f"{program} --auth mia-token --output changes.md")
    run(ACTIVITY, tmp_path, *served, *shell)
    text = (tmp_path / "changes.md").read_text("utf-8")

    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert ["## Opened MRs", "## Closed Issues", "## Opened Issues"] == headings
    for title, people in (("Search by name [!1]", ("mia", "dev")), ("Broken link on the front page [#1]", ("rep",))):
        (line,) = (line for line in text.splitlines() if title in line)
        assert [] == [name for name in people if f"[@{name}]" not in line]


def test_issues_are_kept_as_files(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """Issues become files; new ones, comments, labels, milestones, links and parents are sent back."""
    ISSUES.make()
    # The program takes the comments of an issue without a description for its description.
    assert 200 == fakeplat.as_user("mia").put(f"{SITE}/issues/5", json={"description": "How?"}).status

    def sync(*arguments: str) -> str:
        return run(ISSUES, tmp_path, ISSUES.program("gl-issue-sync"), *arguments)

    run(ISSUES, tmp_path, "git", "init", "--quiet")
    run(ISSUES, tmp_path, "git", "remote", "add", "origin", f"{fakeplat.url}/acme/site.git")
    sync("init", "--token", fakeplat.token("mia"), "--url", fakeplat.url)
    assert "Synced 5 issues" in sync("pull", "--state", "all")
    folder = tmp_path / ".issues"
    assert ["closed/4.md", *(f"opened/{iid}.md" for iid in (1, 2, 3, 5))] == sorted(
        str(file.relative_to(folder)) for file in folder.glob("[!.]*/*.md")
    )

    sync("label", "create", "fresh", "--color", "#ff0000", "--description", "New")
    sync("milestone", "create", "v9", "--due-date", "2030-01-01")
    sync("new", "Add dark mode", "--label", "bug", "--description", "Please", "--parent", "2")
    sync("comment", "5", "Looks good")
    sync("label", "2", "add", "fresh")
    sync("milestone", "2", "set", "v9")
    sync("linked", "1", "add", "2")
    assert "Issues Changed" in sync("push")

    mia = fakeplat.as_user("mia")
    changed, made = mia.get(f"{SITE}/issues/2").json(), mia.get(f"{SITE}/issues/6").json()
    assert ("v9", ["feature", "fresh"]) == (changed["milestone"]["title"], changed["labels"])
    assert ("Add dark mode", "Please", ["bug"], "task") == (
        made["title"],
        made["description"],
        made["labels"],
        made["issue_type"],
    )
    assert "Looks good" in [note["body"] for note in mia.get(f"{SITE}/issues/5/notes").json()]
    assert [2] == [link["iid"] for link in mia.get(f"{SITE}/issues/1/links").json()]

    sync("milestone", "close", "v9")
    sync("label", "delete", "fresh", "--yes")
    sync("sync", "--state", "all")
    assert ["feature"] == mia.get(f"{SITE}/issues/2").json()["labels"]
    assert "closed" == mia.get(f"{SITE}/milestones?title=v9").json()[0]["state"]
    assert "child_iids:\n- 6" in (folder / "opened" / "2.md").read_text("utf-8")
