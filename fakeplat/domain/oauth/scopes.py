"""Scopes of OAuth applications and their tokens. Source: docs/platform/oauth.md."""

import re
from collections.abc import Sequence
from typing import Final

from fakeplat.domain.people import tokens
from fakeplat.model.oauth import OAuthApplication

DEFAULT: Final = ("api",)
OPENID: Final = "openid"
MCP: Final = "mcp"
"""The only scope of applications that have registered themselves."""
SUPPORTED: Final = (*tokens.SCOPES, tokens.SUDO, OPENID, "profile", "email")


def parse(text: str) -> tuple[str, ...]:
    """Return the scopes in a text, separated by whitespace; each once."""
    return tuple(dict.fromkeys(text.split()))


def is_allowed(text: str, application: OAuthApplication | None) -> bool:
    """Return whether an application may ask for scopes; one without any may ask for all."""
    allowed = {*SUPPORTED, MCP}
    if application is not None and application.scopes:
        allowed &= set(application.scopes)
    scopes = parse(text)
    return bool(scopes) and not re.search(r"[\n\r\t]", text) and allowed.issuperset(scopes)


def default_of(application: OAuthApplication | None) -> tuple[str, ...]:
    """Return the scopes of a request that names none: the default ones that the application has."""
    own: Sequence[str] = application.scopes if application is not None else ()
    return tuple(scope for scope in DEFAULT if not own or scope in own)
