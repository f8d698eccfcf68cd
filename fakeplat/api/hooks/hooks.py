"""Webhooks of projects and groups. Source: docs/platform/webhooks.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Check, CommaList, NotAmong, Params
from fakeplat.core.release import Lifetime, Required
from fakeplat.domain.hooks import hook_log, hook_tests, hooks
from fakeplat.domain.purging import purge
from fakeplat.entities.hooks import GroupHookView, HookEventView, ProjectHookView
from fakeplat.model.hooks import BranchFilterStrategy, Hook, HookVariable
from fakeplat.model.outgoing import LoggedRequest
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Hooks", login=Login.ALWAYS, located_first=True)
_ONE: Final = "hooks/:hook_id"
_ADMIN_PROJECT: Final = Ability.ADMIN_PROJECT
_ADMIN_GROUP: Final = Ability.ADMIN_GROUP
# Since hooks have variables for their URL, which are changed alone.
_REQUIRED: Final = Required(until="15.2")
_GROUP_HOOKS: Final[dict[str, Any]] = {"scope": GROUP, "ability": _ADMIN_GROUP, "tier": "premium"}


class HookVariableParams(Params):
    """A variable of the URL, which stands there as ``{key}``, or a header."""

    key: str
    value: str


class NewerHookAttributes(Params):
    """What all webhooks have in later releases."""

    name: Annotated[str | None, Lifetime(since="17.1")] = None
    description: Annotated[str | None, Lifetime(since="17.1")] = None
    branch_filter_strategy: Annotated[BranchFilterStrategy | None, Lifetime(since="<=18.3")] = None
    custom_webhook_template: Annotated[str | None, Lifetime(since="16.10")] = None
    url_variables: Annotated[list[HookVariableParams] | None, Lifetime(since="15.2")] = None
    custom_headers: Annotated[list[HookVariableParams] | None, Lifetime(since="17.1")] = None
    signing_token: Annotated[str | None, Lifetime(since="19.0")] = None

    def hook_fields(self) -> dict[str, Any]:
        """Return the given attributes with records for variables and headers."""
        fields = self.given()
        for name in ("url_variables", "custom_headers"):
            if fields.get(name) is not None:
                fields[name] = tuple(HookVariable(row.key, row.value) for row in fields[name])
        return fields


class CommonHookAttributes(NewerHookAttributes):
    """What webhooks of projects and of groups have, all sent with each change."""

    push_events: bool | None = None
    issues_events: bool | None = None
    confidential_issues_events: bool | None = None
    merge_requests_events: bool | None = None
    tag_push_events: bool | None = None
    note_events: bool | None = None
    confidential_note_events: bool | None = None
    job_events: bool | None = None
    pipeline_events: bool | None = None
    wiki_page_events: bool | None = None
    feature_flag_events: Annotated[bool | None, Lifetime(since="<=18.3")] = None
    resource_access_token_events: Annotated[bool | None, Lifetime(since="16.11")] = None
    emoji_events: Annotated[bool | None, Lifetime(since="16.2")] = None
    milestone_events: Annotated[bool | None, Lifetime(since="<=18.8")] = None
    vulnerability_events: Annotated[bool | None, Lifetime(since="<=18.8")] = None
    enable_ssl_verification: bool | None = None
    token: str | None = None


class ProjectHookAttributes(CommonHookAttributes):
    """A webhook of a project."""

    deployment_events: bool | None = None
    releases_events: bool | None = None
    resource_deploy_token_events: Annotated[bool | None, Lifetime(since="18.10")] = None
    push_events_branch_filter: str | None = None


class NewProjectHook(ProjectHookAttributes):
    """A new webhook of a project."""

    url: str


class ProjectHookChanges(ProjectHookAttributes):
    """Changes of a webhook of a project."""

    url: Annotated[str | None, _REQUIRED] = None


class GroupHookAttributes(CommonHookAttributes):
    """A webhook of a group."""

    deployment_events: Annotated[bool | None, Lifetime(since="13.6")] = None
    releases_events: Annotated[bool | None, Lifetime(since="13.7")] = None
    subgroup_events: Annotated[bool | None, Lifetime(since="13.9")] = None
    member_events: Annotated[bool | None, Lifetime(since="<=16.11")] = None
    project_events: Annotated[bool | None, Lifetime(since="<=18.8")] = None
    push_events_branch_filter: Annotated[str | None, Lifetime(since="<=15.4")] = None
    # Known of groups earlier than of projects.
    branch_filter_strategy: Annotated[BranchFilterStrategy | None, Lifetime(since="<=17.6")] = None
    feature_flag_events: Annotated[bool | None, Lifetime(since="<=17.6")] = None


class NewGroupHook(GroupHookAttributes):
    """A new webhook of a group."""

    url: str


class GroupHookChanges(GroupHookAttributes):
    """Changes of a webhook of a group."""

    url: Annotated[str | None, _REQUIRED] = None


@area.operation("GET", "hooks", scope=PROJECT, ability=_ADMIN_PROJECT, params=Paged, view=ProjectHookView, many=True)
def list_project_hooks(ctx: ReadContext, project: Project) -> Sequence[Hook]:
    """List the webhooks of a project."""
    return hooks.list_hooks(ctx.world, project)


@area.operation("GET", _ONE, scope=PROJECT, ability=_ADMIN_PROJECT, view=ProjectHookView, refusals=(404,))
def get_project_hook(ctx: ReadContext, project: Project, hook_id: int) -> Hook:
    """Get a webhook of a project."""
    return hooks.get_hook(ctx.world, project, hook_id)


@area.operation(
    "POST",
    "hooks",
    scope=PROJECT,
    ability=_ADMIN_PROJECT,
    params=NewProjectHook,
    view=ProjectHookView,
    refusals=(422,),
)
def create_project_hook(ctx: WriteContext, project: Project, p: NewProjectHook) -> Hook:
    """Add a webhook to a project."""
    return hooks.create(ctx, project, **p.hook_fields())


@area.operation(
    "PUT",
    _ONE,
    scope=PROJECT,
    ability=_ADMIN_PROJECT,
    params=ProjectHookChanges,
    view=ProjectHookView,
    refusals=(404, 422),
)
def update_project_hook(ctx: WriteContext, project: Project, hook_id: int, p: ProjectHookChanges) -> Hook:
    """Update a webhook of a project."""
    return hooks.update(ctx, hooks.get_hook(ctx.world, project, hook_id), **p.hook_fields())


@area.operation("DELETE", _ONE, scope=PROJECT, ability=_ADMIN_PROJECT, refusals=(404, 412))
def delete_project_hook(ctx: WriteContext, project: Project, hook_id: int) -> None:
    """Delete a webhook of a project."""
    hook = hooks.get_hook(ctx.world, project, hook_id)
    ctx.check_unmodified_since(hook.updated_at)
    purge(ctx, hook)


@area.operation(
    "POST",
    f"{_ONE}/test/:trigger",
    name="test_project_hook",
    scope=PROJECT,
    ability=_ADMIN_PROJECT,
    since="16.11",
    refusals=(400, 404, 422, 429),
)
def send_project_hook_test(ctx: WriteContext, project: Project, hook_id: int, trigger: str) -> dict[str, str]:
    """Send a sample of an event to a webhook of a project."""
    hook_tests.send_sample(ctx, project, hooks.get_hook(ctx.world, project, hook_id), trigger)
    return {"message": "201 Created"}


_EVENTS: Final = f"{_ONE}/events"
_RESEND: Final = f"{_EVENTS}/:hook_log_id/resend"
_URL_VARIABLE: Final = f"{_ONE}/url_variables/:key"
_CUSTOM_HEADER: Final = f"{_ONE}/custom_headers/:key"
_PROJECT_HOOKS: Final[dict[str, Any]] = {"scope": PROJECT, "ability": _ADMIN_PROJECT}
_MAX_EVENTS: Final = 20
_STATUSES: Final = frozenset(
    map(
        str,
        (
            *range(100, 104),
            *range(200, 209),
            226,
            *range(300, 309),
            *range(400, 418),
            *range(421, 427),
            428,
            429,
            431,
            451,
            *range(500, 512),
        ),
    )
).union(hook_log.CATEGORIES)


def _among_statuses(statuses: list[str]) -> str | None:
    return None if _STATUSES.issuperset(statuses) else "does not have a valid value"


def _up_to_most_events(size: int) -> str | None:
    return None if 0 < size <= _MAX_EVENTS else "does not have a valid value"


class ListHookEvents(Paged):
    """Which requests of a webhook are listed: those with one of the statuses, or of one of the categories."""

    status: Annotated[CommaList[str] | None, Check(_among_statuses)] = None
    per_page: Annotated[int, NotAmong(0), Check(_up_to_most_events, schema={"minimum": 1, "maximum": _MAX_EVENTS})] = (
        _MAX_EVENTS
    )


def _resend(ctx: WriteContext, owner: Project | Group, hook: Hook, id_: int) -> dict[str, int | None]:
    """Send a request again; the answer, unlike the platform's, does not wait for that of the receiver."""
    ctx.count_action(
        "web_hook_event_resend", (owner.id, ctx.signed_in_user.id), ctx.world.settings.web_hook_event_resend_limit
    )
    hook_log.resend(ctx, hook, id_)
    return {"response_status": None}


