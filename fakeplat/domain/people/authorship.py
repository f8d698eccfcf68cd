"""Records that somebody wrote: the one list that decides what the ghost user inherits and hard delete removes.

Each area registers its authored tables here, once.
"""

from collections.abc import Callable
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.model.users import User
from fakeplat.policy.context import WriteContext


@frozen
class Authored:
    """A table whose records name their author: the table's name, the field, the index by that field.

    ``erase`` removes a record with all that hangs on it.
    """

    table: str
    field: str
    index: str
    erase: Callable[[WriteContext, Any], None]


AUTHORED: Final[list[Authored]] = []


def reassign_to_ghost(ctx: WriteContext, user: User, heir: User) -> None:
    """Make another user the author of all that a user wrote."""
    for authored in AUTHORED:
        table = getattr(ctx.world, authored.table)
        for record in list(table.where(authored.index, user.id)):
            table.change(record, **{authored.field: heir.id})


def hard_delete(ctx: WriteContext, user: User) -> None:
    """Remove all that a user wrote."""
    for authored in AUTHORED:
        for record in list(getattr(ctx.world, authored.table).where(authored.index, user.id)):
            authored.erase(ctx, record)


def has_contributions(ctx: WriteContext, user: User) -> bool:
    """Whether a user wrote anything."""
    return any(getattr(ctx.world, authored.table).ids(authored.index, user.id) for authored in AUTHORED)
