"""What the tests observe of each operation, collected from the requests that the platforms of this process answer.

Each worker writes its own file below .cache/evidence/, which `tools/generate.py` merges: the coverage table and the
role matrix are made from that and from nothing else. Tests that draw their requests by chance are left out, so that
the merged evidence is the same for the same tests.
"""

import json
from pathlib import Path
from typing import Any

import orjson

from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Namespace, UserNamespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.pipeline import RequestHandler
from fakeplat.platform import HandledRequest
from fakeplat.policy.levels import group_level, project_level

FOLDER = Path(__file__).parents[1] / ".cache" / "evidence"
COLLECTED = ("tests/api/", "tests/harness/", "tests/graphql/test_changes.py", "tests/graphql/test_endpoint.py")
SUITES = {"not clients": "test", "clients": "clients"}


class Collector:
    """Notes what the test that is running meets."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._rows: set[str] = set()
        self.test: str | None = None

    def observe(self, entry: HandledRequest, exchange: RequestHandler | None) -> None:
        if self.test is None or not entry.answer.operation or entry.answer.fault:
            return
        row = {
            "operation": entry.answer.operation,
            "status": entry.status,
            "error": error_of(entry),
            "role": role_of(exchange) if exchange is not None else None,
            "test": self.test,
            "client": None,
        }
        self._rows.add(json.dumps(row, sort_keys=True))

    def write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text("".join(f"{row}\n" for row in sorted(self._rows)), "utf-8")


def error_of(entry: HandledRequest) -> str | None:
    """The text of a refusal; a server's port is another one each time."""
    if entry.status < 400:
        return None
    told = entry.answer.body.replace(entry.request.origin.encode(), b"http://localhost")
    try:
        body = orjson.loads(told)
    except orjson.JSONDecodeError:
        return told.decode("utf-8", "replace").strip()
    return body if isinstance(body, str) else json.dumps(body, sort_keys=True, ensure_ascii=False)


def role_of(exchange: RequestHandler) -> str | None:
    """What the caller is where the request went: of a project or group the level, else just signed in."""
    user = exchange.caller.user
    if user is None:
        return "anonymous"
    if user.admin:
        return "admin"
    place: Any = next((found for found in exchange.records if isinstance(found, Project | Namespace)), None)
    if place is None:
        return "signed in"
    level = _level(exchange.world, place, user.id)
    return Level(level).name.lower() if level else ("external" if user.external else "no member")


def _level(world: World, place: Project | Namespace, user_id: int) -> int:
    """The level as it was before the request."""
    if isinstance(place, Project):
        return project_level(world, place, user_id)
    if isinstance(place, UserNamespace):
        return Level.OWNER if place.owner_id == user_id else Level.NONE
    return group_level(world, place, user_id)
