"""Snippets: create, edit and delete.

Source: docs/platform/snippets.md, docs/platform/project-snippets.md.
"""

from collections.abc import Sequence
from typing import Any, Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, Forbidden, ForbiddenWithMessage, Unprocessable
from fakeplat.domain.people import user_agents
from fakeplat.domain.snippets import snippet_access, snippet_files
from fakeplat.domain.snippets.snippet_files import FileAction, FileWriteError
from fakeplat.domain.validation import BLANK, ValidationErrors, human_size, too_long
from fakeplat.model.people import User, Visibility
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import WriteContext

_LONGEST_PATH: Final = 255
_INITIAL_DEFAULT: Final = "private"
_MULTIPLE_FILES: Final = "To update Snippets with multiple files, you must use the `files` parameter"
_INVALID_ACTIONS: Final = "Snippet actions have invalid data"


# Creation


class SnippetParams(TypedDict, total=False):
    """The parameters of a snippet besides its files; a new one without a visibility has the default."""

    title: str
    description: str | None
    visibility: Visibility | None


class NewSnippet(TypedDict, total=False):
    """The fields of a new snippet."""

    title: Required[str]
    head: Required[str]
    visibility: Required[Visibility]
    description: str | None
    created_at: str
    updated_at: str


def authorize_create(ctx: WriteContext, project: Project | None) -> None:
    """Raise 403 unless the caller may create snippets: Reporters in a project, personal ones all but external users."""
    if project is not None:
        authorize(ctx, Ability.CREATE_SNIPPET, project)
    elif ctx.signed_in_user.external:
        raise Forbidden(
            reason=f"{ctx.signed_in_user.username} is an external user, who may not create personal snippets"
        )


def create(
    ctx: WriteContext, project: Project | None, files: Sequence[FileAction], **params: Unpack[SnippetParams]
) -> Snippet:
    """Create a snippet of the caller from fields of the record; the visibility has a default."""
    visibility = params.get("visibility") or default_visibility(ctx.world, project)
    _check_visibility(ctx, visibility)
    errors = _list_errors(ctx.world, params, files)
    # Without a file there is no content, and the content is what the platform's error names.
    errors.when(not files, "content", BLANK)
    _raise_errors(errors)
    fields: dict[str, Any] = {**params, "visibility": visibility}
    head = _commit_actions(ctx, None, files, "Error creating the snippet")
    snippet = insert_snippet(ctx, project, ctx.signed_in_user, head=head, **fields)
    user_agents.record_user_agent(ctx, (snippet_access.KIND, snippet.id))
    return snippet


def insert_snippet(ctx: WriteContext, project: Project | None, author: User, **fields: Unpack[NewSnippet]) -> Snippet:
    """Add a snippet from fields of the record, without permission checks."""
    _list_errors(ctx.world, fields).refuse()
    table, created_at = ctx.world.snippets, fields.get("created_at") or ctx.now_iso
    values: dict[str, Any] = {"updated_at": created_at, **fields, "created_at": created_at}
    project_id = project.id if project else None
    return table.add(Snippet(id=table.next_id(), author_id=author.id, project_id=project_id, **values))


def default_visibility(world: World, project: Project | None) -> Visibility:
    """Return the default visibility: the instance's setting if it was changed, else by project (ruling 4)."""
    default = world.settings.default_snippet_visibility
    return "internal" if project is None and default == _INITIAL_DEFAULT else default


# Changes


def authorize_change(ctx: WriteContext, snippet: Snippet) -> None:
    """Raise 403 unless the caller may change or delete a visible snippet: authors and, in projects, Maintainers."""
    project, is_own = snippet_access.project_of(ctx.world, snippet), ctx.signed_in_user.id == snippet.author_id
    if project is None and not is_own:
        raise Forbidden(
            reason=f"only its author may change a personal snippet; {ctx.signed_in_user.username} is not the author"
        )
    if project is not None and (project.archived or not is_own):
        authorize(ctx, Ability.UPDATE_SNIPPET, project)


