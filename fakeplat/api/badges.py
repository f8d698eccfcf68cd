"""Badges of projects and groups."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operation import Area, Login
from fakeplat.core.paging import Paged
from fakeplat.core.params import Params, at_least_one_of
from fakeplat.domain import badges
from fakeplat.entities.badges import FOR, BadgeView
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
    place = cx.records[0]
    return (f"{FOR}{place.id}",) if isinstance(place, Project) else ()


class ListBadges(Paged):
    """Filters of lists of badges."""

    name: str | None = None


@area.operation("GET", "badges", under=PLACES, takes=ListBadges, shows=BadgeView, many=True, options=_options)
def list_badges(cx: Context, place: Place, p: ListBadges) -> Sequence[Badge]:
    """List the badges; of a project those of its groups too."""
    found = badges.of(cx.world, place)
    return [badge for badge in found if badge.name == p.name] if p.name else found


@area.operation("GET", "badges/:badge_id", under=PLACES, shows=BadgeView, options=_options, refuses=(404,))
def get_badge(cx: Context, place: Place, badge_id: int) -> Badge:
    """Get a badge."""
    return badges.find(cx.world, place, badge_id)


class CreateBadge(Params):
    """A new badge."""

    link_url: str
    image_url: str
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

    rules = (at_least_one_of("link_url", "image_url", "name"),)


@area.operation(
    "PUT",
    "badges/:badge_id",
    under=PLACES,
    may=May.ADMIN_BADGE,
    takes=UpdateBadge,
    shows=BadgeView,
    options=_options,
    refuses=(400, 403, 404),
)
def update_badge(cx: Doing, place: Place, badge_id: int, p: UpdateBadge) -> Badge:
    """Edit a badge of the place itself."""
    badge = badges.find(cx.world, place, badge_id)
    badges.demand_own(cx.world, place, badge, "edit")
    return badges.update(cx, badge, p.given())


@area.operation("DELETE", "badges/:badge_id", under=PLACES, may=May.ADMIN_BADGE, refuses=(403, 404, 412))
def delete_badge(cx: Doing, place: Place, badge_id: int) -> None:
    """Delete a badge of the place itself."""
    badge = badges.find(cx.world, place, badge_id)
    badges.demand_own(cx.world, place, badge, "delete")
    cx.unmodified_since(badge.updated_at)
    badges.remove(cx, badge)
