"""How many issues and merge requests that the caller sees have a label. Source: docs/platform/labels.md."""

from typing import Literal

from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import Chooser
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestChooser
from fakeplat.domain.people.members import place_of
from fakeplat.model.labels import Label
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import Context

State = Literal["opened", "closed"]


def issues(cx: Context, label: Label, state: State) -> int:
    """How many issues in a state have it."""
    sight = issue_search.sight(cx, lambda: _projects(cx.world, label), _place(label), archived=True)
    return _with(Chooser(cx, "all"), sight, label, state)


def merge_requests(cx: Context, label: Label, state: State) -> int:
    """How many merge requests in a state have it."""
    sight = merge_request_search.sight(cx, lambda: _projects(cx.world, label), _place(label), archived=True)
    return _with(MergeRequestChooser(cx, "all"), sight, label, state)


def _with(chooser: Chooser, sight: issue_search.Sight, label: Label, state: State) -> int:
    found = chooser.bits("label", label.id) & chooser.bits("state", state)
    return (found & chooser.visible(sight)).bit_count() if found else 0


def _projects(world: World, label: Label) -> list[Project]:
    """Where it can be used."""
    place = place_of(world, label.source)
    if isinstance(place, Project):
        return [place]
    return issue_search.in_group(world, place) if isinstance(place, Group) else []


def _place(label: Label) -> object:
    return "labelled", label.source