@area.operation(
    "GET",
    _EVENTS,
    name="list_hook_events",
    params=ListHookEvents,
    view=HookEventView,
    many=True,
    since="17.3",
    refusals=(400, 404),
    **_PROJECT_HOOKS,
)
def list_project_hook_events(
    ctx: ReadContext, project: Project, hook_id: int, p: ListHookEvents
) -> Sequence[LoggedRequest]:
    """List the requests of a webhook of a project in the last seven days."""
    return hook_log.list_requests(ctx, hooks.get_hook(ctx.world, project, hook_id), p.status)


@area.operation("POST", _RESEND, name="resend_hook_event", since="17.4", refusals=(404, 422, 429), **_PROJECT_HOOKS)
def resend_project_hook_event(
    ctx: WriteContext, project: Project, hook_id: int, hook_log_id: int
) -> dict[str, int | None]:
    """Send a request of a webhook of a project again."""
    return _resend(ctx, project, hooks.get_hook(ctx.world, project, hook_id), hook_log_id)


class VariableValue(Params):
    """The value of a variable of the URL, or of a header."""

    value: str


@area.operation(
    "PUT",
    _URL_VARIABLE,
    params=VariableValue,
    status=204,
    since="15.2",
    refusals=(404, 422),
    **_PROJECT_HOOKS,
)
def set_project_hook_url_variable(
    ctx: WriteContext, project: Project, hook_id: int, key: str, p: VariableValue
) -> None:
    """Set a variable of the URL of a project's webhook."""
    hooks.set_variable(ctx, hooks.get_hook(ctx.world, project, hook_id), "url_variables", key, p.value)


