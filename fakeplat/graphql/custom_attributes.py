"""Custom attributes of users, groups and projects, for administrators. Source: docs/platform/graphql.md."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain.projects import custom_attributes
from fakeplat.domain.projects.custom_attributes import Owner
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_group, require_project
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.people import User
from fakeplat.model.projects import CustomAttribute
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
_SINCE: Final = "18.9"
_NOT_FOUND: Final = "Custom attribute not found"
_USER: Final = '"""The global ID of the user."""\nuserId: UserID!\n'
_GROUP: Final = '"""The full path of the group."""\ngroupPath: ID!\n'
_PROJECT: Final = '"""The full path of the project."""\nprojectPath: ID!\n'
_KEY: Final = '"""The key."""\nkey: String!\n'
_VALUE: Final = '"""The value."""\nvalue: String!\n'
_GIVES: Final = '"""The attribute."""\ncustomAttribute: CustomAttribute'
ATTRIBUTE: Final = Type("CustomAttribute", "A value that administrators attached to a record.", since=_SINCE)
ATTRIBUTE.attributes({"key: String!": "The key.", "value: String!": "The value."})


@USER.field("customAttributes: [CustomAttribute!]", since=_SINCE)
@GROUP.field("customAttributes: [CustomAttribute!]", since=_SINCE)
@PROJECT.field("customAttributes: [CustomAttribute!]", since=_SINCE)
def list_attributes(ctx: ReadContext, owner: Owner) -> list[CustomAttribute] | None:
    """The custom attributes, for administrators."""
    if not can(ctx, Ability.READ_CUSTOM_ATTRIBUTE, owner):
        return None
    return custom_attributes.list_attributes(ctx.world, custom_attributes.subject_of(owner))


@mutation("userCustomAttributeSet", input_fields=_USER + _KEY + _VALUE, payload_fields=_GIVES, since=_SINCE)
def set_of_user(ctx: WriteContext, user_id: str, key: str, value: str) -> Payload:
    """Attach a value to a user."""
    return _set(ctx, _require_user(ctx, user_id), key, value)


@mutation("setGroupCustomAttribute", input_fields=_GROUP + _KEY + _VALUE, payload_fields=_GIVES, since=_SINCE)
def set_of_group(ctx: WriteContext, group_path: str, key: str, value: str) -> Payload:
    """Attach a value to a group."""
    return _set(ctx, require_group(ctx, group_path), key, value)


@mutation("projectCustomAttributeSet", input_fields=_PROJECT + _KEY + _VALUE, payload_fields=_GIVES, since=_SINCE)
def set_of_project(ctx: WriteContext, project_path: str, key: str, value: str) -> Payload:
    """Attach a value to a project."""
    return _set(ctx, require_project(ctx, project_path), key, value)


@mutation("deleteUserCustomAttribute", input_fields=_USER + _KEY, payload_fields=_GIVES, since=_SINCE)
def delete_of_user(ctx: WriteContext, user_id: str, key: str) -> Payload:
    """Delete a value of a user."""
    return _delete(ctx, _require_user(ctx, user_id), key)


@mutation("deleteGroupCustomAttribute", input_fields=_GROUP + _KEY, payload_fields=_GIVES, since=_SINCE)
def delete_of_group(ctx: WriteContext, group_path: str, key: str) -> Payload:
    """Delete a value of a group."""
    return _delete(ctx, require_group(ctx, group_path), key)


@mutation("deleteProjectCustomAttribute", input_fields=_PROJECT + _KEY, payload_fields=_GIVES, since=_SINCE)
def delete_of_project(ctx: WriteContext, project_path: str, key: str) -> Payload:
    """Delete a value of a project."""
    return _delete(ctx, require_project(ctx, project_path), key)


def _require_user(ctx: ReadContext, text: str) -> User:
    user = ctx.world.users.get(parse_id(ctx, text, "User"))
    if user is None:
        raise ResourceNotAvailable(lambda: f"there is no user {text}")
    return user


def _require_administrator(ctx: ReadContext, owner: Owner) -> None:
    if not can(ctx, Ability.UPDATE_CUSTOM_ATTRIBUTE, owner):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} is no administrator")


def _set(ctx: WriteContext, owner: Owner, key: str, value: str) -> Payload:
    _require_administrator(ctx, owner)
    blank = [f"{name} can't be blank" for name, text in (("Key", key), ("Value", value)) if not text.strip()]
    if blank:
        raise MutationFailed(blank, {"custom_attribute": None})
    return {"custom_attribute": custom_attributes.set_attribute(ctx, custom_attributes.subject_of(owner), key, value)}


def _delete(ctx: WriteContext, owner: Owner, key: str) -> Payload:
    _require_administrator(ctx, owner)
    subject = custom_attributes.subject_of(owner)
    found = ctx.world.custom_attributes.find("key", (subject, key))
    if found is None:
        raise MutationFailed([_NOT_FOUND], {"custom_attribute": None})
    custom_attributes.delete_attribute(ctx, subject, key)
    return {"custom_attribute": found}
