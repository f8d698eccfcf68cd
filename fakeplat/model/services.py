"""Integrations of projects; the API calls them services."""

from collections.abc import Mapping
from typing import Any

from attrs import field

from fakeplat.core.store.frozen import frozen


@frozen
class Service:
    """An integration of a project: whether it is active, the events that it receives, and its own ``properties``."""

    id: int
    project_id: int
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
    properties: Mapping[str, Any] = field(factory=dict)
