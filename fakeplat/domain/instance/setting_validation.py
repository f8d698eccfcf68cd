"""Validation of application settings. Source: docs/platform/settings.md ('Model validation')."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from operator import ge, gt, le, lt
from typing import Any, Final

from fakeplat.core import durations
from fakeplat.core.release import ByRelease, Profile
from fakeplat.domain.settings import FORBIDDEN, KEY_TYPES, get_key_restriction
from fakeplat.domain.validation import ValidationErrors, explain_regex_error, find_url_error, is_email
from fakeplat.model.setting_rules import (
    BLANK,
    Keys,
    Length,
    Matches,
    Members,
    Needed,
    Number,
    Setting,
    WebUrl,
    declared_settings,
)
from fakeplat.model.settings import Settings
from fakeplat.policy.behaviours import (
    ARCHIVING_IS_TOO_EARLY,
    SPAM_CHECKS_SPEAK_GRPC,
    VISIBILITY_DEFAULTS_ARE_RESTRICTED,
)

Text = str | ByRelease[str]
_THEMES: Final = range(1, 7)
_LEAST_DORMANT_DAYS: Final = 90
_UNCONFIRMED_DAYS: Final = 3
"""For how many days users can sign in who have not confirmed their address, if that is a soft requirement."""
_MOST_WEIGHT: Final = 100
_HOSTNAME: Final = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*\.?")
_INVALID: Final = "is invalid"
_NO_TOKEN_PREFIX: Final = (
    "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'"
)
_NO_DURATION: Final = "is not a correct duration"


def check_settings(profile: Profile, before: Settings, after: Settings) -> None:
    """Raise InvalidRecord for errors of changed settings; what was invalid before is not reported."""
    errors, known = _list_errors(profile, after), _list_errors(profile, before)
    new_errors = ValidationErrors()
    for field in errors:
        for text in errors.texts(field):
            new_errors.when(text not in known.texts(field), field, text)
    new_errors.refuse()


def _list_errors(profile: Profile, settings: Settings) -> ValidationErrors:
    errors = ValidationErrors()
    for name, setting in declared_settings().items():
        if not any(profile.has(lifetime) for lifetime in setting.names.values()):
            continue
        for text in dict.fromkeys(_find_texts(setting, getattr(settings, name), settings)):
            errors.add(setting.name_in(profile), text if isinstance(text, str) else profile.choose(text))
    _check_spam_check_url(errors, settings, profile)
    _check_storages(errors, settings)
    _check_archiving(errors, settings, profile)
    _check_accounts(errors, settings)
    if profile.has(VISIBILITY_DEFAULTS_ARE_RESTRICTED):
        _check_visibilities(errors, settings)
    restrictions = [get_key_restriction(settings, kind) for kind in KEY_TYPES]
    errors.when(set(restrictions) == {FORBIDDEN}, "allowed_key_types", BLANK)
    return errors


def _find_texts(setting: Setting, value: object, settings: Settings) -> Iterator[Text]:
    if value is None and not setting.is_nullable:
        yield BLANK
        if setting.find(Number):
            yield "is not a number"
        return
    for marker in setting.markers:
        check = _CHECKS.get(type(marker))
        if check is not None:
            yield from check(marker, value, settings)


def _check_number(rule: Number, value: float | None, settings: Settings) -> Iterator[str]:
    if value is None:
        return
    for bound, words, holds in (
        (rule.least, "greater than or equal to", ge),
        (rule.above, "greater than", gt),
        (rule.most, "less than or equal to", le),
        (rule.below, "less than", lt),
    ):
        limit = getattr(settings, bound) if isinstance(bound, str) else bound
        if limit is not None and not holds(value, limit):
            yield rule.text or f"must be {words} {limit}"


def _check_needed(rule: Needed, value: object, settings: Settings) -> Iterator[Text]:
    is_blank = value is None or value == () or (isinstance(value, str) and not value.strip())
    if is_blank and (not rule.flag or getattr(settings, rule.flag)):
        yield rule.text


def _check_length(rule: Length, value: Sized | None, _settings: Settings) -> Iterator[str]:
    size = len(value or "")
    if size > rule.most:
        yield rule.too_long.format(rule.most, rule.unit)
    if value and size < rule.least:
        yield f"is too short (minimum is {rule.least} {rule.unit})"


def _check_url(_rule: WebUrl, value: str | None, _settings: Settings) -> Iterator[str]:
    error = find_url_error(value) if value and value.strip() else None
    if error is not None:
        yield error


def _check_members(rule: Members, value: Sequence[object] | None, _settings: Settings) -> Iterator[str]:
    everything = ", ".join(f'"{item}"' for item in value or ())
    for item in value or ():
        if item not in rule.values:
            yield rule.text.format(item, all=f"[{everything}]")


def _check_keys(rule: Keys, value: Mapping[str, object], _settings: Settings) -> Iterator[str]:
    if not all(isinstance(item, rule.types.get(key, ())) for key, item in value.items()):
        yield "must be a valid json schema"


def _check_pattern(rule: Matches, value: str | None, _settings: Settings) -> Iterator[str]:
    text = _PATTERNS[rule.pattern](value) if value else None
    if text:
        yield text


_CHECKS: Final[Mapping[type, Callable[[Any, Any, Settings], Iterator[Text]]]] = {
    Number: _check_number,
    Needed: _check_needed,
    Length: _check_length,
    WebUrl: _check_url,
    Members: _check_members,
    Matches: _check_pattern,
    Keys: _check_keys,
}


def _explain_path_error(path: str) -> str:
    is_outside = path.startswith("/") or ".." in path
    return "cannot include leading slash or directory traversal." if is_outside else ""


def _explain_duration_error(text: str) -> str:
    return "" if text.strip() == "0" or durations.parse(text) else _NO_DURATION


def _explain_ranges_error(text: str) -> str:
    # Imported here because it is seldom needed.
    from ipaddress import ip_network

    try:
        for part in text.split(","):
            ip_network(part.strip(), strict=False)
    except ValueError as error:
        return str(error)
    return ""


def _explain_pattern_error(pattern: str) -> str:
    error = explain_regex_error(pattern)
    return f"not valid RE2 syntax: {error}" if error else ""


_PATTERNS: Final[Mapping[str, Callable[[str], str]]] = {
    "aws_account": lambda text: "" if re.fullmatch(r"[0-9]{12}", text) else "must be a 12-digit number",
    "ci_path": _explain_path_error,
    "instance_prefix": lambda text: "" if re.fullmatch(r"[a-zA-Z0-9-]+", text) else _INVALID,
    "token_prefix": lambda text: "" if re.fullmatch(r"[a-zA-Z0-9_+=/@:.-]+", text) else _NO_TOKEN_PREFIX,
    "duration": _explain_duration_error,
    "email": lambda text: "" if is_email(text) else _INVALID,
    "host_without_at": lambda text: _INVALID if "@" in text else "",
    "hostname": lambda text: "" if _HOSTNAME.fullmatch(text) else _INVALID,
    "ip_ranges": _explain_ranges_error,
    "regexp": _explain_pattern_error,
}


def _check_spam_check_url(errors: ValidationErrors, settings: Settings, profile: Profile) -> None:
    url, schemes = settings.spam_check_endpoint_url, ("tls", "grpc")
    if url and url.strip():
        error = find_url_error(url, schemes) if profile.has(SPAM_CHECKS_SPEAK_GRPC) else find_url_error(url)
        errors.when(error is not None, "spam_check_endpoint_url", error or "")


def _check_storages(errors: ValidationErrors, settings: Settings) -> None:
    weights = settings.repository_storages_weighted or {}
    unknown = [name for name in weights if name not in settings.repository_storages]
    errors.when(unknown, "repository_storages_weighted", f"can't include: {', '.join(unknown)}")
    for name, weight in weights.items():
        errors.when(
            not 0 <= weight <= _MOST_WEIGHT, f"repository_storages_weighted_{name}", "value must be between 0 and 100"
        )


def _check_archiving(errors: ValidationErrors, settings: Settings, profile: Profile) -> None:
    seconds = durations.parse_seconds(settings.archive_builds_in_human_readable)
    is_too_short = seconds is not None and seconds < durations.DAY
    errors.when(is_too_short, "archive_builds_in_seconds", profile.choose(ARCHIVING_IS_TOO_EARLY))


def _check_accounts(errors: ValidationErrors, settings: Settings) -> None:
    """Add errors of the settings about accounts that depend on others."""
    days = settings.deactivate_dormant_users_period
    is_too_short = settings.deactivate_dormant_users and days is not None and days < _LEAST_DORMANT_DAYS
    text = f"'{days}' days of inactivity must be greater than or equal to {_LEAST_DORMANT_DAYS}"
    errors.when(is_too_short, "deactivate_dormant_users_period", text)
    deletes_without_confirmation = settings.delete_unconfirmed_users and settings.email_confirmation_setting == "off"
    errors.when(
        deletes_without_confirmation,
        "delete_unconfirmed_users",
        "must be false when email confirmation setting is off",
    )
    is_too_early = (
        settings.email_confirmation_setting == "soft"
        and 0 < (settings.unconfirmed_users_delete_after_days or 0) <= _UNCONFIRMED_DAYS
    )
    errors.when(is_too_early, "unconfirmed_users_delete_after_days", f"must be greater than {_UNCONFIRMED_DAYS}")
    for name in ("default_syntax_highlighting_theme", "default_dark_syntax_highlighting_theme"):
        errors.when(getattr(settings, name) not in _THEMES, name, "must be a valid syntax highlighting theme ID")


def _check_visibilities(errors: ValidationErrors, settings: Settings) -> None:
    for name in ("default_project_visibility", "default_group_visibility"):
        is_restricted = getattr(settings, name) in settings.restricted_visibility_levels
        errors.when(is_restricted, name, "cannot be set to a restricted visibility level")
