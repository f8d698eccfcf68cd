"""Merging: the checks in the platform's order, the commits of each method, and what follows.

Source: more on merge requests ('PUT .../merge').
"""

from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from fakeplat.core.errors import Conflict, NotAcceptable, NotAllowed, Unauthorized
from fakeplat.domain import closing, diff_versions, merge_checks, merge_requests, protection, repositories, resolving
from fakeplat.domain.issue_notes import sentence
from fakeplat.domain.namespaces import project_path
from fakeplat.domain.repositories import person
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import caller, can

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects

BRANCH_CANNOT_BE_MERGED: Final = "Branch cannot be merged"
NOT_MERGEABLE: Final = "Merge request is not mergeable"
MUST_BE_REBASED: Final = "Only fast-forward merge is allowed for your project. Please update your source branch"
OTHER_HEAD: Final = "SHA does not match HEAD of source branch: {}"
NO_CANCEL: Final = "Can't cancel the automatic merge"
_ACTIVE: Final = ("created", "waiting_for_resource", "preparing", "pending", "running", "scheduled")


@frozen
class Wishes:
    """How somebody wants it merged; None: as the merge request says."""

    merge_commit_message: str | None = None
    squash_commit_message: str | None = None
    squash: bool | None = None
    should_remove_source_branch: bool | None = None
    merge_when_pipeline_succeeds: bool = False
    sha: str | None = None


def accept(cx: Doing, merge_request: MergeRequest, wishes: Wishes) -> MergeRequest:
    """Merge now, or when the pipeline succeeds: 401, 405, 406 and 409 in this order for what keeps it from that.

    Where the project only allows what no fast forward can do, it stays open with the text in ``merge_error``.
    """
    world = cx.world
    project = world.projects[merge_request.project_id]
    if not protection.may_merge(cx, project, merge_request.target_branch):
        raise Unauthorized(reason=lambda: f"{caller(cx)} may not merge into {merge_request.target_branch!r}")
    later = _allowed(cx, merge_request, project, wishes)
    merge_request = merge_checks.settle(cx, merge_request)
    if merge_request.merge_status == "cannot_be_merged":
        raise NotAcceptable(BRANCH_CANNOT_BE_MERGED, reason="source and target branch are in conflict")
    check_head(world, merge_request, wishes.sha)
    merge_request = _wished(cx, merge_request, wishes)
    if later:
        return cx.world.merge_requests.change(
            merge_request, merge_when_pipeline_succeeds=True, merge_user_id=cx.someone.id, updated_at=cx.instant
        )
    return merge(cx, merge_request, cx.someone)


def check_head(world: World, merge_request: MergeRequest, sha: str | None) -> None:
    """409 for who does not know the newest commit of the source branch."""
    head = diff_versions.head(world, merge_request)
    if sha and sha != head:
        raise Conflict(OTHER_HEAD.format(head), reason=f"the caller knows {sha}")


def _allowed(cx: Context, merge_request: MergeRequest, project: Project, wishes: Wishes) -> bool:
    """Whether it is to wait for the pipeline; 405 if it can neither be merged now nor wait."""
    why = obstacle(cx, merge_request)
    status = head_pipeline_status(cx.world, merge_request)
    if not wishes.merge_when_pipeline_succeeds:
        why = why or _obstacle_of_pipeline(project, status)
        if why:
            raise NotAllowed(reason=why)
        return False
    if status == "success" and not why:
        return False
    if status not in _ACTIVE or why:
        raise NotAllowed(reason=why or f"there is no active pipeline to wait for: {status or 'none'}")
    return True


def obstacle(cx: Context, merge_request: MergeRequest) -> str:
    """What keeps a merge request from being merged, but for pipelines and conflicts; empty if nothing does."""
    world, one = cx.world, merge_request
    project = world.projects[one.project_id]
    if not one.is_open:
        return f"it is {one.state}"
    if one.work_in_progress:
        return f"its title says that it is a draft: {one.title!r}"
    source, target = diff_versions.source_head(world, one), diff_versions.target_head(world, one)
    if source is None or target is None:
        return f"the branch {one.source_branch if source is None else one.target_branch!r} is not there"
    if _is_in(cx, project, source, target):
        return f"{one.target_branch!r} has all commits of {one.source_branch!r}"
    if project.only_allow_merge_if_all_discussions_are_resolved and not resolving.all_resolved(cx.world, one):
        return "not all discussions are resolved, as the project asks for"
    return ""


def _is_in(cx: Context, project: Project, source: str, target: str) -> bool:
    from fakeplat.git.writing import can_fast_forward

    return can_fast_forward(repositories.opened(cx.world, project).objects, source, target)


def _obstacle_of_pipeline(project: Project, status: str | None) -> str:
    if not project.only_allow_merge_if_pipeline_succeeds:
        return ""
    if status == "success" or (status == "skipped" and project.allow_merge_on_skipped_pipeline):
        return ""
    return f"the pipeline must succeed, as the project asks for: {status or 'there is none'}"


def head_pipeline_status(world: World, merge_request: MergeRequest) -> str | None:
    """The status of the newest commit's pipeline; None where there is none."""
    del world, merge_request
    return None


def _wished(cx: Doing, merge_request: MergeRequest, wishes: Wishes) -> MergeRequest:
    names = ("merge_commit_message", "squash_commit_message", "squash", "should_remove_source_branch")
    said = {name: value for name in names if (value := getattr(wishes, name)) is not None}
    return cx.world.merge_requests.change(merge_request, merge_error=None, **said)


