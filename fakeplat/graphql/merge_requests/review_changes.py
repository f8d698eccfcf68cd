"""Mutations about what stands in the way of a merge: requests for changes, and other merge requests.

Source: docs/platform/graphql.md ('Merge requests, epics, subscriptions').
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.domain.merge_requests import approvals, blocks, reviewers
from fakeplat.domain.notes import noteables, references
from fakeplat.graphql.errors import MutationFailed, MutationResult
from fakeplat.graphql.issues.issuable_changes import build_identity_fields
from fakeplat.graphql.lookups import require_merge_request
from fakeplat.graphql.schema_builder import mutation
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=18.9"
_TIER: Final = "premium"
_WHICH: Final = build_identity_fields("merge request")
_GIVES: Final = '"""The merge request."""\nmergeRequest: MergeRequest'
_NO_REVIEWER: Final = "Reviewer not found"


def _require(ctx: WriteContext, project_path: str, iid: str) -> tuple[Project, MergeRequest]:
    """Return a merge request that the caller may update, with its project."""
    project, merge_request = require_merge_request(ctx, project_path, iid)
    noteables.authorize_update(ctx, merge_request)
    return project, merge_request


@mutation("mergeRequestRequestChanges", input_fields=_WHICH, payload_fields=_GIVES, since=_SINCE)
def request_changes(ctx: WriteContext, project_path: str, iid: str) -> Mapping[str, Any]:
    """Request changes, which on paid tiers stands in the way of the merge."""
    _, merge_request = _require(ctx, project_path, iid)
    if reviewers.find_reviewer(merge_request, ctx.signed_in_user) is not None:
        return {"merge_request": approvals.request_changes(ctx, merge_request)}
    # The platform tells that the caller is no reviewer after it has noted the request.
    noted = approvals.request_changes_as_other(ctx, merge_request)
    return {"merge_request": noted, "errors": MutationResult([_NO_REVIEWER])}


@mutation("mergeRequestDestroyRequestedChanges", input_fields=_WHICH, payload_fields=_GIVES, since=_SINCE)
def destroy_requested_changes(ctx: WriteContext, project_path: str, iid: str) -> Mapping[str, Any]:
    """Withdraw the own request for changes."""
    project, merge_request = _require(ctx, project_path, iid)
    if not has_feature(ctx.world, _TIER, project):
        raise MutationFailed(["Invalid license"], {"merge_request": merge_request})
    if ctx.signed_in_user.id not in reviewers.list_change_requesters(merge_request):
        text = "User has not requested changes for this merge request"
        raise MutationFailed([text], {"merge_request": merge_request})
    return {"merge_request": reviewers.withdraw_change_request(ctx, merge_request, ctx.signed_in_user)}


@mutation(
    "mergeRequestSetBlockingMergeRequests",
    input_fields=f'''{_WHICH}
"""References of the merge requests that must be merged first, as `!1` or `acme/site!1`."""
blockingMergeRequestReferences: [String!]!
''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def set_blocking_merge_requests(
    ctx: WriteContext, project_path: str, iid: str, blocking_merge_request_references: Sequence[str]
) -> Mapping[str, Any]:
    """Set which merge requests must be merged first."""
    project, merge_request = _require(ctx, project_path, iid)
    if not has_feature(ctx.world, _TIER, project):
        raise GraphQLError("Blocking merge requests feature is not available")
    blocking: list[MergeRequest] = []
    unknown: list[str] = []
    for reference in blocking_merge_request_references:
        named = references.find_merge_requests(ctx, project, reference).values()
        visible = [each for each in named if noteables.is_visible(ctx, each)]
        blocking += visible
        unknown += [] if visible else [reference]
    failures = blocks.replace(ctx, merge_request, blocking)
    errors = [f"Dependencies failed to save: {', '.join(unknown)}"] if unknown else []
    errors += [f"Dependencies failed to save: {', '.join(failures)}."] if failures else []
    # What could be saved is saved.
    return {"merge_request": merge_request, "errors": MutationResult(errors)}
