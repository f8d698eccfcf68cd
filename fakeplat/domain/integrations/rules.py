"""What makes the settings of an active integration invalid. Since 17.3 the platform tells which rule it was.

Source: docs/platform/integrations.md.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from fakeplat.domain.outbound_urls import explain_blocked_receiver
from fakeplat.policy.context import ReadContext

Settings = Mapping[str, Any]
Rule = Callable[[ReadContext, Settings], str]
"""Returns why the settings are invalid; empty if they are valid."""

_IRC: Final = re.compile(r"ircs?://\S+")
_PEM_KEY: Final = re.compile(r"-----BEGIN ([A-Z ]*)PRIVATE KEY-----\s[A-Za-z0-9+/=\s]+-----END \1PRIVATE KEY-----")
_MAX_SERVICE_IDS: Final = 100


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
        return next((f"{name}: is blocked: {reason}" for name, reason in reasons if reason), "")

    return explain_unusable


def optional_public_url(name: str) -> Rule:
    """Require an address that the platform may send requests to, if there is one."""
    check = public_urls(name)
    return lambda ctx, settings: "" if is_blank(settings.get(name)) else check(ctx, settings)


def together(first: str, second: str) -> Rule:
    """Require both of two settings, or neither."""

    def explain_lonely(_ctx: ReadContext, settings: Settings) -> str:
        blank = [name for name in (first, second) if is_blank(settings.get(name))]
        return f"{blank[0]}: can't be blank" if len(blank) == 1 else ""

    return explain_lonely


def one_of_both(first: str, second: str) -> Rule:
    """Require at least one of two settings."""

    def explain_both_blank(_ctx: ReadContext, settings: Settings) -> str:
        blank = is_blank(settings.get(first)) and is_blank(settings.get(second))
        return f"{first}, {second}: can't be blank" if blank else ""

    return explain_both_blank


def matches(name: str, pattern: str, text: str = "is invalid") -> Rule:
    """Require that a setting, if there is one, matches a pattern as a whole."""
    compiled = re.compile(pattern)

    def explain_mismatch(_ctx: ReadContext, settings: Settings) -> str:
        value = settings.get(name)
        return "" if is_blank(value) or compiled.fullmatch(str(value)) else f"{name}: {text}"

    return explain_mismatch


def at_most(name: str, length: int) -> Rule:
    """Require that a setting is not longer than some characters."""

    def explain_length(_ctx: ReadContext, settings: Settings) -> str:
        is_long = len(str(settings.get(name) or "")) > length
        return f"{name}: is too long (maximum is {length} characters)" if is_long else ""

    return explain_length


def check_private_key(_ctx: ReadContext, settings: Settings) -> str:
    """Require a private key in PEM format."""
    key = str(settings.get("app_store_private_key") or "").strip()
    return "" if _PEM_KEY.fullmatch(key) else "app_store_private_key: must be a valid PEM private key"


def check_service_account(_ctx: ReadContext, settings: Settings) -> str:
    """Require the JSON of a key of a Google service account."""
    try:
        key = orjson.loads(str(settings.get("service_account_key")))
    except ValueError:
        key = None
    needed = ("type", "project_id", "private_key_id", "private_key", "client_email", "client_id")
    valid = isinstance(key, dict) and all(name in key for name in needed)
    return "" if valid else "service_account_key: must be a valid json schema"


def check_tags(_ctx: ReadContext, settings: Settings) -> str:
    """Require tags of Datadog: one in each line, as ``key:value``."""
    lines = filter(None, map(str.strip, str(settings.get("datadog_tags") or "").split("\n")))
    valid = all(re.fullmatch(r"[\w-]+:.*\S.*", line) for line in lines)
    return "" if valid else "datadog_tags: have an invalid format"


def check_service_ids(_ctx: ReadContext, settings: Settings) -> str:
    """Require ids of services of Jira Service Management, with commas between them."""
    ids = str(settings.get("jira_cloud_app_service_ids") or "")
    if ids.count(",") >= _MAX_SERVICE_IDS:
        return f"jira_cloud_app_service_ids: cannot have more than {_MAX_SERVICE_IDS} service IDs"
    return "" if re.fullmatch("[A-Za-z0-9=,:]*", ids) else "jira_cloud_app_service_ids: is invalid"


def check_transitions(_ctx: ReadContext, settings: Settings) -> str:
    """Require ids of Jira transitions: digits, with commas or semicolons between them."""
    ids = settings.get("jira_issue_transition_id")
    valid = is_blank(ids) or re.fullmatch(r"\s*[0-9]+(?:\s*[,;]\s*[0-9]+)*\s*", str(ids))
    return "" if valid else "jira_issue_transition_id: IDs must be a list of numbers that can be split with , or ;"


def check_irc_recipients(_ctx: ReadContext, settings: Settings) -> str:
    """Require at least one recipient that is an IRC address, alone or with the default one in front."""
    base = str(settings.get("default_irc_uri") or "")
    words = str(settings.get("recipients") or "").split()
    readable = any(_IRC.fullmatch(word) or _IRC.fullmatch(f"{base.rstrip('/')}/{word}") for word in words)
    return "" if readable else "recipients: are all invalid"


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
