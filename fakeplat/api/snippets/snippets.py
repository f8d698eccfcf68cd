"""Snippets, personal and of projects.

Source: docs/platform/project-snippets.md, docs/platform/snippets.md.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Final, Literal

from fakeplat.api.repository.repository import render_raw_file
from fakeplat.api.repository.repository_files import FilePath
from fakeplat.api.scopes import get_project
from fakeplat.core.operations.errors import Forbidden, InvalidParams, NotFound, RecordNotFound, Unauthorized
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import NO_SCOPE, Scope, Segment
from fakeplat.core.params.params import (
    Moment,
    NotBlank,
    Params,
    at_least_one_of,
    exactly_one_of,
    mutually_exclusive,
    requires,
)
from fakeplat.core.release import Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import user_agents
from fakeplat.domain.purging import purge
from fakeplat.domain.snippets import snippet_access, snippet_files, snippets
from fakeplat.domain.snippets.snippet_files import FileAction
from fakeplat.entities.people.users import UserAgentView
from fakeplat.entities.snippets import SnippetView
from fakeplat.model.people import UserAgentDetail, Visibility
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, explain_closed_feature, is_feature_open
from fakeplat.policy.behaviours import PUBLIC_SNIPPETS_NEED_LOGIN
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling

PathRecords = tuple[*tuple[Project, ...], Snippet]
"""The records of a path: a snippet, below its project if it is not a personal one."""
area: Final = Area("Snippets", login=Login.NEVER, located_first=True)


def get_project_with_snippets(ctx: ReadContext, reference: str) -> Project:
    """Return the project if the caller sees it, or 404; 403 if its snippets are closed to the caller."""
    project = get_project(ctx, reference)
    if not is_feature_open(ctx, project, "snippets"):
        raise Forbidden(reason=partial(explain_closed_feature, ctx, project, "snippets"))
    return project


def _explain_missing(ctx: ReadContext, id_: int) -> str:
    snippet = ctx.world.snippets.get(id_)
    if snippet is None:
        return f"no snippet has the id {id_}"
    kind = "personal" if snippet.project_id is None else f"of project {snippet.project_id}"
    return f"snippet {id_} is {kind}, {snippet.visibility} and hidden from {caller_name(ctx)}"


def get_in_project(ctx: ReadContext, project: Project, id_: int) -> Snippet:
    """Return a project's snippet that the caller sees, or 404."""
    snippet = ctx.world.snippets.get(id_)
    if snippet is None or snippet.project_id != project.id or not snippet_access.is_visible(ctx, snippet):
        raise NotFound("Snippet", reason=partial(_explain_missing, ctx, id_))
    return snippet


# Getting a project snippet answers the plain ``404 Not found``; other operations name the record.
def _get_record(ctx: ReadContext, project: Project, id_: int) -> Snippet:
    try:
        return get_in_project(ctx, project, id_)
    except NotFound as refusal:
        raise RecordNotFound(reason=refusal.why) from None


def _get_changeable(ctx: ReadContext, project: Project, id_: int) -> Snippet:
    # The 401 precedes the lookup, so anonymous callers cannot find out which snippets exist.
    _require_login(ctx)
    return get_in_project(ctx, project, id_)


def _require_login(ctx: ReadContext) -> None:
    if ctx.viewer is None:
        raise Unauthorized(reason="changing a snippet requires a login; nobody is signed in")


def _get_visible(ctx: ReadContext, id_: int) -> Snippet:
    """Return any snippet that the caller sees, including those of projects, or 404."""
    snippet = ctx.world.snippets.get(id_)
    if snippet is None or not snippet_access.is_visible(ctx, snippet):
        raise NotFound("Snippet", reason=partial(_explain_missing, ctx, id_))
    return snippet


def _get_own(ctx: ReadContext, id_: int) -> Snippet:
    _require_login(ctx)
    snippet = _get_visible(ctx, id_)
    # As on the platform, foreign snippets are 404 for administrators, too.
    if snippet.author_id != ctx.signed_in_user.id:
        raise NotFound("Snippet", reason=f"snippet {id_} is not {caller_name(ctx)}'s own")
    return snippet


def _project_scope(locate: Callable[..., Snippet]) -> Scope:
    return PROJECT_WITH_SNIPPETS / Segment(
        "snippets/:snippet_id", kind="integer", locate=locate, word="project_snippet"
    )


def _personal_scope(locate: Callable[..., Snippet]) -> Scope:
    return NO_SCOPE / Segment("snippets/:id", kind="integer", locate=locate, word="snippet")


PROJECT_WITH_SNIPPETS: Final = NO_SCOPE / Segment("projects/:id", locate=get_project_with_snippets, word="project")
COLLECTIONS: Final = (
    PROJECT_WITH_SNIPPETS / Segment("snippets", word="project_snippet"),
    NO_SCOPE / Segment("snippets", word="snippet"),
)
SNIPPETS_TO_GET: Final = (_project_scope(_get_record), _personal_scope(_get_visible))
SNIPPETS: Final = (_project_scope(get_in_project), _personal_scope(_get_visible))
SNIPPETS_TO_CHANGE: Final = (_project_scope(_get_changeable), _personal_scope(_get_own))
"""Scopes of single snippets to get (with the 404 of a missing record), for other reads, and to change."""


