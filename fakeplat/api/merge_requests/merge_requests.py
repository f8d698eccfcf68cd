"""Single merge requests: create, read, update, delete, merge and rebase.

Source: docs/platform/merge-requests.md, docs/decisions/rulings.md (1).
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.issues import issuables
from fakeplat.api.merge_requests.merge_request_lists import area
from fakeplat.api.scopes import MERGE_REQUEST, MERGE_REQUEST_WITH_ACCESS, PROJECT, VISIBLE_MERGE_REQUEST
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.operation import Reading
from fakeplat.core.params.params import CommaList, Moment, NotBlank, Params, at_least_one_of, binder_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.merge_requests import (
    approval_rules,
    approval_settings,
    ci_config_requests,
    merge_checks,
    merge_refs,
    merge_requests,
    merging,
    rebasing,
)
from fakeplat.domain.merge_requests.merging import MergeOptions
from fakeplat.domain.notes import noteables
from fakeplat.domain.purging import purge
from fakeplat.entities.issues.issuables import FROM_PROJECT
from fakeplat.entities.merge_requests.merge_requests import (
    DIVERGED,
    FIRST_CONTRIBUTION,
    RAW_DIFFS,
    REBASING,
    RENDER_HTML,
    MergeRequestChanges,
    MergeRequestView,
)
from fakeplat.entities.repository.commits import UNIFIED
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import JOBS_READ_REPOSITORIES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_OPTIONAL_PARTS: Final = (RENDER_HTML, DIVERGED, REBASING)
# In the order of the platform's error message, which lists these names.
_CHANGES: Final = (
    "assignee_id",
    "assignee_ids",
    "reviewer_ids",
    "description",
    "labels",
    "add_labels",
    "remove_labels",
    "milestone_id",
    "milestone",
    "remove_source_branch",
    "allow_collaboration",
    "allow_maintainer_to_push",
    "squash",
    "target_branch",
    "title",
    "state_event",
    "discussion_locked",
    "merge_after",
)
_RULES: Final = "approval_rules_attributes"
_PAID_CHANGES: Final = ("approvals_before_merge", _RULES)


def build_single_options(_ctx: ReadContext, _p: object, _row: object) -> tuple[str, ...]:
    """Return the view options for a single merge request."""
    return (FROM_PROJECT,)


def plan_recheck_on_read(ctx: ReadContext, _records: object, _p: object) -> Callable[[WriteContext], None] | None:
    """Return the mergeability check that reading a merge request starts, if any."""
    return merge_checks.effect_of_reading(ctx, ctx.records[-1])


class RuleNumber(Params):
    """How many approvals a rule needs."""

    id: int | None = None
    approvals_required: int | None = None


class MergeRequestAttributes(Params):
    """The attributes of a merge request that can be set at creation and later."""

    assignee_id: int | None = None
    assignee_ids: CommaList[int] | None = None
    reviewer_ids: Annotated[CommaList[int] | None, Lifetime(since="13.8")] = None
    description: str | None = None
    labels: CommaList[str] | None = None
    add_labels: CommaList[str] | None = None
    remove_labels: CommaList[str] | None = None
    milestone_id: int | None = None
    milestone: issuables.MilestoneTitle = None
    remove_source_branch: bool | None = None
    allow_collaboration: bool | None = None
    allow_maintainer_to_push: bool | None = None
    squash: bool | None = None
    merge_after: Annotated[Moment | None, Lifetime(since="17.5")] = None
    approvals_before_merge: int | None = None
    approval_rules_attributes: Annotated[list[RuleNumber] | None, Lifetime(since="<=18.9")] = None

    rules = (issuables.ONE_MILESTONE,)


class CreateMergeRequest(MergeRequestAttributes):
    """A new merge request."""

    title: str
    source_branch: str
    target_branch: str
    target_project_id: int | None = None


class UpdateMergeRequest(MergeRequestAttributes):
    """Changes of a merge request."""

    title: Annotated[str | None, NotBlank] = None
    target_branch: Annotated[str | None, NotBlank] = None
    state_event: Literal["close", "reopen"] | None = None
    discussion_locked: bool | None = None

    # Paid attributes satisfy the rule as well, but the platform's message does not list them.
    rules = (at_least_one_of(*_CHANGES).unless_any_sent(*_PAID_CHANGES),)


def _collect_fields(ctx: ReadContext, project: Project, p: Params) -> dict[str, Any]:
    """Return the sent parameters under the record's field names."""
    fields = p.given()
    issuables.resolve_milestone(ctx, project, fields)
    for name, field in (
        ("remove_source_branch", "force_remove_source_branch"),
        ("allow_maintainer_to_push", "allow_collaboration"),
    ):
        if name in fields:
            value = fields.pop(name)
            # The current name wins where both names of a parameter were sent.
            fields.setdefault(field, value)
    # A null leaves these two unchanged, as if they were not sent.
    ignored = [name for name in ("squash", "allow_collaboration") if fields.get(name, "") is None]
    return {name: value for name, value in fields.items() if name not in ignored}


