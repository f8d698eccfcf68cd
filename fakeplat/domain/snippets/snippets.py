"""Snippets: who sees them, making, changing and removing them.

Source: docs/platform/snippets.md, docs/platform/project-snippets.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, Forbidden, ForbiddenWithMessage, Unprocessable
from fakeplat.domain.projects import user_agents
from fakeplat.domain.snippets import snippet_files
from fakeplat.domain.snippets.snippet_files import FileAction, FileWriteError
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import sees_visibility

KIND: Final = "snippet"
_LONGEST_PATH: Final = 255
_USUAL: Final = "private"
_ONE_FILE: Final = "To update Snippets with multiple files, you must use the `files` parameter"
_UNSOUND: Final = "Snippet actions have invalid data"


# Who sees them


def is_visible(ctx: ReadContext, snippet: Snippet) -> bool:
    """Whether a snippet exists for the caller."""
    project = project_of(ctx.world, snippet)
    if project is None:
        is_own = ctx.viewer is not None and ctx.viewer.id == snippet.author_id
        return is_own or ctx.admin or sees_visibility(ctx.viewer, snippet.visibility)
    if not can(ctx, Ability.READ_SNIPPETS, project):
        return False
    return can(ctx, Ability.READ_PRIVATE_SNIPPETS, project) or sees_visibility(ctx.viewer, snippet.visibility)


def project_of(world: World, snippet: Snippet) -> Project | None:
    """The project that a snippet is in; None for a personal one."""
    return None if snippet.project_id is None else world.projects[snippet.project_id]


def list_project_snippets(ctx: ReadContext, project: Project) -> Sequence[Snippet]:
    """The snippets of a project that the caller sees, newest first."""
    return _seen(ctx, ctx.world.snippets.where("project", project.id))


def list_own(ctx: ReadContext) -> Sequence[Snippet]:
    """The caller's own snippets, personal and of projects, newest first."""
    return _seen(ctx, ctx.world.snippets.where("author", ctx.signed_in_user.id))


def list_public(ctx: ReadContext) -> Sequence[Snippet]:
    """The public personal snippets, newest first."""
    return _seen(ctx, ctx.world.snippets.where("personal", "public"))


def list_visible(ctx: ReadContext) -> Sequence[Snippet]:
    """All snippets that the caller sees, newest first."""
    return _seen(ctx, ctx.world.snippets.all())


def _seen(ctx: ReadContext, snippets: Iterable[Snippet]) -> Sequence[Snippet]:
    found = [snippet for snippet in snippets if is_visible(ctx, snippet)]
    return sorted(found, key=lambda snippet: (snippet.created_at, snippet.id), reverse=True)


# Making


def authorize_create(ctx: WriteContext, project: Project | None) -> None:
    """403 for who may not make snippets here: in a project Reporters may, personal ones all but external users."""
    if project is not None:
        authorize(ctx, Ability.CREATE_SNIPPET, project)
    elif ctx.signed_in_user.external:
        raise Forbidden(reason=f"{ctx.signed_in_user.username} is external, and makes no personal snippets")


def create(ctx: WriteContext, project: Project | None, files: Sequence[FileAction], **given: Any) -> Snippet:
    """Make a snippet of the caller's. Takes fields of the record; without a visibility it has the usual one."""
    fields = {**given, "visibility": given.get("visibility") or default_visibility(ctx.world, project)}
    _check_visibility(ctx, fields["visibility"])
    faults = _faults(ctx.world, fields, files)
    faults.when(not files, "content", BLANK)
    _refuse(faults)
    head = _committed(ctx, None, files, "Error creating the snippet")
    snippet = insert_snippet(ctx, project, ctx.signed_in_user, head=head, **fields)
    user_agents.record_user_agent(ctx, (KIND, snippet.id))
    return snippet


def insert_snippet(ctx: WriteContext, project: Project | None, author: User, **fields: Any) -> Snippet:
    """Add a snippet from fields of the record; nobody's rights are asked."""
    _faults(ctx.world, fields).refuse()
    table, created_at = ctx.world.snippets, fields.get("created_at") or ctx.now_iso
    settled: dict[str, Any] = {"updated_at": created_at, **fields, "created_at": created_at}
    place = project.id if project else None
    snippet = table.add(Snippet(id=table.next_id(), author_id=author.id, project_id=place, **settled))
    ctx.emit("snippet_created", snippet)
    return snippet


