"""Single merge requests: making, reading, changing, merging.

Source: docs/platform/merge-requests.md, docs/decisions/rulings.md (1).
"""

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from fakeplat.api.merge_request_lists import area
from fakeplat.api.scopes import MERGE_REQUEST, MERGE_REQUEST_WITH_ACCESS, PROJECT, VISIBLE_MERGE_REQUEST
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.params.params import CommaList, NotBlank, Params, at_least_one_of
from fakeplat.domain.merge_requests import merge_checks, merge_refs, merge_requests, merging, rebasing
from fakeplat.domain.merge_requests.merging import MergeOptions
from fakeplat.domain.notes import noteables
from fakeplat.domain.purging import purge
from fakeplat.entities.issuables import FROM_PROJECT
from fakeplat.entities.merge_requests import DIVERGED, FIRST, HTML, RAW, REBASING, MergeRequestChanges, MergeRequestView
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SWITCHES: Final = (HTML, DIVERGED, REBASING)
_CHANGES: Final = (
    "assignee_id",
    "assignee_ids",
    "description",
    "labels",
    "add_labels",
    "remove_labels",
    "milestone_id",
    "remove_source_branch",
    "allow_collaboration",
    "allow_maintainer_to_push",
    "squash",
    "target_branch",
    "title",
    "state_event",
    "discussion_locked",
)
_PAID: Final = ("approvals_before_merge",)


def single_options(ctx: ReadContext, p: Any, row: Any) -> tuple[str, ...]:
    """The view's options for one of a project."""
    del ctx, p, row
    return (FROM_PROJECT,)


def recheck_on_read(ctx: ReadContext, records: list[Any], p: Any) -> Callable[[WriteContext], None] | None:
    """Reading one asks whether it can be merged."""
    del p
    return merge_checks.effect_of_reading(ctx, records[-1])


class MergeRequestAttributes(Params):
    """What can be set of a merge request when it is made and later."""

    assignee_id: int | None = None
    assignee_ids: CommaList[int] | None = None
    description: str | None = None
    labels: CommaList[str] | None = None
    add_labels: CommaList[str] | None = None
    remove_labels: CommaList[str] | None = None
    milestone_id: int | None = None
    remove_source_branch: bool | None = None
    allow_collaboration: bool | None = None
    allow_maintainer_to_push: bool | None = None
    squash: bool | None = None
    approvals_before_merge: int | None = None


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

    rules = (at_least_one_of(*_CHANGES).or_one_of(*_PAID),)


def _given(p: Params) -> dict[str, Any]:
    """The parameters under the names that the record has."""
    given = p.given()
    for name, own in (
        ("remove_source_branch", "force_remove_source_branch"),
        ("allow_maintainer_to_push", "allow_collaboration"),
    ):
        if name in given:
            value = given.pop(name)
            given.setdefault(own, value)
    nothing = [name for name in ("squash", "allow_collaboration") if given.get(name, "") is None]
    return {name: value for name, value in given.items() if name not in nothing}


@area.operation(
    "POST",
    "merge_requests",
    scope=PROJECT,
    params=CreateMergeRequest,
    view=MergeRequestView,
    options=single_options,
    refusals=(400, 403, 404, 409, 422),
)
def create_merge_request(ctx: WriteContext, project: Project, p: CreateMergeRequest) -> MergeRequest:
    """Create a merge request, in this project or into another one of its fork network."""
    authorize(ctx, Ability.CREATE_MERGE_REQUEST_FROM, project)
    given = {name: value for name, value in _given(p).items() if value is not None}
    return merge_requests.create(ctx, project, ctx.signed_in_user, **given)


class GetMergeRequest(Params):
    """What else to show of a merge request."""

    render_html: bool = False
    include_diverged_commits_count: bool = False
    include_rebase_in_progress: bool = False


def _switched(ctx: ReadContext, p: Any, row: Any) -> tuple[str, ...]:
    return (*single_options(ctx, p, row), FIRST, *(name for name in _SWITCHES if getattr(p, name)))