@area.operation(
    "POST",
    "merge_requests",
    scope=PROJECT,
    params=CreateMergeRequest,
    view=MergeRequestView,
    options=build_single_options,
    refusals=(400, 403, 404, 409, 422),
)
def create_merge_request(ctx: WriteContext, project: Project, p: CreateMergeRequest) -> MergeRequest:
    """Create a merge request, in this project or into another one of its fork network."""
    authorize(ctx, Ability.CREATE_MERGE_REQUEST_FROM, project)
    fields = {name: value for name, value in _collect_fields(ctx, project, p).items() if value is not None}
    numbers = _collect_numbers(ctx, project, fields.pop(_RULES, None))
    merge_request = merge_requests.create(ctx, project, ctx.signed_in_user, **fields)
    approval_rules.copy_project_rules(ctx, merge_request, numbers)
    return merge_request


@area.operation(
    "POST",
    "create_ci_config",
    scope=PROJECT,
    ability=Ability.CREATE_MERGE_REQUEST_IN,
    view=MergeRequestView,
    options=build_single_options,
    refusals=(400, 422),
    since="<=18.9",
)
def create_ci_config(ctx: WriteContext, project: Project) -> MergeRequest:
    """Create a merge request that brings the CI configuration that a project lacks."""
    return ci_config_requests.create(ctx, project)


def _collect_numbers(ctx: ReadContext, project: Project, rules: Sequence[RuleNumber] | None) -> dict[int, int]:
    """Return the numbers of approvals by the ids of rules; none where merge requests have no rules of their own."""
    if not rules or not has_feature(ctx.world, "premium", project):
        return {}
    if not approval_settings.may_override_approvers(ctx.world, project):
        return {}
    return {rule.id: rule.approvals_required for rule in rules if rule.id and rule.approvals_required is not None}


class GetMergeRequest(Params):
    """Optional parts of a merge request."""

    render_html: bool = False
    include_diverged_commits_count: bool = False
    include_rebase_in_progress: bool = False


def _requested_options(ctx: ReadContext, p: GetMergeRequest, row: object) -> tuple[str, ...]:
    return (
        *build_single_options(ctx, p, row),
        # Only this operation says whether the merge request is its author's first; changes and lists do not.
        FIRST_CONTRIBUTION,
        *(name for name in _OPTIONAL_PARTS if getattr(p, name)),
    )


