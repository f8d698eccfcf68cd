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
from fakeplat.domain.merge_requests.merging import Wishes
from fakeplat.domain.notes import noteables
from fakeplat.entities.merge_requests import DIVERGED, FIRST, HTML, RAW, REBASING, MergeRequestChanges, MergeRequestView
from fakeplat.entities.planned import FROM_PROJECT
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has
from fakeplat.policy.rulings import demand

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


def single(cx: Context, p: Any, row: Any) -> tuple[str, ...]:
    """The view's options for one of a project."""
    del cx, p, row
    return (FROM_PROJECT,)


def wake(cx: Context, records: list[Any], p: Any) -> Callable[[Doing], None] | None:
    """Reading one asks whether it can be merged."""
    del p
    return merge_checks.read(cx, records[-1])


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
    under=PROJECT,
    takes=CreateMergeRequest,
    shows=MergeRequestView,
    options=single,
    refuses=(400, 403, 404, 409, 422),
)
def create_merge_request(cx: Doing, project: Project, p: CreateMergeRequest) -> MergeRequest:
    """Create a merge request, in this project or into another one of its fork network."""
    demand(cx, May.CREATE_MERGE_REQUEST_FROM, project)
    given = {name: value for name, value in _given(p).items() if value is not None}
    return merge_requests.create(cx, project, cx.someone, **given)


class GetMergeRequest(Params):
    """What else to show of a merge request."""

    render_html: bool = False
    include_diverged_commits_count: bool = False
    include_rebase_in_progress: bool = False


def _switched(cx: Context, p: Any, row: Any) -> tuple[str, ...]:
    return (*single(cx, p, row), FIRST, *(name for name in _SWITCHES if getattr(p, name)))


@area.operation(
    "GET",
    "",
    under=MERGE_REQUEST,
    takes=GetMergeRequest,
    shows=MergeRequestView,
    options=_switched,
    wakes=wake,
)
def get_merge_request(cx: Context, project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Get a merge request."""
    del cx, project
    return merge_request


@area.operation(
    "PUT",
    "",
    under=MERGE_REQUEST_WITH_ACCESS,
    takes=UpdateMergeRequest,
    shows=MergeRequestView,
    options=single,
    refuses=(400, 403, 409, 422),
)
def update_merge_request(
    cx: Doing, project: Project, merge_request: MergeRequest, p: UpdateMergeRequest
) -> MergeRequest:
    """Update a merge request."""
    _refuse_paid_only(cx, p)
    del project
    noteables.demand_updating(cx, merge_request)
    return merge_requests.update(cx, merge_request, **_given(p))


def _refuse_paid_only(cx: Context, p: UpdateMergeRequest) -> None:
    """What only paid tiers have does not count as a change on others."""
    if not has(cx.world, "premium", cx.place) and not set(_CHANGES).intersection(p.given()):
        raise InvalidParams(f"{', '.join(_CHANGES)} are missing, at least one parameter must be provided")


@area.operation("DELETE", "", under=VISIBLE_MERGE_REQUEST, refuses=(403, 412))
def delete_merge_request(cx: Doing, project: Project, merge_request: MergeRequest) -> None:
    """Delete a merge request."""
    demand(cx, May.DESTROY_MERGE_REQUEST, project)
    cx.unmodified_since(merge_request.updated_at)
    merge_requests.remove(cx, merge_request)


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
    under=VISIBLE_MERGE_REQUEST,
    takes=AcceptMergeRequest,
    shows=MergeRequestView,
    options=single,
    refuses=(401, 405, 406, 409),
)
def accept_merge_request(
    cx: Doing, project: Project, merge_request: MergeRequest, p: AcceptMergeRequest
) -> MergeRequest:
    """Merge a merge request, now or when the pipeline succeeds."""
    del project
    wishes = {name: value for name, value in p.given().items() if value not in (None, "")}
    return merging.accept(cx, merge_request, Wishes(**wishes))


@area.operation("POST", "cancel_merge_when_pipeline_succeeds", under=VISIBLE_MERGE_REQUEST, refuses=(401,))
def cancel_merge_when_pipeline_succeeds(cx: Doing, project: Project, merge_request: MergeRequest) -> dict[str, Any]:
    """Cancel merging when the pipeline succeeds."""
    del project
    return merging.cancel(cx, merge_request)


class RebaseMergeRequest(Params):
    """How to rebase."""

    skip_ci: bool | None = None


@area.operation("PUT", "rebase", under=VISIBLE_MERGE_REQUEST, takes=RebaseMergeRequest, status=202, refuses=(403, 409))
def rebase_merge_request(
    cx: Doing, project: Project, merge_request: MergeRequest, p: RebaseMergeRequest
) -> dict[str, bool]:
    """Rebase the source branch onto the target branch."""
    del project, p
    return rebasing.begin(cx, merge_request)


def _wake_merge_ref(cx: Context, records: list[Any], p: Any) -> Callable[[Doing], None] | None:
    del p
    id_ = records[-1].id
    if not merge_refs.is_due(cx, records[-1]):
        return None
    return lambda doing: merge_refs.make(doing, doing.world.merge_requests[id_])


@area.operation("GET", "merge_ref", under=VISIBLE_MERGE_REQUEST, refuses=(400,), wakes=_wake_merge_ref)
def get_merge_request_merge_ref(cx: Context, project: Project, merge_request: MergeRequest) -> dict[str, str]:
    """Get the commit that merging would create."""
    del project
    return {"commit_id": merge_refs.demand(cx, merge_request)}


class GetChanges(Params):
    """Which changes to show."""

    access_raw_diffs: bool = False


def _raw(cx: Context, p: Any, row: Any) -> tuple[str, ...]:
    return (*single(cx, p, row), *((RAW,) if p.access_raw_diffs else ()))


@area.operation("GET", "changes", under=MERGE_REQUEST, takes=GetChanges, shows=MergeRequestChanges, options=_raw)
def get_merge_request_changes(cx: Context, project: Project, merge_request: MergeRequest) -> MergeRequest:
    """Get a merge request with its file differences."""
    del cx, project
    return merge_request
