"""Counts of visible issues and merge requests per label. Source: docs/platform/labels.md."""

from typing import Literal

from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.domain.people.members import container_of
from fakeplat.model.people import Group
from fakeplat.model.planning import Label
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

State = Literal["opened", "closed"]


def count_issues(ctx: ReadContext, label: Label, state: State) -> int:
    """Return the number of issues in a state with the label, visible to the caller."""
    visible = issue_search.visible_projects(ctx, lambda: _projects(ctx.world, label), _cache_key(label), archived=True)
    return _count_matches(IssueFilter(ctx, "all"), visible, label, state)


def count_merge_requests(ctx: ReadContext, label: Label, state: State) -> int:
    """Return the number of merge requests in a state with the label, visible to the caller."""
    visible = merge_request_search.visible_projects(
        ctx, lambda: _projects(ctx.world, label), _cache_key(label), archived=True
    )
    return _count_matches(MergeRequestFilter(ctx, "all"), visible, label, state)


def _count_matches(
    record_filter: IssueFilter, projects: issue_search.VisibleProjects, label: Label, state: State
) -> int:
    matches = record_filter.bits("label", label.id) & record_filter.bits("state", state)
    # Visibility is the expensive part: it is computed only for labels that are in use.
    return (matches & record_filter.visible(projects)).bit_count() if matches else 0


def _projects(world: World, label: Label) -> list[Project]:
    """Return the projects in which a label can be used."""
    container = container_of(world, label.source)
    if isinstance(container, Project):
        return [container]
    return issue_search.visible_in_group(world, container) if isinstance(container, Group) else []


def _cache_key(label: Label) -> object:
    return "labelled", label.source
