"""Merge requests: making, changing, closing, reopening and removing them. Source: docs/platform/merge-requests.md."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.gc_pause import gc_paused
from fakeplat.core.operations.errors import Conflict, Forbidden, RecordNotFound, Unprocessable
from fakeplat.core.store import records
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain import signals
from fakeplat.domain.merge_requests import closing_issues as closing
from fakeplat.domain.merge_requests import diff_versions, merge_checks
from fakeplat.domain.notes import noteables
from fakeplat.domain.planning import issuable_fields as planning
from fakeplat.domain.repository import protection
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.levels import Level, rank
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import project_level

KIND: Final = "merge_request"
SAME_BRANCH: Final = "You can't use same project/branch for source and target"
NO_FORK: Final = "Source project is not a fork of the target project"
TAKEN: Final = "Another open merge request already exists for this source branch: !{}"
GONE: Final = "Source branch {} does not exist"
_ADMINISTERED: Final = (
    "assignee_ids",
    "assignee_id",
    "labels",
    "add_labels",
    "remove_labels",
    "milestone_id",
    "discussion_locked",
)


def create(ctx: WriteContext, source: Project, author: User, **given: Any) -> MergeRequest:
    """Make a merge request of a project's branch. Takes the platform's parameters of POST.

    403 for a target that the author may not ask to merge into, 404 for one that is not there, 422 for one that the
    source has nothing to do with or that is the source itself, 409 where the same is open already, 400 for a bad title.
    What the author may not set is left out without a word.
    """
    from fakeplat.domain.quick_actions import quick_actions  # quick actions know merge requests

    target = _target(ctx, source, given.pop("target_project_id", None))
    given, orders = quick_actions.from_description(ctx, KIND, permitted_params(ctx, target, given))
    fields = _fields(ctx, target, given, ())
    plan = quick_actions.plan_commands(ctx, KIND, target, None, orders, fields)
    fields = {**fields, **plan.fields, "source_project_id": source.id, "author_id": author.id}
    _check_ends(ctx.world, source, target, fields["source_branch"], fields["target_branch"])
    _faults(fields).refuse()
    if fields.get("allow_collaboration"):
        fields["allow_collaboration"] = may_collaborate(ctx, source, target, fields["source_branch"])
    (made,) = create_many(ctx, target, [fields])
    diff_versions.add_version(ctx, made, at=made.created_at)
    made = name_closed(ctx, made)
    merge_checks.schedule_check(ctx, made)
    signals.merge_request_created.send(ctx, made)
    ctx.emit("merge_request_created", made)
    done: MergeRequest = plan.carry_out(ctx, ctx.world.merge_requests[made.id])
    return done


def _target(ctx: WriteContext, source: Project, id_: int | None) -> Project:
    target = source if id_ is None else ctx.world.projects.get(id_)
    if target is None:
        raise RecordNotFound(reason=f"no project has the id {id_}")
    if not can(ctx, Ability.READ_MERGE_REQUESTS, target) or not can(ctx, Ability.CREATE_MERGE_REQUEST_IN, target):
        raise Forbidden(
            reason=lambda: f"{caller_name(ctx)} may make no merge requests in {describe(ctx.world, target)}"
        )
    return target


def _check_ends(
    world: World, source: Project, target: Project, source_branch: str, target_branch: str, own: int = 0
) -> None:
    """422 and 409 for branches between which nothing, or nothing more, can be merged."""
    if source.id == target.id and source_branch == target_branch:
        raise Unprocessable([SAME_BRANCH])
    if source.id != target.id and fork_network_id(world, source) != fork_network_id(world, target):
        raise Unprocessable([NO_FORK], reason=lambda: f"{describe(world, source)} and {describe(world, target)}")
    twin = find_open_duplicate(world, source.id, target.id, source_branch, target_branch, own)
    if twin is not None:
        raise Conflict([TAKEN.format(twin.iid)])


def find_open_duplicate(
    world: World, source_id: int | None, target_id: int, source_branch: str, target_branch: str, own: int = 0
) -> MergeRequest | None:
    """The open merge request between two branches, other than one's own."""
    found = world.merge_requests.where("open_from", (source_id, source_branch))
    here = (one for one in found if (one.project_id, one.target_branch) == (target_id, target_branch))
    return next((one for one in here if one.id != own), None)


def fork_network_id(world: World, project: Project) -> int:
    """The id of the project from which a project and all its relatives were forked."""
    seen = {project.id}
    while project.forked_from_id is not None and project.forked_from_id not in seen:
        parent = world.projects.get(project.forked_from_id)
        if parent is None:
            break
        project = parent
        seen.add(project.id)
    return project.id