@area.operation("DELETE", _URL_VARIABLE, since="15.2", refusals=(404, 422), **_PROJECT_HOOKS)
def delete_project_hook_url_variable(ctx: WriteContext, project: Project, hook_id: int, key: str) -> None:
    """Delete a variable of the URL of a project's webhook."""
    hooks.delete_variable(ctx, hooks.get_hook(ctx.world, project, hook_id), "url_variables", key)


@area.operation(
    "PUT",
    _CUSTOM_HEADER,
    params=VariableValue,
    status=204,
    since="17.1",
    refusals=(404, 422),
    **_PROJECT_HOOKS,
)
def set_project_hook_custom_header(
    ctx: WriteContext, project: Project, hook_id: int, key: str, p: VariableValue
) -> None:
    """Set a header of the requests of a project's webhook."""
    hooks.set_variable(ctx, hooks.get_hook(ctx.world, project, hook_id), "custom_headers", key, p.value)


@area.operation("DELETE", _CUSTOM_HEADER, since="17.1", refusals=(404,), **_PROJECT_HOOKS)
def delete_project_hook_custom_header(ctx: WriteContext, project: Project, hook_id: int, key: str) -> None:
    """Delete a header of the requests of a project's webhook."""
    hooks.delete_variable(ctx, hooks.get_hook(ctx.world, project, hook_id), "custom_headers", key)


@area.operation("GET", "hooks", params=Paged, view=GroupHookView, many=True, **_GROUP_HOOKS)
def list_group_hooks(ctx: ReadContext, group: Group) -> Sequence[Hook]:
    """List the webhooks of a group."""
    return hooks.list_hooks(ctx.world, group)


@area.operation("GET", _ONE, view=GroupHookView, refusals=(404,), **_GROUP_HOOKS)
def get_group_hook(ctx: ReadContext, group: Group, hook_id: int) -> Hook:
    """Get a webhook of a group."""
    return hooks.get_hook(ctx.world, group, hook_id)


