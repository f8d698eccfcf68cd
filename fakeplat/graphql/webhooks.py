"""Webhooks of projects and groups, and their logs. Source: docs/platform/webhooks.md."""

from collections.abc import Mapping, Sequence
from typing import Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import inspect
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.hooks import hook_log
from fakeplat.domain.people.members import source_of
from fakeplat.graphql.ids import declare_id, parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Input, Type
from fakeplat.model.hooks import Hook, HookVariable
from fakeplat.model.outgoing import LoggedRequest
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "18.5"
_EVENTS: Final = "<=18.9"
"""The release whose reference has the logs; when they came is not known."""
_EVENT: Final = "WebHookLog"
_MAX_PAGE: Final = 20

Enumeration(
    "WebhookAlertStatus",
    "Whether a webhook is used.",
    {
        "EXECUTABLE": ("executable", "It is."),
        "TEMPORARILY_DISABLED": ("temporarily_disabled", "It will be after a while."),
        "DISABLED": ("disabled", "It is not."),
    },
    since=_SINCE,
)
Enumeration(
    "WebhookBranchFilterStrategy",
    "How the branches are told whose pushes a webhook gets.",
    {
        "WILDCARD": ("wildcard", "By a pattern with `*`."),
        "REGEX": ("regex", "By a regular expression."),
        "ALL_BRANCHES": ("all_branches", "Not at all: it gets those of all branches."),
    },
    since=_SINCE,
)
URL_VARIABLE = Type("WebhookUrlVariable", "A part of a webhook's URL that is kept secret.", since=_SINCE)
CUSTOM_HEADER = Type("WebhookCustomHeader", "A header of a webhook's requests.", since=_SINCE)
URL_VARIABLE.attributes({"key: String!": "The name that stands in the URL for it."})
CUSTOM_HEADER.attributes({"key: String!": "The name."})

PROJECT_HOOK = Type("ProjectHook", "A webhook of a project.", since=_SINCE)
GROUP_HOOK = Type("GroupHook", "A webhook of a group.", since=_SINCE)
_HOOKS: Final[Mapping[str, Type]] = {"ProjectHook": PROJECT_HOOK, "GroupHook": GROUP_HOOK}
_FLAGS: Final = {
    "push": "pushes",
    "tagPush": "pushes of tags",
    "mergeRequests": "merge requests",
    "issues": "issues",
    "confidentialIssues": "confidential issues",
    "note": "comments",
    "pipeline": "pipelines",
    "wikiPage": "pages of wikis",
    "deployment": "deployments",
    "featureFlag": "feature flags",
    "job": "jobs",
    "releases": "releases",
    "milestone": "milestones",
    "emoji": "emoji reactions",
    "resourceAccessToken": "access tokens that expire",
    "vulnerability": "vulnerabilities",
}
_GROUP_FLAGS: Final = {"member": "members", "project": "projects", "subgroup": "subgroups"}


def _flags(names: Mapping[str, str]) -> dict[str, str]:
    return {f"{name}Events: Boolean!": f"Whether it gets the events of {words}." for name, words in names.items()}


for _kind, _type in _HOOKS.items():
    declare_id(_type, _kind, "The global ID of the webhook.")
    _type.attributes(
        {
            "url: String!": "The URL, with the names of its secret parts.",
            "name: String": "The name.",
            "description: String": "The description.",
            "createdAt: Time!": "Timestamp of creation.",
            "enableSslVerification: Boolean": "Whether the certificate of the receiver is verified.",
            "customWebhookTemplate: String": "The template of the payload.",
            "pushEventsBranchFilter: String": "Which branches' pushes it gets.",
            "branchFilterStrategy: WebhookBranchFilterStrategy!": "What that filter is.",
            **_flags(_FLAGS),
        }
    )
GROUP_HOOK.attributes(_flags(_GROUP_FLAGS))


@PROJECT_HOOK.field("confidentialNoteEvents: Boolean!")
@GROUP_HOOK.field("confidentialNoteEvents: Boolean!")
def gets_confidential_notes(_ctx: ReadContext, hook: Hook) -> bool:
    """Whether it gets the events of internal comments."""
    return bool(hook.confidential_note_events)


@PROJECT_HOOK.field("urlVariables: [WebhookUrlVariable!]")
@GROUP_HOOK.field("urlVariables: [WebhookUrlVariable!]")
def url_variables(_ctx: ReadContext, hook: Hook) -> Sequence[HookVariable]:
    """The secret parts of the URL, without their values."""
    return hook.url_variables


@PROJECT_HOOK.field("customHeaders: [WebhookCustomHeader!]")
@GROUP_HOOK.field("customHeaders: [WebhookCustomHeader!]")
def custom_headers(_ctx: ReadContext, hook: Hook) -> Sequence[HookVariable]:
    """The headers of its requests, without their values."""
    return hook.custom_headers


@PROJECT_HOOK.field("alertStatus: WebhookAlertStatus!")
@GROUP_HOOK.field("alertStatus: WebhookAlertStatus!")
def alert_status(_ctx: ReadContext, _hook: Hook) -> str:
    """Whether it is used, as each webhook here is, whatever its receiver answers."""
    return "executable"


@PROJECT_HOOK.field("disabledUntil: Time")
@GROUP_HOOK.field("disabledUntil: Time")
def disabled_until(_ctx: ReadContext, _hook: Hook) -> None:
    """Timestamp from which a webhook is used again that is disabled for a while, as none here is."""


@PROJECT.field("webhook(id: ProjectHookID!): ProjectHook", since=_SINCE)
def project_hook(ctx: ReadContext, project: Project, id: str) -> Hook | None:  # the argument's name on the wire
    """A webhook of the project, for Maintainers."""
    return _find_hook(ctx, project, parse_id(ctx, id, "ProjectHook")) if _may_read(ctx, project) else None


