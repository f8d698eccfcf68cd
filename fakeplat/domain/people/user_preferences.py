"""How users want lists to be shown. Source: docs/platform/users.md ('Preferences')."""

from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.model.people import DashboardKind, GroupsOrProjects, PipelineNumber, User, UserPreference
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

_SIDE_PANEL: Final = "shouldOpenItemsInSidePanel"
"""The only key of the display settings of work items."""


class UserPreferenceChanges(TypedDict, total=False):
    """Changes of the preferences of a user."""

    issues_sort: str | None
    merge_requests_sort: str | None
    projects_sort: str | None
    organization_groups_projects_sort: str | None
    organization_groups_projects_display: GroupsOrProjects
    visibility_pipeline_id_type: PipelineNumber
    use_work_items_view: bool
    merge_request_dashboard_list_type: DashboardKind
    merge_request_dashboard_show_drafts: bool
    opens_items_in_side_panel: bool | None


def can_read(ctx: ReadContext, user: User) -> bool:
    """Return whether the caller may read the preferences of a user: their own, or as administrator."""
    return user.kind != "ghost" and (ctx.admin or (ctx.viewer is not None and ctx.viewer.id == user.id))


def get_preferences(world: World, user: User) -> UserPreference:
    """Return the preferences of a user; those of a new one if nothing was changed."""
    return world.user_preferences.find("user", user.id) or UserPreference(0, user.id)


def update(ctx: WriteContext, user: User, **changes: Unpack[UserPreferenceChanges]) -> UserPreference:
    """Change the preferences of a user."""
    table, stored = ctx.world.user_preferences, get_preferences(ctx.world, user)
    if not stored.id:
        stored = table.add(UserPreference(table.next_id(), user.id))
    return table.change(stored, **changes)


def serialize_display(preferences: UserPreference) -> dict[str, bool]:
    """Return how lists of work items are displayed, as a JSON object with what was chosen."""
    chosen = preferences.opens_items_in_side_panel
    return {} if chosen is None else {_SIDE_PANEL: chosen}


def parse_display(settings: object) -> bool | None:
    """Return whether items open in a side panel; InvalidRecord for what is no such JSON object."""
    if not isinstance(settings, dict) or not all(
        key == _SIDE_PANEL and isinstance(value, bool) for key, value in settings.items()
    ):
        raise InvalidRecord({"work_items_display_settings": ["must be a valid json schema"]})
    return settings.get(_SIDE_PANEL)
