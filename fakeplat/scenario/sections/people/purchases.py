"""What was bought for groups and users: ``minutes_packs``, ``add_on_purchases`` and ``storage_limit_exclusions``."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.shapes import Choice
from fakeplat.domain.people import namespaces, purchases, storage_limits
from fakeplat.model.people import AddOnPurchase, MinutesPack, Namespace, StorageLimitExclusion, User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields


def _namespace_of(world: World, owner: Namespace | User) -> Namespace | None:
    if isinstance(owner, Namespace):
        return owner
    return namespaces.find_user_namespace(world, owner)


def _owner_of(entry: Entry) -> Namespace:
    namespace = _namespace_of(entry.world, entry.owner)
    if namespace is None:
        entry.fail(f"{entry.owner.username} has no namespace")
    return namespace


def _create_pack(entry: Entry) -> MinutesPack:
    values = entry.select(("number_of_minutes", "expires_at", "purchase_xid"))
    return entry.world.minutes_packs.add(
        MinutesPack(entry.world.minutes_packs.next_id(), _owner_of(entry).id, **values)
    )


def _list_packs(world: World, owner: Namespace | User) -> Sequence[MinutesPack]:
    namespace = _namespace_of(world, owner)
    return world.minutes_packs.where("namespace", namespace.id) if namespace else []


def _create_add_on(entry: Entry) -> AddOnPurchase:
    values = {"trial": False, **entry.select(("quantity", "started_on", "expires_on", "purchase_xid", "trial"))}
    return purchases.buy_add_on(entry.ctx, _owner_of(entry), entry.values["name"], **values)


def _list_add_ons(world: World, owner: Namespace | User) -> Sequence[AddOnPurchase]:
    namespace = _namespace_of(world, owner)
    return world.add_on_purchases.where("namespace", namespace.id) if namespace else []


def _create_exclusion(entry: Entry) -> StorageLimitExclusion:
    return storage_limits.exclude(entry.ctx, _owner_of(entry), entry.values["reason"])


def _list_exclusions(world: World, owner: Namespace | User) -> Sequence[StorageLimitExclusion]:
    namespace = _namespace_of(world, owner)
    exclusion = storage_limits.find_exclusion(world, namespace) if namespace else None
    return [exclusion] if exclusion else []


MINUTES: Final = derive_section(
    "minutes_packs",
    MinutesPack,
    within=("group", "user"),
    required=("number_of_minutes", "expires_at", "purchase_xid"),
    create=_create_pack,
    rows=_list_packs,
)
ADD_ONS: Final = derive_section(
    "add_on_purchases",
    AddOnPurchase,
    within=("group", "user"),
    keys=own_fields(AddOnPurchase, name=Choice(*purchases.ADD_ONS)),
    required=("name", "quantity", "started_on", "expires_on", "purchase_xid"),
    create=_create_add_on,
    rows=_list_add_ons,
)
EXCLUSIONS: Final = derive_section(
    "storage_limit_exclusions",
    StorageLimitExclusion,
    within=("group", "user"),
    required=("reason",),
    create=_create_exclusion,
    rows=_list_exclusions,
)
