"""The events of projects and groups that webhooks and integrations get: one declaration each.

The flags of webhooks, the names of deliveries, the samples of tests and the table of docs/hooks.md follow from them.
Source: docs/platform/webhooks.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, Protocol

from attrs import evolve, field

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.domain.hooks.payloads.deployments import ReleaseAction
    from fakeplat.domain.hooks.payloads.emoji import AwardAction
    from fakeplat.domain.hooks.payloads.issues import IssueAction
    from fakeplat.domain.hooks.payloads.merge_requests import MergeRequestAction
    from fakeplat.domain.hooks.payloads.milestones import MilestoneAction
    from fakeplat.domain.hooks.payloads.notes import NoteAction
    from fakeplat.domain.hooks.payloads.wiki_pages import WikiPageAction
    from fakeplat.domain.wikis.pages import WikiPage
    from fakeplat.model.ci import Job, Pipeline
    from fakeplat.model.deployments import Deployment, FeatureFlag
    from fakeplat.model.hooks import HookKind
    from fakeplat.model.issues import Award, Issue
    from fakeplat.model.merge_requests import MergeRequest
    from fakeplat.model.notes import Note
    from fakeplat.model.people import Group, Token, User
    from fakeplat.model.planning import Milestone
    from fakeplat.model.projects import Member, Project
    from fakeplat.model.releases import Release
    from fakeplat.model.repository import Push
    from fakeplat.model.world import World

P = ParamSpec("P")
Payload = Mapping[str, Any]
_PAYLOADS: Final = "fakeplat.domain.hooks.payloads"


@frozen
class Sample:
    """What the test of a webhook sends.

    ``find``: the function of `fakeplat.domain.hooks.samples` that returns the arguments of the payload, or None.
    ``missing``: the refusal if it returns None. ``build``: as that of the event, if it
    is another one.
    """

    find: str
    missing: str = ""
    build: str = ""


@frozen(eq=False)
class HookEvent(Generic[P]):
    """A kind of events.

    ``trigger``: its name in deliveries; the header has it in title case. ``flag``: the field of webhooks and
    integrations that asks for it. ``kinds``: the kinds of webhooks that have the flag, and the release since which
    their API has it. ``lifetime``: the releases that send the event, from ``since`` on and before ``until``. ``build``:
    the function of `fakeplat.domain.hooks.payloads` that returns the payload, as ``module.function``; it is imported
    with the first payload. ``sample``: what a test sends, if there are tests.
    """

    trigger: str
    flag: str
    kinds: Mapping[HookKind, str]
    build: str
    since: str = ""
    until: str = ""
    sample: Sample | None = None
    lifetime: Lifetime = field(init=False)

    @lifetime.default
    def _build_lifetime(self) -> Lifetime:
        return Lifetime(self.since, self.until)

    def build_payload(self, ctx: WriteContext, *args: P.args, **kwargs: P.kwargs) -> Payload:
        """Return the payload of an event."""
        return call_builder(self.build, ctx, *args, **kwargs)


def call_builder(name: str, ctx: WriteContext, *args: object, **kwargs: object) -> Payload:
    """Return the payload that a function of `fakeplat.domain.hooks.payloads` builds; it is named module.function."""
    module, _, function = name.partition(".")
    payload: Payload = getattr(import_module(f"{_PAYLOADS}.{module}"), function)(ctx, *args, **kwargs)
    return payload


class Receivers(Protocol):
    """A kind of receivers of a project's events: webhooks or integrations."""

    def wants(self, world: World, project: Project, event: HookEvent[...]) -> bool:
        """Return whether any receiver of a project may get an event."""

    def receive(self, ctx: WriteContext, project: Project, event: HookEvent[...], payload: Payload) -> None:
        """Send the event to the receivers that get it."""


def is_silent(ctx: WriteContext) -> bool:
    """Return whether no webhook gets an event: most worlds have none, and what a scenario loads is no event."""
    return ctx.is_loading or not ctx.world.hooks.all_ids()


_EVERYWHERE: Final[Mapping[HookKind, str]] = {"project": "", "group": "", "system": ""}
_IN_PROJECTS_AND_GROUPS: Final[Mapping[HookKind, str]] = {"project": "", "group": ""}
_OF_18: Final = "<=18.8"
_COMMITS: Final = Sample("find_push", "Ensure the project has at least one commit.")
_ISSUES: Final = Sample("find_issue", "Ensure the project has issues.")