@area.operation(
    "GET",
    "",
    scope=MERGE_REQUEST,
    params=GetMergeRequest,
    view=MergeRequestView,
    options=_switched,
    wakes=recheck_on_read,
)
def get_merge_request(ctx: ReadContext, project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Get a merge request."""
    del ctx, project
    return merge_request


@area.operation(
    "PUT",
    "",
    scope=MERGE_REQUEST_WITH_ACCESS,
    params=UpdateMergeRequest,
    view=MergeRequestView,
    options=single_options,
    refusals=(400, 403, 409, 422),
)
def update_merge_request(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: UpdateMergeRequest
) -> MergeRequest:
    """Update a merge request."""
    _refuse_paid_only(ctx, p)
    del project
    noteables.authorize_update(ctx, merge_request)
    return merge_requests.update(ctx, merge_request, **_given(p))


def _refuse_paid_only(ctx: ReadContext, p: UpdateMergeRequest) -> None:
    """What only paid tiers have does not count as a change on others."""
    if not has_feature(ctx.world, "premium", ctx.container) and not set(_CHANGES).intersection(p.given()):
        raise InvalidParams(f"{', '.join(_CHANGES)} are missing, at least one parameter must be provided")


@area.operation("DELETE", "", scope=VISIBLE_MERGE_REQUEST, refusals=(403, 412))
def delete_merge_request(ctx: WriteContext, project: Project, merge_request: MergeRequest) -> None:
    """Delete a merge request."""
    authorize(ctx, Ability.DESTROY_MERGE_REQUEST, project)
    ctx.check_unmodified_since(merge_request.updated_at)
    purge(ctx, merge_request)


class AcceptMergeRequest(Params):
    """How to merge."""

    merge_commit_message: str | None = None
    squash_commit_message: str | None = None
    should_remove_source_branch: bool | None = None
    merge_when_pipeline_succeeds: bool = False
    sha: str | None = None
    squash: bool | None = None


@area.operation(
    "PUT",
    "merge",
    scope=VISIBLE_MERGE_REQUEST,
    params=AcceptMergeRequest,
    view=MergeRequestView,
    options=single_options,
    refusals=(401, 405, 406, 409),
)
def accept_merge_request(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: AcceptMergeRequest
) -> MergeRequest:
    """Merge a merge request, now or when the pipeline succeeds."""
    del project
    wishes = {name: value for name, value in p.given().items() if value not in (None, "")}
    return merging.accept(ctx, merge_request, MergeOptions(**wishes))


@area.operation("POST", "cancel_merge_when_pipeline_succeeds", scope=VISIBLE_MERGE_REQUEST, refusals=(401,))
def cancel_merge_when_pipeline_succeeds(
    ctx: WriteContext, project: Project, merge_request: MergeRequest
) -> dict[str, Any]:
    """Cancel merging when the pipeline succeeds."""
    del project
    return merging.cancel(ctx, merge_request)


class RebaseMergeRequest(Params):
    """How to rebase."""

    skip_ci: bool | None = None


@area.operation(
    "PUT", "rebase", scope=VISIBLE_MERGE_REQUEST, params=RebaseMergeRequest, status=202, refusals=(403, 409)
)
def rebase_merge_request(
    ctx: WriteContext, project: Project, merge_request: MergeRequest, p: RebaseMergeRequest
) -> dict[str, bool]:
    """Rebase the source branch onto the target branch."""
    del project, p
    return rebasing.start_rebase(ctx, merge_request)


def _wake_merge_ref(ctx: ReadContext, records: list[Any], p: Any) -> Callable[[WriteContext], None] | None:
    del p
    id_ = records[-1].id
    if not merge_refs.is_due(ctx, records[-1]):
        return None
    return lambda doing: merge_refs.create_merge_ref(doing, doing.world.merge_requests[id_])


@area.operation("GET", "merge_ref", scope=VISIBLE_MERGE_REQUEST, refusals=(400,), wakes=_wake_merge_ref)
def get_merge_request_merge_ref(ctx: ReadContext, project: Project, merge_request: MergeRequest) -> dict[str, str]:
    """Get the commit that merging would create."""
    del project
    return {"commit_id": merge_refs.require_merge_ref(ctx, merge_request)}


class GetChanges(Params):
    """Which changes to show."""

    access_raw_diffs: bool = False


def _raw(ctx: ReadContext, p: Any, row: Any) -> tuple[str, ...]:
    return (*single_options(ctx, p, row), *((RAW,) if p.access_raw_diffs else ()))


@area.operation("GET", "changes", scope=MERGE_REQUEST, params=GetChanges, view=MergeRequestChanges, options=_raw)
def get_merge_request_changes(ctx: ReadContext, project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Get a merge request with its file differences."""
    del ctx, project
    return merge_request
