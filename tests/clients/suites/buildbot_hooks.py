"""Buildbot's handler of webhooks: reads requests from a file, and prints the changes that it would build of each.

The second argument is a configuration of Buildbot, with the handler's options.
"""

import base64
import json
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

from buildbot.www.hooks.gitlab import GitLabHandler
from twisted.web.test.requesthelper import DummyRequest


def receive(handler, request):
    received = DummyRequest([])
    for name, value in request["headers"].items():
        received.requestHeaders.addRawHeader(name, value)
    received.args = {}
    received.content = BytesIO(base64.b64decode(request["body"]))
    changes, _ = handler.getChanges(received).result
    return [
        {name: change[name] for name in ("author", "branch", "comments", "files", "repository", "revision")}
        for change in changes
    ]


configuration: dict[str, Any] = {}
exec(Path(sys.argv[2]).read_text("utf-8"), {"c": configuration})
handler = GitLabHandler(None, configuration["www"]["change_hook_dialects"]["gitlab"])
print(json.dumps([receive(handler, request) for request in json.loads(Path(sys.argv[1]).read_text("utf-8"))]))
