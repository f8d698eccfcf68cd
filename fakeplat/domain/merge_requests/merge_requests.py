"""Creating, changing, closing and reopening merge requests. Source: docs/platform/merge-requests.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypedDict, Unpack

from fakeplat.core.gc_pause import gc_paused
from fakeplat.core.operations.errors import Conflict, Forbidden, RecordNotFound, Unprocessable
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain import signals
from fakeplat.domain.issuables import issuable_fields, issuable_records
from fakeplat.domain.issuables.issuable_records import IssuableChanges, IssuableParams, NewIssuable
from fakeplat.domain.merge_requests import approval_settings, closing_issues, merge_checks, reviewers
from fakeplat.domain.notes import noteables
from fakeplat.domain.planning import labels
from fakeplat.domain.quick_actions import quick_actions
from fakeplat.domain.repository import protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest, MergeStatus, Reviewer, State
from fakeplat.model.people import Level, User, rank
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, decide
from fakeplat.policy.behaviours import MEMBERS_CONTRIBUTE_FIRST, REVIEWERS_ARE_LIMITED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import project_level

KIND: Final = "merge_request"
SAME_BRANCH: Final = "You can't use same project/branch for source and target"
NO_FORK: Final = "Source project is not a fork of the target project"
DUPLICATE: Final = "Another open merge request already exists for this source branch: !{}"
SOURCE_BRANCH_MISSING: Final = "Source branch {} does not exist"
_PAID_PARAMS: Final = ("approvals_before_merge",)
_ADMIN_PARAMS: Final = (*issuable_fields.ADMIN_PARAMS, "reviewer_ids")
_BRANCHES: Final[tuple[Literal["source_branch", "target_branch"], ...]] = ("source_branch", "target_branch")


class MergeRequestFields(TypedDict, total=False):
    """Fields that only records of merge requests have, none of them required."""

    state: State
    merged_at: str | None
    merged_by_id: int | None
    merge_status: MergeStatus
    merge_commit_sha: str | None
    squash_commit_sha: str | None
    rebase_commit_sha: str | None
    merge_error: str | None
    rebase_in_progress: bool
    merge_when_pipeline_succeeds: bool
    joins_merge_train: bool
    merge_user_id: int | None
    merge_commit_message: str | None
    squash_commit_message: str | None
    should_remove_source_branch: bool | None
    force_remove_source_branch: bool | None
    allow_collaboration: bool
    squash: bool
    approvals_before_merge: int | None
    closes_ids: tuple[int, ...]
    added_closes_ids: tuple[int, ...]
    picked_shas: tuple[str, ...]
    reviewers: tuple[Reviewer, ...]
    merge_after: str | None


class NewMergeRequest(NewIssuable, MergeRequestFields):
    """The fields of a new merge request."""

    source_project_id: int | None
    source_branch: str
    target_branch: str


class MergeRequestChanges(IssuableChanges, MergeRequestFields, total=False):
    """Changes of a merge request."""

    source_project_id: int | None
    source_branch: str
    target_branch: str


class MergeRequestParams(IssuableParams, total=False):
    """The platform's parameters of POST and PUT, with ``force_remove_source_branch`` under the name of the record."""

    source_branch: str
    target_branch: str
    target_project_id: int
    force_remove_source_branch: bool | None
    allow_collaboration: bool
    squash: bool
    approvals_before_merge: int | None
    label_ids: tuple[int, ...]
    reviewer_ids: Sequence[int] | None
    merge_after: str | None


