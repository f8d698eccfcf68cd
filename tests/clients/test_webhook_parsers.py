"""Public parsers of webhooks read what worlds send: gidgetlab's router, Buildbot's handler, and a bot on Node.js."""

import base64
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.outgoing import Outgoing, OutgoingRequest
from tests.clients.documented import settings
from tests.clients.environments import NodeClient, PythonClient
from tests.clients.programs import get_program

GIDGETLAB = PythonClient("gidgetlab", "2.1.2", ("gidgetlab_suite.py",), extras="[aiohttp]")
BUILDBOT = PythonClient("buildbot", "4.3.0")
PYDANTIC = PythonClient("pydantic-gitlab-webhooks", "0.3.54")
NODE = NodeClient("node-gitlab-webhook", "1.0.6")
SUITES = Path(__file__).parent / "suites"
SITE = "projects/acme%2Fsite"
SECRET = "secret"  # of the webhook in this file
FLAGS = (
    *("push_events", "tag_push_events", "issues_events", "confidential_issues_events", "merge_requests_events"),
    *("note_events", "confidential_note_events", "job_events", "pipeline_events", "wiki_page_events"),
    *("deployment_events", "feature_flag_events", "releases_events"),
)
HOOK = {"url": "https://bot.example.com", "token": SECRET, **dict.fromkeys(FLAGS, True)}
CONTENT = "test: {script: x, environment: {name: production}}"


@pytest.fixture
def sent(fakeplat: Fakeplat) -> list[OutgoingRequest]:
    """What a day of work sends: at least one event of each kind."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "hooks": [HOOK]}]})
    sent: list[OutgoingRequest] = []

    def collect(outgoing: Outgoing) -> None:
        if isinstance(outgoing, OutgoingRequest):
            sent.append(outgoing)

    fakeplat.bench.platform.outgoing_handlers.append(collect)
    cause_events(fakeplat)
    return sent


def cause_events(fake: Fakeplat) -> None:
    ada = fake.as_user("ada")
    ada.post(f"{SITE}/issues", json={"title": "Open", "labels": "bug"})
    ada.post(f"{SITE}/issues", json={"title": "Secret", "confidential": True})
    ada.post(f"{SITE}/issues/6/notes", json={"body": "Yes\n/label ~urgent\n/close"})
    ada.post(f"{SITE}/issues/7/notes", json={"body": "No"})
    actions = [{"action": "update", "file_path": ".gitlab-ci.yml", "content": CONTENT}]
    body = {"branch": "feature", "commit_message": "Ship", "actions": actions}
    ada.post(f"{SITE}/repository/commits", json=body)
    ada.post(f"{SITE}/merge_requests/1/notes", json={"body": "Nice"})
    ada.post(f"{SITE}/merge_requests/1/approve")
    fake.settle()
    ada.put(f"{SITE}/merge_requests/1/merge")
    ada.post(f"{SITE}/repository/tags", json={"tag_name": "v2", "ref": "master", "message": "Two"})
    ada.post(f"{SITE}/releases", json={"tag_name": "v2", "name": "Two"})
    ada.post(f"{SITE}/feature_flags", json={"name": "new", "version": "new_version_flag"})
    ada.put(f"{SITE}/feature_flags/new", json={"active": False})
    ada.post(f"{SITE}/wikis", json={"title": "home", "content": "Welcome"})


def run_parser(
    sent: list[OutgoingRequest], client: PythonClient, script: str, folder: Path, *arguments: str
) -> list[Any]:
    """What a script of a client prints about all requests."""
    client.make()
    requests = [{"headers": dict(request.headers), "body": base64.b64encode(request.body).decode()} for request in sent]
    file = folder / "sent.json"
    file.write_text(json.dumps(requests), "utf-8")
    command: list[str | Path] = [client.program("python"), SUITES / script, file, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert 0 == result.returncode, result.stderr
    return list(json.loads(result.stdout))


@pytest.mark.xdist_group("gidgetlab-2.1.2")
def test_the_router_of_gidgetlab_reads_every_kind(sent: list[OutgoingRequest], tmp_path: Path) -> None:
    """The router of gidgetlab checks the token and routes every kind of webhook by its payload."""
    routed = run_parser(sent, GIDGETLAB, "gidgetlab_router.py", tmp_path, SECRET)

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


@pytest.mark.clients
@pytest.mark.xdist_group("gidgetlab-2.1.2")
def test_the_bot_of_gidgetlab_answers(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The documented bot of gidgetlab comments on a new issue."""
    GIDGETLAB.make()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = tmp_path / "bot.py"
    script.write_text(settings(fakeplat, "webhooks", script.name), "utf-8")
    variables = {"FAKEPLAT_URL": fakeplat.url, "BOT_PORT": str(port)}
    with run_program(GIDGETLAB.program("python"), "-u", script, **variables) as printed:
        assert f"Running on http://127.0.0.1:{port}" in next(printed)
        hook = {"url": f"http://127.0.0.1:{port}/", "token": "webhook-secret", "issues_events": True}
        fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "hooks": [hook]}]})
        fakeplat.as_user("rep").post(f"{SITE}/issues", json={"title": "Printer jams"})
        assert 200 == fakeplat.hooks.wait_for("issue").status

    (note,) = fakeplat.as_user("dev").get(f"{SITE}/issues/6/notes").json()
    assert ("Thanks for the report", "dev") == (note["body"], note["author"]["username"])


