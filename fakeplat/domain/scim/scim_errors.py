"""Errors of SCIM. Source: docs/platform/scim.md. See RFC 7644 (3.12)."""

from collections.abc import Mapping

from fakeplat.core.operations.errors import Reason, Refusal, inspect
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


def inspect_params(value: object) -> str:
    """Format parameters as Ruby does, which texts of errors contain; the values of secrets are hidden."""
    return inspect(_hide_secrets(value))


def _hide_secrets(value: object, name: str = "") -> object:
    if name and kind_of(name) is not None:
        return "[FILTERED]"
    if isinstance(value, Mapping):
        return {key: _hide_secrets(item, str(key)) for key, item in value.items()}
    return [_hide_secrets(item) for item in value] if isinstance(value, list) else value
