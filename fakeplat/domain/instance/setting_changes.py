"""Changes of application settings by an administrator: older names, other forms of values, and exceptions."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.domain import settings
from fakeplat.domain.instance.setting_validation import check_settings
from fakeplat.domain.people import namespaces
from fakeplat.model.setting_rules import Composite, Setting, declared_settings
from fakeplat.model.settings import Settings
from fakeplat.policy.behaviours import HOUSEKEEPING_HAS_ONE_PERIOD
from fakeplat.policy.context import WriteContext

SIGN_IN_SOURCES: Final = ("bitbucket", "facebook", "github", "gitlab", "google_oauth2", "saml", "twitter")
"""The services with which users can sign in; others cannot be disabled."""

_SEPARATOR: Final = re.compile(r"\s*[,;]\s*|\s")
_LEVELS: Final = {"0": "private", "10": "internal", "20": "public"}
_ASSETS: Final = frozenset(
    {"asset_proxy_enabled", "asset_proxy_url", "asset_proxy_secret_key", "asset_proxy_allowlist"}
)
_OTHER_PERIODS: Final = ("housekeeping_full_repack_period", "housekeeping_gc_period")
# The platform accepts them, but the first cannot be changed any more, and the others are only shown as an id.
_IGNORED: Final = frozenset({"hashed_storage_enabled", "performance_bar_allowed_group_path", "performance_bar_enabled"})


def update(ctx: WriteContext, given: Mapping[str, object]) -> Settings:
    """Change the settings that were given. InvalidRecord if a value is not valid."""
    before = ctx.world.settings
    values = _without_unlicensed(ctx, {**_rename(given), **_find_performance_bar_group(ctx, given)})
    for name, normalize in _NORMALIZATIONS.items():
        if name in values:
            values[name] = normalize(ctx, values[name])
    values = _with_branch_protection(_with_markdown_version(before, values))
    if ctx.profile.has(HOUSEKEEPING_HAS_ONE_PERIOD):
        values = _with_one_period(values)
    check_settings(ctx.world.profile, before, before.with_values(values))
    return settings.change(ctx, values)


def _rename(given: Mapping[str, object]) -> dict[str, Any]:
    """Return the values under the settings' own names, in the form in which the record has them."""
    values: dict[str, Any] = {name: value for name, value in given.items() if name not in _IGNORED}
    for name, setting in declared_settings().items():
        for other_name in setting.names:
            if other_name != name and other_name in values:
                values[name] = values.pop(other_name)
        for text_name in setting.names_as_text:
            if text_name in values:
                values[name] = split_lines(values.pop(text_name))
        if name in values:
            values[name] = _normalize(setting, values[name])
            values.update(_split_composite(setting, values))
    return values


def _split_composite(setting: Setting, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that an object of several ones changes, and the rest of the object."""
    composite: Composite | None = setting.find(Composite)
    if composite is None:
        return {}
    given = values[setting.name]
    rest = {key: value for key, value in given.items() if key not in composite.members}
    return {setting.name: rest, **{composite.members[key]: given[key] for key in composite.members if key in given}}


def _normalize(setting: Setting, value: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    if value is None and not setting.is_nullable and (setting.is_list or setting.is_object):
        return () if setting.is_list else {}
    return value


def split_lines(text: str | None) -> tuple[str, ...]:
    """Return the values in a text with one on each line; commas, semicolons and spaces separate them as well."""
    return tuple(dict.fromkeys(part for part in _SEPARATOR.split(text or "") if part))


def _without_unlicensed(ctx: WriteContext, values: Mapping[str, object]) -> dict[str, Any]:
    declared = declared_settings()
    return {name: value for name, value in values.items() if declared[name].is_in(ctx.instance)}


def _find_performance_bar_group(ctx: WriteContext, given: Mapping[str, object]) -> dict[str, Any]:
    """Return the id of the group whose path was given under either name."""
    names = ("performance_bar_allowed_group_path", "performance_bar_allowed_group_id")
    if str(given.get("performance_bar_enabled", "")).lower() in ("false", "0"):
        return {"performance_bar_allowed_group_id": None}
    sent = [given[name] for name in names if name in given]
    if not sent:
        return {}
    path = str(sent[0] or "")
    group = namespaces.find_group(ctx.world, path.rstrip("/")) if path else None
    if path and group is None:
        raise InvalidRecord(
            {"performance_bar_allowed_group_id": ["not found"]}, reason=f"no group has the path {path!r}"
        )
    return {"performance_bar_allowed_group_id": group.id if group else None}


def _with_markdown_version(before: Settings, values: Mapping[str, object]) -> dict[str, Any]:
    """Return the values with a new version of rendered Markdown if the proxy of its images changes."""
    changes_assets = any(values[name] != getattr(before, name) for name in _ASSETS & values.keys())
    if not changes_assets or "local_markdown_version" in values:
        return dict(values)
    return {**values, "local_markdown_version": before.local_markdown_version + 1}


def _with_one_period(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in which each kind of housekeeping has the period of the optimization."""
    period = values.get("housekeeping_incremental_repack_period")
    return {**values, **dict.fromkeys(_OTHER_PERIODS, period)} if period is not None else dict(values)


def _with_branch_protection(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in which the older form of the default branches' protection replaces the other one."""
    if "default_branch_protection" in values and "default_branch_protection_defaults" not in values:
        return {**values, "default_branch_protection_defaults": {}}
    return dict(values)


def _without_unknown_sources(_ctx: WriteContext, sources: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(source for source in sources if source in SIGN_IN_SOURCES)


def _with_own_host(ctx: WriteContext, hosts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the hosts whose images are never proxied, among which is always the instance itself."""
    return hosts if ctx.hostname in hosts else (*hosts, ctx.hostname)


def _level_names(_ctx: WriteContext, levels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_LEVELS.get(level, level) for level in levels)


def _protocol(_ctx: WriteContext, protocol: str | None) -> str | None:
    return None if protocol in ("nil", "all", "") else protocol


def _terms(ctx: WriteContext, terms: str | None) -> str | None:
    """Return the terms; they cannot be removed."""
    return (terms or "").strip() or ctx.world.settings.terms


def _search_urls(_ctx: WriteContext, urls: str | None) -> str | None:
    return urls and ",".join(url.strip().rstrip("/") for url in urls.split(","))


def _lower(_ctx: WriteContext, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


_NORMALIZATIONS: Final[Mapping[str, Callable[[WriteContext, Any], Any]]] = {
    "asset_proxy_allowlist": _with_own_host,
    "disabled_oauth_sign_in_sources": _without_unknown_sources,
    "elasticsearch_url": _search_urls,
    "enabled_git_access_protocol": _protocol,
    "notes_create_limit_allowlist": _lower,
    "restricted_visibility_levels": _level_names,
    "search_rate_limit_allowlist": _lower,
    "users_get_by_id_limit_allowlist": _lower,
    "terms": _terms,
}
