"""Git over smart HTTP: what git itself sends to fetch and to push. Source: docs/platform/git-over-http.md.

Clients of protocol 2 are answered in version 0, as servers may. Repositories of wikis are not built: 404.
"""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, unquote

from fakeplat.api.pages import sign_in_redirect
from fakeplat.core.operations.errors import GitForbidden, RouteNotFound, UnreadableRequest
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.repository import git_access
from fakeplat.domain.repository import git_pushes as pushing
from fakeplat.domain.repository.git_access import SUFFIX
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Git smart HTTP", login=Login.NEVER, prefix="", basic=True)
_REFS: Final = "/info/refs"
_FRESH: Final = (("Cache-Control", "no-cache"),)
_UNKNOWN: Final = "The command you're trying to execute is not allowed."
_ASKS_FOR: Final = {"git-upload-pack": Ability.DOWNLOAD_CODE, "git-receive-pack": Ability.PUSH_CODE}


class AdvertiseRefs(Params):
    """What the client is about to do; one that does not say so speaks the dumb protocol."""

    service: str | None = None


def _wake_creation(ctx: ReadContext, records: list[Any], p: AdvertiseRefs) -> Callable[[WriteContext], object] | None:
    """A client that is about to push to a project that is not there has it created."""
    del records
    path = unquote(ctx.request.path).strip("/").removesuffix(_REFS) if ctx.request else ""
    user, place = ctx.viewer, git_access.namespace_to_create_in(ctx, path) if p.service == "git-receive-pack" else None
    if user is None or place is None:
        return None

    def create(doing: WriteContext) -> None:
        doing.act_as(user)
        git_access.create_on_push(doing, user, place)

    return create


@area.operation(
    "GET",
    f"*project{_REFS}",
    params=AdvertiseRefs,
    also=(301, 302),
    refusals=(401, 403, 404, 422),
    wakes=_wake_creation,
)
def advertise_git_refs(ctx: ReadContext, project: str, p: AdvertiseRefs) -> RawBody:
    """List the refs, and what the server supports.

    301 for a path without ``.git``; 401 without a login and 403 with one for other services.
    """
    from fakeplat.git.ref_advertisement import Service, advertise_refs

    ability = _ASKS_FOR.get(p.service or "")
    if not project.endswith(SUFFIX):
        return _redirected(ctx, project)
    if ability is None:
        git_access.require_login(ctx)
        raise GitForbidden(_UNKNOWN, reason=f"the service {p.service!r} is none of {', '.join(_ASKS_FOR)}")
    service = Service(p.service)
    found = git_access.authorize_git(ctx, project, ability)
    return RawBody(
        advertise_refs(diff_versions.with_heads(ctx.world, found), service), service.advertisement_type, _FRESH
    )


def _redirected(ctx: ReadContext, project: str) -> RawBody:
    """To the repository for git's own queries; other queries make it a page that is not there, so to the login."""
    query = ctx.request.query if ctx.request else ""
    if query and query.removeprefix("service=") not in _ASKS_FOR:
        return sign_in_redirect(ctx)
    place = f"{ctx.origin}/{quote(project)}{SUFFIX}/info/refs" + (f"?{query}" if query else "")
    return RawBody(b"", "text/html; charset=utf-8", (("Location", place),), 301)


@area.operation("POST", "*project/git-upload-pack", status=200, reads=True, refusals=(400, 401, 403, 404))
def upload_git_pack(ctx: ReadContext, project: str) -> RawBody:
    """Send the objects that a client asks for and does not have."""
    from fakeplat.git.errors import GitError
    from fakeplat.git.ref_advertisement import Service

    _check_suffix(project)
    from fakeplat.git.upload_pack import upload_pack

    found = git_access.authorize_git(ctx, project, Ability.DOWNLOAD_CODE)
    try:
        pack = b"".join(upload_pack(diff_versions.with_heads(ctx.world, found), _body(ctx)))
    except GitError as error:
        raise UnreadableRequest(f"fatal: {error}") from None
    return RawBody(pack, Service.UPLOAD.result_type, _FRESH)


@area.operation("POST", "*project/git-receive-pack", status=200, refusals=(400, 401, 403, 404, 422))
def receive_git_pack(ctx: WriteContext, project: str) -> RawBody:
    """Receive a push; the answer says which refs were refused, and why."""
    from fakeplat.git.errors import BadRequest
    from fakeplat.git.ref_advertisement import Service

    _check_suffix(project)
    place = git_access.namespace_to_create_in(ctx, project)
    if place is not None:
        git_access.create_on_push(ctx, ctx.signed_in_user, place)
    found = git_access.authorize_git(ctx, project, Ability.PUSH_CODE)
    try:
        report = pushing.receive_push(ctx, found, _body(ctx), git_access.messages_on_push(ctx, project, found))
    except BadRequest as error:
        raise UnreadableRequest(f"fatal: {error}") from None
    return RawBody(report, Service.RECEIVE.result_type, _FRESH)


def _check_suffix(project: str) -> None:
    if not project.endswith(SUFFIX):
        raise RouteNotFound(reason=f"repositories are at paths that end in {SUFFIX}; {project} does not")


def _body(ctx: ReadContext) -> bytes:
    return ctx.request.body if ctx.request else b""
