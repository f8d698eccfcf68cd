"""Searching everywhere, in a group, in a project: one declaration for each scope of the search."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeVar

from fakeplat.api.project_lists import found_by
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.api.users import matches_search
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import OperationNotImplemented
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Scope as PathScope
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.domain.notes import noteables, notes
from fakeplat.domain.people import members
from fakeplat.domain.planning import milestones
from fakeplat.domain.repository import code_search
from fakeplat.domain.repository.code_search import BlobMatch
from fakeplat.domain.repository.commits import ProjectCommit
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
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext

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

    find: Callable[[ReadContext, Place, Any], Sequence[Any]]
    view: type[Entity[Any]]


def _view(ctx: ReadContext, p: Any) -> type[Entity[Any]]:
    del ctx
    return SCOPES[p.scope].view


def _found(ctx: ReadContext, container: Place, p: Any, operation: str) -> Sequence[Any]:
    scope = SCOPES.get(p.scope)
    if scope is None:
        raise OperationNotImplemented(f"{operation} of {p.scope}")
    return scope.find(ctx, container, p) if p.search.strip() else []


def _under(scope: PathScope, params: type[Search], **declared: Any) -> Callable[[F], F]:
    """Declare a search of groups or projects under both of its paths."""

    def register(function: F) -> F:
        for path, suffix in (("search", ""), ("-/search", "_alias")):
            name = f"{function.__name__}{suffix}"
            declare = area.operation(
                "GET", path, name=name, scope=scope, params=params, view=_view, many=True, refusals=(501,), **declared
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


@area.operation("GET", "search", params=SearchInstance, view=_view, many=True, counted=_is_counted, refusals=(501,))
def search_instance(ctx: ReadContext, p: SearchInstance) -> Sequence[Any]:
    """Search everything visible."""
    return _found(ctx, None, p, "search_instance")


@_under(GROUP, SearchGroup, counted=_is_never_counted)
def search_group(ctx: ReadContext, group: Group, p: SearchGroup) -> Sequence[Any]:
    """Search a group and its subgroups."""
    return _found(ctx, group, p, "search_group")


@_under(PROJECT, SearchProject)
def search_project(ctx: ReadContext, project: Project, p: SearchProject) -> Sequence[Any]:
    """Search a project."""
    return _found(ctx, project, p, "search_project")


def projects_in(ctx: ReadContext, container: Place) -> list[Project]:
    """The projects of a place that the caller sees."""
    if isinstance(container, Project):
        return [container]
    every = (
        issue_search.visible_in_group(ctx.world, container)
        if isinstance(container, Group)
        else ctx.world.projects.all()
    )
    return [project for project in every if can_see(ctx, project)]


def _issues(ctx: ReadContext, container: Place, p: Search) -> Sequence[Any]:
    chooser = IssueFilter(ctx, _group(container))
    chosen = chooser.visible(
        issue_search.visible_projects(ctx, lambda: projects_in(ctx, container), _key(container), archived=True)
    )
    if p.confidential is not None:
        chosen &= chooser.bits("confidential", p.confidential)
    return issue_search.order_issues(ctx, _matching(chooser, chosen, p, "#"), chooser.group, "created_at", "desc")


def _merge_requests(ctx: ReadContext, container: Place, p: Search) -> Sequence[Any]:
    chooser = MergeRequestFilter(ctx, _group(container))
    chosen = chooser.visible(
        merge_request_search.visible_projects(ctx, lambda: projects_in(ctx, container), _key(container), archived=True)
    )
    return merge_request_search.order_merge_requests(
        ctx, _matching(chooser, chosen, p, "!"), chooser.group, "created_at", "desc"
    )


def _group(container: Place) -> int | str:
    return container.id if isinstance(container, Project) else "all"


def _key(container: Place) -> object:
    return "search", (type(container), container.id) if container is not None else None


def _matching(chooser: IssueFilter, chosen: int, p: Search, sign: str) -> int:
    """By title and description, or by the number with which a text ends: ``#12``, of a merge request also ``!12``."""
    if p.state not in (None, "all"):
        chosen &= chooser.bits("state", p.state)
    match = re.search(rf"[#{sign}](\d+)$", p.search.strip(), re.ASCII)
    number = number_of(match[1]) if match else None
    if number is not None:
        return chooser.passing(chosen, lambda one: one.iid == number)
    return chooser.found(chosen, p.search, _COLUMNS)


def _projects(ctx: ReadContext, container: Place, p: Search) -> Sequence[Project]:
    return [one for one in projects_in(ctx, container) if found_by(ctx, one, p.search.strip(), namespaces=False)][::-1]


def _milestones(ctx: ReadContext, container: Place, p: Search) -> Sequence[Milestone]:
    found = issue_search.search_test(p.search, _COLUMNS)
    places = [project for project in projects_in(ctx, container) if can(ctx, Ability.READ_MILESTONE, project)]
    matching = [one for at in places for one in milestones.list_own(ctx.world, at) if found(one)]
    return sorted(matching, key=_last_updated, reverse=True)


def _users(ctx: ReadContext, container: Place, p: Search) -> Sequence[User]:
    world = ctx.world
    candidates = world.users.all() if container is None else (world.users[id_] for id_ in _user_ids(ctx, container))
    matching = [user for user in candidates if user.state == "active" and matches_search(user, p.search)]
    wanted = p.search.strip().lower()
    return sorted(matching, key=lambda user: (_exactness(user, wanted), user.name, user.id))


def _exactness(user: User, wanted: str) -> int:
    """The rank of a user among those who match: whole names come first, then usernames, then addresses."""
    exact = (user.name, user.username, user.email)
    return exact.index(wanted) if wanted in exact else len(exact)


def _last_updated(record: Milestone | Note) -> tuple[str, int]:
    return record.updated_at, record.id


def _user_ids(ctx: ReadContext, container: Project | Group) -> set[int]:
    if isinstance(container, Project):
        return {member.user_id for member in members.list_inherited(ctx.world, container)}
    return members.known_in_hierarchy(ctx, container)


def _notes(ctx: ReadContext, container: Place, p: Search) -> Sequence[Note]:
    wanted, found = p.search.strip().lower(), list[Note]()
    for project in projects_in(ctx, container):
        for record in noteables.visible_in(ctx, project):
            found += [
                note
                for note in notes.list_visible_notes(ctx, record)
                if not note.system and wanted in note.body.lower()
            ]
    return sorted(found, key=_last_updated, reverse=True)


def _snippets(ctx: ReadContext, container: Place, p: Search) -> Sequence[Snippet]:
    del container
    found = issue_search.search_test(p.search, ("title",))
    return [snippet for snippet in snippets.list_visible(ctx) if found(snippet)]


def _commits(ctx: ReadContext, container: Place, p: SearchProject) -> Sequence[ProjectCommit]:
    return code_search.search_commits(ctx, container, p.search.strip(), p.ref) if isinstance(container, Project) else []


def _blobs(ctx: ReadContext, container: Place, p: SearchProject) -> Sequence[BlobMatch]:
    return code_search.search_blobs(ctx, container, p.search.strip(), p.ref) if isinstance(container, Project) else []


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
