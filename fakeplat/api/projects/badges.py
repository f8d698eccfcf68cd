"""Badges of projects and groups."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.projects import badges
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.badges import RENDERED_FOR, BadgePreview, BadgeView
from fakeplat.model.projects import Badge, Container
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Badges", login=Login.WRITES)
CONTAINERS: Final = (PROJECT, GROUP)


def _options(ctx: ReadContext, _p: Params, _badge: Badge | None) -> tuple[str, ...]:
    project = badges.find_rendering_project(ctx, ctx.records[0])
    return (f"{RENDERED_FOR}{project.id}",) if project else ()


class ListBadges(Paged):
    """Filters of lists of badges."""

    name: str | None = None


@area.operation("GET", "badges", scope=CONTAINERS, params=ListBadges, view=BadgeView, many=True, options=_options)
def list_badges(ctx: ReadContext, container: Container, p: ListBadges) -> Sequence[Badge]:
    """List badges; for a project also those of its groups."""
    available = badges.list_badges(ctx.world, container)
    return [badge for badge in available if badge.name == p.name] if p.name else available


@area.operation("GET", "badges/:badge_id", scope=CONTAINERS, view=BadgeView, options=_options, refusals=(404,))
def get_badge(ctx: ReadContext, container: Container, badge_id: int) -> Badge:
    """Get a badge of the project or group itself."""
    return badges.get_own_badge(ctx.world, container, badge_id)


class PreviewBadge(Params):
    """The URLs of a badge."""

    link_url: str
    image_url: str


@area.operation(
    "GET",
    "badges/render",
    scope=CONTAINERS,
    name="render_{scope}_badge",
    ability=Ability.ADMIN_BADGE,
    login=Login.ALWAYS,
    params=PreviewBadge,
    view=BadgePreview,
    options=_options,
    refusals=(400,),
)
def render_badge(ctx: ReadContext, container: Container, p: PreviewBadge) -> Badge:
    """Preview a badge without storing it."""
    return badges.preview(ctx, container, p.link_url, p.image_url)


class CreateBadge(PreviewBadge):
    """A new badge."""

    name: str | None = None


@area.operation(
    "POST",
    "badges",
    scope=CONTAINERS,
    ability=Ability.ADMIN_BADGE,
    params=CreateBadge,
    view=BadgeView,
    options=_options,
    refusals=(400,),
)
def create_badge(ctx: WriteContext, container: Container, p: CreateBadge) -> Badge:
    """Create a badge."""
    return badges.create(ctx, container, **p.given())


class UpdateBadge(Params):
    """Changes of a badge."""

    link_url: str | None = None
    image_url: str | None = None
    name: str | None = None


@area.operation(
    "PUT",
    "badges/:badge_id",
    scope=CONTAINERS,
    ability=Ability.ADMIN_BADGE,
    params=UpdateBadge,
    view=BadgeView,
    options=_options,
    refusals=(400, 404),
)
def update_badge(ctx: WriteContext, container: Container, badge_id: int, p: UpdateBadge) -> Badge:
    """Update a badge of the project or group itself."""
    return badges.update(ctx, badges.get_own_badge(ctx.world, container, badge_id), **p.given())


@area.operation("DELETE", "badges/:badge_id", scope=CONTAINERS, ability=Ability.ADMIN_BADGE, refusals=(404, 412))
def delete_badge(ctx: WriteContext, container: Container, badge_id: int) -> None:
    """Delete a badge of the project or group itself."""
    badge = badges.get_own_badge(ctx.world, container, badge_id)
    ctx.check_unmodified_since(badge.updated_at)
    purge(ctx, badge)
