"""Pages of releases at their web URLs, permanent addresses of assets, and evidence.

Source: docs/platform/releases.md, docs/contract.md ('URLs').
"""

from urllib.parse import quote

from fakeplat.api.pages import area, redirect_to, redirect_to_sign_in, render_html_page
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import namespaces
from fakeplat.domain.releases import release_links, releases
from fakeplat.entities import urls
from fakeplat.entities.releases import ReleaseView
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext

_CODE = (Ability.READ_RELEASE, Ability.DOWNLOAD_CODE)
_EVIDENCE = (*_CODE, Ability.READ_MILESTONE, Ability.READ_ISSUES)


def _find_release(
    ctx: ReadContext, path: str, tag_name: str, abilities: tuple[Ability, ...] = _CODE
) -> tuple[Project, Release] | None:
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not all(can(ctx, ability, project) for ability in abilities):
        return None
    release = releases.find(ctx.world, project, tag_name)
    return None if release is None else (project, release)


def _refuse(ctx: ReadContext, path: str) -> RawBody:
    if ctx.viewer is None:
        return redirect_to_sign_in(ctx)
    raise RouteNotFound(reason=f"{caller_name(ctx)} finds nothing at {path!r}")


@area.operation("GET", "*project/-/releases/:tag_name", also=(302,), refusals=(404,), ours=True)
def get_release_page(ctx: ReadContext, project: str, tag_name: str) -> RawBody:
    """Show the page of a release."""
    found = _find_release(ctx, project, tag_name)
    if found is None:
        return _refuse(ctx, f"{project}/-/releases/{tag_name}")
    container, release = found
    api_url = urls.api_url(ctx, f"projects/{container.id}/releases/{quote(tag_name, safe='')}")
    return render_html_page("Release", ReleaseView(release, ctx).values(), api_url)


@area.operation("GET", "*project/-/releases/:tag_name/edit", also=(302,), refusals=(404,), ours=True)
def get_release_edit_page(ctx: ReadContext, project: str, tag_name: str) -> RawBody:
    """Show the page of a release at the address of the form that changes it."""
    found = _find_release(ctx, project, tag_name, (*_CODE, Ability.UPDATE_RELEASE))
    if found is None:
        return _refuse(ctx, f"{project}/-/releases/{tag_name}/edit")
    return get_release_page(ctx, project, tag_name)


@area.operation("GET", "*project/-/releases/:tag_name/downloads/*filepath", status=302, refusals=(404,), ours=True)
def download_release_asset(ctx: ReadContext, project: str, tag_name: str, filepath: str) -> RawBody:
    """Get redirected to an asset from its permanent address."""
    found = _find_release(ctx, project, tag_name)
    link = release_links.find_by_filepath(ctx.world, found[1], f"/{filepath}") if found else None
    return redirect_to(link.url) if link else _refuse(ctx, f"{project}/-/releases/{tag_name}/downloads/{filepath}")


@area.operation(
    "GET",
    "*project/-/releases/:tag_name/evidences/:evidence",
    also=(302,),
    refusals=(404,),
    ours=True,
    produces="application/json",
)
def get_release_evidence(ctx: ReadContext, project: str, tag_name: str, evidence: str) -> RawBody:
    """Get the evidence of a release."""
    found = _find_release(ctx, project, tag_name, _EVIDENCE)
    record = ctx.world.evidences.get(parse_number(evidence.removesuffix(".json")) or 0)
    if found is None or record is None or record.release_id != found[1].id:
        return _refuse(ctx, f"{project}/-/releases/{tag_name}/evidences/{evidence}")
    return RawBody(record.summary.encode(), JSON)