@pytest.mark.clients
@pytest.mark.xdist_group("buildbot-4.3.0")
def test_buildbot_finds_the_changes_to_build(fakeplat: Fakeplat, sent: list[OutgoingRequest], tmp_path: Path) -> None:
    """Buildbot finds changes in pushes, merge requests and comments on merge requests."""
    configuration = tmp_path / "master.cfg"
    text = settings(fakeplat, "webhooks", configuration.name, **{"webhook-secret": SECRET})
    configuration.write_text(text, "utf-8")
    changes = run_parser(sent, BUILDBOT, "buildbot_hooks.py", tmp_path, str(configuration))
    built = {
        (request.trigger, change["branch"], change["comments"].partition("\n")[0], tuple(change["files"]))
        for request, parsed in zip(sent, changes, strict=True)
        for change in parsed
    }

    assert {
        ("push_hooks", "feature", "Ship", (".gitlab-ci.yml",)),
        ("merge_request_hooks", "master", "MR#1: Search by name", ()),
        ("note_hooks", "master", "MR#1: Search by name", ()),
    } <= built


@contextmanager
def run_program(*command: str | Path, **variables: str) -> Iterator[IO[str]]:
    """A program, and what it prints."""
    environment = {**os.environ, **variables}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.kill()


@pytest.mark.clients
@pytest.mark.xdist_group("node-gitlab-webhook-1.0.6")
@pytest.mark.parametrize("clock", ["real", "virtual", "auto"])
def test_a_bot_on_node_receives_every_delivery(fakeplat_factory: Any, clock: str) -> None:
    """A bot on Node receives every delivery with its token, event header and JSON under each clock."""
    NODE.make()
    script = shutil.copy(SUITES / "node_webhook_bot.cjs", NODE.folder)
    with run_program(get_program("node"), script, SECRET) as bot, fakeplat_factory(clock=clock) as fake:
        hook = {**HOOK, "url": f"http://127.0.0.1:{next(bot).strip()}/webhook"}
        fake.load({"projects": [{"path_with_namespace": "acme/site", "hooks": [hook]}]})
        cause_events(fake)
        fake.hooks.join()
        deliveries = [*fake.hooks]
        received = [next(bot).split()[0] for _ in deliveries]

    assert {("delivered", 200)} == {(delivery.state, delivery.status) for delivery in deliveries}
    assert [delivery.json["object_kind"] for delivery in deliveries] == received


@pytest.mark.clients
@pytest.mark.xdist_group("pydantic-gitlab-webhooks-0.3.54")
@pytest.mark.fakeplat(version="latest", tier="premium")
def test_pydantic_gitlab_webhooks_accepts_the_payloads_of_today(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The models of pydantic-gitlab-webhooks have a kind for each payload, with all fields that they require."""
    sent: list[OutgoingRequest] = []

    def collect(outgoing: Outgoing) -> None:
        if isinstance(outgoing, OutgoingRequest):
            sent.append(outgoing)

    fakeplat.bench.platform.outgoing_handlers.append(collect)
    # The models take addresses of real domains only, and no missing name of a pipeline.
    fakeplat.as_user("root").put("users/2", json={"email": "ada@example.com", "skip_reconfirmation": True})
    fakeplat.as_user("root").put("users/2", json={"public_email": "ada@example.com"})
    # The model of jobs requires a runner and the pipeline that triggered theirs; most jobs have neither.
    hook = {**HOOK, "job_events": False}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "hooks": [hook]}]})
    cause_events_of_today(fakeplat)

    read = run_parser(sent, PYDANTIC, "pydantic_webhooks.py", tmp_path)

    assert [] == [row for row in read if not isinstance(row[1], str)]
    assert {
        "deployment": "DeploymentEvent",
        "issue": "IssueEvent",
        "merge_request": "MergeRequestEvent",
        "note": "MergeRequestNoteEvent",
        "pipeline": "PipelineEvent",
        "push": "PushEvent",
        "release": "ReleaseEvent",
        "tag_push": "TagPushEvent",
        "wiki_page": "WikiPageEvent",
    } == dict(read)


def cause_events_of_today(fake: Fakeplat) -> None:
    """Cause events that have everything that is optional on the platform and required by the models."""
    ada = fake.as_user("ada")
    ada.post(f"{SITE}/issues", json={"title": "Open", "labels": "bug"})
    ada.post(f"{SITE}/issues/6/notes", json={"body": "Yes"})
    actions = [{"action": "update", "file_path": ".gitlab-ci.yml", "content": f"workflow: {{name: Build}}\n{CONTENT}"}]
    body = {"branch": "main", "commit_message": "Ship", "actions": actions, "author_email": "ada@example.com"}
    ada.post(f"{SITE}/repository/commits", json=body)
    ada.put(f"{SITE}/merge_requests/1", json={"title": "Draft: Search"})
    ada.post(f"{SITE}/merge_requests/1/notes", json={"body": "Nice"})
    fake.settle()
    ada.post(f"{SITE}/repository/tags", json={"tag_name": "v2", "ref": "main", "message": "Two"})
    ada.post(f"{SITE}/releases", json={"tag_name": "v2", "name": "Two", "description": "All that is new"})
    ada.post(f"{SITE}/wikis", json={"title": "home", "content": "Welcome"})
