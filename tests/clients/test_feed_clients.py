"""feedparser reads the feeds of a served project, as bots and watchers do."""

import json
import os
import subprocess
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import SUITES, PythonClient

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest", default_branch="main")]

FEEDPARSER = PythonClient("feedparser", "6.0.14")


def read(address: str) -> dict[str, Any]:
    """Read a feed twice, the second time with its entity tag, and return what the reader saw."""
    FEEDPARSER.make()
    done = subprocess.run(
        [FEEDPARSER.program("python"), SUITES / "feedparser_watcher.py", address],
        env={"PATH": os.environ["PATH"], "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize(
    "path",
    [
        "acme/site.atom",
        "acme.atom",
        "mia.atom",
        "dashboard/projects.atom",
        "acme/site/-/issues.atom",
        "acme/site/-/merge_requests.atom?state=all&sort=updated_desc",
        "groups/acme/-/merge_requests.atom?state=all",
        "dashboard/issues.atom?assignee_username=dev",
        "acme/site/-/commits/main?format=atom",
        "acme/site/-/tags?format=atom",
        "acme/site/-/releases.atom",
    ],
)
def test_a_watcher_reads_each_feed(fakeplat: Fakeplat, path: str) -> None:
    """Each feed is well-formed Atom, and is not sent again while nothing changes."""
    mia = fakeplat.as_user("mia")
    assert 201 == mia.post("projects/acme%2Fsite/issues", json={"title": "A & B", "description": "*now*"}).status
    assert 201 == mia.post("projects/acme%2Fsite/repository/tags", json={"tag_name": "v9", "ref": "main"}).status
    assert 201 == mia.post("projects/acme%2Fsite/releases", json={"tag_name": "v9", "description": "new"}).status
    mark = "&" if "?" in path else "?"
    seen = read(f"{fakeplat.url}/{path}{mark}feed_token={fakeplat.token('mia', 'feed')}")
    assert (200, False, "atom10") == (seen["status"], seen["bozo"], seen["version"])
    assert seen["title"]
    assert seen["entries"]
    assert len(seen["entries"]) == len({entry["id"] for entry in seen["entries"]})
    assert [304, 0] == seen["again"]


def test_a_watcher_tells_of_a_new_issue(fakeplat: Fakeplat) -> None:
    """An entry has what a bot writes into a chat: who did what, the address and the time."""
    issue = fakeplat.as_user("mia").post("projects/acme%2Fsite/issues", json={"title": "Crash"}).json()
    seen = read(f"{fakeplat.url}/acme/site.atom?feed_token={fakeplat.token('dev', 'feed')}")
    entry = seen["entries"][0]
    assert f"Mia Example opened issue #{issue['iid']}: Crash at Acme / Site" == entry["title"]
    assert (issue["web_url"], "Mia Example") == (entry["link"], entry["author"])
    assert f"{issue['created_at'][:19]}Z" == seen["updated"]


def test_a_watcher_without_a_token_sees_nothing(fakeplat: Fakeplat) -> None:
    """The feed of a private project is refused, and has no entries."""
    seen = read(f"{fakeplat.url}/acme/site.atom")
    assert (401, []) == (seen["status"], seen["entries"])
