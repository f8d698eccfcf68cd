"""Conversion of boards, badges, access requests and notification settings to scenario entries."""

from collections import Counter
from typing import Final

from fakeplat.model.planning import MILESTONE_FILTERS
from fakeplat.tape.export import field_mapping
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import username
from fakeplat.tape.export.subresources import ACCESS_REQUESTS, BADGES, BOARDS, NOTIFICATIONS
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import BADGE, BOARD, PROJECT, USER

_INHERITED: Final = "global"
_CUSTOM: Final = "custom"
_FILTER_WORDS: Final = {filter_.title: filter_.word for filter_ in MILESTONE_FILTERS.values()}


def container_extras(observations: Observations, kind: str, names: tuple[object, ...], left_out: Counter[str]) -> Entry:
    """Return the entries of a group or project (``kind``); ``names`` is its id and path."""

    def rows(name: str) -> list[Document]:
        return observations.subresources_of(kind, names, name) or []

    owner_kind = "project" if kind == PROJECT else "group"
    entries: Entry = {
        BOARDS: [_board_entry(board, left_out) for board in rows(BOARDS)],
        BADGES: [
            field_mapping.map_fields(BADGE, badge, left_out)
            for badge in rows(BADGES)
            if badge.get("kind", owner_kind) == owner_kind
        ],
        ACCESS_REQUESTS: [_access_request(request) for request in rows(ACCESS_REQUESTS)],
        NOTIFICATIONS: [
            {"username": setting.get("username"), **_setting_entry(setting)}
            for setting in rows(NOTIFICATIONS)
            if setting.get("level") != _INHERITED
        ],
    }
    return {name: values for name, values in entries.items() if values}


def _board_entry(board: Document, left_out: Counter[str]) -> Entry:
    entry = field_mapping.map_fields(BOARD, {**board, "labels": None, "lists": None}, left_out)
    lists = [_list_entry(board_list) for board_list in sorted(iterate_objects(board.get("lists")), key=_list_position)]
    # Early releases do not show of what iteration a list is.
    left_out["board lists"] += lists.count(None)
    references: Entry = {
        "lists": [board_list for board_list in lists if board_list is not None],
        "labels": [_label_title(label) for label in iterate_objects(board.get("labels"))],
        "milestone": _scope_milestone(next(iterate_objects(board.get("milestone")), {})),
        "assignee": username(board.get("assignee")),
    }
    return {**entry, **{name: value for name, value in references.items() if value}}


def _scope_milestone(milestone: Document) -> str | None:
    """Return the title of a milestone; of a filter, which has no id, its word."""
    title: str | None = milestone.get("title")
    return title if title is None or "id" in milestone else _FILTER_WORDS.get(title)


def _list_entry(board_list: Document) -> str | Entry | None:
    """Return a board list: the title of a label, or a mapping with an assignee, a milestone or an iteration."""
    assignee = username(board_list.get("assignee"))
    if assignee:
        return {"assignee": assignee}
    for kind in ("milestone", "iteration"):
        title = next(iterate_objects(board_list.get(kind)), {}).get("title")
        if title:
            return {kind: title}
    return _label_title(board_list.get("label"))


def _label_title(label: object) -> str | None:
    return next(iterate_objects(label), {}).get("name")


def _list_position(board_list: Document) -> int:
    position = board_list.get("position")
    return position if isinstance(position, int) else 0


def _access_request(request: Document) -> Entry:
    at = request.get("requested_at")
    return {"username": username(request), **({"requested_at": at} if at else {})}


def _setting_entry(setting: Document) -> Entry:
    """Return a notification level, and for the level custom the enabled events."""
    events = next(iterate_objects(setting.get("events")), {})
    events_entry = (
        {"events": [name for name, is_enabled in events.items() if is_enabled]}
        if setting.get("level") == _CUSTOM
        else {}
    )
    return {"level": setting.get("level"), **events_entry}


def global_setting(observations: Observations, user: Document) -> Entry:
    """Return the global notification settings of a user if they differ from the defaults."""
    for setting in observations.subresources_of(USER, (user["username"],), NOTIFICATIONS) or ():
        email = setting.get("notification_email")
        email_entry = {"notification_email": email} if email and email != user.get("email") else {}
        if email_entry or setting.get("level") != "participating":
            return {"global_notification_setting": {**_setting_entry(setting), **email_entry}}
    return {}
