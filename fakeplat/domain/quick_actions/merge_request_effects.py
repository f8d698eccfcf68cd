"""Effects of quick actions on merge requests."""

from fakeplat.domain.merge_requests import approvals, merge_requests, merging
from fakeplat.domain.notes import draft_notes
from fakeplat.domain.notes.noteables import MERGE_REQUEST
from fakeplat.domain.quick_actions import noteable_effects
from fakeplat.domain.quick_actions.quick_actions import EFFECTS, CommandEffects
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import WriteContext


def _change_state(ctx: WriteContext, merge_request: MergeRequest, event: str) -> None:
    change = merge_requests.close if event == "close" else merge_requests.reopen
    change(ctx, merge_request)


def _retarget(ctx: WriteContext, merge_request: MergeRequest, branch: str) -> None:
    # Not change_fields, which would not compare the branches.
    merge_requests.update(ctx, merge_request, target_branch=branch)


def _approve(ctx: WriteContext, merge_request: MergeRequest, _value: bool) -> None:
    approvals.approve(ctx, merge_request, None)


def _unapprove(ctx: WriteContext, merge_request: MergeRequest, _value: bool) -> None:
    approvals.unapprove(ctx, merge_request)


def _submit_review(ctx: WriteContext, merge_request: MergeRequest, _value: bool) -> None:
    draft_notes.publish_review(ctx, merge_request)


def _request_reviews(ctx: WriteContext, merge_request: MergeRequest, user_ids: tuple[int, ...]) -> None:
    for id_ in user_ids:
        merge_request = approvals.request_review(ctx, merge_request, ctx.world.users[id_])


def _request_changes(ctx: WriteContext, merge_request: MergeRequest, _value: bool) -> None:
    approvals.request_changes(ctx, merge_request)


def _merge(ctx: WriteContext, merge_request: MergeRequest, sha: str) -> None:
    # Determined again, as the handlers before this one may have changed the answer.
    when_pipeline_succeeds = merging.merge_strategy(ctx, merge_request) == "later"
    merging.accept(
        ctx, merge_request, merging.MergeOptions(sha=sha, merge_when_pipeline_succeeds=when_pipeline_succeeds)
    )


# Handlers run in this order: approval and target branch may decide whether the merge is possible.
EFFECTS[MERGE_REQUEST.kind] = CommandEffects(
    set_fields=lambda ctx, merge_request, fields: merge_requests.update_fields(ctx, merge_request, **fields),
    fields=(*noteable_effects.COMMON_FIELDS, "reviewers"),
    creation_fields=(*noteable_effects.COMMON_CREATION_FIELDS, "target_branch"),
    handlers={
        **noteable_effects.COMMON_EFFECTS,
        "state_event": _change_state,
        "target_branch": _retarget,
        "submit_review": _submit_review,
        "review_request": _request_reviews,
        "request_changes": _request_changes,
        "unapprove": _unapprove,
        "approve": _approve,
        "merge": _merge,
    },
)
