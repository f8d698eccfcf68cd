"""What worlds send to webhooks, collected without any receiver."""

from typing import Any

import orjson

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.outgoing import OUTGOING_REQUEST, OutgoingRequest

URL = "https://receiver.example.com"
FLAGS = (
    "push_events",
    "tag_push_events",
    "issues_events",
    "confidential_issues_events",
    "merge_requests_events",
    "note_events",
    "confidential_note_events",
    "job_events",
    "pipeline_events",
    "wiki_page_events",
    "deployment_events",
    "feature_flag_events",
    "releases_events",
)
EVERYTHING: dict[str, Any] = {"url": f"{URL}/project", **dict.fromkeys(FLAGS, True)}
SITE = "projects/acme%2Fsite"
ORIGIN = "http://localhost"


def collect(fake: Fakeplat) -> list[OutgoingRequest]:
    """Return the list to which all requests of a world will be added."""
    sent: list[OutgoingRequest] = []

    def listen(name: str, subject: Any) -> None:
        if name == OUTGOING_REQUEST:
            sent.append(subject)

    fake.bench.platform.listeners.append(listen)
    return sent


def load_hook(fake: Fakeplat, path: str = "acme/site", **fields: Any) -> None:
    """Add a webhook to a project, which gets every event unless fields say otherwise."""
    fake.load({"projects": [{"path_with_namespace": path, "hooks": [fields or EVERYTHING]}]})


def payloads(sent: list[OutgoingRequest]) -> list[Any]:
    """Return the payloads, and forget what was sent."""
    bodies = [orjson.loads(request.body) for request in sent]
    sent.clear()
    return bodies


def triggers(sent: list[OutgoingRequest]) -> list[str]:
    """Return the triggers, and forget what was sent."""
    names = [request.trigger for request in sent]
    sent.clear()
    return names


def create(fake: Fakeplat, path: str, by: str = "ada", **body: Any) -> Any:
    """Create something, which must succeed."""
    reply = fake.as_user(by).post(path, json=body)
    assert reply.status in (200, 201), reply.json()
    return reply.json()