def update(
    ctx: WriteContext,
    snippet: Snippet,
    files: Sequence[FileAction] = (),
    *,
    content: str | None = None,
    file_name: str | None = None,
    **params: Unpack[SnippetParams],
) -> Snippet:
    """Edit fields and files; ``content`` and ``file_name`` refer to the only file."""
    actions = [*files, *_actions_on_only_file(ctx.world, snippet, content, file_name)]
    # Only actions that the client sent can be faulty; those on the only file are built here.
    for action in files:
        if action.error:
            raise Unprocessable({"error": _INVALID_ACTIONS}, reason=action.error)
    visibility = params.get("visibility") or snippet.visibility
    if visibility != snippet.visibility:
        _check_visibility(ctx, visibility)
    _raise_errors(_list_errors(ctx.world, params, actions))
    head = _commit_actions(ctx, snippet.head, actions, "Error updating the snippet") if actions else snippet.head
    changed = {name: value for name, value in {**params, "head": head}.items() if value != getattr(snippet, name)}
    return ctx.world.snippets.change(snippet, **changed, updated_at=ctx.now_iso) if changed else snippet


def _actions_on_only_file(
    world: World, snippet: Snippet, content: str | None, name: str | None
) -> Sequence[FileAction]:
    """Return the actions on the only file of a snippet; 400 if there are several."""
    if content is None and name is None:
        return ()
    path, *others = snippet_files.list_paths(world, snippet)
    if others:
        raise BadRequest(
            {"error": _MULTIPLE_FILES}, reason=f"the snippet has several files: {', '.join((path, *others))}"
        )
    if name and not snippet_files.is_blank(name) and name != path:
        return (FileAction("move", name, content, path),)
    return (FileAction("update", path, content),) if content else ()


# Validation


def _list_errors(
    world: World, fields: SnippetParams | NewSnippet, files: Sequence[FileAction] = ()
) -> ValidationErrors:
    errors, paths = ValidationErrors(), [path for action in files if (path := action.file_path)]
    if "title" in fields:
        errors.when(not fields["title"].strip(), "title", BLANK)
        too_long(errors, "title", fields["title"])
    too_long(errors, "file_name", max(paths, key=len, default=None), _LONGEST_PATH)
    # The limits apply to each file. Lone surrogates, which JSON can contain, have no encoding and are replaced.
    size = max((len(action.content.encode(errors="replace")) for action in files if action.content), default=0)
    limit = world.settings.snippet_size_limit
    errors.when(size > limit, "content", f"is too long ({human_size(size)}). The maximum size is {human_size(limit)}.")
    return errors


def _raise_errors(errors: ValidationErrors) -> None:
    """Raise 400 with all errors as sentences under ``error``, as the platform does."""
    texts = [f"{name.replace('_', ' ').capitalize()} {text}" for name in errors for text in errors.texts(name)]
    if texts:
        *others, last = texts
        # Like Rails' ``to_sentence``: ``a``, ``a and b``, ``a, b, and c``.
        sentence = f"{', '.join(others)}{',' if len(others) > 1 else ''} and {last}" if others else last
        raise BadRequest({"error": sentence})


def _check_visibility(ctx: WriteContext, visibility: str) -> None:
    if visibility in ctx.world.settings.restricted_visibility_levels and not ctx.admin:
        by = ctx.instance.product_name
        raise ForbiddenWithMessage(
            {"error": f"Visibility level {visibility} has been restricted by your {by} administrator"}
        )


def _commit_actions(ctx: WriteContext, head: str | None, actions: Sequence[FileAction], failure: str) -> str:
    try:
        return snippet_files.commit_actions(ctx, head, actions)
    except FileWriteError as error:
        text = f"{failure} - {error}" if error.is_public else failure
        raise BadRequest({"error": text}, reason=str(error)) from None