def create(ctx: WriteContext, source: Project, author: User, **params: Unpack[MergeRequestParams]) -> MergeRequest:
    """Create a merge request from a branch of the source project. Takes the platform's parameters of POST.

    403 if the author may not create merge requests in the target, 404 if it does not exist, 422 if it is unrelated to
    the source or the same branch, 409 if the same merge request is already open, 400 for an invalid title. Parameters
    that the author may not set are silently ignored.
    """
    target = _get_target(ctx, source, params.pop("target_project_id", None))
    # Quick actions are removed from the description before the record exists, and carried out afterwards.
    permitted, commands = quick_actions.extract_from_description(ctx, KIND, permitted_params(ctx, target, params))
    fields = issuable_fields.resolve_fields(ctx, target, permitted, Ability.READ_MERGE_REQUESTS, ())
    fields = _resolve_reviewers(ctx, target, fields)
    plan = quick_actions.plan_commands(ctx, KIND, target, None, commands, fields)
    fields = {"squash": target.squash_option in ("always", "default_on"), **fields}
    fields = {**fields, **plan.fields, "source_project_id": source.id, "author_id": author.id}
    # The fields include those of quick actions: /target_branch takes effect before the branches are compared.
    _check_branches(ctx.world, source, target, fields["source_branch"], fields["target_branch"])
    _validate_fields(**fields).refuse()
    if fields.get("allow_collaboration"):
        fields["allow_collaboration"] = can_allow_collaboration(ctx, source, target, fields["source_branch"])
    created = insert(ctx, target, **fields)
    diff_versions.add_version(ctx, created, at=created.created_at)
    created = refresh_closing_issues(ctx, created)
    merge_checks.schedule_check(ctx, created)
    signals.merge_request_created.send(ctx, created)
    # Read it again: receivers of the signal may have changed the record.
    result: MergeRequest = plan.apply(ctx, ctx.world.merge_requests[created.id])
    return result


def _resolve_reviewers(
    ctx: WriteContext, project: Project, fields: Mapping[str, Any], before: Sequence[Reviewer] = ()
) -> dict[str, Any]:
    """Convert the ids of reviewers, if there are any, into the field of the record."""
    resolved = dict(fields)
    if "reviewer_ids" in resolved:
        ids = reviewers.resolve_ids(ctx, project, resolved.pop("reviewer_ids"))
        if ids is not None:
            issuable_fields.check_number(ctx, "reviewers", ids, REVIEWERS_ARE_LIMITED)
            resolved["reviewers"] = reviewers.build_reviewers(ctx, ids, before)
    return resolved


def _get_target(ctx: WriteContext, source: Project, id_: int | None) -> Project:
    target = source if id_ is None else ctx.world.projects.get(id_)
    if target is None:
        raise RecordNotFound(reason=f"there is no project with the id {id_}")
    # A target that the caller cannot read is 403, not 404, as on the platform.
    if not can(ctx, Ability.READ_MERGE_REQUESTS, target) or not can(ctx, Ability.CREATE_MERGE_REQUEST_IN, target):
        raise Forbidden(
            reason=lambda: f"{caller_name(ctx)} may not create merge requests in {describe(ctx.world, target)}"
        )
    return target


def _check_branches(
    world: World, source: Project, target: Project, source_branch: str, target_branch: str, own_id: int = 0
) -> None:
    """Refuse with 422 for identical branches or unrelated projects, with 409 if a duplicate is open."""
    if source.id == target.id and source_branch == target_branch:
        raise Unprocessable([SAME_BRANCH])
    # Siblings and more distant forks share the root of their fork network.
    if source.id != target.id and fork_network_id(world, source) != fork_network_id(world, target):
        raise Unprocessable([NO_FORK], reason=lambda: f"{describe(world, source)} and {describe(world, target)}")
    duplicate = find_open_duplicate(world, source.id, target.id, source_branch, target_branch, own_id)
    if duplicate is not None:
        raise Conflict([DUPLICATE.format(duplicate.iid)])


def find_open_duplicate(
    world: World, source_id: int | None, target_id: int, source_branch: str, target_branch: str, own_id: int = 0
) -> MergeRequest | None:
    """Return the open merge request between two branches, other than the one with ``own_id``."""
    for merge_request in world.merge_requests.where("open_from", (source_id, source_branch)):
        target = (merge_request.project_id, merge_request.target_branch)
        if target == (target_id, target_branch) and merge_request.id != own_id:
            return merge_request
    return None


