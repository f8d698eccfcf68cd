"""What a pipeline runs for, as HTML with links. Source: docs/platform/graphql.md ('Pipelines')."""

from html import escape
from typing import Final
from urllib.parse import quote

from fakeplat.domain.ci import pipelines
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import repositories
from fakeplat.model.ci import Pipeline
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_REF_LINK: Final = "ref-container gl-link"
_REQUEST_LINK: Final = "mr-iid"


def describe_ref(ctx: ReadContext, pipeline: Pipeline) -> str:
    """Return the merge request, the related merge requests, or the branch or tag that a pipeline runs for."""
    project = ctx.world.projects[pipeline.project_id]
    merge_request = ctx.world.merge_requests.get(pipeline.merge_request_id or 0)
    if merge_request is not None:
        source = ctx.world.projects.get(merge_request.source_project_id or 0)
        link = _link_request(ctx.world, merge_request, f"!{merge_request.iid}", f"{_REQUEST_LINK} ref-container")
        return f"Related merge request {link} to merge {_link_ref(ctx.world, source, merge_request.source_branch)}"
    related = pipelines.list_related_merge_requests(ctx.world, pipeline)
    if related and can(ctx, Ability.READ_MERGE_REQUESTS, project):
        links = [_link_request(ctx.world, each, f"!{each.iid} {each.title}", _REQUEST_LINK) for each in related]
        noun = "merge request" if len(related) == 1 else "merge requests"
        return f"{len(related)} related {noun}: {', '.join(links)}"
    return f"In {_link_ref(ctx.world, project, pipeline.ref, TAGS if pipeline.tag else BRANCHES)}"


def _link_request(world: World, merge_request: MergeRequest, text: str, style: str) -> str:
    path = namespaces.project_path(world, world.projects[merge_request.project_id])
    return _link(text, f"/{path}/-/merge_requests/{merge_request.iid}", style)


def _link_ref(world: World, project: Project | None, name: str, prefix: str = BRANCHES) -> str:
    """Return a link to the commits of a branch or tag, or its name if it does not exist any more."""
    if project is None or prefix + name not in repositories.open_repository(world, project).refs:
        return f'<span class="ref-name">{escape(name)}</span>'
    return _link(name, f"/{namespaces.project_path(world, project)}/-/commits/{quote(name)}", _REF_LINK)


def _link(text: str, path: str, style: str) -> str:
    return f'<a class="{style}" href="{escape(path)}">{escape(text)}</a>'
