"""Checks and effects of pushes with git.

The platform checks all refs of a push before it moves any; one objection declines the whole push. Source:
docs/platform/git-over-http.md, docs/platform/protected-branches-and-tags.md.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from attrs import define, field

from fakeplat.domain.repository import change_checks, lfs, protection, push_rule_checks, repositories, size_limits
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, INTERNAL_REFS, TAGS
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import MAINTAINERS_DELETE_PROTECTED_TAGS
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.packs import Limits
    from fakeplat.git.receive_pack import PushResult, RefUpdate

DECLINED: Final = "pre-receive hook declined"
_HIDDEN: Final = "deny updating a hidden ref"
_NOT_ALLOWED: Final = "You are not allowed to push code to this project."
_DEFAULT: Final = protection.CANNOT_DELETE_DEFAULT_BRANCH
_FORCED: Final = "You are not allowed to force push code to a protected branch on this project."
_PROTECTED: Final = "You are not allowed to push code to protected branches on this project."
_NEW: Final = protection.CANNOT_CREATE_BRANCH
_NEW_FROM_NEW: Final = "You can only use an existing protected branch ref as the basis of a new protected branch."
_NEW_HERE: Final = "You can only create protected branches using the web interface and API."
_DELETED: Final = protection.CANNOT_DELETE_BRANCH
_DELETED_HERE: Final = protection.DELETE_BRANCH_ON_WEB_ONLY
_TAG_MOVED: Final = "Protected tags cannot be updated."
_TAG_DELETED: Final = protection.CANNOT_DELETE_TAG
_TAG_DELETED_HERE: Final = "You can only delete protected tags using the web interface."
_TAG_DELETED_BELOW: Final = (
    "You are not allowed to delete protected tags from this project. "
    "Only a project maintainer or owner can delete a protected tag."
)
_TAG_CREATED: Final = protection.CANNOT_CREATE_TAG
_LFS_MISSING: Final = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'


def receive_push(
    ctx: WriteContext, project: Project, body: bytes, list_messages: "Callable[[Sequence[RefUpdate]], Sequence[str]]"
) -> bytes:
    """Process a push and return the answer for git, with the messages about the refs that moved.

    Raises ``git.BadRequest`` for a malformed request.
    """
    from fakeplat.git.receive_pack import receive_pack

    check = _PushCheck(ctx, project)
    received = receive_pack(repositories.open_repository(ctx.world, project), body, check, pack_limits(ctx.world))
    check.objection = check.objection or _objection_to_new_size(ctx.world, project, received.updates)
    # Refs that passed before the objection was found are declined as well.
    if check.objection:
        _decline(received, check.checked_refs)
    if received.updates:
        new_hashes = {update.name: update.new for update in received.updates}
        repositories.move_refs(ctx, project, new_hashes, ctx.user, received.push_options)
    if check.objection:
        return received.answer([f"{ctx.instance.product_name}: {check.objection}"])
    return received.answer(list_messages(received.updates) if received.updates else [])


def _objection_to_new_size(world: World, project: Project, updates: "Sequence[RefUpdate]") -> str:
    tips = [update.new for update in updates if update.new]
    return size_limits.explain_objection_to_objects(world, project, updates[-1].after.objects, tips) if tips else ""


def pack_limits(world: World) -> "Limits":
    """Return the maximum pack size: as configured, else larger than any test should need."""
    from fakeplat.git.packs import Limits

    limit_mib = world.settings.receive_max_input_size
    # The setting is in MiB, the limit in bytes.
    return Limits() if limit_mib is None else Limits(compressed=limit_mib << 20)


def _decline(received: "PushResult", names: list[str]) -> None:
    received.refused.update(dict.fromkeys(names, DECLINED))
    received.updates = []


@define
class _PushCheck:
    """Check refs one by one, up to the first objection. ``checked_refs``: the refs that the objection declines."""

    ctx: WriteContext
    project: Project
    objection: str = ""
    checked_refs: list[str] = field(factory=list)

    def __call__(self, update: "RefUpdate") -> str | None:
        # Git itself refuses hidden refs one by one; only what follows is a hook, which declines the whole push.
        if update.name.startswith(INTERNAL_REFS):
            return _HIDDEN
        if not self.objection:
            self.objection = (
                self._objection_to_size(update)
                or _objection(self.ctx, self.project, update)
                or self._objection_to_pack(update)
                or change_checks.explain_objection(self.ctx, self.project, _as_change(update))
            )
        self.checked_refs.append(update.name)
        return DECLINED if self.objection else None

    def _objection_to_size(self, update: "RefUpdate") -> str:
        # A repository that is too large can be made smaller.
        return "" if update.is_deletion else size_limits.explain_push_objection(self.ctx.world, self.project)

    def _objection_to_pack(self, update: "RefUpdate") -> str:
        """Check the pack once per push, because all refs share it."""
        # Only the first ref checks the pack. ``update.after`` is the quarantine, which holds just the new objects.
        if self.checked_refs or lfs.has_all_objects(self.ctx.world, self.project, update.after.objects):
            return ""
        return _LFS_MISSING


def _as_change(update: "RefUpdate") -> push_rule_checks.RefChange:
    known = update.before.refs.values()
    return push_rule_checks.RefChange(update.name, update.new, update.after.objects, known, by_git=True)


def _objection(ctx: WriteContext, project: Project, update: "RefUpdate") -> str:
    """Return the platform's objection to moving a ref; empty if there is none."""
    if update.name.startswith(BRANCHES):
        branch = update.name.removeprefix(BRANCHES)
        # Unlike its protected branches, a project's other branches are open to every deploy key that may write.
        allowed = ctx.deploy_key is not None or protection.can_push_code(ctx, project, branch)
        return _objection_to_branch(ctx, project, update, branch) if allowed else _NOT_ALLOWED
    # Collaboration covers branches only. Other refs, such as ``refs/notes/``, need the ability and have no rules.
    if ctx.deploy_key is None and not can(ctx, Ability.PUSH_CODE, project):
        return _NOT_ALLOWED
    if update.name.startswith(TAGS):
        return _objection_to_tag(ctx, project, update, update.name.removeprefix(TAGS))
    return ""


