"""Fields that only name a record: what names a deleted record is cleared, and nothing else goes with it.

Source: docs/platform/external.md ('Foreign keys').
"""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.policy.context import WriteContext


@frozen
class ForeignKey:
    """A field that holds an id, or several; ``to`` is the table of what it names.

    ``index`` finds the records that name an id; without one all records of the table are looked at. ``inner`` is the
    field of the values inside, where they are no ids.
    """

    table: str
    field: str
    to: str
    index: str = ""
    inner: str = ""

    def remaining(self, values: Iterable[Any], id_: int) -> tuple[Any, ...]:
        """Return the values that do not name a record."""
        return tuple(value for value in values if id_ != (getattr(value, self.inner) if self.inner else value))


_ACCESSES: Final = (("protected_branches", ("push", "merge", "unprotect")), ("protected_tags", ("create",)))
FOREIGN_KEYS: Final = (
    ForeignKey("issues", "moved_to_id", "issues", index="moved_to"),
    ForeignKey("issues", "closed_by_id", "users"),
    ForeignKey("merge_requests", "closes_ids", "issues", index="closes"),
    ForeignKey("merge_requests", "closed_by_id", "users"),
    ForeignKey("merge_requests", "merged_by_id", "users"),
    ForeignKey("notes", "resolved_by_id", "users"),
    ForeignKey("pipelines", "user_id", "users", index="user"),
    ForeignKey("projects", "marked_for_deletion_by", "users"),
    ForeignKey("alerts", "assignee_ids", "users"),
    ForeignKey("approval_rules", "user_ids", "users"),
    ForeignKey("approval_rules", "group_ids", "namespaces"),
    ForeignKey("approval_rules", "protected_branch_ids", "protected_branches"),
    ForeignKey("approval_rules", "source_id", "approval_rules"),
    *(
        ForeignKey(table, field, to, inner=inner)
        for table, fields in _ACCESSES
        for field in fields
        for to, inner in (("users", "user_id"), ("namespaces", "group_id"))
    ),
)


def clear(ctx: WriteContext, to: str, id_: int) -> None:
    """Clear all fields that name a record of the table ``to`` which is deleted."""
    for foreign_key in FOREIGN_KEYS:
        if foreign_key.to == to:
            _clear(ctx, foreign_key, id_)


def _clear(ctx: WriteContext, foreign_key: ForeignKey, id_: int) -> None:
    table: Any = getattr(ctx.world, foreign_key.table)
    for record in list(table.where(foreign_key.index, id_) if foreign_key.index else table.all()):
        value = getattr(record, foreign_key.field)
        cleared = foreign_key.remaining(value, id_) if isinstance(value, tuple) else None if value == id_ else value
        if cleared != value:
            table.change(record, **{foreign_key.field: cleared})
