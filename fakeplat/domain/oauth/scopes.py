"""Scopes of OAuth applications and their tokens. Source: docs/platform/oauth.md."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from fakeplat.core.release import ALWAYS, Lifetime, Profile
from fakeplat.model.oauth import OAuthApplication
from fakeplat.policy.credentials import LATER_SCOPES

DEFAULT: Final = ("api",)
OPENID: Final = "openid"
MCP: Final = "mcp"
"""The only scope of applications that have registered themselves."""
ALL: Final = (
    *("api", "read_api", "read_user", "create_runner", "manage_runner", "k8s_proxy", "self_rotate", MCP, "mcp_orbit"),
    *("read_repository", "write_repository", "read_registry", "write_registry"),
    *("read_virtual_registry", "write_virtual_registry", "read_observability", "write_observability", "ai_features"),
    *("sudo", "admin_mode", "read_service_ping", OPENID, "profile", "email", "ai_workflows", "user:*"),
)
"""The scopes of all releases, in the order of the platform."""
_LIFETIMES: Final[Mapping[str, Lifetime]] = {
    **LATER_SCOPES,
    MCP: Lifetime(since="18.3"),
    "mcp_orbit": Lifetime(since="<=19.1"),
    "read_observability": Lifetime(since="<=16.11"),
    "write_observability": Lifetime(since="<=16.11"),
    "ai_workflows": Lifetime(since="<=18.3"),
    "user:*": Lifetime(since="<=18.3"),
}


def list_supported(profile: Profile) -> list[str]:
    """Return the scopes that applications can have in a release."""
    return [scope for scope in ALL if profile.has(_LIFETIMES.get(scope, ALWAYS))]


def parse(text: str) -> tuple[str, ...]:
    """Return the scopes in a text, separated by whitespace; each once."""
    return tuple(dict.fromkeys(text.split()))


def is_allowed(profile: Profile, text: str, application: OAuthApplication | None) -> bool:
    """Return whether an application may ask for scopes; one without any may ask for all."""
    allowed = set(list_supported(profile))
    if application is not None and application.scopes:
        allowed &= set(application.scopes)
    scopes = parse(text)
    return bool(scopes) and not re.search(r"[\n\r\t]", text) and allowed.issuperset(scopes)


def default_of(application: OAuthApplication | None) -> tuple[str, ...]:
    """Return the scopes of a request that names none: the default ones that the application has."""
    own: Sequence[str] = application.scopes if application is not None else ()
    return tuple(scope for scope in DEFAULT if not own or scope in own)
