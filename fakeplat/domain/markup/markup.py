"""The HTML of the platform's texts: sanitized Markdown with references, emoji, task lists and anchors."""

from typing import Final

from fakeplat.domain.markup import commonmark, filters, reference_links, trees
from fakeplat.domain.markup.trees import Element
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

Source = tuple[str, int]
_MARKS: Final = frozenset("@#!$%~:/{[+-<>&") | frozenset("0123456789")
"""Characters without which one line has nothing to replace or to escape."""


def render_html(ctx: ReadContext, text: str | None, project: Project | None = None) -> str:
    """Render a text as HTML paragraphs; references are those of a project, and of what the caller sees."""
    if text is None or not text.strip():
        return ""
    root = trees.parse(commonmark.render_sanitized(text))
    filters.apply_filters(root, ctx.origin)
    reference_links.link_references(ctx, root, project)
    filters.apply_last_filters(root)
    return root.inner_html


def render_line(ctx: ReadContext, text: str | None, project: Project | None = None) -> str:
    """Render a title or another text of one line: without Markdown, but with references and emoji."""
    if not text or _MARKS.isdisjoint(text):
        return text or ""
    root = Element("", None, text)
    filters.link_urls(root, ctx.origin)
    reference_links.link_references(ctx, root, project)
    filters.show_emoji(root)
    return root.inner_html


def project_of_source(ctx: ReadContext, source: Source) -> Project | None:
    """Return the project that is the source of a record; None if a group is."""
    kind, id_ = source
    return ctx.world.projects[id_] if kind == "project" else None
