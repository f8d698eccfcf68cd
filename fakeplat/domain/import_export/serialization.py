"""Rows of an export from records: their own fields, with users, labels and milestones beside their ids."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import asdict, fields

from fakeplat.model.planning import Label
from fakeplat.model.world import World

_OWN_ID: Final = (
    "id",
    "project_id",
    "source",
    "subject",
    "source_project_id",
    "moved_to_id",
    "duplicated_to_id",
    "promoted_to_epic_id",
)


def plain_fields(record: Any, *without: str) -> dict[str, Any]:
    """Return the fields of a record as JSON, without ids that mean nothing elsewhere."""
    left_out = {*_OWN_ID, *without}
    named = {field.name for field in fields(type(record))} - left_out
    return {name: value for name, value in asdict(record).items() if name in named}


def user_fields(world: World, **ids: int | None) -> dict[str, Any]:
    """Return the users of a row by role: the id, and what finds the user elsewhere."""
    row: dict[str, Any] = {}
    for role, id_ in ids.items():
        user = world.users.get(id_) if id_ is not None else None
        row |= {f"{role}_id": id_, role: None if user is None else user_row(world, user.id)}
    return row


def user_row(world: World, id_: int) -> dict[str, Any]:
    """Return what identifies a user on another instance."""
    user = world.users[id_]
    return {"id": user.id, "name": user.name, "username": user.username, "public_email": user.public_email or ""}


def label_links(world: World, ids: Iterable[int]) -> list[dict[str, Any]]:
    """Return the labels of a row."""
    return [{"label": label_field(world.labels[id_])} for id_ in ids]


def label_field(label: Label) -> dict[str, Any]:
    """Return a label as part of a row."""
    return {**plain_fields(label), "type": f"{label.source[0].title()}Label"}


def milestone_field(world: World, id_: int | None) -> Mapping[str, Any] | None:
    """Return the milestone of a row."""
    milestone = world.milestones.get(id_) if id_ is not None else None
    return None if milestone is None else {**plain_fields(milestone), f"{milestone.source[0]}_id": milestone.source[1]}