PUSH: Final[HookEvent[[Project, Push]]] = HookEvent(
    "push_hooks", "push_events", _EVERYWHERE, "pushes.build_push", sample=_COMMITS
)
TAG_PUSH: Final[HookEvent[[Project, Push]]] = HookEvent(
    "tag_push_hooks",
    "tag_push_events",
    _EVERYWHERE,
    "pushes.build_tag_push",
    sample=evolve(_COMMITS, find="find_tag_push", build="pushes.build_tag_push_sample"),
)
ISSUE: Final[HookEvent[[Issue | None, Issue, User | None, IssueAction | None]]] = HookEvent(
    "issue_hooks", "issues_events", _IN_PROJECTS_AND_GROUPS, "issues.build_issue_event", sample=_ISSUES
)
CONFIDENTIAL_ISSUE: Final[HookEvent[[Issue | None, Issue, User | None, IssueAction | None]]] = HookEvent(
    "confidential_issue_hooks",
    "confidential_issues_events",
    _IN_PROJECTS_AND_GROUPS,
    "issues.build_issue_event",
    sample=_ISSUES,
)
NOTE: Final[HookEvent[[Project, Note, NoteAction]]] = HookEvent(
    "note_hooks",
    "note_events",
    _IN_PROJECTS_AND_GROUPS,
    "notes.build_note_event",
    sample=Sample("find_note", "Ensure the project has notes."),
)
CONFIDENTIAL_NOTE: Final[HookEvent[[Project, Note, NoteAction]]] = HookEvent(
    "confidential_note_hooks", "confidential_note_events", _IN_PROJECTS_AND_GROUPS, "notes.build_note_event"
)
EMOJI: Final[HookEvent[[Project, Award, Note | None, Any, AwardAction]]] = HookEvent(
    "emoji_hooks",
    "emoji_events",
    {"project": "16.2", "group": "16.2"},
    "emoji.build_emoji_event",
    since="16.2",
    sample=Sample("find_award", "Ensure the project has notes."),
)
MERGE_REQUEST: Final[HookEvent[[MergeRequest | None, MergeRequest, User | None, MergeRequestAction | None, str]]] = (
    HookEvent(
        "merge_request_hooks",
        "merge_requests_events",
        _EVERYWHERE,
        "merge_requests.build_merge_request_event",
        sample=Sample("find_merge_request", "Ensure the project has merge requests."),
    )
)
JOB: Final[HookEvent[[Job]]] = HookEvent(
    "job_hooks",
    "job_events",
    _IN_PROJECTS_AND_GROUPS,
    "ci.build_job_event",
    sample=Sample("find_job", "Ensure the project has CI jobs."),
)
PIPELINE: Final[HookEvent[[Pipeline]]] = HookEvent(
    "pipeline_hooks",
    "pipeline_events",
    _IN_PROJECTS_AND_GROUPS,
    "ci.build_pipeline_event",
    sample=Sample("find_pipeline", "Ensure the project has CI pipelines."),
)
WIKI_PAGE: Final[HookEvent[[Project, WikiPage, WikiPageAction, User | None]]] = HookEvent(
    "wiki_page_hooks",
    "wiki_page_events",
    _IN_PROJECTS_AND_GROUPS,
    "wiki_pages.build_wiki_page_event",
    sample=Sample("find_wiki_page", "Ensure the wiki is enabled and has pages."),
)
DEPLOYMENT: Final[HookEvent[[Deployment]]] = HookEvent(
    "deployment_hooks",
    "deployment_events",
    {"project": "", "group": "13.6"},
    "deployments.build_deployment_event",
)
FEATURE_FLAG: Final[HookEvent[[FeatureFlag, User | None]]] = HookEvent(
    "feature_flag_hooks",
    "feature_flag_events",
    {"project": "<=18.3", "group": "<=17.6"},
    "deployments.build_feature_flag_event",
)
RELEASE: Final[HookEvent[[Release, ReleaseAction]]] = HookEvent(
    "release_hooks",
    "releases_events",
    {"project": "", "group": "13.7"},
    "deployments.build_release_event",
    sample=Sample("find_release", "Ensure the project has releases."),
)
ALERT: Final[HookEvent[[]]] = HookEvent("alert_hooks", "alert_events", {}, "")
"""Only integrations have the flag. Nothing sends the event yet."""
MILESTONE: Final[HookEvent[[Milestone, MilestoneAction]]] = HookEvent(
    "milestone_hooks",
    "milestone_events",
    {"project": _OF_18, "group": _OF_18},
    "milestones.build_milestone_event",
    since=_OF_18,
    sample=Sample("find_milestone", "Ensure the project has milestones."),
)
REPOSITORY_UPDATE: Final[HookEvent[[Project, Sequence[Push]]]] = HookEvent(
    "repository_update_hooks", "repository_update_events", {"system": ""}, "pushes.build_repository_update"
)
MEMBER: Final[HookEvent[[str, Group, Member]]] = HookEvent(
    "member_hooks", "member_events", {"group": "<=16.11"}, "system.build_group_member_event", since="13.7"
)
GROUP_PROJECT: Final[HookEvent[[str, Project]]] = HookEvent(
    "project_hooks", "project_events", {"group": _OF_18}, "system.build_group_project_event", since=_OF_18
)
SUBGROUP: Final[HookEvent[[str, Group, Group]]] = HookEvent(
    "subgroup_hooks", "subgroup_events", {"group": "13.9"}, "system.build_subgroup_event", since="13.9"
)
RESOURCE_ACCESS_TOKEN: Final[HookEvent[[Project | Group, Token]]] = HookEvent(
    "resource_access_token_hooks",
    "resource_access_token_events",
    {"project": "16.11", "group": "16.11"},
    "tokens.build_expiring_token_event",
    since="16.11",
    sample=Sample("find_access_token"),
)

EVENTS: Final[tuple[HookEvent[...], ...]] = tuple(
    value for value in list(globals().values()) if isinstance(value, HookEvent)
)
"""All events, in the order of their declarations."""
EVENTS_BY_FLAG: Final[Mapping[str, HookEvent[...]]] = {event.flag: event for event in EVENTS}
EVENTS_BY_TRIGGER: Final[Mapping[str, HookEvent[...]]] = {event.trigger: event for event in EVENTS}
SYSTEM_TRIGGER: Final = "system_hooks"
"""The name of every delivery to a system hook."""
TRIGGERS: Final = (*(event.trigger for event in EVENTS), SYSTEM_TRIGGER)
"""The names of deliveries."""
FLAGS_WITHOUT_EVENT: Final[Mapping[str, str]] = {
    "vulnerability_events": "there are no vulnerabilities",
    "resource_deploy_token_events": "the platform tells of deploy tokens that expire only by a flag that is off",
}
"""Flags of webhooks that are stored, but bring nothing, with the reasons."""
