"""What the tests of planning share: the places of the small town, and short ways to fill them."""

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


def made(fake: Fakeplat, target: str, by: str = "ada", **body: Any) -> dict[str, Any]:
    """What a POST makes."""
    reply = fake.as_user(by).post(target, json=body)
    assert 201 == reply.status, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


def shown(fake: Fakeplat, target: str, by: str | None = "ada") -> Any:
    """What a GET shows."""
    reply = fake.as_user(by).get(target)
    assert 200 == reply.status, reply.text
    return reply.json()


def issue(fake: Fakeplat, place: str = SITE, by: str = "ada", /, **body: Any) -> dict[str, Any]:
    """A new issue."""
    return made(fake, f"{place}/issues", by, **{"title": "One", **body})


def label(fake: Fakeplat, name: str, place: str = SITE) -> dict[str, Any]:
    """A new label."""
    return made(fake, f"{place}/labels", name=name, color="#112233")


def milestone(fake: Fakeplat, title: str, place: str = SITE) -> dict[str, Any]:
    """A new milestone."""
    return made(fake, f"{place}/milestones", title=title)
