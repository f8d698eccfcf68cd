"""Payloads of events, written by hand from the facts, and their way to an integration of acme/site."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

import orjson

from fakeplat.domain.hooks.events import EVENTS_BY_FLAG
from fakeplat.domain.integrations import catalog
from fakeplat.domain.integrations.receivers import INTEGRATION_RECEIVERS
from fakeplat.domain.projects import services
from fakeplat.model.outgoing import OutgoingMail, OutgoingRequest
from fakeplat.platform import Platform
from tests.scenario.worlds import project

ORIGIN = "https://fake.test"
SITE = f"{ORIGIN}/acme/site"
ZEROS, BEFORE, AFTER = "0" * 40, "a" * 40, "b" * 40
USER = {"name": "Dev", "username": "dev", "avatar_url": "https://x.test/dev.png", "email": "dev@example.test"}
PROJECT = {"id": 5001, "name": "Site", "web_url": SITE, "avatar_url": "https://x.test/site.png"}
COMMIT: dict[str, Any] = {
    "id": AFTER,
    "message": "Add a page\n\nFixes ABC-7",
    "title": "Add a page",
    "timestamp": "2020-11-20T09:00:00+00:00",
    "url": f"{SITE}/-/commit/{AFTER}",
    "author": {"name": "Dev", "email": "dev@example.test"},
    "added": ["new.md"],
    "modified": ["README.md"],
    "removed": [],
}
PUSH: dict[str, Any] = {
    "object_kind": "push",
    "event_name": "push",
    "before": BEFORE,
    "after": AFTER,
    "ref": "refs/heads/master",
    "checkout_sha": AFTER,
    "user_id": 4,
    "user_name": "Dev",
    "user_username": "dev",
    "user_email": "",
    "user_avatar": "https://x.test/dev.png",
    "project_id": 5001,
    "project": PROJECT,
    "commits": [COMMIT],
    "total_commits_count": 1,
}
TAG_PUSH = {**PUSH, "object_kind": "tag_push", "event_name": "tag_push", "ref": "refs/tags/v2", "before": ZEROS}
ISSUE: dict[str, Any] = {
    "object_kind": "issue",
    "event_type": "issue",
    "user": USER,
    "project": PROJECT,
    "object_attributes": {
        "iid": 7,
        "title": "Broken page",
        "description": "See [the log](https://x.test/log)",
        "state": "opened",
        "action": "open",
        "url": f"{SITE}/-/issues/7",
    },
}
CONFIDENTIAL_ISSUE = {**ISSUE, "event_type": "confidential_issue"}
MERGE_REQUEST: dict[str, Any] = {
    "object_kind": "merge_request",
    "event_type": "merge_request",
    "user": USER,
    "project": PROJECT,
    "object_attributes": {
        "iid": 9,
        "title": "Add a page\nand more",
        "description": "Closes ABC-8",
        "state": "opened",
        "action": "open",
        "merge_status": "unchecked",
        "source_branch": "topic",
        "target_branch": "master",
        "last_commit": COMMIT,
        "url": f"{SITE}/-/merge_requests/9",
    },
}
NOTE: dict[str, Any] = {
    "object_kind": "note",
    "event_type": "note",
    "user": USER,
    "project": PROJECT,
    "object_attributes": {"note": "Nice", "noteable_type": "Issue", "url": f"{SITE}/-/issues/7#note_1"},
    "issue": {"iid": 7, "title": "Broken page"},
}
CONFIDENTIAL_NOTE = {**NOTE, "event_type": "confidential_note"}
PIPELINE: dict[str, Any] = {
    "object_kind": "pipeline",
    "object_attributes": {
        "id": 31,
        "ref": "master",
        "tag": False,
        "sha": AFTER,
        "status": "failed",
        "detailed_status": "failed",
        "finished_at": "2020-11-20 09:00:00 UTC",
        "duration": 7,
    },
    "merge_request": None,
    "user": USER,
    "project": PROJECT,
    "commit": COMMIT,
    "builds": [
        {"id": 1, "stage": "build", "name": "compile", "status": "success"},
        {"id": 2, "stage": "test", "name": "unit", "status": "failed"},
        {"id": 3, "stage": "test", "name": "lint", "status": "failed"},
        {"id": 4, "stage": "test", "name": "flaky", "status": "failed"},
        {"id": 5, "stage": "test", "name": "flaky", "status": "success"},
    ],
}
WIKI_PAGE: dict[str, Any] = {
    "object_kind": "wiki_page",
    "user": USER,
    "project": PROJECT,
    "object_attributes": {
        "title": "Home",
        "message": "Create home",
        "url": f"{SITE}/-/wikis/home",
        "action": "create",
    },
}
DEPLOYMENT: dict[str, Any] = {
    "object_kind": "deployment",
    "status": "success",
    "deployable_id": 5,
    "deployable_url": f"{SITE}/-/jobs/5",
    "environment": "staging",
    "project": PROJECT,
    "short_sha": AFTER[:8],
    "user": USER,
    "user_url": f"{ORIGIN}/dev",
    "commit_url": f"{SITE}/-/commit/{AFTER}",
    "commit_title": "Add a page",
}
ALERT: dict[str, Any] = {
    "object_kind": "alert",
    "project": PROJECT,
    "object_attributes": {
        "title": "Disk full",
        "url": f"{SITE}/-/alert_management/1/details",
        "severity": "critical",
        "events": 3,
        "status": "triggered",
        "started_at": "2020-04-23 01:06:00 UTC",
    },
}
EVENTS: dict[str, dict[str, Any]] = {
    "push_events": PUSH,
    "issues_events": ISSUE,
    "confidential_issues_events": CONFIDENTIAL_ISSUE,
    "merge_requests_events": MERGE_REQUEST,
    "tag_push_events": TAG_PUSH,
    "note_events": NOTE,
    "confidential_note_events": CONFIDENTIAL_NOTE,
    "pipeline_events": PIPELINE,
    "wiki_page_events": WIKI_PAGE,
    "deployment_events": DEPLOYMENT,
    "alert_events": ALERT,
}
"""A payload of each kind of event, by the flag that switches it."""


class _Discard(Exception):
    """Leave the world as it was."""


def with_attributes(payload: Mapping[str, Any], **attributes: Any) -> dict[str, Any]:
    """Return a payload with other ``object_attributes``."""
    return {**payload, "object_attributes": {**payload["object_attributes"], **attributes}}


def deliver(
    platform: Platform,
    slug: str,
    properties: Mapping[str, Any],
    flag: str,
    payload: Mapping[str, Any] | None = None,
    /,
    **fields: Any,
) -> list[Any]:
    """Return what an active integration with settings sends about an event; the world stays as it was."""
    event, usual = EVENTS_BY_FLAG[flag], EVENTS[flag]
    with suppress(_Discard), platform.acting(origin=ORIGIN) as ctx:
        site = project(ctx.world, "acme/site")
        service = services.add_service(ctx, site, catalog.INTEGRATIONS[slug])
        settings = {**service.properties, **properties}
        services.change_fields(ctx, service, **{"active": True, "properties": settings, **fields})
        ctx.outgoing.clear()
        if INTEGRATION_RECEIVERS.wants(ctx.world, site, event):
            INTEGRATION_RECEIVERS.receive(ctx, site, event, payload or usual)
        sent = [outgoing for outgoing in ctx.outgoing if isinstance(outgoing, OutgoingRequest | OutgoingMail)]
        raise _Discard
    return sent


def parse_json(request: OutgoingRequest) -> Any:
    """Return the JSON body of a request."""
    return orjson.loads(request.body)


def parse_slack_payload(request: OutgoingRequest) -> Any:
    """Return what the form of a request to Slack contains."""
    ((payload,),) = parse_qs(request.body.decode(), strict_parsing=True).values()
    return orjson.loads(payload)
