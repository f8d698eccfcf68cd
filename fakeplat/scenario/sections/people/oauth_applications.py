"""OAuth applications, with their unused codes, of browsers and of devices, and their own tokens."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_OR_DATE_TIME, NULLABLE_TEXT, TEXT, Choice, ListOf, Nullable
from fakeplat.domain.oauth import applications
from fakeplat.domain.oauth.scopes import ALL
from fakeplat.domain.people import tokens
from fakeplat.model.oauth import AuthorizationGrant, DeviceGrant, OAuthApplication
from fakeplat.model.people import Token
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import MEMBERSHIPS, SCENARIO, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people.tokens import ONLY_OF_ACCESS_TOKENS

_KIND: Final = "oauth_application"
_SCOPES: Final = ListOf(Choice(*ALL))
_FIELDS: Final = own_fields(OAuthApplication)
_GRANT_FIELDS: Final = own_fields(AuthorizationGrant, scopes=_SCOPES)
_DEVICE_FIELDS: Final = own_fields(DeviceGrant, scopes=_SCOPES)
_TOKEN_FIELDS: Final = fields(
    Token,
    without=(
        "id",
        "user_id",
        "kind",
        "project_id",
        "job_id",
        "application_id",
        "refresh_token",
        *ONLY_OF_ACCESS_TOKENS,
    ),
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


def _create_grant(entry: Entry) -> AuthorizationGrant:
    table = entry.world.authorization_grants
    existing = table.find("code", entry.values["code"])
    if existing is not None and existing.application_id == entry.owner.id:
        return table.change(existing, **entry.select(_GRANT_FIELDS))
    defaults = {"redirect_uri": entry.owner.redirect_uri.split()[0], "created_at": entry.since}
    ids = {"id": table.next_id(), "application_id": entry.owner.id, "user_id": entry.user("user").id}
    return table.add(AuthorizationGrant(**ids, **{**defaults, **entry.select(_GRANT_FIELDS)}))


def _list_grants(world: World, application: OAuthApplication) -> Sequence[AuthorizationGrant]:
    return world.authorization_grants.where("application", application.id)


def _serialize_grant(world: World, grant: AuthorizationGrant) -> EntryData:
    return {"user": world.users[grant.user_id].username, **serialization.non_default_fields(grant, _GRANT_FIELDS)}


def _create_device_grant(entry: Entry) -> DeviceGrant:
    table = entry.world.device_grants
    user = entry.user_or_none("user")
    changes = {**entry.select(_DEVICE_FIELDS), **({"user_id": user.id, "user_code": None} if user else {})}
    existing = table.find("device_code", entry.values["device_code"])
    if existing is not None and existing.application_id == entry.owner.id:
        return table.change(existing, **changes)
    defaults = {"id": table.next_id(), "application_id": entry.owner.id, "created_at": entry.since, "user_code": None}
    return table.add(DeviceGrant(**{**defaults, **changes}))


def _list_device_grants(world: World, application: OAuthApplication) -> Sequence[DeviceGrant]:
    return world.device_grants.where("application", application.id)


def _serialize_device_grant(world: World, grant: DeviceGrant) -> EntryData:
    user = {} if grant.user_id is None else {"user": world.users[grant.user_id].username}
    return {**user, **serialization.non_default_fields(grant, _DEVICE_FIELDS)}


def _create_token(entry: Entry) -> Token:
    value = entry.values.get("value")
    token = tokens.find(entry.world, "oauth", value) if value else None
    if token is None or token.application_id != entry.owner.id:
        token = tokens.create(entry.ctx, None, "oauth", **entry.select(("value", "name", "scopes", "expires_at")))
        token = entry.world.tokens.change(token, created_at=entry.since, application_id=entry.owner.id)
    return entry.world.tokens.change(token, **entry.select(_TOKEN_FIELDS))


def _list_tokens(world: World, application: OAuthApplication) -> list[Token]:
    return [token for token in world.tokens.where("application", application.id) if token.user_id is None]


APPLICATIONS: Final = derive_section(
    "applications",
    OAuthApplication,
    within=(SCENARIO,),
    rank=MEMBERSHIPS,
    keys=_FIELDS,
    further_keys={"owner": NULLABLE_TEXT},
    references={"owner": "owner_id"},
    required=("name", "redirect_uri"),
    descriptions={"owner": "User who registered the application; without one it belongs to the instance."},
    create=_create,
    kind=_KIND,
)
GRANTS: Final = derive_section(
    "authorization_grants",
    AuthorizationGrant,
    within=(_KIND,),
    keys={**_GRANT_FIELDS, "user": TEXT},
    required=("user", "code"),
    create=_create_grant,
    rows=_list_grants,
    serialize=_serialize_grant,
)
DEVICE_GRANTS: Final = derive_section(
    "device_grants",
    DeviceGrant,
    within=(_KIND,),
    keys={**_DEVICE_FIELDS, "user": NULLABLE_TEXT},
    required=("device_code",),
    create=_create_device_grant,
    rows=_list_device_grants,
    serialize=_serialize_device_grant,
)
TOKENS: Final = derive_section(
    "application_tokens",
    Token,
    within=(_KIND,),
    keys=_TOKEN_FIELDS,
    create=_create_token,
    rows=_list_tokens,
    always=("scopes",),
    defaults=lambda _: {"name": "oauth token"},
    name_key="value",
)
