"""What a push with git may do to branches and tags, and what becomes of it.

The platform looks at a push before any ref moves, and one objection declines all of it. Source:
docs/platform/git-over-http.md, docs/platform/protected-branches-and-tags.md.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from attrs import define, field

from fakeplat.domain.repository import lfs, protection, repositories
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, TAGS
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.packs import Limits
    from fakeplat.git.receive_pack import Received, RefUpdate

DECLINED: Final = "pre-receive hook declined"
_PLATFORMS: Final = ("refs/keep-around/", "refs/merge-requests/", "refs/environments/", "refs/pipelines/", "refs/tmp/")
_HIDDEN: Final = "deny updating a hidden ref"
_NOT_ALLOWED: Final = "You are not allowed to push code to this project."
_DEFAULT: Final = protection.DEFAULT_STAYS
_FORCED: Final = "You are not allowed to force push code to a protected branch on this project."
_PROTECTED: Final = "You are not allowed to push code to protected branches on this project."
_NEW: Final = protection.NO_NEW_BRANCH
_NEW_FROM_NEW: Final = "You can only use an existing protected branch ref as the basis of a new protected branch."
_NEW_HERE: Final = "You can only create protected branches using the web interface and API."
_DELETED: Final = protection.BRANCH_STAYS
_DELETED_HERE: Final = protection.BRANCH_STAYS_HERE
_TAG_MOVED: Final = "Protected tags cannot be updated."
_TAG_DELETED: Final = protection.TAG_STAYS
_TAG_CREATED: Final = protection.NO_NEW_TAG
_LFS_MISSING: Final = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'


def receive_push(ctx: WriteContext, project: Project, body: bytes, messages: Sequence[str] = ()) -> bytes:
    """Take in what git sent, and answer it with messages where it moved something.

    ``git.BadRequest`` for bytes that are not the protocol.
    """
    from fakeplat.git.receive_pack import receive_pack

    judge = _Judge(ctx, project)
    received = receive_pack(repositories.open_repository(ctx.world, project), body, judge, pack_limits(ctx.world))
    if judge.objection:
        _decline(received, judge.judged)
    if received.updates:
        moved = {update.name: update.new for update in received.updates}
        repositories.move_refs(ctx, project, moved, ctx.user, received.push_options)
    if judge.objection:
        return received.answer([f"{ctx.instance.product_name}: {judge.objection}"])
    return received.answer(messages if received.updates else [])


def pack_limits(world: World) -> "Limits":
    """How large a pack may be: what the settings say, else a size that no test should reach."""
    from fakeplat.git.packs import Limits

    most = world.settings.receive_max_input_size
    return Limits() if most is None else Limits(compressed=most << 20)


def _decline(received: "Received", names: list[str]) -> None:
    received.refused.update(dict.fromkeys(names, DECLINED))
    received.updates = []


@define
class _Judge:
    """Looks at one ref after the other, up to the first objection. ``judged``: the refs that the objection declines."""

    ctx: WriteContext
    project: Project
    objection: str = ""
    judged: list[str] = field(factory=list)

    def __call__(self, update: "RefUpdate") -> str | None:
        if update.name.startswith(_PLATFORMS):
            return _HIDDEN
        if not self.objection:
            self.objection = _objection(self.ctx, self.project, update) or self._objection_to_pack(update)
        self.judged.append(update.name)
        return DECLINED if self.objection else None

    def _objection_to_pack(self, update: "RefUpdate") -> str:
        """What came with all refs together is looked at once."""
        if self.judged or lfs.has_all(self.ctx.world, self.project, update.after.objects):
            return ""
        return _LFS_MISSING


def _objection(ctx: WriteContext, project: Project, update: "RefUpdate") -> str:
    """What the platform has against moving a ref, in its words; empty if nothing."""
    if update.name.startswith(BRANCHES):
        branch = update.name.removeprefix(BRANCHES)
        allowed = protection.can_push_code(ctx, project, branch)
        return _objection_to_branch(ctx, project, update, branch) if allowed else _NOT_ALLOWED
    if not can(ctx, Ability.PUSH_CODE, project):
        return _NOT_ALLOWED
    if update.name.startswith(TAGS):
        return _objection_to_tag(ctx, project, update, update.name.removeprefix(TAGS))
    return ""


def _objection_to_branch(ctx: WriteContext, project: Project, update: "RefUpdate", branch: str) -> str:
    if update.deletes and branch == project.default_branch:
        return _DEFAULT
    if not protection.list_branch_rules(ctx.world, project, branch):
        return ""
    if update.deletes:
        return _DELETED_HERE if can(ctx, Ability.ADMIN_PROTECTED, project) else _DELETED
    if not update.creates and not update.is_fast_forward:
        return _FORCED
    if protection.can_push(ctx, project, branch):
        return ""
    return _objection_to_new(ctx, project, update, branch) if update.creates else _PROTECTED


def _objection_to_new(ctx: WriteContext, project: Project, update: "RefUpdate", branch: str) -> str:
    """A branch that is protected as soon as it is there, and that the caller may not push to."""
    if not protection.can_merge(ctx, project, branch):
        return _NEW
    return _NEW_FROM_NEW if update.commits else _NEW_HERE


def _objection_to_tag(ctx: WriteContext, project: Project, update: "RefUpdate", tag: str) -> str:
    if not protection.list_tag_rules(ctx.world, project, tag):
        return ""
    if update.creates:
        return "" if protection.can_create_tag(ctx, project, tag) else _TAG_CREATED
    return _TAG_DELETED if update.deletes else _TAG_MOVED