@area.operation(
    "GET",
    "snippets",
    scope=PROJECT_WITH_SNIPPETS,
    ability=Ability.READ_SNIPPETS,
    login=Login.LATE,
    params=Paged,
    view=SnippetView,
    many=True,
)
def list_project_snippets(ctx: ReadContext, project: Project) -> Sequence[Snippet]:
    """List the snippets of a project, newest first."""
    return snippet_access.list_project_snippets(ctx, project)


class ListSnippets(Paged):
    """Filters of lists of snippets by their times."""

    created_after: Annotated[Moment | None, Lifetime(since="<=18.9")] = None
    created_before: Annotated[Moment | None, Lifetime(since="<=18.9")] = None


@area.operation("GET", "snippets", login=Login.ALWAYS, params=ListSnippets, view=SnippetView, many=True)
def list_snippets(ctx: ReadContext, p: ListSnippets) -> Sequence[Snippet]:
    """List the caller's snippets, newest first."""
    return _filter_by_time(snippet_access.list_own(ctx), p.created_after, p.created_before)


def _needs_login_for_public(world: World) -> bool:
    return world.profile.has(PUBLIC_SNIPPETS_NEED_LOGIN)


@area.operation(
    "GET", "snippets/public", login=_needs_login_for_public, params=ListSnippets, view=SnippetView, many=True
)
def list_public_snippets(ctx: ReadContext, p: ListSnippets) -> Sequence[Snippet]:
    """List all public personal snippets, newest first."""
    return _filter_by_time(snippet_access.list_public(ctx), p.created_after, p.created_before)


def _filter_by_time(snippets: Sequence[Snippet], after: str | None, before: str | None) -> Sequence[Snippet]:
    if after is None and before is None:
        return snippets
    return [
        snippet
        for snippet in snippets
        if (after is None or snippet.created_at >= after) and (before is None or snippet.created_at <= before)
    ]


class ListAllSnippets(Paged):
    """Filters of the list of all snippets."""

    created_after: Moment | None = None
    created_before: Moment | None = None
    repository_storage: str | None = None


@area.operation(
    "GET",
    "snippets/all",
    login=Login.ALWAYS,
    params=ListAllSnippets,
    view=SnippetView,
    many=True,
    since="16.3",
)
def list_all_snippets(ctx: ReadContext, p: ListAllSnippets) -> Sequence[Snippet]:
    """List all snippets that the caller sees, newest first."""
    # Repositories have no storage here; the filter is for administrators only.
    return _filter_by_time(snippet_access.list_visible(ctx), p.created_after, p.created_before)


@area.operation("GET", "", name="get_{scope}", scope=SNIPPETS_TO_GET, view=SnippetView)
def get_snippet(_ctx: ReadContext, *records: *PathRecords) -> Snippet:
    """Get a snippet."""
    return records[-1]


class NewFile(Params):
    """A file of a new snippet."""

    file_path: Annotated[FilePath, NotBlank]
    content: Annotated[str, NotBlank]


class CreateSnippet(Params):
    """A new snippet, with a list of files or the content of one."""

    title: Annotated[str, NotBlank]
    description: str | None = None
    visibility: Visibility | None = None
    files: list[NewFile] | None = None
    content: Annotated[str | None, NotBlank] = None
    file_name: str | None = None

    rules = (requires("content", "file_name"), exactly_one_of("files", "content"))


@area.operation(
    "POST",
    "",
    name="create_{scope}",
    scope=COLLECTIONS,
    login=Login.LATE,
    params=CreateSnippet,
    view=SnippetView,
    refusals=(400, 403),
)
def create_snippet(ctx: WriteContext, *containers: Project, p: CreateSnippet) -> Snippet:
    """Create a snippet."""
    # The scope of personal snippets finds no record.
    project = containers[0] if containers else None
    # A missing parameter (400) precedes the right to create (403).
    _check_visibility_sent(ctx, project, p)
    snippets.authorize_create(ctx, project)
    files = [FileAction("create", file.file_path, file.content) for file in p.files or ()]
    # The rules allow only one of `files` and `content`, so nothing is replaced here.
    if p.content:
        files = [FileAction("create", p.file_name, p.content)]
    return snippets.create(ctx, project, files, title=p.title, description=p.description, visibility=p.visibility)


def _check_visibility_sent(ctx: ReadContext, project: Project | None, p: CreateSnippet) -> None:
    optional = project is None or Ruling.SNIPPET_VISIBILITY_IS_OPTIONAL.holds(ctx.world)
    if not optional and "visibility" not in p.given():
        raise InvalidParams("visibility is missing", "visibility does not have a valid value")


