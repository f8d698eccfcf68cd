"""Git LFS with the basic transfer adapter. Source: docs/platform/external.md ('Git LFS').

The batch API returns the URLs of the transfers; the legacy API answers 501.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

import orjson

from fakeplat.api.repository import git_access
from fakeplat.core.operations.errors import (
    GitForbidden,
    GitNotFound,
    PlainTextRefusal,
    Refusal,
)
from fakeplat.core.operations.http_messages import RawBody, Response
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.repository import git_pushes, lfs, size_limits
from fakeplat.entities import urls
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

TYPE: Final = "application/vnd.git-lfs+json"
area: Final = Area("Git LFS", login=Login.NEVER, prefix="", basic=True, produces=TYPE)
_NOT_ALLOWED: Final = "Access forbidden. Check your access level."
_OBJECT_MISSING: Final = "Object does not exist on the server or you don't have permissions to access it"
_DEPRECATED: Final = "Server supports batch API only, please update your Git LFS client to version 1.0.1 and up."
_CONTENT: Final = "application/octet-stream"
_ABILITIES: Final = {"download": Ability.DOWNLOAD_CODE, "upload": Ability.PUSH_CODE}


class LfsRefusal(PlainTextRefusal):
    """A refusal whose message the LFS client shows."""

    def response(self) -> Response:
        """Return the refusal as a JSON response of the LFS media type."""
        headers = (("Content-Type", TYPE), ("Cache-Control", "no-cache"), *self.headers)
        return Response(self.status, headers, orjson.dumps({"message": self.payload}))


class _Forbidden(LfsRefusal):
    status: ClassVar[int] = 403


class _NotFound(LfsRefusal):
    status: ClassVar[int] = 404


class _NotAcceptable(LfsRefusal):
    status: ClassVar[int] = 406


class _TooLarge(LfsRefusal):
    status: ClassVar[int] = 413


class _Unprocessable(LfsRefusal):
    status: ClassVar[int] = 422


class _Deprecated(LfsRefusal):
    status: ClassVar[int] = 501


@frozen
class _Batch:
    """The parsed body of a batch request."""

    operation: Literal["download", "upload"]
    objects: list[tuple[str, int]]


@area.operation(
    "POST", "*project/info/lfs/objects/batch", status=200, reads=True, refusals=(401, 403, 404, 406, 422), ours=True
)
def list_lfs_transfers(ctx: ReadContext, project: str) -> RawBody:
    """List the actions to download or upload Git LFS objects."""
    body = read_json(ctx)
    # The operation decides which right is needed, so the body is read before access is checked, its objects after.
    container = _authorize_batch(ctx, project, body.get("operation"))
    batch = _parse_batch(body)
    if batch.operation == "upload":
        _check_size(ctx, container, sum(size for _, size in batch.objects))
    offer = _offer_download if batch.operation == "download" else _offer_upload
    return render_json(
        {"objects": [{"oid": oid, "size": size, **offer(ctx, container, oid, size)} for oid, size in batch.objects]}
    )


def _authorize_batch(ctx: ReadContext, path: str, operation: object) -> Project:
    """Authorize a batch operation; an unknown one requires the rights of a download, and then answers 403."""
    # The value may be any JSON. Lists and objects are not hashable, so they cannot be looked up in a dict.
    ability = _ABILITIES.get(operation) if isinstance(operation, str) else None
    container = authorize_lfs(ctx, path, ability or Ability.DOWNLOAD_CODE)
    if ability is None:
        raise _Forbidden(
            _NOT_ALLOWED, reason=f"unknown operation {operation!r}; the operations are: {', '.join(_ABILITIES)}"
        )
    return container


def _check_size(ctx: ReadContext, project: Project, added: int) -> None:
    objection = size_limits.explain_push_objection(ctx.world, project, added)
    if objection:
        raise _NotAcceptable(objection, reason="repository_size_limit")


def _offer_download(ctx: ReadContext, project: Project, oid: str, _size: int) -> dict[str, Any]:
    if lfs.find_object(ctx.world, project, oid) is None:
        # Errors are reported for each object; the batch itself is 200, as the protocol demands.
        return {"error": {"code": 404, "message": _OBJECT_MISSING}}
    action = {"href": _build_object_url(ctx, project, oid), "header": _build_authorization(ctx)}
    # ``authenticated`` tells the client not to look up credentials for the transfer.
    open_to_all = can(ctx.as_anonymous(), Ability.DOWNLOAD_CODE, project)
    return {"actions": {"download": action}, **({"authenticated": True} if open_to_all else {})}


def _offer_upload(ctx: ReadContext, project: Project, oid: str, size: int) -> dict[str, Any]:
    """Return the upload action; none for an object that is stored already."""
    if lfs.find_object(ctx.world, project, oid) is not None:
        return {}
    header = {**_build_authorization(ctx), "Content-Type": _CONTENT}
    return {"actions": {"upload": {"href": f"{_build_object_url(ctx, project, oid)}/{size}", "header": header}}}


def _build_object_url(ctx: ReadContext, project: Project, oid: str) -> str:
    return f"{urls.project_url(ctx, project)}.git/gitlab-lfs/objects/{oid}"


def _build_authorization(ctx: ReadContext) -> dict[str, str]:
    """Return the credentials of the batch request; they authorize its transfers too."""
    # The platform issues a token for half an hour; here the client's own credentials are passed on instead.
    authorization = ctx.request.headers.get("authorization") if ctx.request else None
    return {"Authorization": authorization} if authorization else {}


@area.operation("PUT", "*project/gitlab-lfs/objects/:oid/:size", refusals=(401, 403, 404, 413, 422), ours=True)
def upload_lfs_object(ctx: WriteContext, project: str, oid: str, size: str) -> RawBody:
    """Upload a Git LFS object; 422 if its hash or size differs."""
    container = authorize_lfs(ctx, project, Ability.PUSH_CODE)
    content = ctx.request.body if ctx.request else b""
    # Objects share the limit of packs: all content is held in memory.
    limit = git_pushes.pack_limits(ctx.world).compressed
    if len(content) > limit:
        raise _TooLarge("The object is too large.", reason=f"the object has {len(content)} bytes; the limit is {limit}")
    # Objects are addressed by their hash: with wrong content, every later download would be corrupt.
    if lfs.oid_of(content) != oid or parse_number(size) != len(content):
        raise _Unprocessable(
            "SHA256 or size mismatch", reason=f"the body does not have {size} bytes and the SHA-256 {oid}"
        )
    lfs.store_object(ctx, container, oid, content)
    return RawBody(b"", "text/plain")


@area.operation(
    "GET", "*project/gitlab-lfs/objects/:oid", refusals=(401, 403, 404), ours=True, produces="application/octet-stream"
)
def download_lfs_object(ctx: ReadContext, project: str, oid: str) -> RawBody:
    """Download a Git LFS object."""
    container = authorize_lfs(ctx, project, Ability.DOWNLOAD_CODE)
    stored = lfs.find_object(ctx.world, container, oid)
    if stored is None:
        raise _NotFound("Not found.", reason=f"the project has no LFS object {oid}")
    return RawBody(stored.content, _CONTENT)


@area.operation("GET", "*project/info/lfs/objects/:oid", refusals=(501,), ours=True)
def get_lfs_object(_ctx: ReadContext, project: str, oid: str) -> RawBody:
    """Refuse the legacy Git LFS API."""
    raise _Deprecated(_DEPRECATED, reason=f"{project}: request the download URL of {oid} with the batch API")


@area.operation("POST", "*project/info/lfs/objects", status=200, reads=True, refusals=(501,), ours=True)
def create_lfs_object(_ctx: ReadContext, project: str) -> RawBody:
    """Refuse the legacy Git LFS API."""
    raise _Deprecated(_DEPRECATED, reason=f"{project}: request upload URLs with the batch API")


def authorize_lfs(ctx: ReadContext, path: str, ability: Ability) -> Project:
    """Authorize as for git, with the refusals of LFS; 404 where LFS is disabled."""
    try:
        project = git_access.authorize_git(ctx, path, ability)
    except GitForbidden as refusal:
        found = git_access.find_project(ctx.world, path)
        # Who may not even download learns nothing of the project.
        if found is not None and not can(ctx, Ability.DOWNLOAD_CODE, found):
            raise _NotFound("Not found.", reason=refusal.why) from None
        raise _Forbidden(_NOT_ALLOWED, reason=refusal.why) from None
    except GitNotFound as refusal:
        raise _NotFound("Not found.", reason=refusal.why) from None
    if not project.lfs_enabled:
        raise _NotFound("Not found.", reason="lfs_enabled of the project is off")
    return project


def read_json(ctx: ReadContext) -> dict[str, Any]:
    """Return the body, which must be a JSON object; 422 for any other."""
    try:
        value = orjson.loads(ctx.request.body if ctx.request else b"")
    except orjson.JSONDecodeError as error:
        raise _malformed(str(error)) from None
    if not isinstance(value, dict):
        raise _malformed("no JSON object")
    return value


def _parse_batch(body: dict[str, Any]) -> _Batch:
    # The operation was validated when the batch was authorized.
    operation, objects = body["operation"], body.get("objects")
    if not objects:
        raise _NotFound("Not found.", reason="the batch lists no objects")
    if not isinstance(objects, list) or not all(isinstance(row, dict) for row in objects):
        raise _malformed("objects is no list of objects")
    return _Batch(operation, [_parse_object(row) for row in objects])


def _parse_object(row: dict[str, Any]) -> tuple[str, int]:
    oid, size = row.get("oid"), row.get("size")
    if not lfs.is_oid(oid) or not isinstance(size, int) or size < 0:
        raise _malformed("each object has an oid of 64 hexadecimal digits and a size")
    return str(oid), size


def _malformed(why: str) -> Refusal:
    return _Unprocessable(f"The request cannot be read: {why}.")


def render_json(value: Mapping[str, object], status: int = 200) -> RawBody:
    """Return a JSON response of the LFS media type."""
    return RawBody(orjson.dumps(value), TYPE, (), status)
