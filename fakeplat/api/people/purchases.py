"""What was bought for namespaces: minutes of jobs, and add-ons. Source: docs/platform/namespaces.md ('Purchases')."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from fakeplat.api import missing
from fakeplat.api.people.hosted_namespaces import SINCE
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Day, Params
from fakeplat.domain.people import namespaces, purchases
from fakeplat.domain.people.purchases import PackFields
from fakeplat.entities.people.purchases import AddOnPurchaseView, MinutesPackView
from fakeplat.model.people import AddOnPurchase, MinutesPack, Namespace
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Namespaces", login=Login.ALWAYS, located_first=True)
_TIER: Final = "premium"


def _get_namespace(ctx: ReadContext, reference: str, name: str = "Namespace") -> Namespace:
    namespace = namespaces.find_by_reference(ctx.world, reference)
    if namespace is None:
        raise NotFound(name, reason=missing.namespace(ctx, reference))
    return namespace


class NewPack(Params):
    """Minutes that were bought."""

    number_of_minutes: int
    expires_at: Day
    purchase_xid: str


class CreatePacks(Params):
    """The minutes that were bought."""

    packs: list[NewPack]


@area.operation(
    "POST",
    "namespaces/:id/minutes",
    name="create_namespace_minute",
    ability=Ability.UPDATE_NAMESPACE,
    params=CreatePacks,
    view=MinutesPackView,
    many=True,
    paging=None,
    since=SINCE,
    tier=_TIER,
    refusals=(400, 404),
)
def create_minutes_packs(ctx: WriteContext, id: str, p: CreatePacks) -> Sequence[MinutesPack]:
    """Add minutes that were bought to a namespace."""
    packs: list[PackFields] = [
        {
            "number_of_minutes": pack.number_of_minutes,
            "expires_at": pack.expires_at,
            "purchase_xid": pack.purchase_xid,
        }
        for pack in p.packs
    ]
    return purchases.add_packs(ctx, _get_namespace(ctx, id), packs)


@area.operation(
    "PATCH",
    "namespaces/:id/minutes/move/:target_id",
    name="update_namespace_minute_move",
    ability=Ability.UPDATE_NAMESPACE,
    status=202,
    since=SINCE,
    tier=_TIER,
    refusals=(400, 404),
)
def move_minutes_packs(ctx: WriteContext, id: str, target_id: str) -> dict[str, str]:
    """Move the minutes that were bought to another namespace."""
    source = _get_namespace(ctx, id)
    purchases.move_packs(ctx, source, _get_namespace(ctx, target_id, "Target namespace"))
    return {"message": "202 Accepted"}


class _Place(NamedTuple):
    """A namespace and the name of an add-on."""

    namespace: Namespace
    name: str


def _locate(ctx: ReadContext, texts: tuple[str, str]) -> _Place:
    namespace = _get_namespace(ctx, texts[0])
    purchases.require_add_on(ctx.world, namespace, texts[1])
    return _Place(namespace, texts[1])


_PATH: Final = "namespaces/:id/subscription_add_on_purchase/:add_on_name"
_ADD_ON: Final = NO_SCOPE / Segment(_PATH, locate=_locate)


class CreateAddOn(Params):
    """An add-on that was bought."""

    quantity: int
    started_on: Day
    expires_on: Day
    purchase_xid: str
    trial: bool = False


class UpdateAddOn(Params):
    """Changes of an add-on that was bought."""

    started_on: Day
    expires_on: Day
    quantity: int | None = None
    purchase_xid: str | None = None
    trial: bool | None = None


@area.operation(
    "GET",
    _PATH,
    name="get_namespace_subscription_add_on_purchase",
    ability=Ability.UPDATE_NAMESPACE,
    view=AddOnPurchaseView,
    since=SINCE,
    tier=_TIER,
    refusals=(404,),
)
def get_add_on(ctx: ReadContext, id: str, add_on_name: str) -> AddOnPurchase:
    """Get the purchase of an add-on for a namespace."""
    return purchases.get_add_on(ctx.world, *_locate(ctx, (id, add_on_name)))


@area.operation(
    "POST",
    "",
    scope=_ADD_ON,
    name="create_namespace_subscription_add_on_purchase",
    ability=Ability.UPDATE_NAMESPACE,
    params=CreateAddOn,
    view=AddOnPurchaseView,
    since=SINCE,
    tier=_TIER,
    refusals=(400, 404),
)
def create_add_on(ctx: WriteContext, place: _Place, p: CreateAddOn) -> AddOnPurchase:
    """Create the purchase of an add-on for a namespace."""
    return purchases.buy_add_on(
        ctx,
        *place,
        quantity=p.quantity,
        started_on=p.started_on,
        expires_on=p.expires_on,
        purchase_xid=p.purchase_xid,
        trial=p.trial,
    )


@area.operation(
    "PUT",
    "",
    scope=_ADD_ON,
    name="update_namespace_subscription_add_on_purchase",
    ability=Ability.UPDATE_NAMESPACE,
    params=UpdateAddOn,
    view=AddOnPurchaseView,
    since=SINCE,
    tier=_TIER,
    refusals=(400, 404),
)
def update_add_on(ctx: WriteContext, place: _Place, p: UpdateAddOn) -> AddOnPurchase:
    """Update the purchase of an add-on for a namespace."""
    changes = {name: value for name, value in p.given().items() if value is not None}
    return purchases.change_add_on(ctx, *place, **changes)
