"""How users want lists to be shown. Source: docs/platform/users.md ('Preferences')."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.release import ALWAYS
from fakeplat.domain.people import user_preferences
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.schema_builder import ENUMERATIONS, Enumeration, EnumValue, Type, mutation, to_snake_case
from fakeplat.model.people import DashboardKind, GroupsOrProjects, PipelineNumber, User, UserPreference
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=14.9"
_LATER: Final = "<=18.5"
_ORGANIZATIONS: Final = "17.2"
_DISPLAY: Final = "18.1"
_DRAFTS: Final = "<=18.9"
Enumeration(
    "VisibilityPipelineIdType",
    "Which number of pipelines is shown.",
    {"ID": ("id", "The ID."), "IID": ("iid", "The number within the project.")},
    since=_LATER,
)
Enumeration(
    "MergeRequestsDashboardListType",
    "How merge requests of the user are grouped.",
    {"ACTION_BASED": ("action_based", "By what is to be done."), "ROLE_BASED": ("role_based", "By the user's part.")},
    since=_LATER,
)
Enumeration(
    "OrganizationGroupProjectDisplay",
    "What is shown first of an organization.",
    {"GROUPS": ("groups", "The groups."), "PROJECTS": ("projects", "The projects.")},
    since=_ORGANIZATIONS,
)
Enumeration(
    "OrganizationGroupProjectSort",
    "The order of the groups and projects of an organization.",
    {"NAME_ASC": ("NAME_ASC", "By name, from A to Z."), "NAME_DESC": ("NAME_DESC", "By name, from Z to A.")},
    since=_ORGANIZATIONS,
)
PREFERENCES: Final = Type("UserPreferences", "How a user wants lists to be shown.", since=_SINCE)
PREFERENCES.attributes(
    {
        "mergeRequestDashboardListType: MergeRequestsDashboardListType": "How merge requests are grouped.",
        "useWorkItemsView: Boolean": "Whether issues are shown as work items.",
        "visibilityPipelineIdType: VisibilityPipelineIdType": "Which number of pipelines is shown.",
    },
    since=_LATER,
)
PREFERENCES.attributes(
    {
        "organizationGroupsProjectsDisplay: OrganizationGroupProjectDisplay!": "What is shown first of organizations.",
        "organizationGroupsProjectsSort: OrganizationGroupProjectSort": "The order of what is in organizations.",
    },
    since=_ORGANIZATIONS,
)
PREFERENCES.attributes({"timezone: String": "The time zone."}, since="17.7")
PREFERENCES.attributes(
    {"mergeRequestDashboardShowDrafts: Boolean": "Whether drafts are among the merge requests."}, since=_DRAFTS
)


@PREFERENCES.field("workItemsDisplaySettings: JSON!", since=_DISPLAY)
def display_settings(_ctx: ReadContext, preferences: UserPreference) -> dict[str, bool]:
    """How lists of work items are displayed."""
    return user_preferences.serialize_display(preferences)


@USER.field("userPreferences: UserPreferences", since=_LATER)
def preferences_of(ctx: ReadContext, user: User) -> UserPreference | None:
    """How the user wants lists to be shown, for the user and administrators."""
    return user_preferences.get_preferences(ctx.world, user) if user_preferences.can_read(ctx, user) else None


# Sort orders are stored by the names that they have on the wire.

_SORTS: Final[Mapping[str, str]] = {
    "issues_sort": "IssueSort",
    "merge_requests_sort": "MergeRequestSort",
    "projects_sort": "ProjectSort",
}


def _find_value(ctx: ReadContext, enumeration: str, name: str | None) -> Any | None:
    """Return the Python value of a sort order that the release has, or None."""
    value: EnumValue | None = ENUMERATIONS[enumeration].values.get(name or "")
    lifetime = value[2] if value is not None and len(value) > 2 else ALWAYS
    return value[0] if value is not None and ctx.profile.has(lifetime) else None


def _declare_sort(field: str, words: str, since: str = "") -> None:
    attribute = to_snake_case(field)

    def sort(ctx: ReadContext, preferences: UserPreference) -> Any | None:
        return _find_value(ctx, _SORTS[attribute], getattr(preferences, attribute))

    PREFERENCES.field(f"{field}: {_SORTS[attribute]}", since=since, description=f"The order of {words}.")(sort)


_declare_sort("issuesSort", "issues")
_declare_sort("projectsSort", "projects", since=_LATER)


class SentPreferences(TypedDict, total=False):
    """The input of the mutation; sort orders are Python values of their enumerations."""

    issues_sort: tuple[str, str] | None
    merge_requests_sort: tuple[str, str] | None
    projects_sort: tuple[str, bool] | None
    organization_groups_projects_sort: str | None
    organization_groups_projects_display: GroupsOrProjects | None
    visibility_pipeline_id_type: PipelineNumber | None
    use_work_items_view: bool | None
    merge_request_dashboard_list_type: DashboardKind | None
    merge_request_dashboard_show_drafts: bool | None
    work_items_display_settings: object


_NULLABLE: Final = (*_SORTS, "organization_groups_projects_sort")
_DISPLAY_SETTINGS: Final = "work_items_display_settings"


@mutation(
    "userPreferencesUpdate",
    input_fields=f'''
"""The order of issues."""
issuesSort: IssueSort
"""The order of merge requests."""
mergeRequestsSort: MergeRequestSort @lifetime(since: "{_LATER}")
"""The order of projects."""
projectsSort: ProjectSort @lifetime(since: "{_LATER}")
"""The order of what is in organizations."""
organizationGroupsProjectsSort: OrganizationGroupProjectSort @lifetime(since: "{_ORGANIZATIONS}")
"""What is shown first of organizations."""
organizationGroupsProjectsDisplay: OrganizationGroupProjectDisplay @lifetime(since: "{_ORGANIZATIONS}")
"""Which number of pipelines is shown."""
visibilityPipelineIdType: VisibilityPipelineIdType @lifetime(since: "{_LATER}")
"""Whether issues are shown as work items."""
useWorkItemsView: Boolean @lifetime(since: "{_LATER}")
"""How merge requests are grouped."""
mergeRequestDashboardListType: MergeRequestsDashboardListType @lifetime(since: "{_LATER}")
"""Whether drafts are among the merge requests."""
mergeRequestDashboardShowDrafts: Boolean @lifetime(since: "{_DRAFTS}")
"""How lists of work items are displayed."""
workItemsDisplaySettings: JSON @lifetime(since: "{_DISPLAY}")
''',
    payload_fields='"""The preferences."""\nuserPreferences: UserPreferences',
    since=_SINCE,
)
def update_preferences(ctx: WriteContext, **sent: Unpack[SentPreferences]) -> Mapping[str, Any]:
    """Change how the caller wants lists to be shown; what is null and must not be is ignored."""
    with collect_errors(user_preferences=None):
        changes: Any = dict(_parse_change(name, value) for name, value in sent.items() if _is_change(name, value))
        return {"user_preferences": user_preferences.update(ctx, ctx.signed_in_user, **changes)}


def _is_change(name: str, value: object) -> bool:
    return value is not None or name in (*_NULLABLE, _DISPLAY_SETTINGS)


def _parse_change(name: str, value: object) -> tuple[str, object]:
    if name == _DISPLAY_SETTINGS:
        return "opens_items_in_side_panel", user_preferences.parse_display(value)
    is_sort = name in _SORTS and value is not None
    return name, ENUMERATIONS[_SORTS[name]].get_name(value) if is_sort else value
