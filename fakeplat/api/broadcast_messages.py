"""Broadcast messages. Source: docs/platform/version-and-metadata.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Moment, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.instance import broadcast_messages
from fakeplat.domain.purging import purge
from fakeplat.entities.instance.administration import BroadcastMessageView
from fakeplat.model.instance import BroadcastMessage, BroadcastTheme, BroadcastType
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

# Reading needs no login. Writing is for administrators, whom the platform checks for after the parameters.
area: Final = Area("Broadcast messages", login=Login.NEVER)


@area.operation("GET", "broadcast_messages", params=Paged, view=BroadcastMessageView, many=True)
def list_broadcast_messages(ctx: ReadContext) -> Sequence[BroadcastMessage]:
    """List broadcast messages."""
    return broadcast_messages.list_broadcast_messages(ctx.world)


@area.operation("GET", "broadcast_messages/:id", view=BroadcastMessageView, refusals=(404,))
def get_broadcast_message(ctx: ReadContext, id: int) -> BroadcastMessage:
    """Get a broadcast message."""
    return broadcast_messages.get_broadcast_message(ctx.world, id)


class BroadcastMessageAttributes(Params):
    """What may be said of a broadcast message beside its text."""

    starts_at: Moment | None = None
    ends_at: Moment | None = None
    color: str | None = None
    font: str | None = None
    target_path: str | None = None
    broadcast_type: BroadcastType | None = None
    dismissable: bool | None = None
    target_access_levels: Annotated[list[Literal[10, 20, 30, 40, 50]] | None, Lifetime(since="14.8")] = None
    theme: Annotated[BroadcastTheme | None, Lifetime(since="<=18.0")] = None

    def fields(self) -> dict[str, Any]:
        """Return what was sent; a null for a theme or for levels stands for the default."""
        given = self.given()
        if "target_access_levels" in given:
            given["target_access_levels"] = tuple(given["target_access_levels"] or ())
        if "theme" in given and given["theme"] is None:
            del given["theme"]
        return given


class CreateBroadcastMessage(BroadcastMessageAttributes):
    """The parameters of a new broadcast message."""

    message: str


@area.operation(
    "POST",
    "broadcast_messages",
    ability=Ability.ADMIN_BROADCAST_MESSAGES,
    params=CreateBroadcastMessage,
    view=BroadcastMessageView,
    refusals=(400,),
)
def create_broadcast_message(ctx: WriteContext, p: CreateBroadcastMessage) -> BroadcastMessage:
    """Create a broadcast message."""
    return broadcast_messages.create(ctx, **p.fields())


class UpdateBroadcastMessage(BroadcastMessageAttributes):
    """Changes of a broadcast message."""

    message: str | None = None


@area.operation(
    "PUT",
    "broadcast_messages/:id",
    ability=Ability.ADMIN_BROADCAST_MESSAGES,
    params=UpdateBroadcastMessage,
    view=BroadcastMessageView,
    refusals=(400, 404),
)
def update_broadcast_message(ctx: WriteContext, id: int, p: UpdateBroadcastMessage) -> BroadcastMessage:
    """Update a broadcast message."""
    broadcast_message = broadcast_messages.get_broadcast_message(ctx.world, id)
    return broadcast_messages.update(ctx, broadcast_message, **p.fields())


@area.operation("DELETE", "broadcast_messages/:id", ability=Ability.ADMIN_BROADCAST_MESSAGES, refusals=(404, 412))
def delete_broadcast_message(ctx: WriteContext, id: int) -> None:
    """Delete a broadcast message."""
    broadcast_message = broadcast_messages.get_broadcast_message(ctx.world, id)
    ctx.check_unmodified_since(broadcast_message.updated_at)
    purge(ctx, broadcast_message)