@area.operation(
    "GET",
    "",
    scope=MERGE_REQUEST,
    params=GetMergeRequest,
    view=MergeRequestView,
    options=_requested_options,
    reading=Reading(effect=plan_recheck_on_read),
    job_token=JOBS_READ_REPOSITORIES,
)
def get_merge_request(_ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Get a merge request."""
    return merge_request


@area.operation(
    "PUT",
    "",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=UpdateMergeRequest,
    view=MergeRequestView,
    options=build_single_options,
    refusals=(400, 403, 409, 422),
)
def update_merge_request(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: UpdateMergeRequest
) -> MergeRequest:
    """Update a merge request."""
    # Checked before the right to update: a request without any change is 400, not 403.
    _require_available_change(ctx, p)
    noteables.authorize_update(ctx, merge_request)
    fields = _collect_fields(ctx, project, p)
    approval_rules.set_numbers(ctx, merge_request, _collect_numbers(ctx, project, fields.pop(_RULES, None)))
    return merge_requests.update(ctx, ctx.world.merge_requests[merge_request.id], **fields)


def _require_available_change(ctx: ReadContext, p: UpdateMergeRequest) -> None:
    """Require a change that the tier has: on free tiers paid attributes do not count."""
    if not has_feature(ctx.world, "premium", ctx.container) and not set(_CHANGES).intersection(p.given()):
        served = {field.name for field in binder_of(UpdateMergeRequest, ctx.profile).fields}
        names = ", ".join(name for name in _CHANGES if name in served)
        raise InvalidParams(f"{names} are missing, at least one parameter must be provided")


@area.operation("DELETE", "", scope=VISIBLE_MERGE_REQUEST, refusals=(403, 412))
def delete_merge_request(ctx: WriteContext, project: Project, merge_request: MergeRequest) -> None:
    """Delete a merge request."""
    authorize(ctx, Ability.DESTROY_MERGE_REQUEST, project)
    ctx.check_unmodified_since(merge_request.updated_at)
    purge(ctx, merge_request)


class AcceptMergeRequest(Params):
    """The options of a merge."""

    merge_commit_message: str | None = None
    squash_commit_message: str | None = None
    should_remove_source_branch: bool | None = None
    merge_when_pipeline_succeeds: bool = False
    auto_merge: Annotated[bool, Lifetime(since="17.11")] = False
    sha: str | None = None
    squash: bool | None = None
    skip_merge_train: Annotated[bool, Lifetime(since="16.10")] = False


@area.operation(
    "PUT",
    "merge",
    scope=VISIBLE_MERGE_REQUEST,
    params=AcceptMergeRequest,
    view=MergeRequestView,
    options=build_single_options,
    refusals=(400, 401, 405, 406, 409, 422),
)
def accept_merge_request(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: AcceptMergeRequest
) -> MergeRequest:
    """Merge a merge request, now or when the pipeline succeeds."""
    # An empty message counts as not sent, so the default message is used.
    options = {name: value for name, value in p.given().items() if value not in (None, "")}
    if options.pop("auto_merge", False):
        options["merge_when_pipeline_succeeds"] = True
    merging.require_sha(ctx, project, p.sha)
    return merging.accept(ctx, merge_request, MergeOptions(**options))


@area.operation("POST", "cancel_merge_when_pipeline_succeeds", scope=VISIBLE_MERGE_REQUEST, refusals=(401,))
def cancel_merge_when_pipeline_succeeds(
    ctx: WriteContext, _project: Project, merge_request: MergeRequest
) -> dict[str, Any]:
    """Cancel merging when the pipeline succeeds."""
    return merging.cancel_as_caller(ctx, merge_request)


class RebaseMergeRequest(Params):
    """The options of a rebase."""

    skip_ci: bool | None = None


@area.operation(
    "PUT", "rebase", scope=VISIBLE_MERGE_REQUEST, params=RebaseMergeRequest, status=202, refusals=(403, 409)
)
def rebase_merge_request(ctx: WriteContext, _project: Project, merge_request: MergeRequest) -> dict[str, bool]:
    """Rebase the source branch onto the target branch."""
    return rebasing.start_rebase(ctx, merge_request)


def _plan_merge_ref(ctx: ReadContext, _records: object, _p: object) -> Callable[[WriteContext], None] | None:
    merge_request: MergeRequest = ctx.records[-1]
    if not merge_refs.is_outdated(ctx, merge_request):
        return None
    # Only the id is carried over: the record may have changed when the function runs.
    id_ = merge_request.id
    return lambda write_ctx: merge_checks.refresh_merge_ref(write_ctx, write_ctx.world.merge_requests[id_])


@area.operation(
    "GET", "merge_ref", scope=VISIBLE_MERGE_REQUEST, refusals=(400,), reading=Reading(effect=_plan_merge_ref)
)
def get_merge_request_merge_ref(ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> dict[str, str]:
    """Get the commit that merging would create."""
    return {"commit_id": merging.require_merge_ref(ctx, merge_request)}


class UnifiedDiff(Params):
    """Whether the text of a difference names the file, as in the unified format."""

    unidiff: Annotated[bool, Lifetime(since="16.5")] = False


def build_diff_options(_ctx: ReadContext, p: UnifiedDiff, _row: object) -> tuple[str, ...]:
    """Return the view options for differences."""
    return (UNIFIED,) if p.unidiff else ()


class GetChanges(UnifiedDiff):
    """How to show the changes."""

    access_raw_diffs: bool = False


def _raw_options(ctx: ReadContext, p: GetChanges, row: object) -> tuple[str, ...]:
    shown = build_diff_options(ctx, p, row)
    return (*build_single_options(ctx, p, row), *shown, *((RAW_DIFFS,) if p.access_raw_diffs else ()))


@area.operation(
    "GET", "changes", scope=MERGE_REQUEST, params=GetChanges, view=MergeRequestChanges, options=_raw_options
)
def get_merge_request_changes(_ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Get a merge request with its file differences."""
    return merge_request
