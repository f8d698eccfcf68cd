"""Searching everywhere, in a group, in a project: one declaration for each scope of the search."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeVar

from fakeplat.api.project_lists import found_by
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.api.users import matches_search
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import NotBuilt
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Scope as PathScope
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.ids import number_of
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import Chooser
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestChooser
from fakeplat.domain.notes import noteables, notes
from fakeplat.domain.people import members
from fakeplat.domain.planning import milestones
from fakeplat.domain.repository import code_search
from fakeplat.domain.repository.code_search import BlobMatch
from fakeplat.domain.repository.commits import CommitOf
from fakeplat.domain.snippets import snippets
from fakeplat.entities.commits import CommitDetail
from fakeplat.entities.issues import IssueBasic
from fakeplat.entities.labels import MilestoneView
from fakeplat.entities.merge_requests import MergeRequestBasic
from fakeplat.entities.notes import NoteView
from fakeplat.entities.projects import ProjectSimple
from fakeplat.entities.search import BlobMatchView
from fakeplat.entities.snippets import SnippetView
from fakeplat.entities.users import UserBasic
from fakeplat.model.labels import Milestone
from fakeplat.model.namespaces import Group
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import can, sees

area: Final = Area("Search", login=Login.ALWAYS)
Place = Project | Group | None
_COLUMNS: Final = ("title", "description")
F = TypeVar("F", bound=Callable[..., Any])


class Search(Paged):
    """What is looked for; state and confidentiality count for issues and merge requests."""

    search: str
    state: Literal["all", "opened", "closed", "merged"] | None = None
    confidential: bool | None = None


class SearchInstance(Search):
    """The scopes of a search everywhere."""

    scope: Literal["projects", "issues", "merge_requests", "milestones", "snippet_titles", "users"]


class SearchGroup(Search):
    """The scopes of a search in a group."""

    scope: Literal["projects", "issues", "merge_requests", "milestones", "users"]


class SearchProject(Search):
    """The scopes of a search in a project."""

    scope: Literal["issues", "merge_requests", "milestones", "notes", "wiki_blobs", "commits", "blobs", "users"]
    ref: str | None = None


@frozen
class Scope:
    """What is searched under a name: how it is found in a place, what shows it."""

    find: Callable[[Context, Place, Any], Sequence[Any]]
    shows: type[Entity[Any]]


def _view(cx: Context, p: Any) -> type[Entity[Any]]:
    del cx
    return SCOPES[p.scope].shows


def _found(cx: Context, place: Place, p: Any, operation: str) -> Sequence[Any]:
    scope = SCOPES.get(p.scope)
    if scope is None:
        raise NotBuilt(f"{operation} of {p.scope}")
    return scope.find(cx, place, p) if p.search.strip() else []


def _under(scope: PathScope, takes: type[Search], **declared: Any) -> Callable[[F], F]:
    """Declare a search of groups or projects under both of its paths."""

    def register(function: F) -> F:
        for path, suffix in (("search", ""), ("-/search", "_alias")):
            name = f"{function.__name__}{suffix}"
            declare = area.operation(
                "GET", path, name=name, under=scope, takes=takes, shows=_view, many=True, refuses=(501,), **declared
            )
            declare(function)
        return function

    return register


def _is_counted(p: SearchInstance) -> bool:
    """Whether the platform counts what it found: outside of projects only snippets."""
    return p.scope == "snippet_titles"


def _is_never_counted(p: SearchGroup) -> bool:
    del p
    return False


@area.operation("GET", "search", takes=SearchInstance, shows=_view, many=True, counted=_is_counted, refuses=(501,))
def search_instance(cx: Context, p: SearchInstance) -> Sequence[Any]:
    """Search everything visible."""
    return _found(cx, None, p, "search_instance")


@_under(GROUP, SearchGroup, counted=_is_never_counted)
def search_group(cx: Context, group: Group, p: SearchGroup) -> Sequence[Any]:
    """Search a group and its subgroups."""
    return _found(cx, group, p, "search_group")


@_under(PROJECT, SearchProject)
def search_project(cx: Context, project: Project, p: SearchProject) -> Sequence[Any]:
    """Search a project."""
    return _found(cx, project, p, "search_project")


def projects_in(cx: Context, place: Place) -> list[Project]:
    """The projects of a place that the caller sees."""
    if isinstance(place, Project):
        return [place]
    every = issue_search.in_group(cx.world, place) if isinstance(place, Group) else cx.world.projects.all()
    return [project for project in every if sees(cx, project)]


def _issues(cx: Context, place: Place, p: Search) -> Sequence[Any]:
    chooser = Chooser(cx, _group(place))
    chosen = chooser.visible(issue_search.sight(cx, lambda: projects_in(cx, place), _key(place), archived=True))
    if p.confidential is not None:
        chosen &= chooser.bits("confidential", p.confidential)
    return issue_search.ordered(cx, _matching(chooser, chosen, p, "#"), chooser.group, "created_at", "desc")


def _merge_requests(cx: Context, place: Place, p: Search) -> Sequence[Any]:
    chooser = MergeRequestChooser(cx, _group(place))
    chosen = chooser.visible(merge_request_search.sight(cx, lambda: projects_in(cx, place), _key(place), archived=True))
    return merge_request_search.ordered(cx, _matching(chooser, chosen, p, "!"), chooser.group, "created_at", "desc")


def _group(place: Place) -> int | str:
    return place.id if isinstance(place, Project) else "all"


def _key(place: Place) -> object:
    return "search", (type(place), place.id) if place is not None else None


def _matching(chooser: Chooser, chosen: int, p: Search, sign: str) -> int:
    """By title and description, or by the number with which a text ends: ``#12``, of a merge request also ``!12``."""
    if p.state not in (None, "all"):
        chosen &= chooser.bits("state", p.state)
    match = re.search(rf"[#{sign}](\d+)$", p.search.strip(), re.ASCII)
    number = number_of(match[1]) if match else None
    if number is not None:
        return chooser.passing(chosen, lambda one: one.iid == number)
    return chooser.found(chosen, p.search, _COLUMNS)


