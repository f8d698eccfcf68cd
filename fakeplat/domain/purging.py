"""Deletion of records with all that belongs to them, as the tables declare it (`fakeplat.core.store.references`).

Source: docs/platform/external.md ('Foreign keys').
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from fakeplat.core.store.references import CASCADING, Link, links_between
from fakeplat.domain import signals
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

Row = tuple[str, Any]
"""The name of a table and a record of it."""
_EMITTED: Final[dict[type, str]] = {
    Group: "group_deleted",
    Issue: "issue_deleted",
    MergeRequest: "merge_request_deleted",
    Note: "note_deleted",
    Project: "project_deleted",
    User: "user_deleted",
}


def purge(ctx: WriteContext, *records: Any) -> None:
    """Delete records with all that goes with them, and clear the fields of others that name what is deleted."""
    doomed = _Doomed(ctx.world, records)
    rows = list(doomed.rows())
    for _, record in rows:
        signals.pre_delete.send(ctx, record)
    doomed.clear_references()
    for name, record in rows:
        _remove(ctx, name, record.id)
    for _, record in rows:
        signals.post_delete.send(ctx, record)
        if type(record) in _EMITTED:
            ctx.emit(_EMITTED[type(record)], record)


def _remove(ctx: WriteContext, name: str, id_: int) -> None:
    table = getattr(ctx.world, name)
    record = table.get(id_)  # what precedes a deletion may have changed it
    if record is not None:
        table.remove(record)


class _Doomed:
    """All that is deleted with some records, by the steps that lead there."""

    def __init__(self, world: World, records: Collection[Any]) -> None:
        self._world = world
        self._links = links_between(world.tables, CASCADING)
        self._ids: dict[str, set[int]] = {}
        self._steps: list[list[Row]] = []
        step = self._added((world.table_name(record), record) for record in records)
        while step:
            self._steps.append(step)
            step = self._added(self._dependents(step))

    def rows(self) -> Iterator[Row]:
        """Yield what is deleted, each record after those that belong to it."""
        for step in reversed(self._steps):
            yield from step

    def clear_references(self) -> None:
        """Clear what names deleted records, in those that stay."""
        links = links_between(self._world.tables, ("clear",))
        for target, ids in self._ids.items():
            for link in links[target]:
                link.clear(self._world, ids, spared=self._ids.get(link.table, ()))

    def _added(self, rows: Iterator[Row]) -> list[Row]:
        added = []
        for name, record in rows:
            ids = self._ids.setdefault(name, set())
            if record.id not in ids:
                ids.add(record.id)
                added.append((name, record))
        return added

    def _dependents(self, step: list[Row]) -> Iterator[Row]:
        by_table: dict[str, list[int]] = {}
        for name, record in step:
            by_table.setdefault(name, []).append(record.id)
        for name, ids in by_table.items():
            for link in self._links[name]:
                yield from ((link.table, record) for record in link.records(self._world, ids))


def _authored_links(world: World) -> Sequence[Link]:
    """Return the references to authors of records that outlive them."""
    return links_between(world.tables, ("hand_over",))["users"]


def has_authored(world: World, user: User) -> bool:
    """Return whether a user is the author of anything that outlives its author."""
    return any(link.records(world, [user.id]) for link in _authored_links(world))


def hand_over(ctx: WriteContext, user: User, heir: User) -> None:
    """Make another user the author of all that outlives its author."""
    for link in _authored_links(ctx.world):
        link.replace(ctx.world, user.id, heir.id)


def replace(ctx: WriteContext, old: Any, new: Any) -> None:
    """Let everything that names a record name another one of its table, and delete the record.

    What would then be there twice is deleted with it.
    """
    for link in links_between(ctx.world.tables)[ctx.world.table_name(old)]:
        link.replace(ctx.world, old.id, new.id)
    purge(ctx, old)
