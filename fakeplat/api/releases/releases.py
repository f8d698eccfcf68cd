"""Releases of projects. Source: docs/platform/releases.md, docs/decisions/rulings.md (13, 26)."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, get_args

from fakeplat.api.releases.release_scopes import PROJECT_WITH_RELEASES, area
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.coercion import read_str
from fakeplat.core.params.params import As, Moment, Params, ParamType
from fakeplat.domain.releases import evidences, releases
from fakeplat.entities.releases import ReleaseView
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.releases import LinkType, Release
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

PATH: Final = "releases"


def _get_release(ctx: ReadContext, project: Project, tag_name: str) -> Release:
    """Return a release; 403 if there is none, or the caller cannot download the code."""
    return releases.get_permitted(ctx, Ability.DOWNLOAD_CODE, project, tag_name)


RELEASE: Final = PROJECT_WITH_RELEASES / Segment(f"{PATH}/:tag_name", locate=_get_release, word="release")


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
    """Order of the list."""

    order_by: Literal["released_at", "created_at"] = "released_at"
    sort: Literal["asc", "desc"] = "desc"


@area.operation("GET", PATH, scope=PROJECT_WITH_RELEASES, params=ListReleases, view=ReleaseView, many=True)
def list_releases(ctx: ReadContext, project: Project, p: ListReleases) -> Sequence[Release]:
    """List releases, by default the newest first."""
    return releases.list_releases(ctx.world, project, p.order_by, descending=p.sort == "desc")


class ListGroupReleases(Paged):
    """Order of the list."""

    sort: Literal["asc", "desc"] = "desc"


@area.operation(
    "GET",
    PATH,
    name="list_group_releases",
    scope=GROUP,
    params=ListGroupReleases,
    view=ReleaseView,
    many=True,
    since="<=17.11",
)
def list_group_releases(ctx: ReadContext, group: Group, p: ListGroupReleases) -> Sequence[Release]:
    """List the releases of the projects in a group, by default the newest first."""
    return releases.list_group_releases(ctx, group, descending=p.sort == "desc")


@area.operation("GET", "", scope=RELEASE, view=ReleaseView, refusals=(403,))
def get_release(_ctx: ReadContext, _project: Project, release: Release) -> Release:
    """Get a release."""
    return release


class AssetLink(Params):
    """A link of a new release."""

    name: str
    url: str
    filepath: str | None = None
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
    released_at: Moment | None = None


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
    links = (p.assets.links if p.assets else None) or ()
    return releases.create(
        ctx,
        project,
        p.tag_name,
        ref=p.ref,
        titles=p.milestones or (),
        links=[_link_fields(link) for link in links],
        name=p.name,
        description=p.description,
        released_at=p.released_at,
    )


def _link_fields(link: AssetLink) -> Any:
    return {**link.given(), "link_type": check_link_type(link.link_type)}


class UpdateRelease(Params):
    """Changes of a release; the milestones replace all others."""

    name: str | None = None
    description: str | None = None
    milestones: Titles | None = None
    released_at: Moment | None = None


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
