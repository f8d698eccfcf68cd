"""File locking of Git LFS. Source: docs/platform/git-over-http.md ('LFS locks')."""

from collections.abc import Iterable
from typing import Any, Final

import orjson

from fakeplat.api.repository.lfs import TYPE, LfsRefusal, area, authorize_lfs, read_json, render_json
from fakeplat.core.operations.http_messages import RawBody, Response
from fakeplat.core.params.params import Params
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import cut_milliseconds
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import lfs_locks, path_locks
from fakeplat.model.projects import Project
from fakeplat.model.repository import LfsLock
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import LOCKS_NAME_USERNAMES
from fakeplat.policy.context import ReadContext, WriteContext

_LOCKS: Final = "*project/info/lfs/locks"


class _LockRefusal(LfsRefusal):
    """A refusal with the lock that stands in the way, if there is one."""

    def __init__(self, ctx: ReadContext, status: int, message: str, **more: object) -> None:
        super().__init__(message)
        self._status = status
        self._body = {**more, "message": message, "documentation_url": f"{ctx.origin}/help"}

    def response(self) -> Response:
        """Return the refusal as a JSON response of the LFS media type."""
        headers = (("Content-Type", TYPE), ("Cache-Control", "no-cache"))
        return Response(self._status, headers, orjson.dumps(self._body))


class ListLfsLocks(Params):
    """Filters of the list of locks. The platform ignores the others that clients send."""

    path: str | None = None
    id: str | None = None
    refspec: str | None = None
    cursor: str | None = None
    limit: str | None = None


@area.operation("GET", _LOCKS, params=ListLfsLocks, refusals=(401, 403, 404), ours=True)
def list_lfs_locks(ctx: ReadContext, project: str, p: ListLfsLocks) -> RawBody:
    """List the locked files of a project."""
    container = authorize_lfs(ctx, project, Ability.DOWNLOAD_CODE)
    # As on the platform, an id that is no number names no lock.
    id_ = None if not p.id else parse_number(p.id) or 0
    locks = lfs_locks.list_locks(ctx.world, container, path=p.path or "", id_=id_)
    return render_json({"locks": _render_locks(ctx, locks)})


@area.operation("POST", f"{_LOCKS}/verify", status=200, reads=True, refusals=(401, 403, 404), ours=True)
def verify_lfs_locks(ctx: ReadContext, project: str) -> RawBody:
    """List the caller's locks and those of others, before a push."""
    container = authorize_lfs(ctx, project, Ability.PUSH_CODE)
    user, locks = ctx.signed_in_user, lfs_locks.list_locks(ctx.world, container)
    return render_json(
        {
            "ours": _render_locks(ctx, (lock for lock in locks if lock.user_id == user.id)),
            "theirs": _render_locks(ctx, (lock for lock in locks if lock.user_id != user.id)),
        }
    )


@area.operation("POST", _LOCKS, refusals=(401, 403, 404, 409, 422), ours=True)
def create_lfs_lock(ctx: WriteContext, project: str) -> RawBody:
    """Lock a file; 409 with the lock of a file that is locked."""
    container = authorize_lfs(ctx, project, Ability.PUSH_CODE)
    path = read_json(ctx).get("path")
    if not isinstance(path, str) or not path.strip():
        raise _LockRefusal(ctx, 422, "Validation failed: Path can't be blank")
    existing = lfs_locks.find_lock(ctx.world, container, path)
    if existing is not None:
        raise _LockRefusal(ctx, 409, "already locked", lock=_render_lock(ctx, existing))
    lock = lfs_locks.add_lock(ctx, container, ctx.signed_in_user, path)
    path_locks.follow_lfs_lock(ctx, container, lock)
    return render_json({"lock": _render_lock(ctx, lock)}, 201)


@area.operation("POST", f"{_LOCKS}/:lock_id/unlock", status=200, refusals=(401, 403, 404, 422), ours=True)
def delete_lfs_lock(ctx: WriteContext, project: str, lock_id: str) -> RawBody:
    """Delete the lock of a file; that of somebody else with ``force``, as a Maintainer."""
    container = authorize_lfs(ctx, project, Ability.PUSH_CODE)
    is_forced = read_json(ctx).get("force") is True
    locks = lfs_locks.list_locks(ctx.world, container, id_=parse_number(lock_id) or 0)
    if not locks:
        raise _LockRefusal(ctx, 404, "Lock not found")
    return _unlock(ctx, container, locks[0], is_forced=is_forced)


def _unlock(ctx: WriteContext, project: Project, lock: LfsLock, *, is_forced: bool) -> RawBody:
    if lfs_locks.can_unlock(ctx, project, lock, ctx.signed_in_user, force=is_forced):
        rendered = _render_lock(ctx, lock)
        purge(ctx, lock)
        path_locks.follow_lfs_unlock(ctx, project, lock.path)
        return render_json({"lock": rendered})
    if is_forced:
        raise _LockRefusal(ctx, 403, "You must have maintainer access to force delete a lock")
    if ctx.profile.has(LOCKS_NAME_USERNAMES):
        raise _LockRefusal(ctx, 403, f"'{lock.path}' is locked by @{ctx.world.users[lock.user_id].username}")
    raise _LockRefusal(ctx, 403, f"{lock.path} is locked by {ctx.instance.product_name} User {lock.user_id}")


def _render_locks(ctx: ReadContext, locks: Iterable[LfsLock]) -> list[dict[str, Any]]:
    return [_render_lock(ctx, lock) for lock in locks]


def _render_lock(ctx: ReadContext, lock: LfsLock) -> dict[str, Any]:
    return {
        "path": lock.path,
        "id": str(lock.id),
        # Without milliseconds, unlike the times of the API.
        "locked_at": cut_milliseconds(lock.created_at),
        "owner": {"name": ctx.world.users[lock.user_id].name},
    }
