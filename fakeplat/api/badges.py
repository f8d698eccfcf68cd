"""Badges of projects and groups."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.projects import badges
from fakeplat.entities.badges import FOR, BadgePreview, BadgeView
from fakeplat.model.badges import Badge
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing

area: Final = Area("Badges", login=Login.WRITES)
PLACES: Final = (PROJECT, GROUP)
Place = Project | Group


def _options(cx: Context, p: Any, badge: Badge | None) -> tuple[str, ...]:
    del p, badge
    project = badges.project_for(cx, cx.records[0])
    return (f"{FOR}{project.id}",) if project else ()


class ListBadges(Paged):
    """Filters of lists of badges."""

    name: str | None = None


@area.operation("GET", "badges", under=PLACES, takes=ListBadges, shows=BadgeView, many=True, options=_options)
def list_badges(cx: Context, place: Place, p: ListBadges) -> Sequence[Badge]:
    """List badges; for a project also those of its groups."""
    found = badges.of(cx.world, place)
    return [badge for badge in found if badge.name == p.name] if p.name else found


@area.operation("GET", "badges/:badge_id", under=PLACES, shows=BadgeView, options=_options, refuses=(404,))
def get_badge(cx: Context, place: Place, badge_id: int) -> Badge:
    """Get a badge."""
    return badges.find(cx.world, place, badge_id)


class PreviewBadge(Params):
    """The addresses of a badge."""

    link_url: str
    image_url: str


@area.operation(
    "GET",
    "badges/render",
    under=PLACES,
    name="render_{scope}_badge",
    may=May.ADMIN_BADGE,
    login=Login.ALWAYS,
    takes=PreviewBadge,
    shows=BadgePreview,
    options=_options,
    unfinished=False,
    refuses=(400,),
)
def render_badge(cx: Context, place: Place, p: PreviewBadge) -> Badge:
    """Preview a badge without storing it."""
    return badges.preview(cx, place, p.link_url, p.image_url)


class CreateBadge(PreviewBadge):
    """A new badge."""

    name: str | None = None


@area.operation(
    "POST",
    "badges",
    under=PLACES,
    may=May.ADMIN_BADGE,
    takes=CreateBadge,
    shows=BadgeView,
    options=_options,
    refuses=(400,),
)
def create_badge(cx: Doing, place: Place, p: CreateBadge) -> Badge:
    """Create a badge."""
    return badges.create(cx, place, **p.given())


class UpdateBadge(Params):
    """Changes of a badge."""

    link_url: str | None = None
    image_url: str | None = None
    name: str | None = None


@area.operation(
    "PUT",
    "badges/:badge_id",
    under=PLACES,
    may=May.ADMIN_BADGE,
    takes=UpdateBadge,
    shows=BadgeView,
    options=_options,
    refuses=(400, 404),
)
def update_badge(cx: Doing, place: Place, badge_id: int, p: UpdateBadge) -> Badge:
    """Update a badge of the project or group itself."""
    return badges.update(cx, badges.find_own(cx.world, place, badge_id), p.given())


@area.operation("DELETE", "badges/:badge_id", under=PLACES, may=May.ADMIN_BADGE, refuses=(404, 412))
def delete_badge(cx: Doing, place: Place, badge_id: int) -> None:
    """Delete a badge of the project or group itself."""
    badge = badges.find_own(cx.world, place, badge_id)
    cx.unmodified_since(badge.updated_at)
    badges.remove(cx, badge)
