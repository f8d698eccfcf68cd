"""Helpers for tests of issues, labels and milestones: paths of the small company, and functions to create records."""

from typing import Any

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import Outcome

SITE, DOCS, KIT, NOTES = (
    "projects/acme%2Fsite",
    "projects/acme%2Fdocs",
    "projects/acme%2Ftools%2Fkit",
    "projects/ada%2Fnotes",
)
ACME, TOOLS = "groups/acme", "groups/acme%2Ftools"
MISSING: Outcome = (404, {"message": "404 Not found"})


def create_record(fake: Fakeplat, target: str, by: str = "ada", **body: Any) -> dict[str, Any]:
    """Create a record with a POST; return it."""
    reply = fake.as_user(by).post(target, json=body)
    assert 201 == reply.status, reply.text
    record: dict[str, Any] = reply.json()
    return record


def get_json(fake: Fakeplat, target: str, by: str | None = "ada") -> Any:
    """Return the response to a GET."""
    reply = fake.as_user(by).get(target)
    assert 200 == reply.status, reply.text
    return reply.json()


def issue(fake: Fakeplat, container: str = SITE, by: str = "ada", /, **body: Any) -> dict[str, Any]:
    """Create an issue."""
    return create_record(fake, f"{container}/issues", by, **{"title": "One", **body})


def label(fake: Fakeplat, name: str, container: str = SITE) -> dict[str, Any]:
    """Create a label."""
    return create_record(fake, f"{container}/labels", name=name, color="#112233")


def milestone(fake: Fakeplat, title: str, container: str = SITE) -> dict[str, Any]:
    """Create a milestone."""
    return create_record(fake, f"{container}/milestones", title=title)
