"""Tokens of projects, each that of a bot user who is a Maintainer.

A world tells them as users with ``bot_of`` and their tokens, which keeps the order of users and members.
"""

from typing import Any, Final

from fakeplat.core.schema.shapes import BOOLEAN, DATE_OR_DATE_TIME, DATE_TIME, TEXT, Choice, ListOf, Nullable, Object
from fakeplat.domain.people import tokens
from fakeplat.model.users import Token
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections.tokens import SCOPES

_CHECKED = ("name", "value", "scopes", "expires_at")


def _make(entry: Entry) -> Token:
    value = entry.said.get("value")
    found = tokens.find(entry.world, "project", value) if value else None
    if found is None or found.project_id != entry.owner.id:
        found = tokens.create_for_project(entry.ctx, entry.owner, **entry.given(_CHECKED))
        found = entry.world.tokens.change(found, created_at=entry.since)
    return entry.world.tokens.change(found, **entry.given(("name", "scopes", "expires_at", "revoked", "created_at")))


def _tell(world: World, project: Any) -> list[tuple[Token, Told]] | None:
    del world, project
    return None


SECTION: Final = Section(
    "access_tokens",
    under=("project",),
    rank=FURTHER,
    keys=Object(
        {
            "name": TEXT,
            "value": TEXT,
            "scopes": ListOf(Choice(*SCOPES)),
            "expires_at": Nullable(DATE_OR_DATE_TIME),
            "revoked": BOOLEAN,
            "created_at": DATE_TIME,
        },
        required=("name",),
    ),
    make=_make,
    tell=_tell,
)