def fork_network_id(world: World, project: Project) -> int:
    """Return the id of the root of a project's fork network."""
    # The visited ids end the walk if records name each other as their parents.
    visited = {project.id}
    while project.forked_from_id is not None and project.forked_from_id not in visited:
        parent = world.projects.get(project.forked_from_id)
        if parent is None:
            break
        project = parent
        visited.add(project.id)
    return project.id


def can_allow_collaboration(ctx: ReadContext, source: Project, target: Project, branch: str) -> bool:
    """Return whether a merge request may allow pushes to the source branch by members of the target.

    That takes two projects that are not private, an unprotected branch, and the right to push to it.
    """
    hidden = rank("private")
    return (
        source.id != target.id
        and rank(source.visibility) > hidden
        and rank(target.visibility) > hidden
        and not protection.list_branch_rules(ctx.world, source, branch)
        and can(ctx, Ability.PUSH_CODE, source)
    )


def insert(ctx: WriteContext, project: Project, **fields: Unpack[NewMergeRequest]) -> MergeRequest:
    """Insert a merge request into a project from fields of the record, without permission checks."""
    return create_many(ctx, project, [fields])[0]


def create_many(ctx: WriteContext, project: Project, rows: Sequence[NewMergeRequest]) -> list[MergeRequest]:
    """Insert merge requests into a project from fields of the record, without permission checks."""
    if not rows:
        return []
    table = ctx.world.merge_requests
    completed = issuable_records.complete_rows(ctx, KIND, project, table.next_id(), rows)
    with gc_paused():
        created = [MergeRequest(**fields) for fields in completed]
        table.add_many(created)
    return created


def permitted_params(ctx: WriteContext, project: Project, params: Mapping[str, object]) -> dict[str, Any]:
    """Return the parameters that the caller may set; the others are silently ignored, as on the platform."""
    permitted = dict(params)
    if not permitted.keys().isdisjoint(_ADMIN_PARAMS):
        decision = decide(ctx, Ability.ADMIN_MERGE_REQUEST, project)
        if not decision.allowed:
            permitted = ctx.ignore(permitted, _ADMIN_PARAMS, decision.why)
    if permitted.keys().isdisjoint(_PAID_PARAMS):
        return permitted
    if not has_feature(ctx.world, "premium", project):
        permitted = ctx.ignore(permitted, _PAID_PARAMS, "it requires the tier premium")
    elif not approval_settings.may_override_approvers(ctx.world, project):
        permitted = ctx.ignore(permitted, _PAID_PARAMS, "the project or the instance does not let it be overridden")
    return permitted


def _validate_fields(**fields: Unpack[MergeRequestChanges]) -> ValidationErrors:
    errors = ValidationErrors()
    for name in _BRANCHES:
        if name in fields:
            errors.when(not fields[name].strip(), name, BLANK)
    issuable_records.validate_texts(errors, fields)
    return errors