def merge(cx: Doing, merge_request: MergeRequest, by: User) -> MergeRequest:
    """Make the commits, move the target branch, and do all that follows. Nobody's rights are asked."""
    world, table = cx.world, cx.world.merge_requests
    project = world.projects[merge_request.project_id]
    refs = diff_versions.standing(world, merge_request)
    if refs is None or _must_be_rebased(cx, project, refs):
        return table.change(merge_request, merge_error=NOT_MERGEABLE if refs is None else MUST_BE_REBASED)
    closes = closing.of(cx, merge_request)
    made = _Commits(cx, project, merge_request, refs, by).made(closes)
    locked = table.change(merge_request, state="locked")
    repositories.move(cx, project, {BRANCHES + merge_request.target_branch: made.target}, by)
    locked = table[locked.id]
    merged = merge_requests.come_to(
        cx,
        locked,
        "merged",
        by,
        merged_at=cx.instant,
        merged_by_id=by.id,
        merge_commit_sha=made.merge,
        squash_commit_sha=made.squash,
        merge_when_pipeline_succeeds=False,
        merge_status="can_be_merged",
    )
    closing.close(cx, project, closes, by)
    _remove_source(cx, merged, by)
    return table[merged.id]


def _must_be_rebased(cx: Context, project: Project, refs: DiffRefs) -> bool:
    return project.merge_method != "merge" and not _is_in(cx, project, refs.start, refs.head)


@frozen
class Made:
    """The commits of a merge: where the target goes, the merge commit and the squashed one, where there are such."""

    target: str
    merge: str | None
    squash: str | None


@frozen
class _Commits:
    cx: Doing
    project: Project
    merge_request: MergeRequest
    refs: DiffRefs
    by: User

    def made(self, closes: list[Issue]) -> Made:
        """Made now."""
        from fakeplat.git import writing

        squashed = self._squashed() if self.merge_request.squash else None
        source = squashed or self.refs.head
        if self.project.merge_method == "ff":
            return Made(source, None, squashed)
        message = self.merge_request.merge_commit_message or merge_message(self.cx, self.merge_request, closes)
        merged = writing.merge(self._objects, self.refs.start, source, message, person(self.cx, self.by))
        return Made(merged, merged, squashed)

    def _squashed(self) -> str:
        from fakeplat.git import writing

        world, one = self.cx.world, self.merge_request
        commits = diff_versions.commits(world, one, self.refs)
        wanted = one.squash_commit_message
        if len(commits) == 1 and wanted in (None, commits[0].commit.message):
            return self.refs.head
        author = world.users.get(one.author_id) or self.by
        message = wanted or one.title
        return writing.squash(
            self._objects,
            self.refs.base,
            self.refs.head,
            message,
            person(self.cx, author),
            person(self.cx, self.by),
        )

    @property
    def _objects(self) -> "Objects":
        return repositories.opened(self.cx.world, self.project).objects


def merge_message(cx: Context, merge_request: MergeRequest, closes: list[Issue]) -> str:
    """What a merge commit says unless something else is wanted."""
    project = cx.world.projects[merge_request.project_id]
    named = [f"#{one.iid}" if one.project_id == project.id else _full(cx.world, one) for one in closes]
    parts = [
        f"Merge branch '{merge_request.source_branch}' into '{merge_request.target_branch}'",
        merge_request.title,
        f"Closes {sentence(named)}" if named else "",
        f"See merge request {project_path(cx.world, project)}!{merge_request.iid}",
    ]
    return "\n\n".join(part for part in parts if part)


def _full(world: World, issue: Issue) -> str:
    return f"{project_path(world, world.projects[issue.project_id])}#{issue.iid}"


def _remove_source(cx: Doing, merged: MergeRequest, by: User) -> None:
    """Remove the source branch where that is wanted, and nothing speaks against it."""
    wanted = merged.should_remove_source_branch
    wanted = bool(merged.force_remove_source_branch) if wanted is None else wanted
    source = cx.world.projects.get(merged.source_project_id) if merged.source_project_id is not None else None
    if not wanted or source is None:
        return
    branch = merged.source_branch
    user = cx.world.users.get(merged.author_id) if merged.force_remove_source_branch else by
    remover = cx.as_user(user or by)
    stands = diff_versions.source_head(cx.world, merged) == diff_versions.head(cx.world, merged)
    protected = branch == source.default_branch or protection.branches_over(cx.world, source, branch)
    if stands and not protected and can(remover, May.PUSH_CODE, source):
        repositories.move(cx, source, {BRANCHES + branch: None}, by)


def cancel(cx: Doing, merge_request: MergeRequest) -> dict[str, Any]:
    """Wait no more for the pipeline; the body says how that went. 401 for who may not merge and did not write it."""
    project = cx.world.projects[merge_request.project_id]
    may = protection.may_merge(cx, project, merge_request.target_branch)
    if not may and cx.someone.id != merge_request.author_id:
        raise Unauthorized(reason=lambda: f"{caller(cx)} neither wrote it nor may merge it")
    if not merge_request.merge_when_pipeline_succeeds:
        return {"message": NO_CANCEL, "status": "error", "http_status": 406}
    wait_no_more(cx, merge_request)
    return {"status": "success"}


def wait_no_more(cx: Doing, merge_request: MergeRequest) -> MergeRequest:
    """It is not to be merged by itself any more."""
    return cx.world.merge_requests.change(
        merge_request,
        merge_when_pipeline_succeeds=False,
        merge_user_id=None,
        should_remove_source_branch=None,
        merge_commit_message=None,
        squash_commit_message=None,
    )
