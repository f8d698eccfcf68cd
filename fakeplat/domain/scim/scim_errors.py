"""Errors of SCIM. Source: docs/platform/scim.md. See RFC 7644 (3.12)."""

from collections.abc import Mapping

from fakeplat.core.operations.errors import Reason, Refusal
from fakeplat.core.secret_names import kind_of

SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error"


class ScimError(Refusal):
    """412: SCIM cannot do what was asked for."""

    status = 412

    def __init__(self, detail: str, *, reason: Reason = "") -> None:
        super().__init__({"schemas": [SCHEMA], "detail": detail, "status": self.status}, reason=reason)


class ScimNotFound(ScimError):
    """404: there is no such group or user."""

    status = 404


class ScimConflict(ScimError):
    """409: an attribute is taken."""

    status = 409


def inspect(value: object, name: str = "") -> str:
    """Format a parameter as Ruby does, which texts of errors contain; the values of secrets are hidden."""
    if name and kind_of(name) is not None:
        return '"[FILTERED]"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inspect(key)}=>{inspect(item, str(key))}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inspect, value)) + "]"
    if value is None or isinstance(value, bool):
        return "nil" if value is None else str(value).lower()
    return str(value) if isinstance(value, int | float) else _quote(str(value))


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
