"""The small page of a merge request, at its `web_url`. Source: docs/contract.md ('URLs')."""

from fakeplat.api import downloads
from fakeplat.api.pages import area, html_page
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.messages import Raw
from fakeplat.core.store.ids import number_of
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.entities.merge_requests import MergeRequestSimple
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import caller


@area.operation("GET", "*project/-/merge_requests/:iid", also=(302,), ours=True)
def get_merge_request_page(cx: Context, project: str, iid: str) -> Raw:
    """Show the page of a merge request, or its change with ``.patch`` or ``.diff`` behind the number."""
    number, form = downloads.split_form(iid)
    if form:
        return downloads.merge_request_change(cx, project, number, form)
    place = namespaces.project_at(cx.world, project)
    found = cx.world.merge_requests.find("iid", (place.id, number_of(iid))) if place is not None else None
    if found is None or not noteables.visible(cx, found):
        raise RouteNotFound(reason=f"{caller(cx)} sees no merge request {iid} in {project}")
    api = urls.api(cx, f"projects/{found.project_id}/merge_requests/{found.iid}")
    return html_page("MergeRequest", MergeRequestSimple(found, cx).values(), api)