class ChangeFile(Params):
    """A change of a file of a snippet."""

    action: Literal["create", "update", "delete", "move"]
    content: str | None = None
    file_path: FilePath | None = None
    previous_path: FilePath | None = None


class UpdateSnippet(Params):
    """Changes of a snippet; snippets with several files are changed by ``files`` only."""

    content: Annotated[str | None, NotBlank] = None
    description: str | None = None
    files: list[ChangeFile] | None = None
    file_name: str | None = None
    title: Annotated[str | None, NotBlank] = None
    visibility: Visibility | None = None

    rules = (
        mutually_exclusive("files", "content"),
        mutually_exclusive("files", "file_name"),
        at_least_one_of("content", "description", "files", "file_name", "title", "visibility"),
    )


@area.operation(
    "PUT", "snippets/:id", login=Login.LATE, params=UpdateSnippet, view=SnippetView, refusals=(400, 403, 404, 422)
)
def update_snippet(ctx: WriteContext, id: int, p: UpdateSnippet) -> Snippet:
    """Update a personal snippet of the caller."""
    return _update(ctx, _get_own(ctx, id), p)


@area.operation(
    "PUT",
    "snippets/:snippet_id",
    scope=PROJECT_WITH_SNIPPETS,
    login=Login.LATE,
    params=UpdateSnippet,
    view=SnippetView,
    refusals=(400, 403, 404, 422),
)
def update_project_snippet(ctx: WriteContext, project: Project, snippet_id: int, p: UpdateSnippet) -> Snippet:
    """Update a project snippet."""
    return _update(ctx, get_in_project(ctx, project, snippet_id), p)


def _update(ctx: WriteContext, snippet: Snippet, p: UpdateSnippet) -> Snippet:
    snippets.authorize_change(ctx, snippet)
    changes = p.given()
    files = [FileAction(**file.given()) for file in changes.pop("files", None) or ()]
    # Null leaves the visibility unchanged.
    if changes.get("visibility", "") is None:
        del changes["visibility"]
    return snippets.update(ctx, snippet, files, **changes)


@area.operation("DELETE", "", name="delete_{scope}", scope=SNIPPETS_TO_CHANGE, refusals=(403, 412))
def delete_snippet(ctx: WriteContext, *records: *PathRecords) -> None:
    """Delete a snippet."""
    snippets.authorize_change(ctx, records[-1])
    purge(ctx, records[-1])


@area.operation("GET", "raw", name="get_{scope}_raw", scope=SNIPPETS)
def get_snippet_raw(ctx: ReadContext, *records: *PathRecords) -> RawBody:
    """Download the first file of a snippet."""
    path, content = snippet_files.first_path(ctx.world, records[-1])
    return render_snippet_file(path, content)


@area.operation("GET", "files/:ref/:file_path/raw", name="get_{scope}_file_raw", scope=SNIPPETS, refusals=(400, 404))
def get_snippet_file_raw(ctx: ReadContext, *records: *PathRecords, ref: str, file_path: FilePath) -> RawBody:
    """Download a snippet's file from its branch, or at a commit."""
    return render_snippet_file(file_path, snippet_files.read_file(ctx.world, records[-1], ref, file_path))


def render_snippet_file(path: str, content: bytes) -> RawBody:
    """Return a file of a snippet as an inline response."""
    return render_raw_file(content, path.rpartition("/")[2])


@area.operation(
    "GET",
    "snippets/:id/user_agent_detail",
    login=Login.ALWAYS,
    ability=Ability.READ_USER_AGENT,
    view=UserAgentView,
    refusals=(404,),
)
def get_snippet_user_agent_detail(ctx: ReadContext, id: int) -> UserAgentDetail:
    """Get the user agent that created a snippet. Administrators only."""
    return _get_user_agent(ctx, ctx.world.snippets.get(id), id)


@area.operation(
    "GET",
    "projects/:id/snippets/:snippet_id/user_agent_detail",
    login=Login.ALWAYS,
    ability=Ability.READ_USER_AGENT,
    view=UserAgentView,
    refusals=(403, 404),
)
def get_project_snippet_user_agent_detail(ctx: ReadContext, id: str, snippet_id: int) -> UserAgentDetail:
    """Get the user agent that created a project snippet. Administrators only; takes the project's id, not its path."""
    # Called for its refusals only.
    get_project_with_snippets(ctx, id)
    snippet = ctx.world.snippets.get(snippet_id)
    is_in_project = snippet is not None and snippet.project_id == parse_number(id)
    return _get_user_agent(ctx, snippet if is_in_project else None, snippet_id)


def _get_user_agent(ctx: ReadContext, snippet: Snippet | None, id_: int) -> UserAgentDetail:
    if snippet is None:
        raise RecordNotFound(reason=partial(_explain_missing, ctx, id_))
    return user_agents.get_user_agent(ctx, (snippet_access.KIND, snippet.id), f"snippet {snippet.id}")
