"""Credentials of users. Source: docs/contract.md ('People and tokens')."""

from typing import Any, Final, get_args

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_OR_DATE_TIME, TEXT, Choice, ListOf, Nullable, Object
from fakeplat.domain.people import namespaces, tokens
from fakeplat.model.users import Token, TokenKind, User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling

SCOPES: Final = (*tokens.SCOPES, tokens.SUDO, "openid", "profile", "email")
_OWN: Final = fields(
    Token,
    without=("id", "user_id", "project_id"),
    kind=Choice(*get_args(TokenKind)),
    scopes=ListOf(Choice(*SCOPES)),
    expires_at=Nullable(DATE_OR_DATE_TIME),
)
_CHECKED: Final = ("value", "name", "scopes", "expires_at")


def _make(entry: Entry) -> Token:
    kind: TokenKind = entry.said.get("kind", "personal")
    value = entry.said.get("value")
    found = tokens.find(entry.world, kind, value) if value else None
    if found is None or found.user_id != entry.owner.id:
        project = entry.project_or_none("project")
        found = tokens.create(entry.ctx, entry.owner, kind, **entry.given(_CHECKED), project=project)
        found = entry.world.tokens.change(found, created_at=entry.since)
    return entry.world.tokens.change(found, **entry.given(_OWN))


def _tell(world: World, user: User) -> list[tuple[Token, Told]] | None:
    found = [(token, _told(world, user, token)) for token in world.tokens.where("user", user.id)]
    usual = {"value": f"{user.username}-token"}
    return None if user.kind == "human" and [told for _, told in found] == [usual] else found


def _told(world: World, user: User, token: Token) -> dict[str, Any]:
    expected = {
        "kind": "personal",
        "name": f"{token.kind} token",
        "scopes": list(tokens.all_scopes(user)),
        "created_at": user.created_at,
    }
    found = telling.remove_defaults(telling.non_default_fields(token, _OWN, always=("scopes",)), **expected)
    project = world.projects.get(token.project_id) if token.project_id else None
    return {**found, "project": namespaces.project_path(world, project)} if project else found


SECTION: Final = Section(
    "tokens",
    under=("user",),
    rank=FURTHER,
    keys=Object({**_OWN, "project": TEXT}),
    make=_make,
    tell=_tell,
    named="value",
)
