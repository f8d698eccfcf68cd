"""Searching everywhere, in a group, in a project: one declaration for each scope of the search."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

from fakeplat.api.project_lists import found_by
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.api.users import matches_search
from fakeplat.core.entity import Entity
from fakeplat.core.errors import NotBuilt
from fakeplat.core.frozen import frozen
from fakeplat.core.ids import number_of
from fakeplat.core.operation import Area, Login
from fakeplat.core.paging import Paged
from fakeplat.domain import (
    issue_search,
    members,
    merge_request_search,
    milestones,
    noteables,
    notes,
    repositories,
    snippets,
)
from fakeplat.domain.commits import CommitOf
from fakeplat.domain.issue_search import Chooser
from fakeplat.domain.merge_request_search import MergeRequestChooser
from fakeplat.entities.commits import CommitDetail
from fakeplat.entities.issues import IssueBasic
from fakeplat.entities.labels import MilestoneView
from fakeplat.entities.merge_requests import MergeRequestBasic
from fakeplat.entities.notes import NoteView
from fakeplat.entities.projects import ProjectSimple
from fakeplat.entities.search import FoundBlob, FoundBlobView
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
_AROUND: Final = 2


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


@area.operation("GET", "search", takes=SearchInstance, shows=_view, many=True, refuses=(501,))
def search_instance(cx: Context, p: SearchInstance) -> Sequence[Any]:
    """Search everything that the caller sees."""
    return _found(cx, None, p, "search_instance")


@area.operation("GET", "search", under=GROUP, takes=SearchGroup, shows=_view, many=True, refuses=(501,))
def search_group(cx: Context, group: Group, p: SearchGroup) -> Sequence[Any]:
    """Search a group and the groups below it."""
    return _found(cx, group, p, "search_group")


@area.operation("GET", "search", under=PROJECT, takes=SearchProject, shows=_view, many=True, refuses=(501,))
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
    """By title and description, or by the number alone: ``#12`` of an issue, ``!12`` of a merge request."""
    if p.state not in (None, "all"):
        chosen &= chooser.bits("state", p.state)
    wanted = p.search.strip()
    number = number_of(wanted.removeprefix(sign)) if wanted.startswith(sign) else None
    if number is not None:
        return chooser.passing(chosen, lambda one: one.iid == number)
    return chooser.found(chosen, p.search, _COLUMNS)


def _projects(cx: Context, place: Place, p: Search) -> Sequence[Project]:
    return [one for one in projects_in(cx, place) if found_by(cx, one, p.search.strip(), namespaces=False)][::-1]


def _milestones(cx: Context, place: Place, p: Search) -> Sequence[Milestone]:
    found = issue_search.search_test(p.search, _COLUMNS)
    places = [project for project in projects_in(cx, place) if can(cx, May.READ_MILESTONE, project)]
    return sorted((one for at in places for one in milestones.own(cx.world, at) if found(one)), key=lambda one: -one.id)


def _users(cx: Context, place: Place, p: Search) -> Sequence[User]:
    every: Iterable[User] = cx.world.users.all()
    if place is not None:
        every = (cx.world.users[member.user_id] for member in members.every(cx.world, place))
    found = [user for user in every if user.state == "active" and matches_search(user, p.search)]
    return sorted(found, key=lambda user: (user.name, user.id))


def _notes(cx: Context, place: Place, p: Search) -> Sequence[Note]:
    wanted, found = p.search.strip().lower(), list[Note]()
    for project in projects_in(cx, place):
        for record in noteables.visible_in(cx, project):
            found += [note for note in notes.of(cx, record) if not note.system and wanted in note.body.lower()]
    return sorted(found, key=lambda note: (note.created_at, note.id), reverse=True)


def _snippets(cx: Context, place: Place, p: Search) -> Sequence[Snippet]:
    del place
    found = issue_search.search_test(p.search, ("title",))
    return [snippet for snippet in snippets.every(cx) if found(snippet)]


def _commits(cx: Context, place: Place, p: Search) -> Sequence[CommitOf]:
    """By message, on the default branch."""
    wanted = p.search.strip().lower()
    if not (isinstance(place, Project) and _has_code(cx, place)):
        return []
    git = repositories.opened(cx.world, place)
    commits = git.log(place.default_branch or "HEAD")
    return [CommitOf(place, commit) for commit in commits if wanted in commit.message.lower()]


def _blobs(cx: Context, place: Place, p: Search) -> Sequence[FoundBlob]:
    """Lines of files on the default branch, with those around them."""
    if not (isinstance(place, Project) and _has_code(cx, place)):
        return []
    ref = place.default_branch or "HEAD"
    git = repositories.opened(cx.world, place)
    numbers: dict[str, int] = {}
    for found in git.grep(ref, p.search.strip()):
        numbers.setdefault(found.path, found.number)
    return [_blob(git.file(ref, path), path, ref, number, place) for path, number in numbers.items()]


def _blob(content: bytes, path: str, ref: str, number: int, project: Project) -> FoundBlob:
    lines = content.decode(errors="replace").splitlines(keepends=True)
    first = max(number - 1 - _AROUND, 0)
    return FoundBlob(path, ref, "".join(lines[first : number + _AROUND]), first + 1, project.id)


def _has_code(cx: Context, project: Project) -> bool:
    return can(cx, May.DOWNLOAD_CODE, project) and not repositories.is_empty(cx.world, project)


SCOPES: Final = {
    "projects": Scope(_projects, ProjectSimple),
    "issues": Scope(_issues, IssueBasic),
    "merge_requests": Scope(_merge_requests, MergeRequestBasic),
    "milestones": Scope(_milestones, MilestoneView),
    "users": Scope(_users, UserBasic),
    "snippet_titles": Scope(_snippets, SnippetView),
    "notes": Scope(_notes, NoteView),
    "commits": Scope(_commits, CommitDetail),
    "blobs": Scope(_blobs, FoundBlobView),
}
"""What can be searched; the other scopes are not built."""