@area.operation("POST", "hooks", params=NewGroupHook, view=GroupHookView, refusals=(422,), **_GROUP_HOOKS)
def create_group_hook(ctx: WriteContext, group: Group, p: NewGroupHook) -> Hook:
    """Add a webhook to a group."""
    return hooks.create(ctx, group, **p.hook_fields())


@area.operation("PUT", _ONE, params=GroupHookChanges, view=GroupHookView, refusals=(404, 422), **_GROUP_HOOKS)
def update_group_hook(ctx: WriteContext, group: Group, hook_id: int, p: GroupHookChanges) -> Hook:
    """Update a webhook of a group."""
    return hooks.update(ctx, hooks.get_hook(ctx.world, group, hook_id), **p.hook_fields())


@area.operation("DELETE", _ONE, refusals=(404, 412), **_GROUP_HOOKS)
def delete_group_hook(ctx: WriteContext, group: Group, hook_id: int) -> None:
    """Delete a webhook of a group."""
    hook = hooks.get_hook(ctx.world, group, hook_id)
    ctx.check_unmodified_since(hook.updated_at)
    purge(ctx, hook)


@area.operation(
    "PUT", _URL_VARIABLE, params=VariableValue, status=204, since="15.2", refusals=(404, 422), **_GROUP_HOOKS
)
def set_group_hook_url_variable(ctx: WriteContext, group: Group, hook_id: int, key: str, p: VariableValue) -> None:
    """Set a variable of the URL of a group's webhook."""
    hooks.set_variable(ctx, hooks.get_hook(ctx.world, group, hook_id), "url_variables", key, p.value)


@area.operation("DELETE", _URL_VARIABLE, since="15.2", refusals=(404, 422), **_GROUP_HOOKS)
def delete_group_hook_url_variable(ctx: WriteContext, group: Group, hook_id: int, key: str) -> None:
    """Delete a variable of the URL of a group's webhook."""
    hooks.delete_variable(ctx, hooks.get_hook(ctx.world, group, hook_id), "url_variables", key)


@area.operation(
    "PUT", _CUSTOM_HEADER, params=VariableValue, status=204, since="17.1", refusals=(404, 422), **_GROUP_HOOKS
)
def set_group_hook_custom_header(ctx: WriteContext, group: Group, hook_id: int, key: str, p: VariableValue) -> None:
    """Set a header of the requests of a group's webhook."""
    hooks.set_variable(ctx, hooks.get_hook(ctx.world, group, hook_id), "custom_headers", key, p.value)


@area.operation("DELETE", _CUSTOM_HEADER, since="17.1", refusals=(404,), **_GROUP_HOOKS)
def delete_group_hook_custom_header(ctx: WriteContext, group: Group, hook_id: int, key: str) -> None:
    """Delete a header of the requests of a group's webhook."""
    hooks.delete_variable(ctx, hooks.get_hook(ctx.world, group, hook_id), "custom_headers", key)


@area.operation(
    "POST",
    f"{_ONE}/test/:trigger",
    name="test_group_hook",
    since="17.1",
    refusals=(400, 404, 422, 429),
    **_GROUP_HOOKS,
)
def send_group_hook_test(ctx: WriteContext, group: Group, hook_id: int, trigger: str) -> dict[str, str]:
    """Send a sample of an event to a webhook of a group."""
    hook_tests.send_sample_of_group(ctx, group, hooks.get_hook(ctx.world, group, hook_id), trigger)
    return {"message": "201 Created"}


@area.operation(
    "GET",
    _EVENTS,
    name="list_group_hook_events",
    params=ListHookEvents,
    view=HookEventView,
    many=True,
    since="17.3",
    refusals=(400, 404),
    **_GROUP_HOOKS,
)
def list_group_hook_events(ctx: ReadContext, group: Group, hook_id: int, p: ListHookEvents) -> Sequence[LoggedRequest]:
    """List the requests of a webhook of a group in the last seven days."""
    return hook_log.list_requests(ctx, hooks.get_hook(ctx.world, group, hook_id), p.status)


@area.operation("POST", _RESEND, name="resend_group_hook_event", since="17.4", refusals=(404, 422, 429), **_GROUP_HOOKS)
def resend_group_hook_event(ctx: WriteContext, group: Group, hook_id: int, hook_log_id: int) -> dict[str, int | None]:
    """Send a request of a webhook of a group again."""
    return _resend(ctx, group, hooks.get_hook(ctx.world, group, hook_id), hook_log_id)
