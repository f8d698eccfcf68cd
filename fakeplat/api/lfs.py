"""Git LFS: large files by the basic transfer. Source: docs/platform/external.md ('Git LFS').

Transfers have addresses of their own, which a batch names; those of the API before batches are 501. Files cannot be
locked: the lists of locks are empty, and making one is 501.
"""

from typing import Any, ClassVar, Final, Literal

import orjson

from fakeplat.core.operations.errors import (
    GitForbidden,
    GitNotFound,
    OperationNotImplemented,
    PlainTextRefusal,
    Refusal,
)
from fakeplat.core.operations.http_messages import RawBody, Response
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.repository import git_access, lfs
from fakeplat.domain.repository import git_pushes as pushing
from fakeplat.entities import urls
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Git LFS", login=Login.NEVER, prefix="", basic=True)
TYPE: Final = "application/vnd.git-lfs+json"
_NOT_ALLOWED: Final = "Access forbidden. Check your access level."
_NOT_THERE: Final = "Object does not exist on the server or you don't have permissions to access it"
_DEPRECATED: Final = "Server supports batch API only, please update your Git LFS client to version 1.0.1 and up."
_CONTENT: Final = "application/octet-stream"
_MAY: Final = {"download": Ability.DOWNLOAD_CODE, "upload": Ability.PUSH_CODE}


class _InJson(PlainTextRefusal):
    """An answer to the LFS client, which shows its message."""

    def response(self) -> Response:
        """As the LFS client reads it."""
        headers = (("Content-Type", TYPE), ("Cache-Control", "no-cache"), *self.headers)
        return Response(self.status, headers, orjson.dumps({"message": self.payload}))


class _Forbidden(_InJson):
    status: ClassVar[int] = 403


class _NotFound(_InJson):
    status: ClassVar[int] = 404


class _TooLarge(_InJson):
    status: ClassVar[int] = 413


class _Unprocessable(_InJson):
    status: ClassVar[int] = 422


class _Deprecated(_InJson):
    status: ClassVar[int] = 501


@frozen
class _Wanted:
    """What a client asks a batch for."""

    act: Literal["download", "upload"]
    files: list[tuple[str, int]]


@area.operation(
    "POST", "*project/info/lfs/objects/batch", status=200, reads=True, refusals=(401, 403, 404, 422), ours=True
)
def list_lfs_transfers(ctx: ReadContext, project: str) -> RawBody:
    """List the actions to download or upload Git LFS objects."""
    sent = _sent(ctx)
    found = _admitted_to_batch(ctx, project, sent.get("operation"))
    wanted = _batch(sent)
    offer = _offer_download if wanted.act == "download" else _offer_upload
    return _shown(
        {"objects": [{"oid": oid, "size": size, **offer(ctx, found, oid, size)} for oid, size in wanted.files]}
    )


def _admitted_to_batch(ctx: ReadContext, path: str, operation: Any) -> Project:
    """As for the operation; of one that does not exist, who cannot fetch is refused as for a fetch, others with 403."""
    known = isinstance(operation, str) and operation in _MAY
    found = _admitted(ctx, path, _MAY[operation] if known else Ability.DOWNLOAD_CODE)
    if not known:
        raise _Forbidden(_NOT_ALLOWED, reason=f"operation {operation!r} is none of {', '.join(_MAY)}")
    return found


def _offer_download(ctx: ReadContext, project: Project, oid: str, size: int) -> dict[str, Any]:
    del size
    if lfs.find_object(ctx.world, project, oid) is None:
        return {"error": {"code": 404, "message": _NOT_THERE}}
    action = {"href": _place(ctx, project, oid), "header": _authorization(ctx)}
    open_to_all = can(ctx.as_anonymous(), Ability.DOWNLOAD_CODE, project)
    return {"actions": {"download": action}, **({"authenticated": True} if open_to_all else {})}


def _offer_upload(ctx: ReadContext, project: Project, oid: str, size: int) -> dict[str, Any]:
    """Nothing to do for what is here already."""
    if lfs.find_object(ctx.world, project, oid) is not None:
        return {}
    header = {**_authorization(ctx), "Content-Type": _CONTENT}
    return {"actions": {"upload": {"href": f"{_place(ctx, project, oid)}/{size}", "header": header}}}


def _place(ctx: ReadContext, project: Project, oid: str) -> str:
    return f"{urls.project_url(ctx, project)}.git/gitlab-lfs/objects/{oid}"


def _authorization(ctx: ReadContext) -> dict[str, str]:
    """The credentials of the batch request, which are good for its transfers too."""
    sent = ctx.request.headers.get("authorization") if ctx.request else None
    return {"Authorization": sent} if sent else {}


