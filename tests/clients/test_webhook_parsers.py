"""Public parsers of webhooks read what worlds send: the router of gidgetlab gets every kind of payload."""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.outgoing import OUTGOING_REQUEST, OutgoingRequest
from tests.clients.environments import PythonClient

pytestmark = pytest.mark.xdist_group("gidgetlab-2.1.2")
GIDGETLAB = PythonClient("gidgetlab", "2.1.2", ("gidgetlab_suite.py",), extras="[aiohttp]")
SITE = "projects/acme%2Fsite"
SECRET = "secret"  # of the webhook in this file
FLAGS = (
    *("push_events", "tag_push_events", "issues_events", "confidential_issues_events", "merge_requests_events"),
    *("note_events", "confidential_note_events", "job_events", "pipeline_events", "wiki_page_events"),
    *("deployment_events", "feature_flag_events", "releases_events"),
)
HOOK = {"url": "https://bot.example.com", "token": SECRET, **dict.fromkeys(FLAGS, True)}
ROUTER = Path(__file__).parent / "suites" / "gidgetlab_router.py"
CONTENT = "test: {script: x, environment: {name: production}}"


@pytest.fixture
def sent(fakeplat: Fakeplat) -> list[OutgoingRequest]:
    """What a day of work sends: at least one event of each kind."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "hooks": [HOOK]}]})
    sent: list[OutgoingRequest] = []

    def listen(name: str, subject: Any) -> None:
        if name == OUTGOING_REQUEST:
            sent.append(subject)

    fakeplat.bench.platform.listeners.append(listen)
    work(fakeplat)
    return sent


def work(fake: Fakeplat) -> None:
    ada = fake.as_user("ada")
    ada.post(f"{SITE}/issues", json={"title": "Open", "labels": "bug"})
    ada.post(f"{SITE}/issues", json={"title": "Secret", "confidential": True})
    ada.post(f"{SITE}/issues/6/notes", json={"body": "Yes\n/label ~urgent\n/close"})
    ada.post(f"{SITE}/issues/7/notes", json={"body": "No"})
    actions = [{"action": "update", "file_path": ".gitlab-ci.yml", "content": CONTENT}]
    body = {"branch": "feature", "commit_message": "Ship", "actions": actions}
    ada.post(f"{SITE}/repository/commits", json=body)
    ada.post(f"{SITE}/merge_requests/1/approve")
    fake.settle()
    ada.put(f"{SITE}/merge_requests/1/merge")
    ada.post(f"{SITE}/repository/tags", json={"tag_name": "v2", "ref": "master", "message": "Two"})
    ada.post(f"{SITE}/releases", json={"tag_name": "v2", "name": "Two"})
    ada.post(f"{SITE}/feature_flags", json={"name": "new", "version": "new_version_flag"})
    ada.put(f"{SITE}/feature_flags/new", json={"active": False})
    ada.post(f"{SITE}/wikis", json={"title": "home", "content": "Welcome"})


def test_the_router_of_gidgetlab_reads_every_kind(sent: list[OutgoingRequest], tmp_path: Path) -> None:
    """It checks the token and the content type, and routes by the keys of the payload."""
    GIDGETLAB.make()
    requests = [{"headers": dict(request.headers), "body": base64.b64encode(request.body).decode()} for request in sent]
    (tmp_path / "sent.json").write_text(json.dumps(requests), "utf-8")
    result = subprocess.run(
        [GIDGETLAB.program("python"), ROUTER, tmp_path / "sent.json", SECRET],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert 0 == result.returncode, result.stderr
    routed = json.loads(result.stdout)

    assert len(sent) == len(routed)
    assert {
        "Confidential Issue Hook",
        "Confidential Note Hook",
        "Deployment Hook",
        "Feature Flag Hook",
        "Issue Hook: close",
        "Issue Hook: open",
        "Issue Hook: update",
        "Job Hook",
        "Merge Request Hook: approved",
        "Merge Request Hook: merge",
        "Merge Request Hook: update",
        "Note Hook",
        "Pipeline Hook",
        "Push Hook",
        "Release Hook",
        "Tag Push Hook",
        "Wiki Page Hook",
    } == {*routed}
