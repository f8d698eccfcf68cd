"""The strategies by which a merge request is merged later: by waiting, or by a merge train.

Source: docs/platform/merge-trains.md.
"""

from typing import Final

from fakeplat.domain.ci import ci_files
from fakeplat.domain.merge_requests import merge_checks, merge_train_runs, merge_trains, merging
from fakeplat.domain.merge_requests.merging import MergeOptions
from fakeplat.domain.repository import protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

_MERGE_TRAIN: Final = "merge_train"


def list_strategies(ctx: ReadContext, merge_request: MergeRequest) -> list[str]:
    """Return the strategies by which the caller can have a merge request merged later."""
    project = ctx.world.projects[merge_request.project_id]
    if not merge_trains.are_enabled(ctx.world, project):
        is_later = merging.merge_strategy(ctx, merge_request) == "later"
        return [merging.waiting_strategy(ctx)] if is_later else []
    if not merge_request.is_open or not protection.can_merge(ctx, project, merge_request.target_branch):
        return []
    if not merge_train_runs.explain_obstacle(ctx, merge_request):
        return [_MERGE_TRAIN]
    return [joining_strategy(ctx)] if has_ci(ctx.world, merge_request) else []


def joining_strategy(ctx: ReadContext) -> str:
    """Return the name of the strategy that puts a merge request on a train when it may be merged."""
    return f"add_to_merge_train_{merging.waiting_strategy(ctx).removeprefix('merge_')}"


def start(ctx: WriteContext, merge_request: MergeRequest, strategy: str, options: MergeOptions) -> MergeRequest | None:
    """Have a merge request merged later by a strategy, as the caller; None if that one is not available."""
    checked = merge_checks.check_now(ctx, merge_request)
    if strategy not in list_strategies(ctx, checked):
        return None
    chosen = merging.apply_options(ctx, checked, options)
    if strategy == _MERGE_TRAIN:
        merge_train_runs.board(ctx, chosen, ctx.signed_in_user)
        return ctx.world.merge_requests[chosen.id]
    return merging.enable_auto_merge(ctx, chosen)


def current_strategy(ctx: ReadContext, merge_request: MergeRequest) -> str | None:
    """Return the strategy by which a merge request waits to be merged, if it does."""
    if not merge_request.merge_when_pipeline_succeeds:
        return None
    if merge_trains.find_active(ctx.world, merge_request) is not None:
        return _MERGE_TRAIN
    return joining_strategy(ctx) if merge_request.joins_merge_train else merging.waiting_strategy(ctx)


def has_ci(world: World, merge_request: MergeRequest) -> bool:
    """Return whether a merge request has pipelines, or a configuration for them."""
    head = diff_versions.head_sha(world, merge_request)
    source = world.projects.get(merge_request.source_project_id or 0)
    if source is None or head is None or source.builds_access_level == "disabled":
        return False
    return ci_files.read_configuration(world, source, head) is not None
