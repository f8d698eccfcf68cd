"""Merge requests that block others. Source: docs/platform/merge-requests.md ('Blocks')."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import MERGE_REQUEST_WITH_ACCESS, VISIBLE_MERGE_REQUEST, get_project
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params, exactly_one_of
from fakeplat.domain.merge_requests import blocks
from fakeplat.domain.notes import noteables
from fakeplat.domain.purging import purge
from fakeplat.entities.merge_requests.blocks import MergeRequestBlockView
from fakeplat.model.merge_requests import MergeRequest, MergeRequestBlock
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import BLOCKS_NAME_NUMBERS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Merge requests", login=Login.ALWAYS)
SINCE: Final = "<=17.11"
_ONE: Final = exactly_one_of("blocking_merge_request_id", "blocking_merge_request_iid")


@area.operation(
    "GET",
    "blocks",
    name="list_merge_request_blocks",
    scope=VISIBLE_MERGE_REQUEST,
    params=Paged,
    view=MergeRequestBlockView,
    many=True,
    tier="premium",
    since="<=17.4",
)
def list_blocks(ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> Sequence[MergeRequestBlock]:
    """List what blocks a merge request; what is hidden from the caller is left out of its row."""
    return blocks.list_blocks(ctx.world, merge_request)


@area.operation(
    "GET",
    "blocks/:block_id",
    name="get_merge_request_block",
    scope=VISIBLE_MERGE_REQUEST,
    view=MergeRequestBlockView,
    tier="premium",
    since=SINCE,
    refusals=(404,),
)
def get_block(ctx: ReadContext, _project: Project, merge_request: MergeRequest, block_id: int) -> MergeRequestBlock:
    """Get something that blocks a merge request."""
    return blocks.get_block(ctx.world, merge_request, block_id)


class CreateBlock(Params):
    """The merge request that is to be merged first: its id, or later its number in this or another project."""

    blocking_merge_request_id: int | None = None
    blocking_merge_request_iid: Annotated[int | None, BLOCKS_NAME_NUMBERS] = None
    blocking_project_id: Annotated[str | None, BLOCKS_NAME_NUMBERS] = None


def _find_blocking_id(ctx: WriteContext, project: Project, p: CreateBlock) -> int | None:
    """Return the id of the merge request that is to be merged first; 400 unless exactly one is named."""
    if not ctx.profile.has(BLOCKS_NAME_NUMBERS):
        if p.blocking_merge_request_id is None:
            raise InvalidParams("blocking_merge_request_id is missing")
        return p.blocking_merge_request_id
    if failures := _ONE.find_failures(p.given()):
        raise InvalidParams(*map(str, failures))
    if p.blocking_merge_request_iid is None:
        return p.blocking_merge_request_id
    place = get_project(ctx, p.blocking_project_id) if p.blocking_project_id else project
    blocking = ctx.world.merge_requests.find("iid", (place.id, p.blocking_merge_request_iid))
    return blocking.id if blocking else None


@area.operation(
    "POST",
    "blocks",
    name="create_merge_request_block",
    scope=VISIBLE_MERGE_REQUEST,
    params=CreateBlock,
    view=MergeRequestBlockView,
    tier="premium",
    since="<=17.10",
    refusals=(400, 403, 404, 409),
)
def create_block(ctx: WriteContext, project: Project, merge_request: MergeRequest, p: CreateBlock) -> MergeRequestBlock:
    """Block a merge request until another one is merged."""
    return blocks.create(ctx, merge_request, _find_blocking_id(ctx, project, p))


@area.operation(
    "DELETE",
    "blocks/:block_id",
    name="delete_merge_request_block",
    scope=MERGE_REQUEST_WITH_ACCESS,
    tier="premium",
    since=SINCE,
    refusals=(403, 404),
)
def delete_block(ctx: WriteContext, _project: Project, merge_request: MergeRequest, block_id: int) -> None:
    """Remove something that blocks a merge request."""
    noteables.authorize_update(ctx, merge_request)
    purge(ctx, blocks.get_block(ctx.world, merge_request, block_id))


@area.operation(
    "GET",
    "blockees",
    name="list_merge_request_blockees",
    scope=VISIBLE_MERGE_REQUEST,
    params=Paged,
    view=MergeRequestBlockView,
    many=True,
    tier="premium",
    since=SINCE,
)
def list_blockees(ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> Sequence[MergeRequestBlock]:
    """List what a merge request blocks; what is hidden from the caller is left out of its row."""
    return blocks.list_blockees(ctx.world, merge_request)
