"""OAuth applications, with their unused authorization codes and their own tokens."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_OR_DATE_TIME, NULLABLE_TEXT, TEXT, Choice, ListOf, Nullable, Object
from fakeplat.domain.oauth import applications
from fakeplat.domain.oauth.scopes import SUPPORTED
from fakeplat.domain.people import tokens
from fakeplat.model.oauth import AuthorizationGrant, OAuthApplication
from fakeplat.model.people import Token
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, MEMBERSHIPS, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

_KIND: Final = "oauth_application"
_SCOPES: Final = ListOf(Choice(*SUPPORTED))
_FIELDS: Final = fields(OAuthApplication, without=("id", "owner_id"))
_GRANT_FIELDS: Final = fields(AuthorizationGrant, without=("id", "application_id", "user_id"), scopes=_SCOPES)
_TOKEN_FIELDS: Final = fields(
    Token,
    without=("id", "user_id", "kind", "project_id", "job_id", "application_id", "refresh_token"),
    scopes=_SCOPES,
    expires_at=Nullable(DATE_OR_DATE_TIME),
)


def _create(entry: Entry) -> OAuthApplication:
    uid = entry.values.get("uid")
    existing = entry.world.oauth_applications.find("uid", uid) if uid else None
    owner = entry.user_or_none("owner")
    changes = {**entry.select(_FIELDS), **({"owner_id": owner.id} if owner else {})}
    if existing is not None:
        return entry.world.oauth_applications.change(existing, **changes)
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return applications.create(entry.ctx, **{**times, **changes})


def _export(world: World, _container: Any) -> Iterable[tuple[OAuthApplication, EntryData]] | None:
    return [(row, _serialize(world, row)) for row in world.oauth_applications.all()] or None


def _serialize(world: World, application: OAuthApplication) -> EntryData:
    data = serialization.non_default_fields(application, _FIELDS)
    owner = serialization.username_of(world, application.owner_id)
    return serialization.remove_defaults({**data, "owner": owner}, updated_at=application.created_at, owner=None)


def _create_grant(entry: Entry) -> AuthorizationGrant:
    table = entry.world.authorization_grants
    existing = table.find("code", entry.values["code"])
    if existing is not None and existing.application_id == entry.owner.id:
        return table.change(existing, **entry.select(_GRANT_FIELDS))
    defaults = {"redirect_uri": entry.owner.redirect_uri.split()[0], "created_at": entry.since}
    ids = {"id": table.next_id(), "application_id": entry.owner.id, "user_id": entry.user("user").id}
    return table.add(AuthorizationGrant(**ids, **{**defaults, **entry.select(_GRANT_FIELDS)}))


def _export_grants(
    world: World, application: OAuthApplication
) -> Iterable[tuple[AuthorizationGrant, EntryData]] | None:
    grants = world.authorization_grants.where("application", application.id)
    return [
        (
            grant,
            {
                "user": world.users[grant.user_id].username,
                **serialization.non_default_fields(grant, _GRANT_FIELDS),
            },
        )
        for grant in grants
    ] or None


def _create_token(entry: Entry) -> Token:
    value = entry.values.get("value")
    token = tokens.find(entry.world, "oauth", value) if value else None
    if token is None or token.application_id != entry.owner.id:
        token = tokens.create(entry.ctx, None, "oauth", **entry.select(("value", "name", "scopes", "expires_at")))
        token = entry.world.tokens.change(token, created_at=entry.since, application_id=entry.owner.id)
    return entry.world.tokens.change(token, **entry.select(_TOKEN_FIELDS))


def _export_tokens(world: World, application: OAuthApplication) -> Iterable[tuple[Token, EntryData]] | None:
    own = [token for token in world.tokens.where("application", application.id) if token.user_id is None]
    return [
        (token, serialization.remove_defaults(_serialize_token(token), name="oauth token")) for token in own
    ] or None


def _serialize_token(token: Token) -> EntryData:
    return serialization.non_default_fields(token, _TOKEN_FIELDS, always=("scopes",))


APPLICATIONS: Final = Section(
    "applications",
    within=(SCENARIO,),
    rank=MEMBERSHIPS,
    keys=Object(
        {**_FIELDS, "owner": NULLABLE_TEXT},
        required=("name", "redirect_uri"),
        descriptions={"owner": "User who registered the application; without one it belongs to the instance."},
    ),
    create=_create,
    export=_export,
    kind=_KIND,
)
GRANTS: Final = Section(
    "authorization_grants",
    within=(_KIND,),
    rank=FURTHER,
    keys=Object({**_GRANT_FIELDS, "user": TEXT}, required=("user", "code")),
    create=_create_grant,
    export=_export_grants,
)
TOKENS: Final = Section(
    "application_tokens",
    within=(_KIND,),
    rank=FURTHER,
    keys=Object(_TOKEN_FIELDS),
    create=_create_token,
    export=_export_tokens,
    name_key="value",
)
