"""Releases of projects. Source: docs/platform/releases.md, docs/decisions/rulings.md (13, 26)."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import parse_qsl, quote, urlencode

from fakeplat.api.releases.release_scopes import PROJECT_WITH_RELEASES, area
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import BadRequest, InvalidParams, NotFound, RecordNotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import PREFIX, Reading
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.coercion import read_str
from fakeplat.core.params.params import As, CommaList, Moment, Params, ParamType, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.ci import catalog
from fakeplat.domain.releases import evidences, release_links, releases
from fakeplat.entities.releases import HTML, ReleaseBasic, ReleaseView
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.releases import LinkType, Release
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import (
    CATALOG_VERSIONS_ARE_ASKED_FOR,
    UNKNOWN_RELEASES_ARE_NOT_FOUND,
)
from fakeplat.policy.context import ReadContext, WriteContext

PATH: Final = "releases"
_BOTH: Final = "Cannot specify milestones and milestone_ids at the same time"


def _read_titles(value: object) -> object:
    elements = value if isinstance(value, list) else [value]
    texts = (str(read_str(element)) for element in elements if element is not None)
    return [title.strip() for text in texts for title in text.split(",") if title.strip()]


Titles = Annotated[list[str], As(ParamType(_read_titles, {"type": "array", "items": {"type": "string"}}, null=[]))]
"""An array of titles, or one text with commas; nulls and empty texts count for nothing."""


def check_link_type(text: str | None) -> LinkType:
    """Return the type of a link, ``other`` by default, or raise 400."""
    for link_type in get_args(LinkType):
        if text == link_type:
            return link_type  # type: ignore[no-any-return]  # one of the literals
    if text is None:
        return "other"
    raise BadRequest(f"'{text}' is not a valid link_type", reason=f"the types are {', '.join(get_args(LinkType))}")


class ListReleases(Paged):
    """Filters and order of the list, and whether descriptions are rendered."""

    order_by: Literal["released_at", "created_at"] = "released_at"
    sort: Literal["asc", "desc"] = "desc"
    include_html_description: Annotated[bool, Lifetime(since="13.12")] = False
    updated_before: Annotated[Moment | None, Lifetime(since="<=18.9")] = None
    updated_after: Annotated[Moment | None, Lifetime(since="<=18.9")] = None


class GetRelease(Params):
    """Whether the description is rendered."""

    include_html_description: Annotated[bool, Lifetime(since="13.12")] = False


def _html_option(_ctx: ReadContext, p: ListReleases | GetRelease, _result: object) -> tuple[str, ...]:
    return (HTML,) if p.include_html_description else ()


@area.operation(
    "GET", PATH, scope=PROJECT_WITH_RELEASES, params=ListReleases, view=ReleaseView, many=True, options=_html_option
)
def list_releases(ctx: ReadContext, project: Project, p: ListReleases) -> Sequence[Release]:
    """List releases, by default the newest first."""
    rows = releases.list_releases(ctx.world, project, p.order_by, descending=p.sort == "desc")
    if p.updated_before is not None:
        rows = [row for row in rows if from_iso(row.updated_at) <= from_iso(p.updated_before)]
    if p.updated_after is not None:
        rows = [row for row in rows if from_iso(row.updated_at) >= from_iso(p.updated_after)]
    return rows


class ListGroupReleases(Paged):
    """Order of the list, and whether it shows little of each release."""

    sort: Literal["asc", "desc"] = "desc"
    simple: bool = False


def _group_release_view(_ctx: ReadContext, p: ListGroupReleases) -> type[ReleaseBasic | ReleaseView]:
    return ReleaseBasic if p.simple else ReleaseView


@area.operation(
    "GET",
    PATH,
    name="list_group_releases",
    scope=GROUP,
    params=ListGroupReleases,
    view=_group_release_view,
    many=True,
    since="15.0",
)
def list_group_releases(ctx: ReadContext, group: Group, p: ListGroupReleases) -> Sequence[Release]:
    """List the releases of the projects in a group, by default the newest first."""
    return releases.list_group_releases(ctx, group, descending=p.sort == "desc")


@area.operation(
    "GET",
    f"{PATH}/:tag_name",
    scope=PROJECT_WITH_RELEASES,
    params=GetRelease,
    view=ReleaseView,
    options=_html_option,
    refusals=(403, 404),
    reading=Reading(advances=lambda world, records: world.releases.where("project", records[0].id)),
)
def get_release(ctx: ReadContext, project: Project, tag_name: str) -> Release:
    """Get a release."""
    if ctx.profile.has(UNKNOWN_RELEASES_ARE_NOT_FOUND):
        authorize(ctx, Ability.DOWNLOAD_CODE, project)
        if releases.find(ctx.world, project, tag_name) is None:
            raise NotFound(reason=f"there is no release of the tag {tag_name!r}")
    return releases.get_permitted(ctx, Ability.DOWNLOAD_CODE, project, tag_name)


@area.operation(
    "GET",
    f"{PATH}/:tag_name/downloads/*direct_asset_path",
    scope=PROJECT_WITH_RELEASES,
    ability=Ability.DOWNLOAD_CODE,
    status=302,
    job_token=True,
    since="15.4",
    refusals=(403, 404),
)
def get_release_asset(ctx: ReadContext, project: Project, tag_name: str, direct_asset_path: str) -> RawBody:
    """Get the address of an asset of a release, as a redirect."""
    release = releases.find(ctx.world, project, tag_name)
    if release is None:
        raise NotFound(reason=lambda: f"there is no release of the tag {tag_name!r}")
    link = release_links.find_by_filepath(ctx.world, release, f"/{direct_asset_path}")
    if link is None:
        raise RecordNotFound(reason=f"the release {tag_name!r} has no link with the path /{direct_asset_path}")
    return _redirect(link.url)


@area.operation(
    "GET",
    f"{PATH}/permalink/latest",
    scope=PROJECT_WITH_RELEASES,
    ability=Ability.DOWNLOAD_CODE,
    status=302,
    job_token=True,
    since="15.4",
    refusals=(403, 404),
)
def get_release_permalink_latest(ctx: ReadContext, project: Project) -> RawBody:
    """Get the newest release, as a redirect."""
    return _redirect_to_latest(ctx, project, "")


@area.operation(
    "GET",
    f"{PATH}/permalink/latest/*suffix_path",
    scope=PROJECT_WITH_RELEASES,
    ability=Ability.DOWNLOAD_CODE,
    status=302,
    job_token=True,
    since="15.4",
    refusals=(403, 404),
)
def get_release_permalink_latest_file(ctx: ReadContext, project: Project, suffix_path: str) -> RawBody:
    """Get something below the newest release, as a redirect."""
    if ".." in suffix_path.split("/"):
        raise InvalidParams("suffix_path should be a valid file path", reason=f"{suffix_path!r} leaves the release")
    return _redirect_to_latest(ctx, project, f"/{suffix_path}")


def _redirect_to_latest(ctx: ReadContext, project: Project, suffix: str) -> RawBody:
    rows = releases.list_releases(ctx.world, project, "released_at", descending=True)
    if not rows:
        raise NotFound(reason="the project has no release")
    path = f"{PREFIX}/projects/{project.id}/releases/{quote(rows[0].tag_name, safe='')}{suffix}"
    # Every other parameter of the request is passed on.
    sent = parse_qsl(ctx.request.query if ctx.request else "", keep_blank_values=True)
    query = urlencode([(name, value) for name, value in sent if name != "order_by"])
    return _redirect(f"{path}?{query}" if query else path)


def _redirect(location: str) -> RawBody:
    text = f"This resource has been moved temporarily to {location}."
    return RawBody(text.encode(), "text/plain", (("Location", location),), status=302)


class AssetLink(Params):
    """A link of a new release."""

    name: str
    url: str
    filepath: str | None = None
    direct_asset_path: Annotated[str | None, Lifetime(since="15.9")] = None
    link_type: str | None = None


class Assets(Params):
    """The assets of a new release."""

    links: list[AssetLink] | None = None


class CreateRelease(Params):
    """A new release; ``ref`` is where its tag is created, if there is none."""

    tag_name: str
    name: str | None = None
    description: str | None = None
    ref: str | None = None
    assets: Assets | None = None
    milestones: Titles | None = None
    milestone_ids: Annotated[CommaList[int] | None, Lifetime(since="<=17.11")] = None
    tag_message: Annotated[str | None, Lifetime(since="<=15.2")] = None
    released_at: Moment | None = None
    legacy_catalog_publish: Annotated[bool, Lifetime(since="<=17.11")] = False

    rules = (mutually_exclusive("milestones", "milestone_ids", text=_BOTH),)


@area.operation(
    "POST",
    PATH,
    scope=PROJECT_WITH_RELEASES,
    params=CreateRelease,
    view=ReleaseView,
    job_token=True,
    refusals=(400, 403, 409, 422),
)
def create_release(ctx: WriteContext, project: Project, p: CreateRelease) -> Release:
    """Create a release, and its tag if there is none."""
    authorize(ctx, Ability.CREATE_RELEASE, project)
    releases.require_tag(ctx, project, p.tag_name, "Access Denied")
    links = (p.assets.links if p.assets else None) or ()
    release = releases.create(
        ctx,
        project,
        p.tag_name,
        ref=p.ref,
        tag_message=p.tag_message,
        titles=p.milestones or (),
        milestone_ids=p.milestone_ids or (),
        links=[_link_fields(link) for link in links],
        name=p.name,
        description=p.description,
        released_at=p.released_at,
    )
    is_resource = project.catalog_resource_at is not None
    if is_resource and (p.legacy_catalog_publish or not ctx.profile.has(CATALOG_VERSIONS_ARE_ASKED_FOR)):
        release = catalog.publish(ctx, project, release)
    return release


def _link_fields(link: AssetLink) -> Any:
    return choose_path({**link.given(), "link_type": check_link_type(link.link_type)})


def choose_path(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a link, whose path may be sent by the current and by the former name."""
    path = fields.pop("direct_asset_path", None)
    return fields if path is None else {**fields, "filepath": path}