def _objection_to_branch(ctx: WriteContext, project: Project, update: "RefUpdate", branch: str) -> str:
    if update.is_deletion and branch == project.default_branch:
        return _DEFAULT
    if not protection.list_branch_rules(ctx.world, project, branch):
        return ""
    if update.is_deletion:
        return _DELETED_HERE if can(ctx, Ability.ADMIN_PROTECTED, project) else _DELETED
    # Otherwise nobody may force a push to a protected branch, not even those who may push.
    is_forced = not update.is_creation and not update.is_fast_forward
    if is_forced and not protection.can_force_push(ctx.world, project, branch):
        return _FORCED
    if protection.can_push(ctx, project, branch):
        return ""
    return _objection_to_new(ctx, project, update, branch) if update.is_creation else _PROTECTED


def _objection_to_new(ctx: WriteContext, project: Project, update: "RefUpdate", branch: str) -> str:
    """Return the objection to a new branch that would be protected and that the caller may not push to."""
    if not protection.can_merge(ctx, project, branch):
        return _NEW
    # Whoever may only merge can create the branch from existing commits, but not with git.
    return _NEW_FROM_NEW if update.commits else _NEW_HERE


def _objection_to_tag(ctx: WriteContext, project: Project, update: "RefUpdate", tag: str) -> str:
    if not protection.list_tag_rules(ctx.world, project, tag):
        return ""
    if update.is_creation:
        is_allowed = ctx.deploy_key is not None or protection.can_create_tag(ctx, project, tag)
        return "" if is_allowed else _TAG_CREATED
    if not update.is_deletion:
        return _TAG_MOVED
    if not ctx.profile.has(MAINTAINERS_DELETE_PROTECTED_TAGS):
        return _TAG_DELETED
    return _TAG_DELETED_HERE if can(ctx, Ability.ADMIN_PROTECTED, project) else _TAG_DELETED_BELOW
