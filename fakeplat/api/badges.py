"""Badges of projects and groups."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.projects import badges
from fakeplat.domain.purging import purge
from fakeplat.entities.badges import FOR, BadgePreview, BadgeView
from fakeplat.model.badges import Badge
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Badges", login=Login.WRITES)
PLACES: Final = (PROJECT, GROUP)
Place = Project | Group


def _options(ctx: ReadContext, p: Any, badge: Badge | None) -> tuple[str, ...]:
    del p, badge
    project = badges.project_for(ctx, ctx.records[0])
    return (f"{FOR}{project.id}",) if project else ()


class ListBadges(Paged):
    """Filters of lists of badges."""

    name: str | None = None


@area.operation("GET", "badges", scope=PLACES, params=ListBadges, view=BadgeView, many=True, options=_options)
def list_badges(ctx: ReadContext, container: Place, p: ListBadges) -> Sequence[Badge]:
    """List badges; for a project also those of its groups."""
    found = badges.list_badges(ctx.world, container)
    return [badge for badge in found if badge.name == p.name] if p.name else found


@area.operation("GET", "badges/:badge_id", scope=PLACES, view=BadgeView, options=_options, refusals=(404,))
def get_badge(ctx: ReadContext, container: Place, badge_id: int) -> Badge:
    """Get a badge."""
    return badges.find_badge(ctx.world, container, badge_id)


class PreviewBadge(Params):
    """The addresses of a badge."""

    link_url: str
    image_url: str


@area.operation(
    "GET",
    "badges/render",
    scope=PLACES,
    name="render_{scope}_badge",
    ability=Ability.ADMIN_BADGE,
    login=Login.ALWAYS,
    params=PreviewBadge,
    view=BadgePreview,
    options=_options,
    unfinished=False,
    refusals=(400,),
)
def render_badge(ctx: ReadContext, container: Place, p: PreviewBadge) -> Badge:
    """Preview a badge without storing it."""
    return badges.preview(ctx, container, p.link_url, p.image_url)


class CreateBadge(PreviewBadge):
    """A new badge."""

    name: str | None = None


@area.operation(
    "POST",
    "badges",
    scope=PLACES,
    ability=Ability.ADMIN_BADGE,
    params=CreateBadge,
    view=BadgeView,
    options=_options,
    refusals=(400,),
)
def create_badge(ctx: WriteContext, container: Place, p: CreateBadge) -> Badge:
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
    scope=PLACES,
    ability=Ability.ADMIN_BADGE,
    params=UpdateBadge,
    view=BadgeView,
    options=_options,
    refusals=(400, 404),
)
def update_badge(ctx: WriteContext, container: Place, badge_id: int, p: UpdateBadge) -> Badge:
    """Update a badge of the project or group itself."""
    return badges.update(ctx, badges.find_own_badge(ctx.world, container, badge_id), p.given())


@area.operation("DELETE", "badges/:badge_id", scope=PLACES, ability=Ability.ADMIN_BADGE, refusals=(404, 412))
def delete_badge(ctx: WriteContext, container: Place, badge_id: int) -> None:
    """Delete a badge of the project or group itself."""
    badge = badges.find_own_badge(ctx.world, container, badge_id)
    ctx.check_unmodified_since(badge.updated_at)
    purge(ctx, badge)