def update(ctx: WriteContext, merge_request: MergeRequest, **params: Unpack[MergeRequestParams]) -> MergeRequest:
    """Change a merge request; ``state_event``: close or reopen. Parameters that the caller may not set are ignored."""
    world = ctx.world
    project = world.projects[merge_request.project_id]
    permitted, commands = quick_actions.extract_from_description(ctx, KIND, permitted_params(ctx, project, params))
    event = permitted.pop("state_event", None)
    # What was merged keeps its target: a new one is ignored, not refused.
    if merge_request.state == "merged":
        permitted.pop("target_branch", None)
    source = _find_source(world, merge_request)
    if "allow_collaboration" in permitted:
        branch = merge_request.source_branch
        is_allowed = source is not None and can_allow_collaboration(ctx, source, project, branch)
        permitted["allow_collaboration"] = bool(permitted["allow_collaboration"]) and is_allowed
    # Deleting the source branch after the merge takes the right to push to it.
    if source is None or not can(ctx, Ability.PUSH_CODE, source):
        permitted.pop("force_remove_source_branch", None)
    _check_target(world, merge_request, permitted.get("target_branch"))
    fields = issuable_fields.resolve_fields(
        ctx, project, permitted, Ability.READ_MERGE_REQUESTS, merge_request.label_ids
    )
    fields = _resolve_reviewers(ctx, project, fields, merge_request.reviewers)
    if "label_ids" in fields and merge_request.state == "merged":
        kept = labels.list_kept(world, project, merge_request.label_ids)
        fields["label_ids"] = tuple(dict.fromkeys((*fields["label_ids"], *kept)))
    plan = quick_actions.plan_commands(ctx, KIND, project, merge_request, commands, fields)
    changed = change_fields(ctx, merge_request, **{**fields, **plan.fields})
    # The state changes last, so that reopening is checked with the new target branch.
    final = changed
    if event is not None:
        final = close(ctx, changed) if event == "close" else reopen(ctx, changed)
    if permitted:
        signals.merge_request_update_finished.send(ctx, merge_request, changed)
    result: MergeRequest = plan.apply(ctx, final)
    return result


def _check_target(world: World, merge_request: MergeRequest, branch: str | None) -> None:
    source = _find_source(world, merge_request)
    if branch in (None, merge_request.target_branch) or source is None or branch is None:
        return
    target = world.projects[merge_request.project_id]
    # Only open merge requests can be duplicates; a closed one is compared again when it is reopened.
    if merge_request.is_open:
        _check_branches(world, source, target, merge_request.source_branch, branch, merge_request.id)
    elif source.id == target.id and merge_request.source_branch == branch:
        raise Unprocessable([SAME_BRANCH])


def _find_source(world: World, merge_request: MergeRequest) -> Project | None:
    return world.projects.get(merge_request.source_project_id) if merge_request.source_project_id else None


def update_fields(
    ctx: WriteContext, merge_request: MergeRequest, **fields: Unpack[MergeRequestChanges]
) -> MergeRequest:
    """Change fields of the record as an update of its own, which others are told of if it changes anything."""
    changed = change_fields(ctx, merge_request, **fields)
    if changed is not merge_request:
        signals.merge_request_update_finished.send(ctx, merge_request, changed)
    return changed


def change_fields(
    ctx: WriteContext, merge_request: MergeRequest, **fields: Unpack[MergeRequestChanges]
) -> MergeRequest:
    """Change fields of the record and apply all effects of the change, without permission checks."""
    _validate_fields(**fields).refuse()
    changes = issuable_records.find_changes(ctx, merge_request, fields)
    if not changes:
        return merge_request
    changed = ctx.world.merge_requests.change(merge_request, **changes)
    if "target_branch" in changes:
        changed = _handle_retargeting(ctx, changed)
    if changes.keys() & {"target_branch", "title", "description"}:
        changed = refresh_closing_issues(ctx, changed)
    signals.merge_request_fields_changed.send(ctx, merge_request, changed)
    # Receivers of the signal may have changed the record once more.
    return ctx.world.merge_requests[changed.id]


