"""Locks of files and directories, which paid tiers have. Source: docs/platform/repository.md ('Path locks').

A lock protects its path on the default branch. That of a file in Git LFS is a lock of Git LFS as well.
"""

from collections.abc import Sequence

from fakeplat.core.operations.errors import Forbidden
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import lfs, lfs_locks, repositories
from fakeplat.domain.repository.push_rule_checks import RefChange, list_changed_files, list_new_commits
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, LfsLock, PathLock
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import LOCKS_NAME_USERNAMES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature


def list_locks(world: World, project: Project) -> Sequence[PathLock]:
    """Return the locks of a project that have an effect, by id: all in paid tiers, else none."""
    found = world.path_locks.where("project", project.id)
    return sorted(found, key=lambda lock: lock.id) if found and has_feature(world, "premium", project) else ()


def find_lock(world: World, project: Project, path: str) -> PathLock | None:
    """Return the lock of exactly this path; None if there is none."""
    return world.path_locks.find("place", (project.id, path))


def add_lock(ctx: WriteContext, project: Project, user: User, path: str, created_at: str | None = None) -> None:
    """Lock a path, unless that, a directory above it or something below it is locked."""
    locked = [lock.path for lock in ctx.world.path_locks.where("project", project.id)]
    if path and not any(_is_within(path, other) or _is_within(other, path) for other in locked):
        table = ctx.world.path_locks
        table.add(PathLock(table.next_id(), project.id, user.id, path, created_at or ctx.now_iso))


def _is_within(path: str, other: str) -> bool:
    """Return whether a path is another one, or in that directory."""
    return f"{path}/".startswith(f"{other.rstrip('/')}/")


def lock(ctx: WriteContext, project: Project, path: str) -> None:
    """Lock a path for the caller, with Git LFS too if that has the file."""
    user = ctx.signed_in_user
    add_lock(ctx, project, user, path)
    is_added = find_lock(ctx.world, project, path) is not None
    if is_added and _is_in_lfs(ctx, project, path) and lfs_locks.find_lock(ctx.world, project, path) is None:
        lfs_locks.add_lock(ctx, project, user, path)


def unlock(ctx: WriteContext, project: Project, lock: PathLock) -> None:
    """Remove a lock, with that of Git LFS; refused for other than its user below Maintainer."""
    if not can_unlock(ctx, project, lock):
        raise Forbidden(reason="only its user and Maintainers remove a lock")
    purge(ctx, lock)
    of_lfs = lfs_locks.find_lock(ctx.world, project, lock.path)
    if of_lfs is not None and _is_in_lfs(ctx, project, lock.path):
        purge(ctx, of_lfs)


def can_unlock(ctx: WriteContext, project: Project, lock: PathLock) -> bool:
    """Return whether the caller may remove a lock."""
    is_own = ctx.user is not None and lock.user_id == ctx.user.id
    return (is_own and can(ctx, Ability.PUSH_CODE, project)) or can(ctx, Ability.ADMIN_PROJECT, project)


def follow_lfs_lock(ctx: WriteContext, project: Project, locked: LfsLock) -> None:
    """Lock the path of a file that was locked with Git LFS, in tiers that have such locks."""
    if has_feature(ctx.world, "premium", project):
        add_lock(ctx, project, ctx.world.users[locked.user_id], locked.path, locked.created_at)


def follow_lfs_unlock(ctx: WriteContext, project: Project, path: str) -> None:
    """Unlock the path of a file that was unlocked with Git LFS."""
    found = find_lock(ctx.world, project, path)
    if found is not None:
        purge(ctx, found)


def _is_in_lfs(ctx: ReadContext, project: Project, path: str) -> bool:
    """Return whether the default branch has a pointer of Git LFS at a path."""
    if not project.lfs_enabled:
        return False
    git = repositories.open_repository(ctx.world, project)
    tip = git.find_branch(project.default_branch)
    entry = None if tip is None else git.entry(tip, path.rstrip("/"))
    return entry is not None and entry.kind == "blob" and lfs.parse_pointer(git.blob(entry.sha)) is not None


def explain_push_objection(ctx: WriteContext, project: Project, change: RefChange) -> str:
    """Return the objection to a change of the default branch that others have locked; empty if there is none."""
    if change.new is None or change.name != f"{BRANCHES}{project.default_branch}":
        return ""
    user_id = None if ctx.user is None else ctx.user.id
    locks = [lock for lock in list_locks(ctx.world, project) if lock.user_id != user_id]
    if not locks:
        return ""
    for commit in list_new_commits(change):
        for diff in list_changed_files(change.objects, commit):
            found = next((lock for lock in locks if _is_within(diff.new_path or diff.old_path, lock.path)), None)
            if found is not None:
                return _explain(ctx, found)
    return ""


def _explain(ctx: ReadContext, lock: PathLock) -> str:
    user = ctx.world.users[lock.user_id]
    if ctx.profile.has(LOCKS_NAME_USERNAMES):
        return f"'{lock.path}' is locked by @{user.username}"
    return f"The path '{lock.path}' is locked by {user.name}"
