"""Search in the instance, a group or a project, with one declaration for each search scope."""

import re
from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal, TypeVar

from fakeplat.api.people.users import matches_user_search
from fakeplat.api.projects.project_lists import matches_project_search
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import BadRequest, Forbidden
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import BY_OFFSET, Paged, Paging
from fakeplat.core.operations.scope import Scope as PathScope
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain import index_searches
from fakeplat.domain.index_searches import AdvancedScope, SearchType
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter, ListGroup
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.domain.notes import noteables, notes
from fakeplat.domain.people import members
from fakeplat.domain.planning import milestones
from fakeplat.domain.repository import code_search, index_search
from fakeplat.domain.repository.code_search import BlobMatch
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.index_search import IndexedQuery
from fakeplat.domain.snippets import snippet_access
from fakeplat.domain.wikis import wiki_search
from fakeplat.entities.issues.issues import IssueBasic
from fakeplat.entities.merge_requests.merge_requests import MergeRequestBasic
from fakeplat.entities.notes.notes import NoteView
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.planning.labels import MilestoneView
from fakeplat.entities.projects.projects import ProjectSimple
from fakeplat.entities.repository.commits import CommitDetail
from fakeplat.entities.search import BlobMatchView, WorkItemMatchView
from fakeplat.entities.snippets import SnippetView
from fakeplat.model.notes import Note
from fakeplat.model.people import Group, User
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Container, Project
from fakeplat.model.snippets import Snippet
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.behaviours import (
    SEARCH_HIDES_ARCHIVED,
    SEARCH_TYPES_ARE_CHECKED,
    SEARCHES_ARE_SORTED,
    SEARCHES_HAVE_LATER_SCOPES,
    SEARCHES_TELL_THEIR_TYPE,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

area: Final = Area("Search", login=Login.ALWAYS)
_ORDERS: Final = ("created_at", "updated_at")
_COLUMNS: Final = ("title", "description")
F = TypeVar("F", bound=Callable[..., Any])


class Search(Paged):
    """The text to search for; the filters and the order apply to issues and merge requests.

    An unknown order counts as none.
    """

    search: str
    state: Literal["all", "opened", "closed", "merged"] | None = None
    confidential: bool | None = None
    order_by: Annotated[str | None, SEARCHES_ARE_SORTED] = None
    sort: Annotated[str | None, SEARCHES_ARE_SORTED] = None
    search_type: Annotated[str | None, SEARCH_TYPES_ARE_CHECKED] = None
    fields: Annotated[list[Literal["title"]] | None, Lifetime(since="<=18.9")] = None
    exclude_forks: Annotated[bool | None, Lifetime(since="18.7")] = None
    regex: Annotated[bool | None, Lifetime(since="18.9")] = None
    num_context_lines: Annotated[int | None, Lifetime(since="18.11")] = None
    type: Annotated[list[str] | None, SEARCHES_HAVE_LATER_SCOPES] = None


class SearchEverywhere(Search):
    """A search in more than one project."""

    include_archived: Annotated[bool, Lifetime(since="18.9")] = False


_LATER_SCOPES: Final = Lifetime(since=SEARCHES_HAVE_LATER_SCOPES.since, values=("work_items",))


class SearchInstance(SearchEverywhere):
    """A search in the whole instance."""

    scope: Annotated[
        Literal[
            "projects", "issues", "merge_requests", "milestones", "snippet_titles", "users", AdvancedScope, "work_items"
        ],
        _LATER_SCOPES,
    ]


class SearchGroup(SearchEverywhere):
    """A search in a group."""

    scope: Annotated[
        Literal["projects", "issues", "merge_requests", "milestones", "users", AdvancedScope, "work_items"],
        _LATER_SCOPES,
    ]


class SearchProject(Search):
    """A search in a project."""

    scope: Annotated[
        Literal[
            "issues", "merge_requests", "milestones", "notes", "wiki_blobs", "commits", "blobs", "users", "work_items"
        ],
        _LATER_SCOPES,
    ]
    ref: str | None = None


_SWITCHES: Final = {
    scope: f"global_search_{scope}_enabled"
    for scope in ("issues", "merge_requests", "snippet_titles", "users", "work_items")
}
"""The settings that turn off scopes of searches in the whole instance."""
ScopedSearch = SearchInstance | SearchGroup | SearchProject


@frozen
class Scope:
    """A search scope: the function that searches a container, and the view of its results."""

    find: Callable[[ReadContext, Container | None, Any], Sequence[Any]]
    view: type[Entity[Any]]


def _view(_ctx: ReadContext, p: ScopedSearch) -> type[Entity[Any]]:
    return SCOPES[p.scope].view


def _search(ctx: ReadContext, container: Container | None, p: ScopedSearch) -> Sequence[Any]:
    index_searches.check_search(ctx, container, p.scope, p.given(), _type_of(ctx, container, p))
    if container is None and not getattr(ctx.world.settings, _SWITCHES.get(p.scope, ""), True):
        raise Forbidden("Global Search is disabled for this scope")
    index_searches.check_type(ctx, container, p.scope, p.search_type)
    # A blank text finds nothing; the filters of lists ignore one.
    return SCOPES[p.scope].find(ctx, container, p) if p.search.strip() else []


def _type_of(ctx: ReadContext, container: Container | None, p: ScopedSearch) -> SearchType:
    return index_searches.choose_type(ctx, container, p.search_type, _ref_of(p))


def _tell_type(ctx: ReadContext, p: ScopedSearch, _result: object) -> Headers:
    return (("X-Search-Type", _type_of(ctx, ctx.container, p)),) if ctx.profile.has(SEARCHES_TELL_THEIR_TYPE) else ()


def _tell_type_of_binary(ctx: ReadContext, p: SearchInstance, result: object) -> Headers:
    headers = _tell_type(ctx, p, result)
    return (*headers, ("Content-Transfer-Encoding", "binary")) if headers else ()


def _declare_search(scope: PathScope, params: type[Search], paging: Paging = BY_OFFSET) -> Callable[[F], F]:
    """Return a decorator that declares a search of groups or projects under both of its paths."""

    def register(function: F) -> F:
        for path, suffix in (("search", ""), ("-/search", "_alias")):
            # Each of the two paths is an operation of its own and needs a unique name.
            name = f"{function.__name__}{suffix}"
            declare = area.operation(
                "GET",
                path,
                name=name,
                scope=scope,
                params=params,
                view=_view,
                many=True,
                paging=paging,
                headers=_tell_type,
            )
            declare(function)
        return function

    return register


def _is_counted(p: SearchInstance) -> bool:
    """Whether the platform counts the results of a search in the instance: only those for snippets."""
    return p.scope == "snippet_titles"


def _is_never_counted(_p: SearchGroup) -> bool:
    return False


@area.operation(
    "GET",
    "search",
    params=SearchInstance,
    view=_view,
    many=True,
    paging=Paging(counted=_is_counted),
    headers=_tell_type_of_binary,
)
def search_instance(ctx: ReadContext, p: SearchInstance) -> Sequence[Any]:
    """Search everything visible."""
    return _search(ctx, None, p)


@_declare_search(GROUP, SearchGroup, paging=Paging(counted=_is_never_counted))
def search_group(ctx: ReadContext, group: Group, p: SearchGroup) -> Sequence[Any]:
    """Search a group and its subgroups."""
    return _search(ctx, group, p)


@_declare_search(PROJECT, SearchProject)
def search_project(ctx: ReadContext, project: Project, p: SearchProject) -> Sequence[Any]:
    """Search a project."""
    return _search(ctx, project, p)


def _shows_archived(ctx: ReadContext, p: Search) -> bool:
    """Whether a search finds what is in archived projects; one in a single project always does."""
    if not isinstance(p, SearchEverywhere):
        return True
    return p.include_archived or not ctx.profile.has(SEARCH_HIDES_ARCHIVED)


def _list_searched(ctx: ReadContext, container: Container | None, p: Search) -> list[Project]:
    shows_archived = _shows_archived(ctx, p)
    return [project for project in list_visible_projects(ctx, container) if shows_archived or not project.archived]


def list_visible_projects(ctx: ReadContext, container: Container | None) -> list[Project]:
    """Return the projects of a container that the caller sees."""
    if isinstance(container, Project):
        return [container]
    candidates = (
        issue_search.visible_in_group(ctx.world, container)
        if isinstance(container, Group)
        else ctx.world.projects.all()
    )
    return [project for project in candidates if can_see(ctx, project)]


def _search_issues(ctx: ReadContext, container: Container | None, p: Search) -> Sequence[Any]:
    return _find_issues(ctx, container, p, None)


_FREE_TYPES: Final = frozenset(("issue", "incident", "task", "ticket"))
_PAID_TYPES: Final = {"epic": "premium", "test_case": "ultimate", "requirement": "ultimate"}
"""The tiers of types of work items. Objectives and key results are behind features that are off."""
_UNAVAILABLE: Final = "400 Bad request - All requested work item types are unavailable or do not exist"


def _search_work_items(ctx: ReadContext, container: Container | None, p: Search) -> Sequence[Any]:
    if not p.type:
        return _find_issues(ctx, container, p, None)
    types = [name for name in p.type if _is_available(ctx, name, container)]
    if not types:
        raise BadRequest(_UNAVAILABLE, reason=f"the tier has none of the types {', '.join(p.type)}")
    return _find_issues(ctx, container, p, types)


def _is_available(ctx: ReadContext, type_: str, container: Container | None) -> bool:
    return type_ in _FREE_TYPES or (type_ in _PAID_TYPES and has_feature(ctx.world, _PAID_TYPES[type_], container))


def _find_issues(
    ctx: ReadContext, container: Container | None, p: Search, types: Sequence[str] | None
) -> Sequence[Any]:
    issue_filter = IssueFilter(ctx, _sort_key(container))
    candidates = issue_filter.visible(
        issue_search.visible_projects(
            ctx,
            lambda: list_visible_projects(ctx, container),
            _memo_key(container),
            archived=_shows_archived(ctx, p),
        )
    )
    if p.confidential is not None:
        candidates &= issue_filter.bits("confidential", p.confidential)
    if types is not None:
        candidates &= reduce(or_, map(issue_filter.of_kind, types))
    return issue_search.order_issues(
        ctx, _match_text(issue_filter, candidates, p, "#"), issue_filter.group, *_order_of(p, *_ORDERS, "popularity")
    )


def _search_merge_requests(ctx: ReadContext, container: Container | None, p: Search) -> Sequence[Any]:
    issue_filter = MergeRequestFilter(ctx, _sort_key(container))
    candidates = issue_filter.visible(
        merge_request_search.visible_projects(
            ctx,
            lambda: list_visible_projects(ctx, container),
            _memo_key(container),
            archived=_shows_archived(ctx, p),
        )
    )
    return merge_request_search.order_merge_requests(
        ctx, _match_text(issue_filter, candidates, p, "!"), issue_filter.group, *_order_of(p, *_ORDERS)
    )


def _order_of(p: Search, *orders: str) -> tuple[str, str]:
    """Return the order that was asked for if it is one of some; by default the newest comes first."""
    if p.order_by in orders and p.sort in ("asc", "desc"):
        return str(p.order_by), p.sort
    return "created_at", "desc"


def _sort_key(container: Container | None) -> ListGroup:
    # Records are kept sorted for each project and for the world; there is no order for groups.
    return container.id if isinstance(container, Project) else "all"


def _memo_key(container: Container | None) -> object:
    return "search", (type(container), container.id) if container is not None else None


def _match_text(issue_filter: IssueFilter, candidates: int, p: Search, sigil: str) -> int:
    """Match title and description, or the iid that the text ends with: ``#12``, for merge requests also ``!12``."""
    if p.state not in (None, "all"):
        candidates &= issue_filter.bits("state", p.state)
    # ASCII digits only: ``\d`` would match those of other scripts too, which are no iids.
    match = re.search(rf"[#{sigil}](\d+)$", p.search.strip(), re.ASCII)
    number = parse_number(match[1]) if match else None
    if number is not None:
        return issue_filter.passing(candidates, lambda record: record.iid == number)
    columns = p.fields if isinstance(p, SearchInstance) and _has_fields(issue_filter.ctx) else None
    return issue_filter.containing_text(candidates, p.search, columns or _COLUMNS)


def _has_fields(ctx: ReadContext) -> bool:
    """Return whether a search can be limited to fields, which is a paid feature."""
    return has_feature(ctx.world, "premium")


def _search_projects(ctx: ReadContext, container: Container | None, p: Search) -> Sequence[Project]:
    # The projects come in ascending order of ids; a search shows the newest first.
    return [
        project
        for project in _list_searched(ctx, container, p)
        if matches_project_search(ctx, project, p.search.strip(), namespaces=False)
    ][::-1]


def _search_milestones(ctx: ReadContext, container: Container | None, p: Search) -> Sequence[Milestone]:
    is_match = issue_search.search_test(p.search, _COLUMNS)
    readable = [project for project in _list_searched(ctx, container, p) if can(ctx, Ability.READ_MILESTONE, project)]
    candidates = (milestone for project in readable for milestone in milestones.list_own(ctx.world, project))
    matching = [milestone for milestone in candidates if is_match(milestone)]
    return sorted(matching, key=_update_key, reverse=True)


def _search_users(ctx: ReadContext, container: Container | None, p: Search) -> Sequence[User]:
    world = ctx.world
    candidates = (
        world.users.all() if container is None else (world.users[id_] for id_ in _find_user_ids(ctx, container))
    )
    matching = [
        user for user in candidates if user.state == "active" and matches_user_search(ctx.world, user, p.search)
    ]
    text = p.search.strip().lower()
    return sorted(matching, key=lambda user: (_rank_match(user, text), user.name, user.id))


def _rank_match(user: User, text: str) -> int:
    """Rank a matching user: exact names come first, then exact usernames and e-mail addresses, then the rest."""
    exact = (user.name, user.username, user.email)
    return exact.index(text) if text in exact else len(exact)


def _update_key(record: Milestone | Note) -> tuple[str, int]:
    return record.updated_at, record.id


def _find_user_ids(ctx: ReadContext, container: Project | Group) -> set[int]:
    if isinstance(container, Project):
        return {member.user_id for member in members.list_inherited(ctx.world, container)}
    return members.list_known_members(ctx, container)


def _search_notes(ctx: ReadContext, container: Container | None, p: Search) -> Sequence[Note]:
    text, matching = p.search.strip().lower(), list[Note]()
    for project in _list_searched(ctx, container, p):
        for record in noteables.list_visible_noteables(ctx, project):
            matching += [
                note for note in notes.list_visible_notes(ctx, record) if not note.system and text in note.body.lower()
            ]
    return sorted(matching, key=_update_key, reverse=True)


def _search_snippets(ctx: ReadContext, _container: Container | None, p: Search) -> Sequence[Snippet]:
    is_match = issue_search.search_test(p.search, ("title",))
    return [snippet for snippet in snippet_access.list_visible(ctx) if is_match(snippet)]


def _find_unindexed(ctx: ReadContext, container: Container | None, p: ScopedSearch) -> Project | None:
    """Return the project whose repository is searched itself; None if the index is."""
    if isinstance(container, Project) and _type_of(ctx, container, p) == "basic":
        return container
    return None


def _search_commits(ctx: ReadContext, container: Container | None, p: ScopedSearch) -> Sequence[ProjectCommit]:
    project = _find_unindexed(ctx, container, p)
    if project is not None:
        return code_search.search_commits(ctx, project, p.search.strip(), _ref_of(p))
    return index_search.search_commits(ctx, _list_searched(ctx, container, p), p.search)


def _search_blobs(ctx: ReadContext, container: Container | None, p: ScopedSearch) -> Sequence[BlobMatch]:
    project = _find_unindexed(ctx, container, p)
    if project is not None:
        return code_search.search_blobs(ctx, project, p.search.strip(), _ref_of(p))
    return index_search.search_blobs(ctx, _list_searched(ctx, container, p), _indexed_query(p))


def _search_wiki(ctx: ReadContext, container: Container | None, p: ScopedSearch) -> Sequence[BlobMatch]:
    project = _find_unindexed(ctx, container, p)
    if project is not None:
        return wiki_search.search_wiki(ctx, project, p.search.strip(), _ref_of(p))
    return wiki_search.search_index(ctx, _list_searched(ctx, container, p), _indexed_query(p))


def _ref_of(p: ScopedSearch) -> str | None:
    return p.ref if isinstance(p, SearchProject) else None


def _indexed_query(p: ScopedSearch) -> IndexedQuery:
    return IndexedQuery.parse(p.search.strip(), p.num_context_lines)


SCOPES: Final = {
    "projects": Scope(_search_projects, ProjectSimple),
    "issues": Scope(_search_issues, IssueBasic),
    "work_items": Scope(_search_work_items, WorkItemMatchView),
    "merge_requests": Scope(_search_merge_requests, MergeRequestBasic),
    "milestones": Scope(_search_milestones, MilestoneView),
    "users": Scope(_search_users, UserBasic),
    "snippet_titles": Scope(_search_snippets, SnippetView),
    "notes": Scope(_search_notes, NoteView),
    "commits": Scope(_search_commits, CommitDetail),
    "blobs": Scope(_search_blobs, BlobMatchView),
    "wiki_blobs": Scope(_search_wiki, BlobMatchView),
}
"""The search scopes."""
