"""Access tokens of projects and groups. Each belongs to a bot user, who is a Maintainer there unless the entry differs.

They are exported as users with ``bot_of`` and tokens, which preserves the order of users and members.
"""

from typing import Final

from fakeplat.core.schema.shapes import BOOLEAN, DATE_OR_DATE_TIME, DATE_TIME, TEXT, Choice, ListOf, Nullable, Object
from fakeplat.domain.people import tokens
from fakeplat.model.people import Token
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section
from fakeplat.scenario.sections.people.members import LEVEL
from fakeplat.scenario.sections.people.tokens import SCOPES

_CHECKED = ("name", "value", "scopes", "expires_at", "access_level")


def _create(entry: Entry) -> Token:
    value = entry.values.get("value")
    token = tokens.find(entry.world, "project", value) if value else None
    if token is None or entry.owner.id not in (token.project_id, token.group_id):
        token = tokens.create_for_container(entry.ctx, entry.owner, **entry.select(_CHECKED))
        token = entry.world.tokens.change(token, created_at=entry.since)
    return entry.world.tokens.change(token, **entry.select(("name", "scopes", "expires_at", "revoked", "created_at")))


def _export(_world: World, _container: Routable) -> None:
    """Export nothing; see above."""


SECTION: Final = Section(
    "access_tokens",
    within=("project", "group"),
    rank=FURTHER,
    keys=Object(
        {
            "name": TEXT,
            "value": TEXT,
            "scopes": ListOf(Choice(*SCOPES)),
            "expires_at": Nullable(DATE_OR_DATE_TIME),
            "revoked": BOOLEAN,
            "created_at": DATE_TIME,
            "access_level": LEVEL,
        },
        required=("name",),
    ),
    create=_create,
    export=_export,
    record=Token,
)
