"""What was bought for namespaces: minutes of jobs, and add-ons. Source: docs/platform/namespaces.md ('Purchases')."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, InvalidRecord, NotFound
from fakeplat.domain.instance import features
from fakeplat.model.people import AddOnPurchase, Group, MinutesPack, Namespace
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_LONGEST_PACK_ID: Final = 32
_LONGEST_PURCHASE_ID: Final = 255
_BAD: Final = "400 Bad request - "
_FEATURES: Final = {"product_analytics": "product_analytics_billing"}
"""Add-ons that are sold where a feature is on, which it is not by default."""
ADD_ONS: Final = (
    "code_suggestions",
    "product_analytics",
    "duo_enterprise",
    "duo_amazon_q",
    "duo_core",
    "duo_self_hosted",
)


class PackFields(TypedDict):
    """Minutes that were bought."""

    number_of_minutes: int
    expires_at: str
    purchase_xid: str


def add_packs(ctx: WriteContext, namespace: Namespace, packs: Sequence[PackFields]) -> list[MinutesPack]:
    """Add minutes to a namespace. Those of a purchase that is known stay what they are; 400 if an id is too long."""
    if any(len(pack["purchase_xid"]) > _LONGEST_PACK_ID for pack in packs):
        reason = f"a purchase_xid has more than {_LONGEST_PACK_ID} characters"
        raise BadRequest(f"{_BAD}Unable to save additional packs", reason=reason)
    return [_add_pack(ctx, namespace, pack) for pack in packs]


def _add_pack(ctx: WriteContext, namespace: Namespace, pack: PackFields) -> MinutesPack:
    table = ctx.world.minutes_packs
    known = table.find("purchase", (namespace.id, pack["purchase_xid"]))
    return known or table.add(MinutesPack(table.next_id(), namespace.id, **pack))


def move_packs(ctx: WriteContext, source: Namespace, target: Namespace) -> None:
    """Give the minutes of a top-level namespace to another one."""
    for namespace, name in ((source, "Namespace"), (target, "Target namespace")):
        if namespace.parent_id is not None:
            raise BadRequest(f"{_BAD}{name} must be a top-level namespace")
    if source.id == target.id:
        raise BadRequest(f"{_BAD}Namespace and target must be different")
    for pack in [*ctx.world.minutes_packs.where("namespace", source.id)]:
        ctx.world.minutes_packs.change(pack, namespace_id=target.id)


def require_add_on(world: World, namespace: Namespace, name: str) -> None:
    """Refuse with 404 what is no add-on, and an add-on whose feature is off."""
    feature = _FEATURES.get(name)
    if name not in ADD_ONS or (feature and not _is_on(world, feature, namespace)):
        raise NotFound("Subscription Add-on", reason=f"{name!r}: {', '.join(ADD_ONS)}; feature: {feature}")


def _is_on(world: World, feature: str, namespace: Namespace) -> bool:
    return features.is_enabled(world, feature, namespace if isinstance(namespace, Group) else None)


def find_add_on(world: World, namespace: Namespace, name: str) -> AddOnPurchase | None:
    """Return the purchase of an add-on for a namespace, or None."""
    return world.add_on_purchases.find("name", (namespace.id, name))


def get_add_on(world: World, namespace: Namespace, name: str) -> AddOnPurchase:
    """Return the purchase of an add-on for a namespace, or refuse with 404."""
    purchase = find_add_on(world, namespace, name)
    if purchase is None:
        raise NotFound("Subscription Add-on Purchase", reason=f"{namespace.path} has no {name}")
    return purchase


class AddOnFields(TypedDict):
    """An add-on that is bought."""

    quantity: int
    started_on: str
    expires_on: str
    purchase_xid: str
    trial: bool


def buy_add_on(ctx: WriteContext, namespace: Namespace, name: str, **fields: Unpack[AddOnFields]) -> AddOnPurchase:
    """Record that an add-on was bought for a namespace; 400 if it was before."""
    table = ctx.world.add_on_purchases
    if find_add_on(ctx.world, namespace, name):
        raise _refuse(namespace, name, "already exists, update the existing record")
    return table.add(_valid(AddOnPurchase(table.next_id(), namespace.id, name, **fields)))


class AddOnChanges(TypedDict, total=False):
    """Changes of an add-on that was bought."""

    quantity: int
    started_on: str
    expires_on: str
    purchase_xid: str
    trial: bool


def change_add_on(ctx: WriteContext, namespace: Namespace, name: str, **changes: Unpack[AddOnChanges]) -> AddOnPurchase:
    """Change the purchase of an add-on; 400 if there is none."""
    purchase = find_add_on(ctx.world, namespace, name)
    if purchase is None:
        raise _refuse(namespace, name, "does not exist, create a new record instead")
    _valid(evolve(purchase, **changes))
    return ctx.world.add_on_purchases.change(purchase, **changes)


def _refuse(namespace: Namespace, name: str, text: str) -> BadRequest:
    return BadRequest(f"{_BAD}Add-on purchase for namespace {namespace.name} and add-on {title_of(name)} {text}")


def title_of(name: str) -> str:
    """Return the title of an add-on."""
    return " ".join(word.capitalize() for word in name.split("_"))


def _valid(purchase: AddOnPurchase) -> AddOnPurchase:
    errors: dict[str, list[str]] = {}
    if purchase.quantity < 1:
        errors["quantity"] = ["must be greater than or equal to 1"]
    if not purchase.purchase_xid.strip():
        errors["purchase_xid"] = ["can't be blank"]
    elif len(purchase.purchase_xid) > _LONGEST_PURCHASE_ID:
        errors["purchase_xid"] = [f"is too long (maximum is {_LONGEST_PURCHASE_ID} characters)"]
    if errors:
        raise InvalidRecord(errors)
    return purchase
