"""Pages of releases at their web URLs, permanent addresses of assets, and evidence.

Source: docs/platform/releases.md, docs/contract.md ('URLs').
"""

from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from fakeplat.api.ci.status_badges import BadgeStyle, draw_badge
from fakeplat.api.pages import area, redirect_to, redirect_to_sign_in, render_html_page
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.ci.status_badges import Badge
from fakeplat.domain.people import namespaces
from fakeplat.domain.releases import release_links, releases
from fakeplat.entities import urls
from fakeplat.entities.releases import ReleaseView
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext

_CODE = (Ability.READ_RELEASE, Ability.DOWNLOAD_CODE)
_EVIDENCE = (*_CODE, Ability.READ_MILESTONE, Ability.READ_ISSUES)
_PERMALINKS_SINCE: Final = "14.9"
_BADGES_SINCE: Final = "14.8"
_RELEASE_COLOR: Final = "#3076af"
_NO_RELEASE_COLOR: Final = "#e05d44"
_KEY_WIDTH: Final = 90
_VALUE_WIDTH: Final = 54
_MAX_VALUE_WIDTH: Final = 200


def _find_project(ctx: ReadContext, path: str, abilities: tuple[Ability, ...]) -> Project | None:
    project = namespaces.find_project_by_path(ctx.world, path)
    return project if project is not None and all(can(ctx, ability, project) for ability in abilities) else None


def _find_release(
    ctx: ReadContext, path: str, tag_name: str, abilities: tuple[Ability, ...] = _CODE
) -> tuple[Project, Release] | None:
    project = _find_project(ctx, path, abilities)
    release = releases.find(ctx.world, project, tag_name) if project is not None else None
    return None if project is None or release is None else (project, release)


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
    "GET", "*project/-/releases/permalink/latest", status=302, refusals=(404,), since=_PERMALINKS_SINCE, ours=True
)
@area.operation(
    "GET",
    "*project/-/releases/permalink/latest/*suffix",
    name="get_page_of_latest_release",
    status=302,
    refusals=(404,),
    since=_PERMALINKS_SINCE,
    ours=True,
)
def get_latest_release_page(ctx: ReadContext, project: str, suffix: str = "") -> RawBody:
    """Get redirected to the page of the newest release, or to something below it."""
    container = _find_project(ctx, project, _CODE)
    latest = _find_latest(ctx.world, container) if container else None
    if latest is None or ".." in suffix.split("/"):
        return _refuse(ctx, f"{project}/-/releases/permalink/latest")
    path = "/".join([quote(latest.tag_name, safe=""), *([suffix] if suffix else [])])
    # Every other parameter of the request is passed on.
    sent = parse_qsl(ctx.request.query if ctx.request else "", keep_blank_values=True)
    query = urlencode([(name, value) for name, value in sent if name != "order_by"])
    return redirect_to(f"{ctx.origin}/{project}/-/releases/{path}{'?' if query else ''}{query}")


def _find_latest(world: World, project: Project) -> Release | None:
    return next(iter(releases.list_releases(world, project, "released_at", descending=True)), None)


class ReleaseBadge(BadgeStyle):
    """The form of the badge, the width of its value in pixels, and the order by which a release is the latest."""

    value_width: int | None = None
    order_by: str | None = None


@area.operation(
    "GET",
    "*project/-/badges/release.svg",
    params=ReleaseBadge,
    refusals=(404,),
    since=_BADGES_SINCE,
    ours=True,
    produces="image/svg+xml",
)
def get_release_badge(ctx: ReadContext, project: str, p: ReleaseBadge) -> RawBody:
    """Show the tag of the newest release as a badge."""
    container = _find_project(ctx, project, (Ability.READ_RELEASE,))
    if container is None:
        raise RouteNotFound(reason=f"{caller_name(ctx)} sees no releases of {project}")
    latest = _find_latest(ctx.world, container)
    width = p.value_width if p.value_width and 1 <= p.value_width <= _MAX_VALUE_WIDTH else _VALUE_WIDTH
    color = _NO_RELEASE_COLOR if latest is None else _RELEASE_COLOR
    badge = Badge("Latest Release", latest.tag_name if latest else "none", color, width, key_width=_KEY_WIDTH)
    return draw_badge(badge, p)


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