def _projects(cx: Context, place: Place, p: Search) -> Sequence[Project]:
    return [one for one in projects_in(cx, place) if found_by(cx, one, p.search.strip(), namespaces=False)][::-1]


def _milestones(cx: Context, place: Place, p: Search) -> Sequence[Milestone]:
    found = issue_search.search_test(p.search, _COLUMNS)
    places = [project for project in projects_in(cx, place) if can(cx, May.READ_MILESTONE, project)]
    matching = [one for at in places for one in milestones.own(cx.world, at) if found(one)]
    return sorted(matching, key=_last_updated, reverse=True)


def _users(cx: Context, place: Place, p: Search) -> Sequence[User]:
    world = cx.world
    candidates = world.users.all() if place is None else (world.users[id_] for id_ in _user_ids(cx, place))
    matching = [user for user in candidates if user.state == "active" and matches_search(user, p.search)]
    wanted = p.search.strip().lower()
    return sorted(matching, key=lambda user: (_exactness(user, wanted), user.name, user.id))


def _exactness(user: User, wanted: str) -> int:
    """The rank of a user among those who match: whole names come first, then usernames, then addresses."""
    exact = (user.name, user.username, user.email)
    return exact.index(wanted) if wanted in exact else len(exact)


def _last_updated(record: Milestone | Note) -> tuple[str, int]:
    return record.updated_at, record.id


def _user_ids(cx: Context, place: Project | Group) -> set[int]:
    if isinstance(place, Project):
        return {member.user_id for member in members.every(cx.world, place)}
    return members.known_in_hierarchy(cx, place)


def _notes(cx: Context, place: Place, p: Search) -> Sequence[Note]:
    wanted, found = p.search.strip().lower(), list[Note]()
    for project in projects_in(cx, place):
        for record in noteables.visible_in(cx, project):
            found += [note for note in notes.of(cx, record) if not note.system and wanted in note.body.lower()]
    return sorted(found, key=_last_updated, reverse=True)


def _snippets(cx: Context, place: Place, p: Search) -> Sequence[Snippet]:
    del place
    found = issue_search.search_test(p.search, ("title",))
    return [snippet for snippet in snippets.every(cx) if found(snippet)]


def _commits(cx: Context, place: Place, p: SearchProject) -> Sequence[CommitOf]:
    return code_search.search_commits(cx, place, p.search.strip(), p.ref) if isinstance(place, Project) else []


def _blobs(cx: Context, place: Place, p: SearchProject) -> Sequence[BlobMatch]:
    return code_search.search_blobs(cx, place, p.search.strip(), p.ref) if isinstance(place, Project) else []


SCOPES: Final = {
    "projects": Scope(_projects, ProjectSimple),
    "issues": Scope(_issues, IssueBasic),
    "merge_requests": Scope(_merge_requests, MergeRequestBasic),
    "milestones": Scope(_milestones, MilestoneView),
    "users": Scope(_users, UserBasic),
    "snippet_titles": Scope(_snippets, SnippetView),
    "notes": Scope(_notes, NoteView),
    "commits": Scope(_commits, CommitDetail),
    "blobs": Scope(_blobs, BlobMatchView),
}
"""What can be searched; the other scopes are not built."""
