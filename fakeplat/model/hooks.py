"""Webhooks and integrations."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypedDict

from attrs import field

from fakeplat.core.store.frozen import frozen

HookKind = Literal["project", "group", "system"]
SYSTEM: Final = "system"
"""The key of system hooks in the index by source."""


BranchFilterStrategy = Literal["wildcard", "regex", "all_branches"]


@frozen
class HookVariable:
    """A part of a webhook's URL, ``{key}``, or a header of its requests. No response contains the value."""

    key: str
    value: str


@frozen
class Hook:
    """A webhook. ``source`` is ("project" or "group", id); None for a system hook.

    A flag decides whether it gets the events of a kind; of the flags, system hooks have only those for pushes, merge
    requests and ``repository_update_events``, and the kind decides which others the API shows.
    """

    id: int
    source: tuple[str, int] | None
    url: str
    created_at: str
    updated_at: str
    name: str | None = None
    description: str | None = None
    token: str | None = None
    signing_token: str | None = None
    enable_ssl_verification: bool = True
    push_events: bool = True
    push_events_branch_filter: str | None = None
    tag_push_events: bool = False
    issues_events: bool = False
    confidential_issues_events: bool = False
    merge_requests_events: bool = False
    note_events: bool = False
    confidential_note_events: bool | None = None
    job_events: bool = False
    pipeline_events: bool = False
    wiki_page_events: bool = False
    deployment_events: bool = False
    feature_flag_events: bool = False
    releases_events: bool = False
    member_events: bool = False
    subgroup_events: bool = False
    repository_update_events: bool = False
    resource_access_token_events: bool = False
    resource_deploy_token_events: bool = False
    emoji_events: bool = False
    milestone_events: bool = False
    project_events: bool = False
    vulnerability_events: bool = False
    branch_filter_strategy: BranchFilterStrategy = "wildcard"
    custom_webhook_template: str | None = None
    url_variables: tuple[HookVariable, ...] = ()
    custom_headers: tuple[HookVariable, ...] = ()

    @property
    def kind(self) -> HookKind:
        """What the hook belongs to."""
        if self.source is None:
            return SYSTEM
        return "project" if self.source[0] == "project" else "group"


class HookFields(TypedDict, total=False):
    """The fields of a webhook besides its URL; a null for a flag that cannot be null changes nothing."""

    name: str | None
    description: str | None
    token: str | None
    signing_token: str | None
    push_events_branch_filter: str | None
    enable_ssl_verification: bool | None
    push_events: bool | None
    tag_push_events: bool | None
    issues_events: bool | None
    confidential_issues_events: bool | None
    merge_requests_events: bool | None
    note_events: bool | None
    confidential_note_events: bool | None
    job_events: bool | None
    pipeline_events: bool | None
    wiki_page_events: bool | None
    deployment_events: bool | None
    feature_flag_events: bool | None
    releases_events: bool | None
    member_events: bool | None
    subgroup_events: bool | None
    repository_update_events: bool | None
    resource_access_token_events: bool | None
    resource_deploy_token_events: bool | None
    emoji_events: bool | None
    milestone_events: bool | None
    project_events: bool | None
    vulnerability_events: bool | None
    branch_filter_strategy: BranchFilterStrategy | None
    custom_webhook_template: str | None
    url_variables: tuple[HookVariable, ...] | None
    custom_headers: tuple[HookVariable, ...] | None
    created_at: str
    updated_at: str


class HookChanges(HookFields, total=False):
    """The changes of a webhook."""

    url: str | None


@frozen
class Service:
    """An integration of a project or group: whether it is active, the events that it receives, and its ``properties``.

    ``source`` is ("project" or "group", id). ``inherit_from_id``: the integration of a group above whose settings it
    has; None if it has its own.
    """

    id: int
    source: tuple[str, int]
    slug: str
    created_at: str
    updated_at: str
    active: bool = False
    commit_events: bool = True
    push_events: bool = True
    issues_events: bool = True
    confidential_issues_events: bool = True
    merge_requests_events: bool = True
    tag_push_events: bool = True
    note_events: bool = True
    confidential_note_events: bool = True
    pipeline_events: bool = True
    wiki_page_events: bool = True
    job_events: bool = True
    comment_on_event_enabled: bool = True
    deployment_events: bool = False
    alert_events: bool = True
    incident_events: bool = False
    vulnerability_events: bool = False
    properties: Mapping[str, Any] = field(factory=dict)
    inherit_from_id: int | None = None