class UpdateRelease(Params):
    """Changes of a release; the milestones replace all others."""

    name: str | None = None
    description: str | None = None
    milestones: Titles | None = None
    milestone_ids: Annotated[CommaList[int] | None, Lifetime(since="<=17.11")] = None
    released_at: Moment | None = None

    rules = (mutually_exclusive("milestones", "milestone_ids", text=_BOTH),)


@area.operation(
    "PUT",
    f"{PATH}/:tag_name",
    scope=PROJECT_WITH_RELEASES,
    params=UpdateRelease,
    view=ReleaseView,
    refusals=(400, 403, 404),
)
def update_release(ctx: WriteContext, project: Project, tag_name: str, p: UpdateRelease) -> Release:
    """Update a release."""
    release = releases.get_permitted(ctx, Ability.UPDATE_RELEASE, project, tag_name)
    fields = p.given()
    if "milestones" in fields:
        fields["titles"] = fields.pop("milestones") or ()
    if "milestone_ids" in fields:
        fields["milestone_ids"] = fields["milestone_ids"] or ()
    return releases.update(ctx, project, release, **fields)


@area.operation(
    "DELETE", f"{PATH}/:tag_name", scope=PROJECT_WITH_RELEASES, view=ReleaseView, status=200, refusals=(403, 404)
)
def delete_release(ctx: WriteContext, project: Project, tag_name: str) -> Release:
    """Delete a release; its tag stays."""
    release = releases.get_permitted(ctx, Ability.DESTROY_RELEASE, project, tag_name)
    releases.delete(ctx, project, release)
    return release


@area.operation(
    "POST",
    f"{PATH}/:tag_name/evidence",
    scope=PROJECT_WITH_RELEASES,
    tier="premium",
    status=202,
    refusals=(403, 404),
)
def collect_release_evidence(ctx: WriteContext, project: Project, tag_name: str) -> RawBody:
    """Collect evidence of a release, besides what there is."""
    authorize(ctx, Ability.CREATE_RELEASE, project)
    evidences.schedule_another(ctx, releases.get(ctx.world, project, tag_name))
    return RawBody(b"202", JSON, status=202)
