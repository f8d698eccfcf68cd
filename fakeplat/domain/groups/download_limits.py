"""How many projects of a top-level group a user may download; nothing is counted. Source: docs/platform/groups.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from fakeplat.domain.instance import features
from fakeplat.domain.people import namespaces
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.policy.behaviours import GROUPS_LIMIT_DOWNLOADS
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

FLAG: Final = "limit_unique_project_downloads_per_namespace_user"
_MOST: Final = {
    "unique_project_download_limit": 10_000,
    "unique_project_download_limit_interval_in_seconds": 864_000,
}
_ALLOWLIST: Final = "unique_project_download_limit_allowlist"
_ALERTLIST: Final = "unique_project_download_limit_alertlist"
_MOST_LISTED: Final = 100
LISTS: Final = (_ALLOWLIST, _ALERTLIST)
_BAN: Final = (field.name for field in attrs.fields(Group) if field.name.endswith("_projects_download"))
FIELDS: Final = (*_MOST, *LISTS, *_BAN)
"""The attributes of groups."""


def are_enabled(ctx: ReadContext, group: Group) -> bool:
    """Return whether a group has such limits: top-level ones, in ultimate; first with a feature flag."""
    if group.parent_id is not None or not has_feature(ctx.world, "ultimate", group):
        return False
    return ctx.profile.has(GROUPS_LIMIT_DOWNLOADS) or features.is_enabled(ctx.world, FLAG, group)


def list_alerted(world: World, group: Group) -> list[int]:
    """Return the ids of the users who are told of those beyond the limit: the listed ones, else the active owners."""
    if group.unique_project_download_limit_alertlist:
        return list(group.unique_project_download_limit_alertlist)
    return [id_ for id_ in namespaces.owner_ids(world, group) if world.users[id_].state == "active"]


def check(errors: ValidationErrors, world: World, fields: Mapping[str, Any]) -> None:
    """Add what is wrong with changes of such limits."""
    for name, most in _MOST.items():
        number = fields.get(name, 0)
        errors.when(number < 0, _key(name), "must be greater than or equal to 0")
        errors.when(number > most, _key(name), f"must be less than or equal to {most}")
    usernames = fields.get(_ALLOWLIST, ())
    unknown = [name for name in usernames if getattr(world.users.find("username", name), "username", "") != name]
    _check_list(errors, _ALLOWLIST, usernames, unknown, "usernames")
    ids = fields.get(_ALERTLIST, ())
    _check_list(errors, _ALERTLIST, ids, [id_ for id_ in ids if world.users.get(id_) is None], "user ids")


def _check_list(
    errors: ValidationErrors, name: str, listed: Sequence[object], unknown: Sequence[object], unit: str
) -> None:
    errors.when(len(listed) > _MOST_LISTED, _key(name), f"exceeds maximum length ({_MOST_LISTED} {unit})")
    text = f"should be an array of existing {unit}. {', '.join(map(str, unknown))} does not exist"
    errors.when(unknown, _key(name), text)


def _key(name: str) -> str:
    return f"namespace_settings.{name}"