def may_collaborate(ctx: ReadContext, source: Project, target: Project, branch: str) -> bool:
    """Whether those who may merge can be let push to a fork's branch: both are visible, it is not protected."""
    hidden = rank("private")
    return (
        source.id != target.id
        and rank(source.visibility) > hidden
        and rank(target.visibility) > hidden
        and not protection.list_branch_rules(ctx.world, source, branch)
        and can(ctx, Ability.PUSH_CODE, source)
    )


def create_many(ctx: WriteContext, project: Project, rows: Sequence[Mapping[str, Any]]) -> list[MergeRequest]:
    """Make merge requests into a project from fields of the record; nobody's rights are asked."""
    if not rows:
        return []
    table, now = ctx.world.merge_requests, ctx.now_iso
    numbered = zip(count(table.next_id()), _iids(ctx.world, project, rows), rows, strict=False)
    with gc_paused():
        made = [MergeRequest(**_settled(id_, iid, project.id, now, row)) for id_, iid, row in numbered]
        table.add_many(made)
    return made


def _iids(world: WorldDraft, project: Project, rows: Iterable[Mapping[str, Any]]) -> list[int]:
    """The number of each new one: its own, or the next after all that the project had."""
    found, last = [], world.count_of(KIND, project.id)
    for row in rows:
        iid = row.get("iid")
        found.append(last + 1 if iid is None else iid)
        last = max(last, found[-1])
    world.raise_to(last, KIND, project.id)
    return found


def _settled(id_: int, iid: int, project_id: int, now: str, row: Mapping[str, Any]) -> dict[str, Any]:
    settled = {**row, "id": id_, "iid": iid, "project_id": project_id}
    settled.setdefault("updated_at", settled.setdefault("created_at", now))
    return settled


def permitted_params(ctx: ReadContext, project: Project, given: Mapping[str, Any]) -> dict[str, Any]:
    """What of the given parameters the caller may set; the rest is dropped as the platform does it."""
    dropped = set() if can(ctx, Ability.ADMIN_MERGE_REQUEST, project) else {*_ADMINISTERED}
    if not has_feature(ctx.world, "premium", project) or project.disable_overriding_approvers_per_merge_request:
        dropped.add("approvals_before_merge")
    return {name: value for name, value in given.items() if name not in dropped}


def _faults(fields: Mapping[str, Any]) -> ValidationErrors:
    faults = ValidationErrors()
    for name in ("source_branch", "target_branch", "title"):
        if name in fields:
            faults.when(not fields[name].strip(), name, BLANK)
    too_long(faults, "title", fields.get("title"))
    too_long(faults, "description", fields.get("description"), 1_048_576)
    return faults


def _fields(ctx: WriteContext, project: Project, given: dict[str, Any], before: tuple[int, ...]) -> dict[str, Any]:
    """Parameters as the record's fields."""
    fields = {**given}
    assignees = planning.assignee_ids(ctx, project, fields, Ability.READ_MERGE_REQUESTS)
    if assignees is not None:
        fields["assignee_ids"] = assignees
    chosen = planning.label_ids(ctx, project, fields, before)
    if chosen is not None:
        fields["label_ids"] = chosen
    if "milestone_id" in fields:
        fields["milestone_id"] = planning.milestone_id(ctx.world, project, fields["milestone_id"])
    return fields


def update(ctx: WriteContext, merge_request: MergeRequest, **given: Any) -> MergeRequest:
    """Change a merge request; ``state_event``: close or reopen. What the caller may not set is left out."""
    from fakeplat.domain.quick_actions import quick_actions  # quick actions know merge requests

    world = ctx.world
    project = world.projects[merge_request.project_id]
    given, orders = quick_actions.from_description(ctx, KIND, permitted_params(ctx, project, given))
    event = given.pop("state_event", None)
    if merge_request.state == "merged":
        given.pop("target_branch", None)
    source = _source(world, merge_request)
    if "allow_collaboration" in given:
        branch = merge_request.source_branch
        ability = source is not None and may_collaborate(ctx, source, project, branch)
        given["allow_collaboration"] = bool(given["allow_collaboration"]) and ability
    if source is None or not can(ctx, Ability.PUSH_CODE, source):
        given.pop("force_remove_source_branch", None)
    _check_target(world, merge_request, given.get("target_branch"))
    fields = _fields(ctx, project, given, merge_request.label_ids)
    plan = quick_actions.plan_commands(ctx, KIND, project, merge_request, orders, fields)
    changed = change_fields(ctx, merge_request, {**fields, **plan.fields})
    if event is not None:
        changed = close(ctx, changed) if event == "close" else reopen(ctx, changed)
    done: MergeRequest = plan.carry_out(ctx, changed)
    return done


