"""Merge requests that block others (paid). Source: docs/platform/merge-requests.md ('Blocks')."""

from collections.abc import Iterable, Sequence
from typing import Final

from fakeplat.core.operations.errors import (
    BadRequest,
    Conflict,
    ForbiddenWithMessage,
    NotFoundWithMessage,
    RecordNotFound,
)
from fakeplat.domain import signals
from fakeplat.domain.notes import noteables
from fakeplat.domain.purging import purge
from fakeplat.model.merge_requests import MergeRequest, MergeRequestBlock
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

EXISTS: Final = "Block already exists"
SELF: Final = "This block is self-referential"
NO_BLOCKER: Final = "Blocking merge request not found"
HIDDEN: Final = "Lacking permissions to the blocking merge request"
_MOST: Final = 10
NOT_ALLOWED: Final = "Lacking permissions to update the merge request"


def list_blocks(world: World, merge_request: MergeRequest) -> Sequence[MergeRequestBlock]:
    """Return what blocks a merge request, oldest first."""
    return list(world.merge_request_blocks.where("blocked", merge_request.id))


def list_blockees(world: World, merge_request: MergeRequest) -> Sequence[MergeRequestBlock]:
    """Return what a merge request blocks, oldest first."""
    return list(world.merge_request_blocks.where("blocking", merge_request.id))


def is_blocked(world: World, merge_request: MergeRequest) -> bool:
    """Return whether a merge request waits for another one to be merged."""
    blocks = world.merge_request_blocks.where("blocked", merge_request.id)
    return any(world.merge_requests[block.blocking_id].state != "merged" for block in blocks)


def get_block(world: World, merge_request: MergeRequest, id_: int) -> MergeRequestBlock:
    """Return a block of a merge request; 404 for one of another merge request."""
    block = world.merge_request_blocks.get(id_)
    if block is None or block.blocked_id != merge_request.id:
        raise RecordNotFound(reason=f"nothing with the id {id_} blocks !{merge_request.iid}")
    return block


def create(ctx: WriteContext, merge_request: MergeRequest, blocking_id: int | None) -> MergeRequestBlock:
    """Let a merge request wait for another one, which may not exist."""
    if not noteables.can_update(ctx, merge_request).allowed:
        raise ForbiddenWithMessage(NOT_ALLOWED)
    blocking = ctx.world.merge_requests.get(blocking_id or 0)
    if blocking is None:
        raise NotFoundWithMessage(NO_BLOCKER)
    if not noteables.is_visible(ctx, blocking):
        raise ForbiddenWithMessage(HIDDEN)
    if blocking.id == merge_request.id:
        raise BadRequest(SELF)
    if ctx.world.merge_request_blocks.find("pair", (blocking.id, merge_request.id)) is not None:
        raise Conflict(EXISTS)
    signals.merge_request_blocked.send(ctx, blocking, merge_request)
    return insert(ctx, blocking, merge_request)


def replace(ctx: WriteContext, merge_request: MergeRequest, blocking: Iterable[MergeRequest]) -> list[str]:
    """Let a merge request wait for these ones, and no longer for others that the caller sees; return what failed."""
    wanted = {each.id: each for each in blocking}
    for block in list_blocks(ctx.world, merge_request):
        if wanted.pop(block.blocking_id, None) is None and noteables.is_visible(
            ctx, ctx.world.merge_requests[block.blocking_id]
        ):
            purge(ctx, block)
    failures = []
    for each in wanted.values():
        messages = _explain_refusal(ctx.world, each, merge_request)
        failures += messages
        if not messages:
            insert(ctx, each, merge_request)
    return list(dict.fromkeys(failures))


def _explain_refusal(world: World, blocking: MergeRequest, blocked: MergeRequest) -> list[str]:
    """Return why one merge request cannot wait for another one; empty if it can."""
    checks = {
        SELF: blocking.id == blocked.id,
        f"Merge request blocks the maximum number of merge requests ({_MOST})": len(list_blockees(world, blocked))
        >= _MOST,
        f"Merge request is blocked by the maximum number of merge requests ({_MOST})": len(list_blocks(world, blocking))
        >= _MOST,
    }
    return [message for message, fails in checks.items() if fails]


def insert(ctx: WriteContext, blocking: MergeRequest, blocked: MergeRequest) -> MergeRequestBlock:
    """Insert a block unless it exists, without any check."""
    table = ctx.world.merge_request_blocks
    existing = table.find("pair", (blocking.id, blocked.id))
    return existing or table.add(MergeRequestBlock(table.next_id(), blocking.id, blocked.id))
