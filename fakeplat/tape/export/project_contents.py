"""What groups and projects have beside issues: boards, badges, requests for access, settings of notifications."""

from collections import Counter
from typing import Final

from fakeplat.model.boards import MILESTONE_FILTERS
from fakeplat.tape.export import field_mapping as saying
from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.natural_keys import username
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import BADGE, BOARD, PROJECT, USER
from fakeplat.tape.export.subresources import ACCESS_REQUESTS, BADGES, BOARDS, NOTIFICATIONS

_UNSAID: Final = "global"
_CUSTOM: Final = "custom"
_FILTER_WORDS: Final = {filter_.title: filter_.word for filter_ in MILESTONE_FILTERS.values()}


def container_extras(seen: Observations, kind: str, names: tuple[object, ...], left_out: Counter[str]) -> Said:
    """What a group or project (``kind``) with an id and a path has."""

    def listed(word: str) -> list[Document]:
        return seen.parts_of(kind, names, word) or []

    own = "project" if kind == PROJECT else "group"
    found: Said = {
        BOARDS: [_board(board, left_out) for board in listed(BOARDS)],
        BADGES: [
            saying.map_fields(BADGE, badge, left_out) for badge in listed(BADGES) if badge.get("kind", own) == own
        ],
        ACCESS_REQUESTS: [_request(request) for request in listed(ACCESS_REQUESTS)],
        NOTIFICATIONS: [
            {"username": one.get("username"), **_setting(one)}
            for one in listed(NOTIFICATIONS)
            if one.get("level") != _UNSAID
        ],
    }
    return {word: things for word, things in found.items() if things}


def _board(board: Document, left_out: Counter[str]) -> Said:
    said = saying.map_fields(BOARD, {**board, "labels": None, "lists": None}, left_out)
    found: Said = {
        "lists": [_listed(one) for one in sorted(iterate_objects(board.get("lists")), key=_position)],
        "labels": [_titled(label) for label in iterate_objects(board.get("labels"))],
        "milestone": _scope_milestone(next(iterate_objects(board.get("milestone")), {})),
        "assignee": username(board.get("assignee")),
    }
    return {**said, **{name: value for name, value in found.items() if value}}


def _scope_milestone(milestone: Document) -> str | None:
    """Return the title of a milestone; of a filter, which has no id, its word."""
    title: str | None = milestone.get("title")
    return title if title is None or "id" in milestone else _FILTER_WORDS.get(title)


def _listed(one: Document) -> str | Said | None:
    """What a list is of: the title of a label, or an assignee or a milestone by that word."""
    of_somebody, milestone = username(one.get("assignee")), next(iterate_objects(one.get("milestone")), {}).get("title")
    if of_somebody:
        return {"assignee": of_somebody}
    return {"milestone": milestone} if milestone else _titled(one.get("label"))


def _titled(label: object) -> str | None:
    return next(iterate_objects(label), {}).get("name")


def _position(listed: Document) -> int:
    position = listed.get("position")
    return position if isinstance(position, int) else 0


def _request(request: Document) -> Said:
    at = request.get("requested_at")
    return {"username": username(request), **({"requested_at": at} if at else {})}


def _setting(one: Document) -> Said:
    """A level, and at the level custom the events that are on."""
    events = next(iterate_objects(one.get("events")), {})
    on = {"events": [name for name, wanted in events.items() if wanted]} if one.get("level") == _CUSTOM else {}
    return {"level": one.get("level"), **on}


def global_setting(seen: Observations, user: Document) -> Said:
    """Of what a user wants to be told everywhere, where that is not as it is for everybody."""
    for one in seen.parts_of(USER, (user["username"],), NOTIFICATIONS) or ():
        email = one.get("notification_email")
        other = {"notification_email": email} if email and email != user.get("email") else {}
        if other or one.get("level") != "participating":
            return {"global_notification_setting": {**_setting(one), **other}}
    return {}
