"""Which snippets a caller may see. Source: docs/platform/snippets.md, docs/platform/project-snippets.md."""

from collections.abc import Iterable, Sequence
from typing import Final

from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import Decision, caller_name, can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import sees_visibility

KIND: Final = "snippet"


def is_visible(ctx: ReadContext, snippet: Snippet) -> bool:
    """Return whether the caller may see a snippet."""
    project = project_of(ctx.world, snippet)
    if project is None:
        return ctx.admin or _is_shared(ctx, snippet)
    if not can(ctx, Ability.READ_SNIPPETS, project):
        return False
    return can(ctx, Ability.READ_PRIVATE_SNIPPETS, project) or sees_visibility(ctx.viewer, snippet.visibility)


def _is_shared(ctx: ReadContext, snippet: Snippet) -> bool:
    """Return whether a personal snippet is the caller's, or visible to them: it has no members."""
    is_own = ctx.viewer is not None and ctx.viewer.id == snippet.author_id
    return is_own or sees_visibility(ctx.viewer, snippet.visibility)


def can_comment_on_personal(ctx: ReadContext, snippet: Snippet) -> Decision:
    """Return whether the caller may comment on a personal snippet and award it. Administrators only read others."""
    if ctx.viewer is not None and _is_shared(ctx, snippet):
        return Decision(True)
    return Decision(False, lambda: f"snippet {snippet.id} is private, and {caller_name(ctx)} is not its author")


def can_change(ctx: ReadContext, snippet: Snippet) -> bool:
    """Return whether the caller may change or delete a snippet: authors and, in projects, Maintainers."""
    project, is_own = project_of(ctx.world, snippet), ctx.viewer is not None and ctx.viewer.id == snippet.author_id
    if project is None or (is_own and not project.archived):
        return is_own
    return can(ctx, Ability.UPDATE_SNIPPET, project)


def project_of(world: World, snippet: Snippet) -> Project | None:
    """Return the project of a snippet; None for a personal one."""
    return None if snippet.project_id is None else world.projects[snippet.project_id]


def list_project_snippets(ctx: ReadContext, project: Project) -> Sequence[Snippet]:
    """Return the snippets of a project that the caller may see, newest first."""
    return _filter_visible(ctx, ctx.world.snippets.where("project", project.id))


def list_own(ctx: ReadContext) -> Sequence[Snippet]:
    """Return the caller's own snippets, personal and in projects, newest first."""
    return _filter_visible(ctx, ctx.world.snippets.where("author", ctx.signed_in_user.id))


def list_public(ctx: ReadContext) -> Sequence[Snippet]:
    """Return the public personal snippets, newest first."""
    return _filter_visible(ctx, ctx.world.snippets.where("personal", "public"))


def list_visible(ctx: ReadContext) -> Sequence[Snippet]:
    """Return all snippets that the caller may see, newest first."""
    return _filter_visible(ctx, ctx.world.snippets.all())


def _filter_visible(ctx: ReadContext, snippets: Iterable[Snippet]) -> Sequence[Snippet]:
    visible = [snippet for snippet in snippets if is_visible(ctx, snippet)]
    return sorted(visible, key=lambda snippet: (snippet.created_at, snippet.id), reverse=True)