@GROUP.field("webhook(id: GroupHookID!): GroupHook", since=_SINCE)
def group_hook(ctx: ReadContext, group: Group, id: str) -> Hook | None:
    """A webhook of the group, for Owners."""
    return _find_hook(ctx, group, parse_id(ctx, id, "GroupHook")) if _may_read(ctx, group) else None


def _may_read(ctx: ReadContext, owner: Project | Group) -> bool:
    return can(ctx, Ability.ADMIN_PROJECT if isinstance(owner, Project) else Ability.ADMIN_GROUP, owner)


def _find_hook(ctx: ReadContext, owner: Project | Group, id_: int) -> Hook | None:
    hook = ctx.world.hooks.get(id_)
    return hook if hook is not None and hook.source == source_of(owner) else None


# Logs

HEADER = Type("WebhookEventHeaderType", "A header of a request or of its answer.", since=_EVENTS)
HEADER.attributes({"name: String!": "The name.", "value: String!": "The value."})
EVENT = Type("WebhookEvent", "A request of a webhook, with its answer.", since=_EVENTS)
declare_id(EVENT, _EVENT, "The global ID of the request.")
Input(
    "TimestampRange",
    "A time with both ends.",
    '"""The start."""\nstart: Time!\n"""The end."""\nend: Time!',
    since=_EVENTS,
)


@frozen
class Header:
    """A header of a request or of its answer."""

    name: str
    value: str


def _list_headers(headers: Mapping[str, str]) -> list[Header]:
    return [Header(name, value) for name, value in headers.items()]


@EVENT.field("trigger: String")
def trigger_of(_ctx: ReadContext, row: LoggedRequest) -> str:
    """What caused it."""
    return row.request.trigger


@EVENT.field("url: String")
def url_of(_ctx: ReadContext, row: LoggedRequest) -> str:
    """The URL, with the names of its secret parts."""
    return hook_log.url_of(row)


@EVENT.field("requestHeaders: [WebhookEventHeaderType!]")
def request_headers(_ctx: ReadContext, row: LoggedRequest) -> Sequence[Header]:
    """The headers of the request."""
    return _list_headers(hook_log.request_headers(row))


@EVENT.field("requestData: String")
def request_data(_ctx: ReadContext, row: LoggedRequest) -> str:
    """The payload, as Ruby shows it."""
    return inspect(hook_log.build_data(row))


@EVENT.field("responseHeaders: [WebhookEventHeaderType!]")
def response_headers(_ctx: ReadContext, row: LoggedRequest) -> Sequence[Header]:
    """The headers of the answer."""
    return _list_headers(hook_log.response_headers(row))


@EVENT.field("responseBody: String")
def response_body(_ctx: ReadContext, row: LoggedRequest) -> str:
    """The body of the answer."""
    return hook_log.response_body(row)


@EVENT.field("responseStatus: String")
def response_status(_ctx: ReadContext, row: LoggedRequest) -> str:
    """The status of the answer, or `internal error` without one."""
    return hook_log.status_of(row)


@EVENT.field("executionDuration: Float")
def execution_duration(_ctx: ReadContext, row: LoggedRequest) -> float:
    """The number of seconds until the answer."""
    return row.duration


@EVENT.field("internalErrorMessage: String")
def internal_error_message(_ctx: ReadContext, row: LoggedRequest) -> str | None:
    """Why there is no answer."""
    return row.error


@EVENT.field("oversize: Boolean!")
def is_oversize(_ctx: ReadContext, _row: LoggedRequest) -> bool:
    """Whether the payload was too large to be sent, as none here is."""
    return False


@EVENT.field("createdAt: Time!")
def created_at(_ctx: ReadContext, row: LoggedRequest) -> str:
    """Timestamp of the request."""
    return row.time


_LIST: Final = "webhookEvents(timestampRange: TimestampRange): WebhookEventConnection"
_ONE: Final = "webhookEvent(id: WebHookLogID!, timestampRange: TimestampRange): WebhookEvent"


@PROJECT_HOOK.field(_LIST, since=_EVENTS, calls=1, page_limit=_MAX_PAGE)
@GROUP_HOOK.field(_LIST, since=_EVENTS, calls=1, page_limit=_MAX_PAGE)
def events_of(
    ctx: ReadContext, hook: Hook, timestamp_range: Mapping[str, str] | None = None
) -> Sequence[LoggedRequest]:
    """The requests within a time, or of the last seven days, the latest first."""
    times = None if timestamp_range is None else _read_times(ctx, timestamp_range)
    return hook_log.list_requests(ctx, hook, times=times)


def _read_times(ctx: ReadContext, sent: Mapping[str, str]) -> tuple[int, int]:
    start, end = from_iso(sent["start"]), from_iso(sent["end"])
    if start >= end:
        raise GraphQLError("start must be before end")
    if start < hook_log.first_recent_time(ctx):
        raise GraphQLError(f"`timestamp range` must be within the last {hook_log.MAX_DAYS} days")
    return start, end


@PROJECT_HOOK.field(_ONE, since=_EVENTS)
@GROUP_HOOK.field(_ONE, since=_EVENTS)
def event_of(
    ctx: ReadContext, hook: Hook, id: str, timestamp_range: Mapping[str, str] | None = None
) -> LoggedRequest | None:
    """A request of the last seven days; its time cannot be given as well."""
    if timestamp_range is not None:
        raise GraphQLError("Only one of [id, timestampRange] arguments is allowed at the same time.")
    id_ = parse_id(ctx, id, _EVENT)
    return next((row for row in hook_log.list_requests(ctx, hook) if row.id == id_), None)
