"""The values of the keyword ``secrets`` in the form in which runners get them.

A provider may be described by one text, which stands for the mapping that this module makes of it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

Secret = Mapping[str, Any]
_DEFAULT_ENGINE: Final = "kv-v2"
_LATEST: Final = "latest"
_AWS: Final = ("secret_id", "version_id", "version_stage", "region", "role_arn", "field", "role_session_name")


def build_secrets(value: Mapping[str, Any] | None) -> dict[str, Secret] | None:
    """Return the secrets of a valid job, None if it has none."""
    return None if value is None else {name: _build_secret(secret) for name, secret in value.items()}


def _build_secret(secret: Secret) -> Secret:
    given = {key: inner for key, inner in secret.items() if inner is not None}
    return {key: _BUILDERS[key](inner) if key in _BUILDERS else inner for key, inner in given.items()}


def _build_vault(value: str | Secret) -> Secret:
    if not isinstance(value, str):
        return value
    secret, _, engine = value.rpartition("@")
    path, _, field = (secret or value).rpartition("/")
    return {
        "engine": {"name": _DEFAULT_ENGINE, "path": engine if secret else _DEFAULT_ENGINE},
        "path": path,
        "field": field,
    }


def _build_azure(value: Secret) -> Secret:
    return {"name": value["name"], "version": value.get("version")}


def _build_gcp(value: Secret) -> Secret:
    version = value.get("version")
    return {"name": value["name"], "version": _LATEST if version is None else str(version)}


def _build_aws(value: str | Secret) -> Secret:
    if isinstance(value, str):
        secret_id, _, field = value.partition("#")
        return {"secret_id": secret_id, **({"field": field} if field else {})}
    return {name: value.get(name) for name in _AWS}


_BUILDERS: Final[Mapping[str, Callable[[Any], Secret]]] = {
    "vault": _build_vault,
    "azure_key_vault": _build_azure,
    "gcp_secret_manager": _build_gcp,
    "aws_secrets_manager": _build_aws,
}
