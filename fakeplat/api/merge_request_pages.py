"""The HTML page of a merge request, at its `web_url`. Source: docs/contract.md ('URLs')."""

from fakeplat.api import downloads
from fakeplat.api.pages import area, html_page
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.entities.merge_requests import MergeRequestSimple
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext


@area.operation("GET", "*project/-/merge_requests/:iid", also=(302,), ours=True)
def get_merge_request_page(ctx: ReadContext, project: str, iid: str) -> RawBody:
    """Show the page of a merge request, or its change with ``.patch`` or ``.diff`` behind the number."""
    number, suffix = downloads.split_form(iid)
    if suffix:
        return downloads.merge_request_change(ctx, project, number, suffix)
    container = namespaces.find_project_by_path(ctx.world, project)
    merge_request = (
        ctx.world.merge_requests.find("iid", (container.id, number_of(iid))) if container is not None else None
    )
    if merge_request is None or not noteables.is_visible(ctx, merge_request):
        raise RouteNotFound(reason=f"{caller_name(ctx)} sees no merge request {iid} in {project}")
    api_url = urls.api_url(ctx, f"projects/{merge_request.project_id}/merge_requests/{merge_request.iid}")
    return html_page("MergeRequest", MergeRequestSimple(merge_request, ctx).values(), api_url)
