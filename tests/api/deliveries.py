"""Deliveries of webhooks, collected without a receiver, and the common parts of their payloads.

Addresses in payloads start with ``http://localhost`` instead of that of the world.
"""

from typing import Any

import orjson

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.outgoing import Outgoing, OutgoingRequest

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
NOW = "2020-11-20 09:00:00 UTC"
ZEROS = "0" * 40

ADA = {
    "name": "Ada Example",
    "username": "ada",
    "avatar_url": "http://localhost/avatar/28ae5bf8fa0cde12855e61ac303859cc?s=80&d=identicon",
    "email": "ada@example.test",
}
SHORT_PROJECT = {
    "id": 5001,
    "name": "Site",
    "description": None,
    "web_url": "http://localhost/acme/site",
    "avatar_url": None,
    "git_ssh_url": "git@127.0.0.1:acme/site.git",
    "git_http_url": "http://localhost/acme/site.git",
    "namespace": "Acme",
    "visibility_level": 0,
    "path_with_namespace": "acme/site",
    "default_branch": "master",
    "ci_config_path": None,
}
PROJECT = {
    **SHORT_PROJECT,
    "homepage": "http://localhost/acme/site",
    "url": "git@127.0.0.1:acme/site.git",
    "ssh_url": "git@127.0.0.1:acme/site.git",
    "http_url": "http://localhost/acme/site.git",
}
REPOSITORY = {
    "name": "Site",
    "url": "git@127.0.0.1:acme/site.git",
    "description": None,
    "homepage": "http://localhost/acme/site",
}
LONG_REPOSITORY = {
    **REPOSITORY,
    "git_http_url": "http://localhost/acme/site.git",
    "git_ssh_url": "git@127.0.0.1:acme/site.git",
    "visibility_level": 0,
}
BUG = {
    "id": 3002,
    "title": "bug",
    "color": "#D9534F",
    "project_id": 5001,
    "created_at": NOW,
    "updated_at": NOW,
    "template": False,
    "description": "Something that does not work",
    "type": "ProjectLabel",
    "group_id": None,
}
URGENT = {
    "id": 3001,
    "title": "urgent",
    "color": "#D10069",
    "project_id": None,
    "created_at": NOW,
    "updated_at": NOW,
    "template": False,
    "description": None,
    "type": "GroupLabel",
    "group_id": 210,
}


class Deliveries:
    """The requests that a world sends, from now on."""

    def __init__(self, fake: Fakeplat) -> None:
        self.fake = fake
        self.requests: list[OutgoingRequest] = []
        fake.bench.platform.outgoing_handlers.append(self._collect)

    def _collect(self, outgoing: Outgoing) -> None:
        if isinstance(outgoing, OutgoingRequest):
            self.requests.append(outgoing)

    def take(self) -> list[OutgoingRequest]:
        """Return what was sent, and forget it."""
        taken, self.requests = self.requests, []
        return taken

    def triggers(self) -> list[str]:
        """Return the triggers of what was sent, and forget it."""
        return [request.trigger for request in self.take()]

    def payloads(self, trigger: str = "") -> list[Any]:
        """Return the payloads of what was sent, or of one trigger, and forget them all."""
        origin = self.fake.url.rstrip("/").encode()
        return [
            orjson.loads(request.body.replace(origin, b"http://localhost"))
            for request in self.take()
            if trigger in ("", request.trigger)
        ]

    def actions(self) -> list[str]:
        """Return the kinds and actions of what was sent, and forget it."""
        return [
            f"{payload['object_kind']} {payload.get('object_attributes', {}).get('action', '')}".strip()
            for payload in self.payloads()
        ]


def receive(fake: Fakeplat, path: str = "acme/site", /, **fields: Any) -> Deliveries:
    """Add a webhook to a project, which gets every event unless fields say otherwise; return what is sent."""
    fake.load({"projects": [{"path_with_namespace": path, "hooks": [fields or EVERYTHING]}]})
    return Deliveries(fake)


def create(fake: Fakeplat, url: str, by: str = "ada", /, **body: Any) -> Any:
    """Create something, which must succeed."""
    reply = fake.as_user(by).post(url, json=body)
    assert reply.status in (200, 201, 202), reply.json()
    return reply.json()


def change(fake: Fakeplat, url: str, by: str = "ada", /, **body: Any) -> Any:
    """Change something, which must succeed."""
    reply = fake.as_user(by).put(url, json=body)
    assert 200 == reply.status, reply.json()
    return reply.json()


def commit(fake: Fakeplat, branch: str, path: str = "new.txt", **body: Any) -> str:
    """Commit a file; return the hash."""
    actions = [{"action": "create", "file_path": path, "content": path}]
    sent = {"branch": branch, "commit_message": f"Add {path}", "actions": actions, **body}
    return str(create(fake, f"{SITE}/repository/commits", **sent)["id"])
