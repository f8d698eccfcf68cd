"""How many issues and merge requests that the caller sees have a label. Source: docs/platform/labels.md."""

from typing import Literal

from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.domain.people.members import container_of
from fakeplat.model.labels import Label
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

State = Literal["opened", "closed"]


def count_issues(ctx: ReadContext, label: Label, state: State) -> int:
    """How many issues in a state have it."""
    sight = issue_search.visible_projects(ctx, lambda: _projects(ctx.world, label), _place(label), archived=True)
    return _with(IssueFilter(ctx, "all"), sight, label, state)


def count_merge_requests(ctx: ReadContext, label: Label, state: State) -> int:
    """How many merge requests in a state have it."""
    sight = merge_request_search.visible_projects(
        ctx, lambda: _projects(ctx.world, label), _place(label), archived=True
    )
    return _with(MergeRequestFilter(ctx, "all"), sight, label, state)


def _with(chooser: IssueFilter, sight: issue_search.VisibleProjects, label: Label, state: State) -> int:
    found = chooser.bits("label", label.id) & chooser.bits("state", state)
    return (found & chooser.visible(sight)).bit_count() if found else 0


def _projects(world: World, label: Label) -> list[Project]:
    """Where it can be used."""
    container = container_of(world, label.source)
    if isinstance(container, Project):
        return [container]
    return issue_search.visible_in_group(world, container) if isinstance(container, Group) else []


def _place(label: Label) -> object:
    return "labelled", label.source
