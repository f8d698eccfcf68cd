"""The HTML of the platform's texts: sanitized Markdown with references, emoji, task lists and anchors."""

from typing import Final

from fakeplat.domain.groups import custom_emoji
from fakeplat.domain.markup import (
    commonmark,
    filters,
    footnotes,
    math_and_diagrams,
    reference_links,
    relative_links,
    table_of_contents,
    trees,
    wiki_links,
)
from fakeplat.domain.markup.relative_links import FilePlace
from fakeplat.domain.markup.trees import Element
from fakeplat.domain.markup.wiki_links import WikiPlace
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

Source = tuple[str, int]
_MARKS: Final = frozenset("@#!$%~:/{[+-<>&") | frozenset("0123456789")
"""Characters without which one line has nothing to replace or to escape."""


def render_html(
    ctx: ReadContext,
    text: str | None,
    project: Project | None = None,
    wiki: WikiPlace | None = None,
    file: FilePlace | None = None,
) -> str:
    """Render a text as HTML paragraphs; references are those of a project, and of what the caller sees.

    ``wiki`` is where a page of a wiki stands, and ``file`` where a file does; relative links of other texts than pages
    lead to files of the repository.
    """
    if text is None or not text.strip():
        return ""
    root = trees.parse(commonmark.render_sanitized(text))
    _render_blocks(ctx, root)
    if wiki:
        wiki_links.link_tags(root, wiki)
    filters.link_urls(root, ctx.origin)
    footnotes.make_footnotes_unique(root, text)
    reference_links.link_references(ctx, root, project)
    filters.apply_last_filters(root)
    _show_custom_emoji(ctx, root, project)
    _complete_links(ctx, root, project, wiki, file)
    return root.inner_html


def _render_blocks(ctx: ReadContext, root: Element) -> None:
    """Change code, images and headings."""
    settings = ctx.world.settings
    math_and_diagrams.draw_plantuml(settings, root)
    filters.highlight_code(root)
    math_and_diagrams.mark_math(root)
    filters.show_colors(root)
    math_and_diagrams.draw_kroki(settings, root)
    math_and_diagrams.mark_mermaid(root)
    filters.load_images_lazily(root)
    table_of_contents.add_anchors(root)


def _complete_links(
    ctx: ReadContext, root: Element, project: Project | None, wiki: WikiPlace | None, file: FilePlace | None
) -> None:
    if wiki:
        wiki_links.complete_links(root, wiki)
    relative_links.link_uploads(ctx, root, project)
    if project is not None and wiki is None:
        relative_links.link_files(ctx, root, project, file)


def render_line(ctx: ReadContext, text: str | None, project: Project | None = None) -> str:
    """Render a title or another text of one line: without Markdown, but with references and emoji."""
    if not text or _MARKS.isdisjoint(text):
        return text or ""
    root = Element("", None, text)
    filters.link_urls(root, ctx.origin)
    reference_links.link_references(ctx, root, project)
    filters.show_emoji(root)
    _show_custom_emoji(ctx, root, project)
    return root.inner_html


def _show_custom_emoji(ctx: ReadContext, root: Element, project: Project | None) -> None:
    """Show the emoji that users added to the groups of a project."""
    if project is None or not len(ctx.world.custom_emoji):
        return

    def find_url(name: str) -> str | None:
        found = custom_emoji.find_available(ctx.world, project, name)
        return found.url if found is not None else None

    filters.show_custom_emoji(root, find_url)


def project_of_source(ctx: ReadContext, source: Source) -> Project | None:
    """Return the project that is the source of a record; None if a group is."""
    kind, id_ = source
    return ctx.world.projects[id_] if kind == "project" else None
