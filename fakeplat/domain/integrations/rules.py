"""What makes the settings of an active integration invalid. The platform does not tell its clients which rule it was.

Source: docs/platform/integrations.md.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from fakeplat.domain.outbound_urls import explain_blocked_receiver
from fakeplat.policy.context import ReadContext

Settings = Mapping[str, Any]
Rule = Callable[[ReadContext, Settings], str]
"""Returns why the settings are invalid; empty if they are valid."""

_IRC: Final = re.compile(r"ircs?://\S+")


def all_of(*rules: Rule) -> Rule:
    """Combine rules; the first that is broken gives the reason."""
    return lambda ctx, settings: next(filter(None, (rule(ctx, settings) for rule in rules)), "")


def present(*names: str) -> Rule:
    """Require settings that are not blank."""

    def explain_blank(_ctx: ReadContext, settings: Settings) -> str:
        blank = [name for name in names if is_blank(settings.get(name))]
        return f"{', '.join(blank)}: can't be blank" if blank else ""

    return explain_blank


def public_urls(*names: str) -> Rule:
    """Require addresses that the platform may send requests to."""

    def explain_unusable(ctx: ReadContext, settings: Settings) -> str:
        reasons = (
            (name, explain_blocked_receiver(ctx.world.settings, str(settings.get(name) or ""))) for name in names
        )
        return next((f"{name}: {reason}" for name, reason in reasons if reason), "")

    return explain_unusable


def optional_public_url(name: str) -> Rule:
    """Require an address that the platform may send requests to, if there is one."""
    check = public_urls(name)
    return lambda ctx, settings: "" if is_blank(settings.get(name)) else check(ctx, settings)


def together(first: str, second: str) -> Rule:
    """Require both of two settings, or neither."""

    def explain_lonely(_ctx: ReadContext, settings: Settings) -> str:
        alone = is_blank(settings.get(first)) != is_blank(settings.get(second))
        return f"{first} and {second} need each other" if alone else ""

    return explain_lonely


def check_transitions(_ctx: ReadContext, settings: Settings) -> str:
    """Require ids of Jira transitions: digits, with commas or semicolons between them."""
    ids = settings.get("jira_issue_transition_id")
    valid = is_blank(ids) or re.fullmatch(r"\s*[0-9]+(?:\s*[,;]\s*[0-9]+)*\s*", str(ids))
    return "" if valid else "jira_issue_transition_id: only digits, commas and semicolons"


def check_irc_recipients(_ctx: ReadContext, settings: Settings) -> str:
    """Require at least one recipient that is an IRC address, alone or with the default one in front."""
    base = str(settings.get("default_irc_uri") or "")
    words = str(settings.get("recipients") or "").split()
    readable = any(_IRC.fullmatch(word) or _IRC.fullmatch(f"{base.rstrip('/')}/{word}") for word in words)
    return "" if readable else "recipients: none is an IRC channel"


def check_wiki_address(_ctx: ReadContext, settings: Settings) -> str:
    """Require the address of a Confluence Cloud workspace."""
    parts = _split(str(settings.get("confluence_url") or ""))
    in_cloud = parts[0] in ("http", "https") and parts[1].endswith(".atlassian.net")
    is_wiki = parts[2] == "/wiki" or parts[2].startswith("/wiki/")
    return "" if in_cloud and is_wiki else "confluence_url: must lead to a Confluence Cloud Workspace"


def _split(url: str) -> tuple[str, str, str]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.path
    except ValueError:
        return "", "", ""


def is_blank(value: object) -> bool:
    """Return whether a setting counts as missing."""
    return value is None or not str(value).strip()
