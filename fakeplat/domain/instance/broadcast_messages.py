"""Broadcast messages. Source: docs/platform/version-and-metadata.md."""

from collections.abc import Mapping, Sequence
from typing import Required, TypedDict, Unpack

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.timestamps import HOUR, to_iso
from fakeplat.domain.planning.colors import is_hex_color
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.instance import BroadcastMessage, BroadcastTheme, BroadcastType
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def list_broadcast_messages(world: World) -> Sequence[BroadcastMessage]:
    """Return the broadcast messages, the newest first."""
    return world.broadcast_messages.all().in_reverse()


def get_broadcast_message(world: World, id_: int) -> BroadcastMessage:
    """Return the broadcast message with an id, or refuse with 404."""
    broadcast_message = world.broadcast_messages.get(id_)
    if broadcast_message is None:
        raise RecordNotFound(reason=f"there is no broadcast message {id_}")
    return broadcast_message


class BroadcastFields(TypedDict, total=False):
    """Fields of a broadcast message, apart from its text."""

    starts_at: str
    ends_at: str
    color: str | None
    font: str | None
    target_path: str | None
    broadcast_type: BroadcastType
    dismissable: bool | None
    target_access_levels: tuple[int, ...]
    theme: BroadcastTheme


class NewBroadcast(BroadcastFields, total=False):
    """The fields of a new broadcast message."""

    message: Required[str]
    created_at: str
    updated_at: str


def create(ctx: WriteContext, **fields: Unpack[NewBroadcast]) -> BroadcastMessage:
    """Create a broadcast message, displayed for an hour from now unless the fields say otherwise."""
    _validate(fields)
    values: NewBroadcast = {
        "starts_at": ctx.now_iso,
        "ends_at": to_iso(ctx.now() + HOUR),
        "created_at": ctx.now_iso,
        "updated_at": ctx.now_iso,
        **fields,
    }
    table = ctx.world.broadcast_messages
    return table.add(BroadcastMessage(id=table.next_id(), **values))


class BroadcastChanges(BroadcastFields, total=False):
    """Changes of a broadcast message."""

    message: str


def update(
    ctx: WriteContext, broadcast_message: BroadcastMessage, **changes: Unpack[BroadcastChanges]
) -> BroadcastMessage:
    """Change fields of a broadcast message."""
    _validate(changes)
    return ctx.world.broadcast_messages.change(broadcast_message, **changes, updated_at=ctx.now_iso)


def _validate(fields: Mapping[str, object]) -> None:
    errors = ValidationErrors()
    for name in ("message", "starts_at", "ends_at", "broadcast_type"):
        errors.when(name in fields and not str(fields[name] or "").strip(), name, BLANK)
    for name in ("color", "font"):
        errors.when(fields.get(name) and not is_hex_color(str(fields[name])), name, "must be a valid color code")
    errors.refuse()
