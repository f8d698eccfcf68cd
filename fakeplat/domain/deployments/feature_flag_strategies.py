"""The strategies of feature flags, and what their parameters may be. Source: docs/platform/feature-flags.md."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from fakeplat.model.instance import Instance
from fakeplat.policy.behaviours import CAMEL_CASE_STICKINESS

USER_LIST: Final = "gitlabUserList"
_INVALID_PARAMETERS: Final = "parameters are invalid"
_DEFAULT: Final = "default"
_XIDS_TEXT: Final = "{} must be a string of unique comma separated values each 256 characters or less"
_MAX_XID: Final = 256
_PERCENTAGE: Final = re.compile(r"[1-9]?[0-9]|100")
_GROUP: Final = re.compile(r"[a-z]{1,32}")
_CAPITAL_STICKINESS: Final = ("DEFAULT", "USERID", "SESSIONID", "RANDOM")
_STICKINESS: Final = ("default", "userId", "sessionId", "random")

Parameters = Mapping[str, Any]


def explain_name_error(name: object) -> str:
    """Return the error of a strategy's name; empty if it is valid."""
    return "" if isinstance(name, str) and name in _PARAMETERS else "strategy name is invalid"


def find_parameter_errors(instance: Instance, name: str, parameters: object) -> list[str]:
    """Return the errors of the parameters of a strategy with a valid name."""
    if not isinstance(parameters, Mapping) or {*parameters} != {*_PARAMETERS[name]}:
        return [_INVALID_PARAMETERS]
    return [error for parameter in _PARAMETERS[name] for error in _CHECKS[parameter](instance, parameters[parameter])]


def explain_xids_error(user_xids: object, field: str) -> str:
    """Return the error of a list of external user ids, which ``field`` names; empty if it is valid."""
    is_valid = isinstance(user_xids, str) and not re.search(r"[\n\r\t]|,,", user_xids) and _are_xids(user_xids)
    return "" if is_valid else _XIDS_TEXT.format(field)


def _are_xids(text: str) -> bool:
    # A comma at the end is allowed, one at the start is not.
    xids = text.rstrip(",").split(",") if text.rstrip(",") else []
    return len({*xids}) == len(xids) and all(xid and xid == xid.strip() and len(xid) <= _MAX_XID for xid in xids)


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and bool(pattern.fullmatch(value))


def _check_percentage(_instance: Instance, value: object) -> Iterator[str]:
    if not _matches(_PERCENTAGE, value):
        yield "percentage must be a string between 0 and 100 inclusive"


def _check_rollout(_instance: Instance, value: object) -> Iterator[str]:
    if not _matches(_PERCENTAGE, value):
        yield "rollout must be a string between 0 and 100 inclusive"


def _check_group(_instance: Instance, value: object) -> Iterator[str]:
    if not _matches(_GROUP, value):
        yield "groupId parameter is invalid"


def _check_stickiness(instance: Instance, value: object) -> Iterator[str]:
    settings: Collection[str] = _STICKINESS if instance.profile.has(CAMEL_CASE_STICKINESS) else _CAPITAL_STICKINESS
    if value not in settings:
        *others, last = settings
        yield f"stickiness parameter must be {', '.join(others)}, or {last}"


def _check_xids(_instance: Instance, value: object) -> Iterator[str]:
    if error := explain_xids_error(value, "userIds"):
        yield error


# The errors are listed in the order of the parameters.
_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    _DEFAULT: (),
    USER_LIST: (),
    "gradualRolloutUserId": ("percentage", "groupId"),
    "flexibleRollout": ("stickiness", "groupId", "rollout"),
    "userWithId": ("userIds",),
}
_CHECKS: Final[Mapping[str, Callable[[Instance, object], Iterator[str]]]] = {
    "percentage": _check_percentage,
    "groupId": _check_group,
    "stickiness": _check_stickiness,
    "rollout": _check_rollout,
    "userIds": _check_xids,
}
