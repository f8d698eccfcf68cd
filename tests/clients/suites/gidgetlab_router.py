"""A bot with gidgetlab's router: reads requests from a file, and prints to which of its routes each was dispatched."""

import asyncio
import base64
import json
import sys
from pathlib import Path
from typing import Any

from gidgetlab import routing, sansio

router = routing.Router()
routed: list[Any] = []
PROJECT = 5001
EVENTS = (
    "Confidential Issue Hook",
    "Confidential Note Hook",
    "Deployment Hook",
    "Feature Flag Hook",
    "Job Hook",
    "Note Hook",
    "Pipeline Hook",
    "Push Hook",
    "Release Hook",
    "Tag Push Hook",
    "Wiki Page Hook",
)
ACTIONS = {
    "Issue Hook": ("open", "update", "close", "reopen"),
    "Merge Request Hook": ("open", "update", "close", "reopen", "merge", "approved", "unapproved"),
}


def register(event, name, **detail):
    @router.register(event, **detail)
    async def note(received):
        # Events of jobs have the id of the project only.
        project_id = received.data["project_id"] if event == "Job Hook" else received.project_id
        assert project_id == PROJECT
        assert isinstance(received.object_attributes, dict)
        routed.append(name)


async def main(requests, secret):
    for event in EVENTS:
        register(event, event)
    for event, actions in ACTIONS.items():
        for action in actions:
            register(event, f"{event}: {action}", action=action)
    for request in requests:
        # Names of headers are case-insensitive in what aiohttp hands over.
        headers = {name.lower(): value for name, value in request["headers"].items()}
        event = sansio.Event.from_http(headers, base64.b64decode(request["body"]), secret=secret)
        await router.dispatch(event)
    print(json.dumps(routed))


file, expected_secret = sys.argv[1:]
asyncio.run(main(json.loads(Path(file).read_text("utf-8")), expected_secret))
