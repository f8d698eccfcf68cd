"""Deletion of records with their dependents, as declared by the tables (`fakeplat.core.store.references`).

Source: docs/platform/external.md ('Foreign keys').
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from fakeplat.core.store.references import CASCADING, Link, links_between
from fakeplat.core.store.table import Record
from fakeplat.domain import signals
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

R = TypeVar("R", bound=Record)
Row = tuple[str, Record]
"""A table name and a record of that table."""


def purge(ctx: WriteContext, *records: Record) -> None:
    """Delete records with all their dependents, and clear references to them in other records."""
    # Everything is collected first, because references lead from records that are about to disappear.
    deletion = _DeletionSet(ctx.world, records)
    # All receivers of pre_delete run before the first change, so each of them sees all the records.
    rows = list(deletion.rows())
    for _, record in rows:
        signals.pre_delete.send(ctx, record)
    deletion.clear_references()
    for name, record in rows:
        _remove_row(ctx, name, record.id)
    # By identity, as comparing records is slow.
    roots = {id(record) for record in records}
    for _, record in rows:
        if id(record) in roots:
            signals.post_remove.send(ctx, record)
        signals.post_delete.send(ctx, record)


def _remove_row(ctx: WriteContext, name: str, id_: int) -> None:
    table = getattr(ctx.world, name)
    # Receivers of pre_delete may have changed or deleted the record.
    record = table.get(id_)
    if record is not None:
        table.remove(record)


class _DeletionSet:
    """The records to delete with some records, in steps along the references."""

    def __init__(self, world: World, records: Collection[Record]) -> None:
        self._world = world
        # Records that outlive their author are deleted too, unless `reassign_authored_records` was called before.
        self._links = links_between(world.tables, CASCADING)
        self._ids: dict[str, set[int]] = {}
        self._steps: list[list[Row]] = []
        # Breadth first, so that the reversed steps delete dependents before the records that they refer to.
        step = self._add_new((world.table_name(record), record) for record in records)
        while step:
            self._steps.append(step)
            step = self._add_new(self._dependents(step))

    def rows(self) -> Iterator[Row]:
        """Yield the records to delete, dependents first."""
        for step in reversed(self._steps):
            yield from step

    def clear_references(self) -> None:
        """Clear references to deleted records in those that stay."""
        links = links_between(self._world.tables, ("clear",))
        for target, ids in self._ids.items():
            for link in links[target]:
                link.clear(self._world, ids, spared=self._ids.get(link.table, ()))

    def _add_new(self, rows: Iterator[Row]) -> list[Row]:
        added = []
        for name, record in rows:
            ids = self._ids.setdefault(name, set())
            # A record can be reached by several references. It is added once, which also ends cycles.
            if record.id not in ids:
                ids.add(record.id)
                added.append((name, record))
        return added

    def _dependents(self, step: list[Row]) -> Iterator[Row]:
        by_table: dict[str, list[int]] = {}
        # Grouped by table, so that each reference is followed once per step and not once per record.
        for name, record in step:
            by_table.setdefault(name, []).append(record.id)
        for name, ids in by_table.items():
            for link in self._links[name]:
                yield from ((link.table, record) for record in link.records(self._world, ids))


def _authored_links(world: World) -> Sequence[Link]:
    """Return the references to authors of records that outlive them."""
    return links_between(world.tables, ("hand_over",))["users"]


def has_authored(world: World, user: User) -> bool:
    """Return whether a user is the author of any record that outlives its author."""
    return any(link.records(world, [user.id]) for link in _authored_links(world))


def reassign_authored_records(ctx: WriteContext, user: User, new_author: User) -> None:
    """Reassign the records that outlive their author to another user."""
    for link in _authored_links(ctx.world):
        link.replace(ctx.world, user.id, new_author.id)


def replace_record(ctx: WriteContext, old: R, new: R) -> None:
    """Replace all references to a record by another one of its table, and delete the record.

    References that would be duplicates are deleted.
    """
    for link in links_between(ctx.world.tables)[ctx.world.table_name(old)]:
        link.replace(ctx.world, old.id, new.id)
    purge(ctx, old)