@area.operation("PUT", "*project/gitlab-lfs/objects/:oid/:size", refusals=(401, 403, 404, 413, 422), ours=True)
def upload_lfs_object(ctx: WriteContext, project: str, oid: str, size: str) -> RawBody:
    """Upload a Git LFS object; 422 if its hash or size differs."""
    found = _admitted(ctx, project, Ability.PUSH_CODE)
    content = ctx.request.body if ctx.request else b""
    most = pushing.pack_limits(ctx.world).compressed
    if len(content) > most:
        raise _TooLarge("The object is too large.", reason=f"the object has {len(content)} bytes; {most} are the most")
    if lfs.oid_of(content) != oid or number_of(size) != len(content):
        raise _Unprocessable(
            "SHA256 or size mismatch", reason=f"the body is not of {size} bytes with the SHA-256 {oid}"
        )
    lfs.store_object(ctx, found, oid, content)
    return RawBody(b"", "text/plain")


@area.operation("GET", "*project/gitlab-lfs/objects/:oid", refusals=(401, 403, 404), ours=True)
def download_lfs_object(ctx: ReadContext, project: str, oid: str) -> RawBody:
    """Download a Git LFS object."""
    found = _admitted(ctx, project, Ability.DOWNLOAD_CODE)
    there = lfs.find_object(ctx.world, found, oid)
    if there is None:
        raise _NotFound("Not found.", reason=f"the project has no large file {oid}")
    return RawBody(there.content, _CONTENT)


@area.operation("GET", "*project/info/lfs/objects/:oid", refusals=(501,), ours=True)
def get_lfs_object(ctx: ReadContext, project: str, oid: str) -> RawBody:
    """Refuse the legacy Git LFS API."""
    del ctx
    raise _Deprecated(_DEPRECATED, reason=f"{project}: {oid} is downloaded from where a batch says")


@area.operation("POST", "*project/info/lfs/objects", status=200, reads=True, refusals=(501,), ours=True)
def create_lfs_object(ctx: ReadContext, project: str) -> RawBody:
    """Refuse the legacy Git LFS API."""
    del ctx
    raise _Deprecated(_DEPRECATED, reason=f"{project}: large files are uploaded to where a batch says")


@area.operation("GET", "*project/info/lfs/locks", refusals=(401, 403, 404), ours=True)
def list_lfs_locks(ctx: ReadContext, project: str) -> RawBody:
    """List the locked files: none."""
    _admitted(ctx, project, Ability.DOWNLOAD_CODE)
    return _shown({"locks": []})


@area.operation("POST", "*project/info/lfs/locks/verify", status=200, reads=True, refusals=(401, 403, 404), ours=True)
def verify_lfs_locks(ctx: ReadContext, project: str) -> RawBody:
    """List the locked files before a push: none."""
    _admitted(ctx, project, Ability.PUSH_CODE)
    return _shown({"ours": [], "theirs": []})


@area.operation("POST", "*project/info/lfs/locks", refusals=(401, 403, 404, 501), ours=True)
def create_lfs_lock(ctx: WriteContext, project: str) -> RawBody:
    """Lock a file (not built)."""
    _admitted(ctx, project, Ability.PUSH_CODE)
    raise OperationNotImplemented("create_lfs_lock")


def _admitted(ctx: ReadContext, path: str, ability: Ability) -> Project:
    """As for git, in the words that LFS has; a project without LFS has no such place."""
    try:
        found = git_access.authorize_git(ctx, path, ability)
    except GitForbidden as refusal:
        raise _Forbidden(_NOT_ALLOWED, reason=refusal.why) from None
    except GitNotFound as refusal:
        raise _NotFound("Not found.", reason=refusal.why) from None
    if not found.lfs_enabled:
        raise _NotFound("Not found.", reason="lfs_enabled of the project is off")
    return found


def _sent(ctx: ReadContext) -> dict[str, Any]:
    try:
        value = orjson.loads(ctx.request.body if ctx.request else b"")
    except orjson.JSONDecodeError as error:
        raise _unreadable(str(error)) from None
    if not isinstance(value, dict):
        raise _unreadable("no JSON object")
    return value


def _batch(sent: dict[str, Any]) -> _Wanted:
    act, files = sent["operation"], sent.get("objects")
    if not files:
        raise _NotFound("Not found.", reason="the batch names no objects")
    if not isinstance(files, list) or not all(isinstance(one, dict) for one in files):
        raise _unreadable("objects is no list of objects")
    return _Wanted(act, [_file(one) for one in files])


def _file(sent: dict[str, Any]) -> tuple[str, int]:
    oid, size = sent.get("oid"), sent.get("size")
    if not lfs.is_oid(oid) or not isinstance(size, int) or size < 0:
        raise _unreadable("each object has an oid of 64 hexadecimal digits and a size")
    return str(oid), size


def _unreadable(why: str) -> Refusal:
    return _Unprocessable(f"The request cannot be read: {why}.")


def _shown(value: dict[str, Any]) -> RawBody:
    return RawBody(orjson.dumps(value), TYPE)
