"""Git over smart HTTP: what git itself sends to fetch and to push. Source: docs/platform/git-over-http.md.

Clients of protocol 2 are answered in version 0, as servers may. Repositories of wikis are not built: 404.
"""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, unquote

from fakeplat.api.pages import sign_in_redirect
from fakeplat.core.operations.errors import GitForbidden, RouteNotFound, UnreadableRequest
from fakeplat.core.operations.messages import Raw
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.repository import git_access, pushing
from fakeplat.domain.repository.git_access import SUFFIX
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing

area: Final = Area("Git smart HTTP", login=Login.NEVER, prefix="", basic=True)
_REFS: Final = "/info/refs"
_FRESH: Final = (("Cache-Control", "no-cache"),)
_UNKNOWN: Final = "The command you're trying to execute is not allowed."
_ASKS_FOR: Final = {"git-upload-pack": May.DOWNLOAD_CODE, "git-receive-pack": May.PUSH_CODE}


class AdvertiseRefs(Params):
    """What the client is about to do; one that does not say so speaks the dumb protocol."""

    service: str | None = None


def _wake_creation(cx: Context, records: list[Any], p: AdvertiseRefs) -> Callable[[Doing], object] | None:
    """A client that is about to push to a project that is not there has it created."""
    del records
    path = unquote(cx.request.path).strip("/").removesuffix(_REFS) if cx.request else ""
    user, place = cx.user, git_access.place_to_create(cx, path) if p.service == "git-receive-pack" else None
    if user is None or place is None:
        return None

    def create(doing: Doing) -> None:
        doing.act_for(user)
        git_access.create_on_push(doing, user, place)

    return create


@area.operation(
    "GET",
    f"*project{_REFS}",
    takes=AdvertiseRefs,
    also=(301, 302),
    refuses=(401, 403, 404, 422),
    wakes=_wake_creation,
)
def advertise_git_refs(cx: Context, project: str, p: AdvertiseRefs) -> Raw:
    """List the refs, and what the server supports.

    301 for a path without ``.git``; 401 without a login and 403 with one for other services.
    """
    from fakeplat.git.advertising import Service, advertised

    may = _ASKS_FOR.get(p.service or "")
    if not project.endswith(SUFFIX):
        return _redirected(cx, project)
    if may is None:
        git_access.demand_login(cx)
        raise GitForbidden(_UNKNOWN, reason=f"the service {p.service!r} is none of {', '.join(_ASKS_FOR)}")
    service = Service(p.service)
    found = git_access.admitted(cx, project, may)
    return Raw(advertised(diff_versions.with_heads(cx.world, found), service), service.advertisement_type, _FRESH)


def _redirected(cx: Context, project: str) -> Raw:
    """To the repository for git's own queries; other queries make it a page that is not there, so to the login."""
    query = cx.request.query if cx.request else ""
    if query and query.removeprefix("service=") not in _ASKS_FOR:
        return sign_in_redirect(cx)
    place = f"{cx.origin}/{quote(project)}{SUFFIX}/info/refs" + (f"?{query}" if query else "")
    return Raw(b"", "text/html; charset=utf-8", (("Location", place),), 301)


@area.operation("POST", "*project/git-upload-pack", status=200, reads=True, refuses=(400, 401, 403, 404))
def upload_git_pack(cx: Context, project: str) -> Raw:
    """Send the objects that a client asks for and does not have."""
    from fakeplat.git.advertising import Service
    from fakeplat.git.errors import GitError

    _check_suffix(project)
    from fakeplat.git.fetching import upload_pack

    found = git_access.admitted(cx, project, May.DOWNLOAD_CODE)
    try:
        pack = b"".join(upload_pack(diff_versions.with_heads(cx.world, found), _body(cx)))
    except GitError as error:
        raise UnreadableRequest(f"fatal: {error}") from None
    return Raw(pack, Service.UPLOAD.result_type, _FRESH)


@area.operation("POST", "*project/git-receive-pack", status=200, refuses=(400, 401, 403, 404, 422))
def receive_git_pack(cx: Doing, project: str) -> Raw:
    """Receive a push; the answer says which refs were refused, and why."""
    from fakeplat.git.advertising import Service
    from fakeplat.git.errors import BadRequest

    _check_suffix(project)
    place = git_access.place_to_create(cx, project)
    if place is not None:
        git_access.create_on_push(cx, cx.someone, place)
    found = git_access.admitted(cx, project, May.PUSH_CODE)
    try:
        report = pushing.push(cx, found, _body(cx), git_access.messages_on_push(cx, project, found))
    except BadRequest as error:
        raise UnreadableRequest(f"fatal: {error}") from None
    return Raw(report, Service.RECEIVE.result_type, _FRESH)


def _check_suffix(project: str) -> None:
    if not project.endswith(SUFFIX):
        raise RouteNotFound(reason=f"repositories are at paths that end in {SUFFIX}; {project} does not")


def _body(cx: Context) -> bytes:
    return cx.request.body if cx.request else b""
