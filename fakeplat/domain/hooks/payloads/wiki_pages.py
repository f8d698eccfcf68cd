"""Payloads of pages of wikis."""

from collections.abc import Mapping
from typing import Final, Literal
from urllib.parse import quote

from fakeplat.domain import urls
from fakeplat.domain.hooks.payloads import blocks
from fakeplat.domain.hooks.payloads.blocks import Block, Later, later
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.policy.context import ReadContext

WikiPageAction = Literal["create", "update", "delete"]


def build_wiki_page_event(
    ctx: ReadContext, project: Project, page: WikiPage, action: WikiPageAction, user: User | None
) -> Block:
    """Return the payload of a page that was created, changed or deleted."""
    wiki_url, path = f"{urls.project_url(ctx, project)}/-/wikis", f"{urls.project_path(ctx, project)}.wiki"
    return {
        "object_kind": "wiki_page",
        "user": blocks.build_user(ctx, user),
        "project": blocks.build_project(ctx, project),
        "wiki": {
            "web_url": f"{wiki_url}/home",
            "git_ssh_url": urls.ssh_url_of_path(ctx, path),
            "git_http_url": f"{urls.http_url(ctx, project).removesuffix('.git')}.wiki.git",
            "path_with_namespace": path,
            "default_branch": (page.git.head or "").removeprefix(BRANCHES),
        },
        "object_attributes": {
            "title": page.title,
            "content": blocks.make_images_absolute(ctx, project, page.content),
            "format": page.format,
            "message": page.message,
            "slug": page.slug,
            "url": f"{wiki_url}/{quote(page.slug)}",
            "action": action,
            **blocks.read_later(ctx, _PAGE, (project, page)),
        },
    }


def _build_diff_url(ctx: ReadContext, page: tuple[Project, WikiPage]) -> str:
    project, of_project = page
    return f"{urls.project_url(ctx, project)}/-/wikis/{quote(of_project.slug)}/diff?version_id={of_project.last_sha}"


_PAGE: Final[Mapping[str, Later[tuple[Project, WikiPage]]]] = {
    "diff_url": later("<=15.11", _build_diff_url),
    "version_id": later("<=18.0", lambda ctx, page: page[1].last_sha),
}
