"""How users want to see lists of work items. Source: docs/platform/work-items.md ('Preferences')."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain.issues.work_items import WorkItemType
from fakeplat.domain.people.members import source_of
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.issues import WorkItemPreference
from fakeplat.model.people import User
from fakeplat.model.projects import Container
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_HIDEABLE: Final = frozenset(
    "assignee blocked blocking dates health labels milestone popularity weight comments iteration status".split()
)
_NO_SETTINGS: Final = "must be a valid json schema"


def find(world: World, user: User, container: Container, kind: WorkItemType | None) -> WorkItemPreference | None:
    """Return what a user prefers for a type of work items in a project or group, or for all types."""
    key = (user.id, source_of(container), kind.id if kind is not None else None)
    return world.work_item_preferences.find("own", key)


def set_preferences(
    ctx: WriteContext, container: Container, kind: WorkItemType | None, **changes: Any
) -> WorkItemPreference:
    """Set what the caller prefers: the order (``sort``) and ``display_settings``; 400 for settings of another form."""
    errors = ValidationErrors()
    settings = changes.get("display_settings")
    errors.when(settings is not None and not _is_valid(settings), "display_settings", _NO_SETTINGS)
    errors.refuse()
    table, user = ctx.world.work_item_preferences, ctx.signed_in_user
    known = find(ctx.world, user, container, kind)
    if known is not None:
        return table.change(known, **changes)
    type_id = kind.id if kind is not None else None
    return table.add(WorkItemPreference(table.next_id(), user.id, source_of(container), type_id, **changes))


def _is_valid(settings: object) -> bool:
    if not isinstance(settings, Mapping) or settings.keys() - {"hiddenMetadataKeys"}:
        return False
    hidden = settings.get("hiddenMetadataKeys", [])
    if not isinstance(hidden, list) or not all(isinstance(key, str) for key in hidden):
        return False
    return len(set(hidden)) == len(hidden) and _HIDEABLE.issuperset(hidden)
