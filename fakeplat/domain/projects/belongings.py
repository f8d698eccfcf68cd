"""What stands under a project or group and goes with it, without any rule of its own."""

from typing import Any, Final

from fakeplat.domain.people import events as activity
from fakeplat.domain.people.members import Place, source_of
from fakeplat.domain.planning import boards
from fakeplat.policy.context import WriteContext

_TABLES: Final = ("access_requests", "badges", "notification_settings")


def drop(ctx: WriteContext, container: Place) -> None:
    """Remove all of that with a place that goes."""
    boards.drop(ctx, container)
    activity.drop(ctx, container)
    for name in _TABLES:
        table: Any = getattr(ctx.world, name)
        for record in list(table.where("source", source_of(container))):
            table.remove(record)
