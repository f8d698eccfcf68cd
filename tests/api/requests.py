"""Helpers for tests of operations: expected outcomes, refusals that must not change anything, multipart forms."""

from collections.abc import Iterable, Mapping
from typing import Any

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import TOKEN_USE_IS_RECORDED
from fakeplat.workbench.journal_entries import Reply

Outcome = tuple[int, Any]

PAGE_HEADERS = ("X-Total", "X-Total-Pages", "X-Per-Page", "X-Page", "X-Next-Page", "X-Prev-Page", "Link")

UNAUTHORIZED: Outcome = (401, {"message": "401 Unauthorized"})
FORBIDDEN: Outcome = (403, {"message": "403 Forbidden"})
NO_ROUTE: Outcome = (404, {"error": "404 Not Found"})
UNMODIFIED: Outcome = (304, None)
STALE: Outcome = (412, {"message": "412 Precondition Failed"})
LONG_AGO = {"If-Unmodified-Since": "Wed, 01 Jan 2020 00:00:00 GMT"}


def resource_not_found(resource: str) -> Outcome:
    """The 404 of a resource."""
    return 404, {"message": f"404 {resource} Not Found"}


def invalid(text: str) -> Outcome:
    """The 400 of a parameter."""
    return 400, {"error": text}


def missing_value(name: str) -> str:
    """The text about a required parameter that accepts certain values only and was not sent."""
    return f"{name} is missing, {name} does not have a valid value"


def invalid_record(**texts: list[str]) -> Outcome:
    """The 400 of a record."""
    return 400, {"message": texts}


def outcome(reply: Reply) -> Outcome:
    return reply.status, reply.json()


def refusal(fake: Fakeplat, username: str | None, method: str, path: str, **rest: Any) -> Outcome:
    """Send a request that must not change the world; return the outcome."""
    calls = fake.as_user(username)
    if fake.bench.platform.view.profile.has(TOKEN_USE_IS_RECORDED):
        calls.get("version")  # The first use of a token changes the token, whatever is asked.
    before = fake.bench.platform.state
    reply = calls.request(method, path, **rest)
    assert before is fake.bench.platform.state, "the refusal changed the world"
    return outcome(reply)


def names(rows: Iterable[Mapping[str, Any]], key: str) -> list[Any]:
    return [row[key] for row in rows]


def paths(reply: Reply) -> list[str]:
    """Return the full paths of the projects in a list."""
    return names(reply.json(), "path_with_namespace")


def usernames(reply: Reply) -> list[str]:
    return names(reply.json(), "username")


def person(fake: Fakeplat, username: str) -> int:
    """Return a user's id."""
    return int(fake.world.user(username).id)


def form(**parts: str | tuple[str, str, bytes]) -> dict[str, Any]:
    """Return a multipart form of texts, and files as (file name, content type, content)."""
    lines: list[bytes] = []
    for name, part in parts.items():
        lines.append(b"--border")
        if isinstance(part, str):
            lines += [f'Content-Disposition: form-data; name="{name}"'.encode(), b"", part.encode()]
            continue
        filename, content_type, content = part
        disposition = f'Content-Disposition: form-data; name="{name}"; filename="{filename}"'
        lines += [disposition.encode(), f"Content-Type: {content_type}".encode(), b"", content]
    lines += [b"--border--", b""]
    return {"data": b"\r\n".join(lines), "headers": {"content-type": "multipart/form-data; boundary=border"}}
