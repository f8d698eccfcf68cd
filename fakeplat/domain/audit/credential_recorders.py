"""Receivers that record audit events of credentials: sign-ins, keys, addresses, tokens, CI variables.

What they record is the platform's choice and wording; each release records more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from fakeplat.core.operations.errors import inspect
from fakeplat.core.release import ALWAYS
from fakeplat.domain.audit import audit_events
from fakeplat.domain.audit.audit_events import INSTANCE, Details, Entity
from fakeplat.domain.people import tokens
from fakeplat.domain.people.members import container_of, find_member
from fakeplat.model.people import Email, GpgKey, Group, Level, SshKey, Token, User
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import (
    AUDITED_DEPLOY_TOKENS,
    AUDITED_INSTANCE_VARIABLES,
    AUDITED_KEYS,
    AUDITED_PERSONAL_TOKENS,
    AUDITED_RESOURCE_TOKENS,
    AUDITED_VARIABLE_MASKING,
)
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.model.ci import CiVariable
    from fakeplat.model.projects import DeployToken

_NOBODY: Final = "An unauthenticated user"


def _target(id_: object, kind: str, details: str) -> dict[str, Any]:
    return {"target_id": id_, "target_type": kind, "target_details": details}


# Sign-ins


def record_sign_in(ctx: WriteContext, user: User, method: str) -> None:
    """Record that a user signed in at the page: ``standard``, or ``two-factor``."""
    audit_events.record_sign_in(ctx, user, {"with": method, **_target(user.id, "User", user.name)})


def record_failed_sign_in(ctx: WriteContext, user: User | None, login: str, method: str) -> None:
    """Record that somebody failed to sign in, with which name; ``user`` has given the password already."""
    name = user.name if user else login or _NOBODY
    details = {"failed_login": method, "author_name": name, "target_details": name}
    audit_events.record_sign_in(ctx, user, details)


# Keys and addresses


def record_ssh_key(ctx: WriteContext, key: SshKey) -> None:
    """Record that a user has a new SSH key."""
    _record_for_owner(ctx, key.user_id, {"custom_message": "Added SSH key"}, _target(key.id, "User", key.title))


def record_ssh_key_removal(ctx: WriteContext, key: SshKey) -> None:
    """Record that a user lost an SSH key."""
    if ctx.profile.has(AUDITED_KEYS):
        _record_for_owner(ctx, key.user_id, {"custom_message": "Removed SSH key"}, _target(key.id, "Key", key.title))


def record_gpg_key(ctx: WriteContext, key: GpgKey) -> None:
    """Record that a user has a new GPG key."""
    _record_gpg_key(ctx, key, "Added GPG key")


def record_gpg_key_removal(ctx: WriteContext, key: GpgKey) -> None:
    """Record that a user lost a GPG key."""
    _record_gpg_key(ctx, key, "Removed GPG key")


def _record_gpg_key(ctx: WriteContext, key: GpgKey, text: str) -> None:
    if ctx.profile.has(AUDITED_KEYS):
        _record_for_owner(ctx, key.user_id, {"custom_message": text}, _target(key.id, "GpgKey", key.primary_keyid))


def record_email(ctx: WriteContext, email: Email) -> None:
    """Record that a user has a further address."""
    _record_for_owner(ctx, email.user_id, {"add": "email"}, _target(email.id, "Email", email.email))


def record_email_removal(ctx: WriteContext, email: Email) -> None:
    """Record that a user lost a further address."""
    _record_for_owner(ctx, email.user_id, {"remove": "email"}, _target(email.id, "Email", email.email))


def _record_for_owner(ctx: WriteContext, user_id: int, action: Details, target: Details) -> None:
    user = ctx.world.users.get(user_id)
    if user is not None:
        audit_events.record(ctx, user, action, target)


# Access tokens


def record_token(ctx: WriteContext, token: Token) -> None:
    """Record that an access token of a user, a project or a group was created."""
    if token.kind == "personal":
        _record_for_personal_token(ctx, token, f"Created personal access token with id {token.id}")
    elif token.kind in ("project", "group"):
        _record_for_resource_token(ctx, token, _describe_creation(ctx, token))


def record_token_change(ctx: WriteContext, before: Token, after: Token) -> None:
    """Record that an access token was revoked."""
    if after.revoked and not before.revoked and after.kind in ("personal", "project", "group"):
        kind = "personal" if after.kind == "personal" else "project"
        _record_for_personal_token(ctx, after, f"Revoked {kind} access token with id {after.id}")


def record_token_removal(ctx: WriteContext, token: Token) -> None:
    """Record that an access token of a project or group was deleted, with its bot."""
    if token.kind in ("project", "group"):
        text = f"Revoked {token.kind} access token with token_id: {token.id}"
        _record_for_resource_token(ctx, token, text)


def _record_for_personal_token(ctx: WriteContext, token: Token, text: str) -> None:
    owner = tokens.owner_of(ctx.world, token)
    if owner is not None and ctx.profile.has(AUDITED_PERSONAL_TOKENS):
        audit_events.record(ctx, owner, {"custom_message": text}, _target(owner.id, "User", owner.username))


def _record_for_resource_token(ctx: WriteContext, token: Token, text: str) -> None:
    if ctx.profile.has(AUDITED_RESOURCE_TOKENS):
        bot, container = tokens.bot_of(ctx.world, token), tokens.container_of(ctx.world, token)
        target = _target(token.id, "PersonalAccessToken", bot.name)
        audit_events.record(ctx, container, {"custom_message": text}, target)


def _describe_creation(ctx: WriteContext, token: Token) -> str:
    container = tokens.container_of(ctx.world, token)
    if isinstance(container, Group):
        return f"Created group token with token_id: {token.id} with scopes: {_list_texts(token.scopes)}."
    member = find_member(ctx.world, container, tokens.bot_of(ctx.world, token))
    level = Level(member.access_level).name.capitalize() if member else "No"
    scopes = _list_texts(token.scopes)
    return f"Created project access token with token_id: {token.id} with scopes: {scopes} and {level} access level."


def _list_texts(texts: tuple[str, ...]) -> str:
    return inspect(list(texts))


# Deploy tokens


def record_deploy_token(ctx: WriteContext, token: DeployToken) -> None:
    """Record that a deploy token was created."""
    _record_for_deploy_token(ctx, token, "Created")


def record_deploy_token_removal(ctx: WriteContext, token: DeployToken) -> None:
    """Record that a deploy token was deleted."""
    _record_for_deploy_token(ctx, token, "Destroyed")


def _record_for_deploy_token(ctx: WriteContext, token: DeployToken, verb: str) -> None:
    if not ctx.profile.has(AUDITED_DEPLOY_TOKENS):
        return
    kind, _ = token.source
    # The scopes are symbols in Ruby: ``[:read_repository]``.
    scopes = ", ".join(f":{scope}" for scope in token.scopes)
    text = f"{verb} {kind} deploy token with name: {token.name} with token_id: {token.id} with scopes: [{scopes}]."
    container = cast(Project | Group, container_of(ctx.world, token.source))
    audit_events.record(ctx, container, {"custom_message": text}, _target(token.id, "DeployToken", token.name))


# CI variables


_CHANGES: Final = {
    "protected": ("variable protection", ALWAYS),
    "masked": ("variable masking", AUDITED_VARIABLE_MASKING),
}
"""The recorded fields of a variable: the name of the change, and the releases that record it."""
_MODELS: Final = {Project: "Ci::Variable", Group: "Ci::GroupVariable"}
_NAMES: Final = {Project: "ci_variable", Group: "ci_group_variable"}
_INSTANCE_NAME: Final = "ci_instance_variable"


def record_variable(ctx: WriteContext, variable: CiVariable) -> None:
    """Record that a CI variable was created."""
    _record_for_variable(ctx, variable, "add", "Added")


def record_variable_removal(ctx: WriteContext, variable: CiVariable) -> None:
    """Record that a CI variable was deleted."""
    _record_for_variable(ctx, variable, "remove", "Removed")


def record_variable_change(ctx: WriteContext, before: CiVariable, after: CiVariable) -> None:
    """Record that the protection of a CI variable changed."""
    entity = _entity_of(ctx, after)
    if entity is INSTANCE and not ctx.profile.has(AUDITED_INSTANCE_VARIABLES):
        return
    target = _target(after.id, _MODELS.get(type(entity), "Ci::InstanceVariable"), after.key)
    for field, (name, lifetime) in _CHANGES.items():
        old, new = getattr(before, field), getattr(after, field)
        if old != new and ctx.profile.has(lifetime):
            audit_events.record(ctx, entity, {"change": name, "from": old, "to": new}, target)


def _record_for_variable(ctx: WriteContext, variable: CiVariable, action: str, verb: str) -> None:
    entity = _entity_of(ctx, variable)
    if entity is not INSTANCE:
        name = _NAMES[type(entity)]
        # The platform takes the key for the id here, and the name of the model from the action.
        kind = name.title().replace("_", "")
        audit_events.record(ctx, entity, {action: name}, _target(variable.key, kind, variable.key))
    elif ctx.profile.has(AUDITED_INSTANCE_VARIABLES):
        text = f"{verb} {_INSTANCE_NAME.replace('_', ' ')}"
        target = _target(variable.id, "Ci::InstanceVariable", variable.key)
        audit_events.record(ctx, entity, {action: _INSTANCE_NAME, "custom_message": text}, target)


def _entity_of(ctx: WriteContext, variable: CiVariable) -> Entity:
    return INSTANCE if variable.subject is None else cast(Project | Group, container_of(ctx.world, variable.subject))
