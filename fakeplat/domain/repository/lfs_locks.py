"""Locks of files with Git LFS. Source: docs/platform/git-over-http.md ('LFS locks')."""

from collections.abc import Sequence

from fakeplat.domain.repository.push_rule_checks import RefChange, list_changed_files, list_new_commits
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, LfsLock
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import LOCKS_NAME_USERNAMES
from fakeplat.policy.context import ReadContext, WriteContext


def list_locks(world: World, project: Project, *, path: str = "", id_: int | None = None) -> Sequence[LfsLock]:
    """Return the locks of a project by id; with ``path`` or ``id_``, only the one that has it."""
    locks = sorted(world.lfs_locks.where("project", project.id), key=lambda lock: lock.id)
    return [lock for lock in locks if path in ("", lock.path) and id_ in (None, lock.id)]


def find_lock(world: World, project: Project, path: str) -> LfsLock | None:
    """Return the lock of a path; None if it is not locked."""
    return world.lfs_locks.find("place", (project.id, path))


def add_lock(ctx: WriteContext, project: Project, user: User, path: str, created_at: str | None = None) -> LfsLock:
    """Lock a path that is not locked."""
    table = ctx.world.lfs_locks
    return table.add(LfsLock(table.next_id(), project.id, user.id, path, created_at or ctx.now_iso))


def can_unlock(ctx: ReadContext, project: Project, lock: LfsLock, user: User, *, force: bool) -> bool:
    """Return whether a user may remove a lock: their own, or with force as a Maintainer."""
    return lock.user_id == user.id or (force and can(ctx, Ability.ADMIN_PROJECT, project))


def explain_push_objection(ctx: WriteContext, project: Project, change: RefChange) -> str:
    """Return the objection to a pushed branch that changes a file which somebody else has locked; empty if none."""
    locks = {lock.path: lock for lock in ctx.world.lfs_locks.where("project", project.id)}
    if not locks or not project.lfs_enabled or change.new is None or not change.name.startswith(BRANCHES):
        return ""
    for commit in list_new_commits(change):
        for diff in list_changed_files(change.objects, commit):
            lock = locks.get(diff.new_path) or locks.get(diff.old_path)
            if lock is not None and (ctx.user is None or lock.user_id != ctx.user.id):
                return _explain(ctx, lock)
    return ""


def _explain(ctx: ReadContext, lock: LfsLock) -> str:
    user = ctx.world.users[lock.user_id]
    if ctx.profile.has(LOCKS_NAME_USERNAMES):
        return f"'{lock.path}' is locked in Git LFS by @{user.username}"
    return f"The path '{lock.path}' is locked in Git LFS by {user.name}"
