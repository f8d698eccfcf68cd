"""Snippets, personal and of projects. Source: docs/platform/specification.md ('Project snippets', 'User snippets'),
docs/platform/project-snippets.md, docs/platform/snippets.md.

Of a project, its snippets' being open to the caller is looked at right after the project and before the parameters;
what is changed is looked for after them.
"""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from fakeplat.api.repository import raw_file
from fakeplat.api.repository_files import FilePath
from fakeplat.api.scopes import find_project
from fakeplat.core.operations.errors import Forbidden, InvalidParams, NotFound, RecordNotFound, Unauthorized
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import NOWHERE, Segment
from fakeplat.core.params.params import NotBlank, Params, at_least_one_of, exactly_one_of, mutually_exclusive, requires
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.projects import user_agents
from fakeplat.domain.purging import purge
from fakeplat.domain.snippets import snippet_files, snippets
from fakeplat.domain.snippets.snippet_files import FileAction
from fakeplat.entities.snippets import SnippetView
from fakeplat.entities.user_agents import UserAgentView
from fakeplat.model.levels import Visibility
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.user_agents import UserAgentDetail
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, explain_closed_feature, feature_open
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling

area: Final = Area("Snippets", login=Login.NEVER, located_first=True)


def find_project_with_snippets(ctx: ReadContext, reference: str) -> Project:
    """The project that the caller sees, or 404; 403 where its snippets are closed to the caller."""
    project = find_project(ctx, reference)
    if not feature_open(ctx, project, "snippets"):
        raise Forbidden(reason=partial(explain_closed_feature, ctx, project, "snippets"))
    return project


def _missing(ctx: ReadContext, id_: int) -> str:
    found = ctx.world.snippets.get(id_)
    if found is None:
        return f"no snippet has the id {id_}"
    place = "personal" if found.project_id is None else f"of project {found.project_id}"
    return f"snippet {id_} is {place}, {found.visibility} and not there for {caller_name(ctx)}"


def find_in_project(ctx: ReadContext, project: Project, id_: int) -> Snippet:
    """A project's snippet that the caller sees, or 404."""
    found = ctx.world.snippets.get(id_)
    if found is None or found.project_id != project.id or not snippets.is_visible(ctx, found):
        raise NotFound("Snippet", reason=partial(_missing, ctx, id_))
    return found


def _find_record(ctx: ReadContext, project: Project, id_: int) -> Snippet:
    try:
        return find_in_project(ctx, project, id_)
    except NotFound as missing:
        raise RecordNotFound(reason=missing.why) from None


def _find_to_change(ctx: ReadContext, project: Project, id_: int) -> Snippet:
    _demand_login(ctx)
    return find_in_project(ctx, project, id_)


def _demand_login(ctx: ReadContext) -> None:
    if ctx.viewer is None:
        raise Unauthorized(reason="snippets are changed by signed-in users; nobody is signed in")


def _find(ctx: ReadContext, id_: int) -> Snippet:
    """Any snippet that the caller sees, those of projects too."""
    found = ctx.world.snippets.get(id_)
    if found is None or not snippets.is_visible(ctx, found):
        raise NotFound("Snippet", reason=partial(_missing, ctx, id_))
    return found


def _find_own(ctx: ReadContext, id_: int) -> Snippet:
    _demand_login(ctx)
    found = _find(ctx, id_)
    if found.author_id != ctx.signed_in_user.id:
        raise NotFound("Snippet", reason=f"snippet {id_} is not {caller_name(ctx)}'s own")
    return found


def _in_project(locate: Any) -> Any:
    return PROJECT_WITH_SNIPPETS / Segment(
        "snippets/:snippet_id", kind="integer", locate=locate, word="project_snippet"
    )


def _personal(locate: Any) -> Any:
    return NOWHERE / Segment("snippets/:id", kind="integer", locate=locate, word="snippet")


PROJECT_WITH_SNIPPETS: Final = NOWHERE / Segment("projects/:id", locate=find_project_with_snippets, word="project")
COLLECTIONS: Final = (
    PROJECT_WITH_SNIPPETS / Segment("snippets", word="project_snippet"),
    NOWHERE / Segment("snippets", word="snippet"),
)
RECORDS: Final = (_in_project(_find_record), _personal(_find))
SNIPPETS: Final = (_in_project(find_in_project), _personal(_find))
CHANGED: Final = (_in_project(_find_to_change), _personal(_find_own))
"""Where snippets are: to be read (a record that is not there is told otherwise), in general, and to be changed."""


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
def list_project_snippets(ctx: ReadContext, project: Project, p: Paged) -> Sequence[Snippet]:
    """List the snippets of a project, newest first."""
    del p
    return snippets.list_project_snippets(ctx, project)


