"""Credentials of users. Source: docs/contract.md ('People and tokens')."""

from collections.abc import Iterable
from typing import Any, Final, get_args

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_OR_DATE_TIME, TEXT, Choice, ListOf, Nullable, Object
from fakeplat.domain.oauth.scopes import MCP
from fakeplat.domain.people import namespaces, tokens
from fakeplat.domain.purging import purge
from fakeplat.model.people import GRANULAR, GranularAccess, GranularScope, Token, TokenKind, User
from fakeplat.model.world import World
from fakeplat.policy.credentials import LATER_SCOPES
from fakeplat.policy.granular_scopes import is_granular
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people.users import ROOT

SCOPES: Final = (*tokens.SCOPES, tokens.SUDO, "openid", "profile", "email", *LATER_SCOPES, MCP)
ONLY_OF_ACCESS_TOKENS: Final = ("description", "previous_id", "last_used_at", "last_used_ips")
"""Fields that the tokens of jobs and of OAuth applications do not use."""
_FIELDS: Final = fields(
    Token,
    without=("id", "user_id", "project_id", "group_id", "job_id", "application_id", "previous_id"),
    kind=Choice(*get_args(TokenKind)),
    scopes=ListOf(Choice(*SCOPES)),
    expires_at=Nullable(DATE_OR_DATE_TIME),
)
_CHECKED: Final = ("value", "name", "scopes", "expires_at")
_GRANULAR_SCOPE: Final = Object(
    {
        "access": Choice(*get_args(GranularAccess)),
        "permissions": ListOf(TEXT),
        "project": TEXT,
        "group": TEXT,
    },
    required=("access", "permissions"),
    descriptions={
        "access": "Where the token has the permissions.",
        "permissions": "Names such as `read_work_item`.",
        "project": "Full path of a project, for `selected_memberships`.",
        "group": "Full path of a group, for `selected_memberships`.",
    },
)


def _create(entry: Entry) -> Token:
    kind: TokenKind = entry.values.get("kind", "personal")
    value = entry.values.get("value")
    token = tokens.find(entry.world, kind, value) if value else None
    # A value that belongs to another user is not changed; creating the token again reports the conflict.
    if token is None or token.user_id != entry.owner.id:
        project = entry.project_or_none("project")
        group = entry.group("group") if "group" in entry.values else None
        token = tokens.create(entry.ctx, entry.owner, kind, **entry.select(_CHECKED), project=project, group=group)
        token = entry.world.tokens.change(token, created_at=entry.since)
    changes = {**entry.select(_FIELDS), **_application_change(entry), **_previous_change(entry)}
    if "granular_scopes" in entry.values:
        changes["scopes"] = (GRANULAR,)
        _replace_granular_scopes(entry, token)
    return entry.world.tokens.change(token, **changes)


def _replace_granular_scopes(entry: Entry, token: Token) -> None:
    for scope in list(_scopes_of(entry.world, token)):
        purge(entry.ctx, scope)
    scopes = [_build_granular_scope(entry, values) for values in entry.values["granular_scopes"]]
    tokens.add_granular_scopes(entry.ctx, token, scopes)


def _build_granular_scope(entry: Entry, values: EntryData) -> GranularScope:
    project = entry.get_project(values["project"], "project") if "project" in values else None
    group = entry.get_group(values["group"], "group") if "group" in values else None
    return GranularScope(
        id=0,
        token_id=0,
        access=values["access"],
        permissions=tuple(values["permissions"]),
        project_id=project.id if project else None,
        group_id=group.id if group else None,
    )


def _previous_change(entry: Entry) -> dict[str, int]:
    value = entry.values.get("previous")
    if value is None:
        return {}
    previous = tokens.find(entry.world, "personal", value)
    if previous is None or previous.user_id != entry.owner.id:
        entry.fail(f"{entry.owner.username} has no token {value!r}", "previous")
    return {"previous_id": previous.id}


def _application_change(entry: Entry) -> dict[str, int]:
    uid = entry.values.get("application")
    if uid is None:
        return {}
    application = entry.world.oauth_applications.find("uid", uid)
    if application is None:
        entry.fail(f"unknown application {uid!r}", "application")
    return {"application_id": application.id}


def _export(world: World, user: User) -> list[tuple[Token, EntryData]] | None:
    # The tokens of jobs are exported with the jobs.
    own = [token for token in world.tokens.where("user", user.id) if token.job_id is None]
    entries = [(token, _serialize(world, user, token)) for token in own]
    default_entry = {"value": f"{user.username}-token"}
    # A user without the key gets exactly this token when the scenario is loaded.
    if user.kind == "human" and [data for _, data in entries] == [default_entry]:
        return None
    # The administrator exists before the scenario is loaded, and tokens that are added then are younger than that.
    return [
        (token, {**data, "created_at": token.created_at} if user.username == ROOT else data) for token, data in entries
    ]


def _serialize(world: World, user: User, token: Token) -> dict[str, Any]:
    defaults = {
        "kind": "personal",
        "name": f"{token.kind} token",
        "scopes": list(tokens.all_scopes(user, world.profile)),
        "created_at": user.created_at,
    }
    # The default scopes depend on the user, so the default of the field says nothing.
    data = serialization.remove_defaults(
        serialization.non_default_fields(token, _FIELDS, always=("scopes",)), **defaults
    )
    if token.application_id is not None:
        data["application"] = world.oauth_applications[token.application_id].uid
    if token.previous_id is not None:
        data["previous"] = world.tokens[token.previous_id].value
    if is_granular(token):
        del data["scopes"]
        data["granular_scopes"] = [_serialize_scope(world, scope) for scope in _scopes_of(world, token)]
    project = world.projects.get(token.project_id) if token.project_id else None
    if token.group_id is not None:
        return {**data, "group": namespaces.full_path(world, world.namespaces[token.group_id])}
    return {**data, "project": namespaces.project_path(world, project)} if project else data


def _scopes_of(world: World, token: Token) -> Iterable[GranularScope]:
    return world.granular_scopes.where("token", token.id)


def _serialize_scope(world: World, scope: GranularScope) -> EntryData:
    data: EntryData = {"access": scope.access, "permissions": list(scope.permissions)}
    if scope.project_id is not None:
        data["project"] = namespaces.project_path(world, world.projects[scope.project_id])
    if scope.group_id is not None:
        data["group"] = namespaces.full_path(world, world.namespaces[scope.group_id])
    return data


SECTION: Final = Section(
    "tokens",
    within=("user",),
    rank=FURTHER,
    keys=Object(
        {
            **_FIELDS,
            "project": TEXT,
            "group": TEXT,
            "application": TEXT,
            "previous": TEXT,
            "granular_scopes": ListOf(_GRANULAR_SCOPE),
        },
        descriptions={
            "application": "The uid of the application of an OAuth token.",
            "granular_scopes": "The permissions of a fine-grained token, which has no other scopes.",
            "previous": "The value of the token that was rotated into this one, which comes before it.",
        },
    ),
    create=_create,
    export=_export,
    name_key="value",
    record=Token,
)
