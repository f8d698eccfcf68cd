"""Records of spent time, without what `fakeplat.domain.time_tracking` does about a change."""

from collections.abc import Sequence

from fakeplat.core.store.references import Subject
from fakeplat.model.issues import Issue, Timelog
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def insert_log(
    ctx: WriteContext,
    record: Issue | MergeRequest,
    user: User,
    spent: int,
    *,
    spent_at: str | None = None,
    summary: str | None = None,
) -> Timelog:
    """Insert a time log, without a change of the total."""
    table, now = ctx.world.timelogs, ctx.now_iso
    subject = _subject_of(record)
    return table.add(Timelog(table.next_id(), subject, user.id, spent, now, now, spent_at, summary))


def log_rest(ctx: WriteContext, record: Issue | MergeRequest) -> None:
    """Log the part of the total time spent that no time log has, in the name of the author."""
    if rest := count_unlogged(ctx.world, record):
        log = insert_log(ctx, record, ctx.world.users[record.author_id], rest, spent_at=record.created_at)
        ctx.world.timelogs.change(log, created_at=record.created_at, updated_at=record.created_at)


def count_unlogged(world: World, record: Issue | MergeRequest) -> int:
    """Return the seconds of the total time spent that no time log has."""
    return record.total_time_spent - sum(log.time_spent for log in list_logs(world, record))


def list_logs(world: World, record: Issue | MergeRequest) -> Sequence[Timelog]:
    """Return the time logs of an issue or merge request, oldest first."""
    return world.timelogs.where("subject", _subject_of(record))


def _subject_of(record: Issue | MergeRequest) -> Subject:
    return ("issue" if isinstance(record, Issue) else "merge_request", record.id)
