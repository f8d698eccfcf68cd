"""Attributes of users in SCIM, read from documents and changes.

Source: docs/platform/scim.md. See RFC 7643 and RFC 7644.
"""

from collections.abc import Mapping
from typing import Any, Final

Values = dict[str, Any]
"""Values by the names of the platform: extern_uid, username, name, email, active."""

_PATHS: Final = {
    "id": "extern_uid",
    "externalId": "extern_uid",
    "userName": "username",
    "displayName": "name",
    "name.formatted": "name",
    'emails[type eq "work"].value': "email",
    "active": "active",
}
_OPERATIONS: Final = ("Replace", "Add")


def read_user(document: Mapping[str, object]) -> Values:
    """Return the values in a document that describes a user; without those that it leaves out."""
    found = {
        "extern_uid": _text(document.get("externalId")),
        "username": _text(document.get("userName")),
        "name": _read_name(document.get("name")) or _text(document.get("displayName")),
        "email": _read_email(document.get("emails")),
    }
    return {name: value for name, value in found.items() if value is not None}


def _text(value: object) -> str | None:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _read_name(name: object) -> str | None:
    if not isinstance(name, Mapping):
        return None
    formatted = _text(name.get("formatted"))
    parts = [part for key in ("givenName", "familyName") if (part := _text(name.get(key)))]
    return formatted or " ".join(parts) or None


def _read_email(emails: object) -> str | None:
    rows = [row for row in emails if isinstance(row, Mapping)] if isinstance(emails, list) else []
    return next((_text(row.get("value")) for row in rows if row.get("type") == "work" or row.get("primary")), None)


def read_changes(operations: object, *, any_case: bool) -> Values:
    """Return the values that operations set. Operations of other kinds, and on other attributes, are ignored.

    ``any_case``: the names of operations may have any case, as in later releases.
    """
    changes: Values = {}
    for operation in operations if isinstance(operations, list) else []:
        if isinstance(operation, Mapping) and _is_known(operation.get("op"), any_case=any_case):
            changes |= _read_operation(operation.get("path"), operation.get("value"))
    return changes


def _is_known(name: object, *, any_case: bool) -> bool:
    return isinstance(name, str) and (name.capitalize() if any_case else name) in _OPERATIONS


def _read_operation(path: object, value: object) -> Values:
    if path is None and isinstance(value, Mapping):
        # Without a path, the value is a document with attributes, or a map of paths.
        by_path = {_PATHS[key]: item for key, item in value.items() if key in _PATHS}
        return {**read_user(value), **_read_values(by_path)}
    if path == "name" and isinstance(value, Mapping):
        return _read_values({"name": _read_name(value)})
    if path == "emails":
        return _read_values({"email": _read_email(value)})
    return _read_values({_PATHS[path]: value}) if isinstance(path, str) and path in _PATHS else {}


def _read_values(values: Mapping[str, object]) -> Values:
    read = {name: _read_boolean(value) if name == "active" else _text(value) for name, value in values.items()}
    return {name: value for name, value in read.items() if value is not None}


def _read_boolean(value: object) -> bool | None:
    """Return a boolean, which some identity providers send as text."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else None