@area.operation("GET", "snippets", login=Login.ALWAYS, params=Paged, view=SnippetView, many=True)
def list_snippets(ctx: ReadContext, p: Paged) -> Sequence[Snippet]:
    """List the caller's snippets, newest first."""
    del p
    return snippets.list_own(ctx)


@area.operation("GET", "snippets/public", params=Paged, view=SnippetView, many=True)
def list_public_snippets(ctx: ReadContext, p: Paged) -> Sequence[Snippet]:
    """List all public personal snippets, newest first."""
    del p
    return snippets.list_public(ctx)


@area.operation("GET", "", name="get_{scope}", scope=RECORDS, view=SnippetView)
def get_snippet(ctx: ReadContext, *found: Any) -> Snippet:
    """Get a snippet."""
    del ctx
    snippet: Snippet = found[-1]
    return snippet


class NewFile(Params):
    """A file of a new snippet."""

    file_path: Annotated[FilePath, NotBlank]
    content: Annotated[str, NotBlank]


class CreateSnippet(Params):
    """A new snippet: several files, or the content of one."""

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
def create_snippet(ctx: WriteContext, *place: Project, p: CreateSnippet) -> Snippet:
    """Create a snippet."""
    project = place[0] if place else None
    _check_visibility_given(ctx, project, p)
    snippets.authorize_create(ctx, project)
    files = [FileAction("create", file.file_path, file.content) for file in p.files or ()]
    if p.content:
        files = [FileAction("create", p.file_name, p.content)]
    return snippets.create(ctx, project, files, title=p.title, description=p.description, visibility=p.visibility)


def _check_visibility_given(ctx: ReadContext, project: Project | None, p: CreateSnippet) -> None:
    optional = project is None or Ruling.SNIPPET_VISIBILITY_IS_OPTIONAL.holds(ctx.world)
    if not optional and "visibility" not in p.given():
        raise InvalidParams("visibility is missing")


class ChangeFile(Params):
    """What happens to a file."""

    action: Literal["create", "update", "delete", "move"]
    content: str | None = None
    file_path: FilePath | None = None
    previous_path: FilePath | None = None


class UpdateSnippet(Params):
    """Changes of a snippet; of one with several files, by ``files`` only."""

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
    return _updated(ctx, _find_own(ctx, id), p)


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
    return _updated(ctx, find_in_project(ctx, project, snippet_id), p)


def _updated(ctx: WriteContext, snippet: Snippet, p: UpdateSnippet) -> Snippet:
    snippets.authorize_change(ctx, snippet)
    given = p.given()
    files = [FileAction(**file.given()) for file in given.pop("files", None) or ()]
    if given.get("visibility", "") is None:
        del given["visibility"]
    return snippets.update(ctx, snippet, files, **given)


@area.operation("DELETE", "", name="delete_{scope}", scope=CHANGED, refusals=(403, 412))
def delete_snippet(ctx: WriteContext, *found: Any) -> None:
    """Delete a snippet."""
    snippets.authorize_change(ctx, found[-1])
    purge(ctx, found[-1])


@area.operation("GET", "raw", name="get_{scope}_raw", scope=SNIPPETS)
def get_snippet_raw(ctx: ReadContext, *found: Any) -> RawBody:
    """Download the first file of a snippet."""
    path, content = snippet_files.first_path(ctx.world, found[-1])
    return raw_snippet_file(path, content)


@area.operation("GET", "files/:ref/:file_path/raw", name="get_{scope}_file_raw", scope=SNIPPETS, refusals=(400, 404))
def get_snippet_file_raw(ctx: ReadContext, *found: Any, ref: str, file_path: FilePath) -> RawBody:
    """Download a snippet's file from its branch, or at a commit."""
    return raw_snippet_file(file_path, snippet_files.read_file(ctx.world, found[-1], ref, file_path))


def raw_snippet_file(path: str, content: bytes) -> RawBody:
    """A file of a snippet as it is."""
    return raw_file(content, path.rpartition("/")[2])


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
    return _user_agent(ctx, ctx.world.snippets.get(id), id)


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
    find_project_with_snippets(ctx, id)
    found = ctx.world.snippets.get(snippet_id)
    here = found is not None and found.project_id == number_of(id)
    return _user_agent(ctx, found if here else None, snippet_id)


def _user_agent(ctx: ReadContext, snippet: Snippet | None, id_: int) -> UserAgentDetail:
    if snippet is None:
        raise RecordNotFound(reason=partial(_missing, ctx, id_))
    return user_agents.get_user_agent(ctx, (snippets.KIND, snippet.id), f"snippet {snippet.id}")