def _handle_retargeting(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Add a version and schedule a new check for a merge request with another target branch."""
    diff_versions.add_version(ctx, merge_request)
    merge_request = merge_checks.mark_unchecked(ctx, merge_request)
    if merge_request.is_open:
        merge_checks.schedule_check(ctx, merge_request)
    return merge_request


def refresh_closing_issues(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Update the stored issues to close, as far as the caller sees them; no-op if closed or issues are disabled."""
    if not merge_request.is_open or ctx.world.projects[merge_request.project_id].issues_access_level == "disabled":
        return merge_request
    # A change without a user is limited to what the author can see.
    reader = ctx.as_user(ctx.user or ctx.world.users[merge_request.author_id])
    ids = tuple(
        issue.id
        for issue in closing_issues.parse_closing_issues(ctx, merge_request)
        if noteables.is_visible(reader, issue)
    )
    all_ids = tuple(dict.fromkeys((*ids, *merge_request.added_closes_ids)))
    return ctx.world.merge_requests.change(merge_request, closes_ids=all_ids)


def add_closing(ctx: WriteContext, merge_request: MergeRequest, issue: Issue) -> MergeRequest:
    """Let a merge request close an issue that its texts do not name; 400 if it closes that already."""
    errors = ValidationErrors()
    errors.when(issue.id in merge_request.closes_ids, "merge_request", TAKEN)
    errors.refuse()
    return ctx.world.merge_requests.change(
        merge_request,
        closes_ids=(*merge_request.closes_ids, issue.id),
        added_closes_ids=(*merge_request.added_closes_ids, issue.id),
    )


def close(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Close a merge request; no-op if it is not open."""
    if not merge_request.is_open:
        return merge_request
    now, user = ctx.now_iso, ctx.user
    return set_state(ctx, merge_request, state="closed", closed_at=now, closed_by_id=user.id if user else None)


def reopen(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Reopen a merge request; no-op unless it is closed. 409 if a duplicate is open or the source branch is missing."""
    world = ctx.world
    if merge_request.state != "closed":
        return merge_request
    source = _find_source(world, merge_request)
    if source is None or diff_versions.is_missing_source(world, merge_request):
        raise Conflict([SOURCE_BRANCH_MISSING.format(merge_request.source_branch)])
    target = world.projects[merge_request.project_id]
    _check_branches(world, source, target, merge_request.source_branch, merge_request.target_branch, merge_request.id)
    reopened = set_state(ctx, merge_request, state="opened", closed_at=None, closed_by_id=None)
    # Pushes while it was closed added no version.
    refs = diff_versions.latest_refs(world, reopened)
    if refs is None or refs.head != diff_versions.source_head_sha(world, reopened):
        diff_versions.add_version(ctx, reopened)
    reopened = merge_checks.mark_unchecked(ctx, refresh_closing_issues(ctx, reopened))
    merge_checks.schedule_check(ctx, reopened)
    return reopened


def set_state(
    ctx: WriteContext,
    merge_request: MergeRequest,
    by: User | None = None,
    **fields: Unpack[MergeRequestChanges],
) -> MergeRequest:
    """Change the state and the fields that go with it, as the caller unless ``by`` names another user."""
    table = ctx.world.merge_requests
    changed = table.change(merge_request, updated_at=ctx.now_iso, **fields)
    signals.merge_request_state_changed.send(ctx, merge_request, changed, by or ctx.user)
    # Receivers of the signal may have changed the record once more.
    return table[changed.id]


def is_first_contribution(world: World, merge_request: MergeRequest) -> bool:
    """Return whether the author has no merged merge request in the project, and, earlier, is at most Guest of it."""
    project, author_id = world.projects[merge_request.project_id], merge_request.author_id
    if not world.profile.has(MEMBERS_CONTRIBUTE_FIRST) and project_level(world, project, author_id) > Level.GUEST:
        return False
    authored = world.merge_requests.where("author", author_id)
    merged = [each for each in authored if each.project_id == project.id and each.state == "merged"]
    if world.profile.has(MEMBERS_CONTRIBUTE_FIRST) and merge_request.state == "merged":
        # What was true when it was merged stays.
        return all((each.merged_at or "") >= (merge_request.merged_at or "") for each in merged)
    return not merged


def list_project_merge_requests(world: World, project: Project) -> list[MergeRequest]:
    """Return all merge requests into a project, oldest first."""
    table = world.merge_requests
    return [table[id_] for id_ in iterate_bits(table.bits("facts", ("project", project.id)))]