def default_visibility(world: World, project: Project | None) -> str:
    """What a snippet has where nothing is said: the instance's default if that was set, else by place (ruling 4)."""
    default = world.settings.default_snippet_visibility
    return "internal" if project is None and default == _USUAL else default


# Changing


def authorize_change(ctx: WriteContext, snippet: Snippet) -> None:
    """403 for who may not change or remove a snippet that they see: authors and, in projects, Maintainers may."""
    project, is_own = project_of(ctx.world, snippet), ctx.signed_in_user.id == snippet.author_id
    if project is None and not is_own:
        raise Forbidden(reason=f"personal snippets are changed by their authors; {ctx.signed_in_user.username} is not")
    if project is not None and (project.archived or not is_own):
        authorize(ctx, Ability.UPDATE_SNIPPET, project)


def update(
    ctx: WriteContext,
    snippet: Snippet,
    files: Sequence[FileAction] = (),
    *,
    content: str | None = None,
    file_name: str | None = None,
    **given: Any,
) -> Snippet:
    """Change fields and files; ``content`` and ``file_name`` are those of the only file."""
    actions = [*files, *_on_only_file(ctx.world, snippet, content, file_name)]
    for one in files:
        if one.fault:
            raise Unprocessable({"error": _UNSOUND}, reason=one.fault)
    if given.get("visibility", snippet.visibility) != snippet.visibility:
        _check_visibility(ctx, given["visibility"])
    _refuse(_faults(ctx.world, given, actions))
    head = _committed(ctx, snippet.head, actions, "Error updating the snippet") if actions else snippet.head
    changed = {name: value for name, value in {**given, "head": head}.items() if value != getattr(snippet, name)}
    return ctx.world.snippets.change(snippet, **changed, updated_at=ctx.now_iso) if changed else snippet


def _on_only_file(world: World, snippet: Snippet, content: str | None, name: str | None) -> Sequence[FileAction]:
    """What happens to the only file of a snippet; 400 where there are several."""
    if content is None and name is None:
        return ()
    path, *others = snippet_files.list_paths(world, snippet)
    if others:
        raise BadRequest({"error": _ONE_FILE}, reason=f"it has the files {', '.join((path, *others))}")
    if name and not snippet_files.is_blank(name) and name != path:
        return (FileAction("move", name, content, path),)
    return (FileAction("update", path, content),) if content else ()


# What is wrong


def _faults(world: World, fields: Mapping[str, Any], files: Sequence[FileAction] = ()) -> ValidationErrors:
    faults, paths = ValidationErrors(), [path for one in files if (path := one.file_path)]
    if "title" in fields:
        faults.when(not fields["title"].strip(), "title", BLANK)
        too_long(faults, "title", fields["title"])
    too_long(faults, "file_name", max(paths, key=len, default=None), _LONGEST_PATH)
    size = max((len(one.content.encode(errors="replace")) for one in files if one.content), default=0)
    limit = world.settings.snippet_size_limit
    faults.when(size > limit, "content", f"is too long ({_size(size)}). The maximum size is {_size(limit)}.")
    return faults


def _refuse(faults: ValidationErrors) -> None:
    """The platform says all of it in sentences, under ``error``."""
    texts = [f"{name.replace('_', ' ').capitalize()} {text}" for name in faults for text in faults.texts(name)]
    if texts:
        *before, last = texts
        listed = f"{', '.join(before)}{',' if len(before) > 1 else ''} and {last}" if before else last
        raise BadRequest({"error": listed})


def _check_visibility(ctx: WriteContext, visibility: str) -> None:
    if visibility in ctx.world.settings.restricted_visibility_levels and not ctx.admin:
        by = ctx.instance.product_name
        raise ForbiddenWithMessage(
            {"error": f"Visibility level {visibility} has been restricted by your {by} administrator"}
        )


def _committed(ctx: WriteContext, head: str | None, actions: Sequence[FileAction], failure: str) -> str:
    try:
        return snippet_files.commit_actions(ctx, head, actions)
    except FileWriteError as error:
        text = f"{failure} - {error}" if error.told else failure
        raise BadRequest({"error": text}, reason=str(error)) from None


def _size(count: int) -> str:
    """A number of bytes for people: three digits of the largest unit that it fills."""
    if count < 1024:
        return f"{count} Byte{'' if count == 1 else 's'}"
    number, unit = count / 1024, "KB"
    for larger in ("MB", "GB"):
        if number >= 1024:
            number, unit = number / 1024, larger
    return f"{float(f'{number:.3g}'):g} {unit}"
