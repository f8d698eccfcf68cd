"""Rendering of Markdown. Source: docs/platform/version-and-metadata.md."""

from typing import Final

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.markup import commonmark, markup
from fakeplat.domain.people.namespaces import find_project_by_path
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import MARKDOWN_IS_A_READ, MARKDOWN_NEEDS_LOGIN
from fakeplat.policy.context import ReadContext

area: Final = Area("Instance", login=Login.NEVER, read_only=MARKDOWN_IS_A_READ)


class RenderMarkdown(Params):
    """A text. With ``gfm``, references are linked: those of the project, which is named by its path."""

    text: str
    gfm: bool | None = None
    project: str | None = None


def _needs_login(world: World) -> Login:
    return Login.ALWAYS if world.profile.has(MARKDOWN_NEEDS_LOGIN) else Login.NEVER


@area.operation("POST", "markdown", login=_needs_login, params=RenderMarkdown, reads=True, refusals=(404,))
def render_markdown(ctx: ReadContext, p: RenderMarkdown) -> dict[str, str]:
    """Render a text as HTML."""
    project = _get_project(ctx, p.project) if p.project else None
    return {"html": markup.render_html(ctx, p.text, project) if p.gfm else commonmark.render_plain(p.text)}


def _get_project(ctx: ReadContext, path: str) -> Project:
    project = find_project_by_path(ctx.world, path)
    if project is None or not can_see(ctx, project):
        raise NotFound("Project", reason=f"there is no project {path!r} that the caller sees")
    return project