def _check_target(world: World, merge_request: MergeRequest, branch: str | None) -> None:
    source = _source(world, merge_request)
    if branch in (None, merge_request.target_branch) or source is None or branch is None:
        return
    target, own = world.projects[merge_request.project_id], merge_request.id
    if merge_request.is_open:
        _check_ends(world, source, target, merge_request.source_branch, branch, own)
    elif source.id == target.id and merge_request.source_branch == branch:
        raise Unprocessable([SAME_BRANCH])


def _source(world: World, merge_request: MergeRequest) -> Project | None:
    return world.projects.get(merge_request.source_project_id) if merge_request.source_project_id else None


def change_fields(ctx: WriteContext, merge_request: MergeRequest, fields: Mapping[str, Any]) -> MergeRequest:
    """Give fields of the record other values, and follow what that means; nobody's rights are asked."""
    _faults(fields).refuse()
    differs = {name: value for name, value in fields.items() if getattr(merge_request, name) != value}
    if differs.keys() <= {"updated_at"}:
        return merge_request
    stamped = fields.get("updated_at") or ctx.now_iso
    changed = ctx.world.merge_requests.replace(
        merge_request, records.evolve_record(merge_request, **{**differs, "updated_at": stamped})
    )
    if "target_branch" in differs:
        changed = _retargeted(ctx, changed)
    if differs.keys() & {"target_branch", "title", "description"}:
        changed = name_closed(ctx, changed)
    signals.merge_request_changed.send(ctx, merge_request, changed)
    ctx.emit("merge_request_updated", changed)
    return ctx.world.merge_requests[changed.id]


def _retargeted(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """It goes elsewhere: it differs in another way, and it is to be checked anew."""
    diff_versions.add_version(ctx, merge_request)
    fresh = merge_checks.mark_unchecked(ctx, merge_request)
    if fresh.is_open:
        merge_checks.schedule_check(ctx, fresh)
    return fresh


def name_closed(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Note anew which issues it wants closed that who changes it sees, while it is open and its project has issues."""
    if not merge_request.is_open or ctx.world.projects[merge_request.project_id].issues_access_level == "disabled":
        return merge_request
    reader = ctx.as_user(ctx.user or ctx.world.users[merge_request.author_id])
    ids = tuple(
        issue.id for issue in closing.read_closing_issues(ctx, merge_request) if noteables.is_visible(reader, issue)
    )
    return ctx.world.merge_requests.change(merge_request, closes_ids=ids)


def close(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Close; one that is not open stays as it is."""
    if not merge_request.is_open:
        return merge_request
    now, user = ctx.now_iso, ctx.user
    return set_state(ctx, merge_request, "closed", closed_at=now, closed_by_id=user.id if user else None)


def reopen(ctx: WriteContext, merge_request: MergeRequest) -> MergeRequest:
    """Reopen; only a closed one is not left as it is. 409 where the same is open, or the source branch is gone."""
    world = ctx.world
    if merge_request.state != "closed":
        return merge_request
    source = _source(world, merge_request)
    if source is None or diff_versions.is_missing_source(world, merge_request):
        raise Conflict([GONE.format(merge_request.source_branch)])
    target = world.projects[merge_request.project_id]
    _check_ends(world, source, target, merge_request.source_branch, merge_request.target_branch, merge_request.id)
    opened = set_state(ctx, merge_request, "opened", closed_at=None, closed_by_id=None)
    refs = diff_versions.latest_refs(world, opened)
    if refs is None or refs.head != diff_versions.source_head(world, opened):
        diff_versions.add_version(ctx, opened)
    opened = merge_checks.mark_unchecked(ctx, name_closed(ctx, opened))
    merge_checks.schedule_check(ctx, opened)
    return opened


def set_state(
    ctx: WriteContext, merge_request: MergeRequest, state: str, by: User | None = None, **fields: Any
) -> MergeRequest:
    """Move to another state, in the name of who asks unless another is named."""
    table = ctx.world.merge_requests
    moved = table.change(merge_request, state=state, updated_at=ctx.now_iso, **fields)
    signals.merge_request_state_changed.send(ctx, moved, by or ctx.user)
    ctx.emit({"opened": "merge_request_reopened"}.get(state, f"merge_request_{state}"), moved)
    return table[moved.id]


def is_first_contribution(world: World, merge_request: MergeRequest) -> bool:
    """Whether its author is at most Guest of the project and has no merged merge request there."""
    project, author_id = world.projects[merge_request.project_id], merge_request.author_id
    if project_level(world, project, author_id) > Level.GUEST:
        return False
    written = world.merge_requests.where("author", author_id)
    return not any(one.project_id == project.id and one.state == "merged" for one in written)


def list_project_merge_requests(world: World, project: Project) -> list[MergeRequest]:
    """All merge requests into a project, the oldest first."""
    table = world.merge_requests
    return [table[id_] for id_ in iterate_bits(table.bits("facts", ("project", project.id)))]
