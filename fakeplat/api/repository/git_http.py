"""Git over smart HTTP: fetches and pushes. Source: docs/platform/git-over-http.md.

Fetches are answered in version 2 of the protocol if the client offers it. Repositories of wikis are served, too.
Sessions over SSH send the same requests (``fakeplat/http/ssh``).
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from fakeplat.api.pages import redirect_to_sign_in
from fakeplat.api.repository import git_access
from fakeplat.api.repository.git_access import SUFFIX
from fakeplat.core.operations.errors import GitForbidden, RouteNotFound, UnreadableRequest
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.params.params import Params
from fakeplat.domain.ci import pipeline_refs
from fakeplat.domain.merge_requests import merge_request_links
from fakeplat.domain.repository import fetch_counts, git_pushes
from fakeplat.domain.wikis import wiki_pushes, wikis
from fakeplat.model.projects import Project
from fakeplat.model.repository import HIDDEN_REFS, INTERNAL_REFS
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from fakeplat.git.receive_pack import RefUpdate
    from fakeplat.git.repository import Repository as Git

area: Final = Area("Git smart HTTP", login=Login.NEVER, prefix="", basic=True)
_REFS: Final = "/info/refs"
_NO_CACHE: Final = (("Cache-Control", "no-cache"),)
_NOT_ALLOWED: Final = "The command you're trying to execute is not allowed."
_ABILITIES: Final = {"git-upload-pack": Ability.DOWNLOAD_CODE, "git-receive-pack": Ability.PUSH_CODE}


class AdvertiseRefs(Params):
    """The service that the client is about to use; dumb-protocol clients send none."""

    service: str | None = None


def _plan_creation(
    ctx: ReadContext, _records: Sequence[object], p: AdvertiseRefs
) -> Callable[[WriteContext], object] | None:
    """Return the creation of a missing project that the client is about to push to."""
    # The effect of a read gets no path parameters, so the path is taken from the request.
    path = unquote(ctx.request.path).strip("/").removesuffix(_REFS) if ctx.request else ""
    user = ctx.viewer
    target = git_access.namespace_to_create_in(ctx, path) if p.service == "git-receive-pack" else None
    if user is None or target is None:
        return None

    # Advertising is a GET and must not write; the returned function is committed before the response is built.
    def create(write_ctx: WriteContext) -> None:
        write_ctx.act_as(user)
        git_access.create_on_push(write_ctx, user, target)

    return create


@area.operation(
    "GET",
    f"*project{_REFS}",
    params=AdvertiseRefs,
    also=(301, 302),
    refusals=(401, 403, 404, 422),
    reading=Reading(effect=_plan_creation),
)
def advertise_git_refs(ctx: ReadContext, project: str, p: AdvertiseRefs) -> RawBody:
    """List the refs, and what the server supports.

    301 for a path without ``.git``; for an unknown service 401 if anonymous, else 403.
    """
    # Imported on first use: most worlds never load git.
    from fakeplat.git import protocol_v2
    from fakeplat.git.ref_advertisement import Service, advertise_refs

    ability = _ABILITIES.get(p.service or "")
    # Redirected before anything is looked up, so the redirect does not reveal which projects exist.
    if not project.endswith(SUFFIX):
        return _redirect_to_repository(ctx, project)
    if ability is None:
        # Git asks its user for credentials only after a 401, so anonymous callers must not get the 403.
        git_access.require_login(ctx)
        raise GitForbidden(
            _NOT_ALLOWED, reason=f"unknown service {p.service!r}; the services are: {', '.join(_ABILITIES)}"
        )
    service = Service(p.service)
    repository, _project = _open_authorized(ctx, project, ability)
    is_stateless, version = not _is_over_ssh(ctx), _get_version(ctx)
    if service is Service.UPLOAD and version == 2:
        content = protocol_v2.advertise_capabilities(is_stateless=is_stateless)
    else:
        content = advertise_refs(repository, service, version, is_stateless=is_stateless)
    return RawBody(content, service.advertisement_type, _NO_CACHE)


def _get_version(ctx: ReadContext) -> int:
    from fakeplat.git import protocol_v2

    return protocol_v2.requested_version(ctx.request.headers.get("git-protocol") if ctx.request else None)


def _open_authorized(ctx: ReadContext, path: str, ability: Ability) -> "tuple[Git, Project | None]":
    """Return the repository at a path, if the caller may fetch from or push to it, and its project; wikis have none."""
    wiki_container = git_access.find_wiki_container(ctx.world, path)
    if wiki_container is None:
        project = git_access.authorize_git(ctx, path, ability)
        hidden = INTERNAL_REFS if ability is Ability.PUSH_CODE else HIDDEN_REFS
        return pipeline_refs.open_with_refs(ctx.world, project).hiding_refs(hidden), project
    git_access.authorize_wiki(ctx, wiki_container, ability)
    return wikis.open_repository(ctx.world, wiki_container), None


def _redirect_to_repository(ctx: ReadContext, project: str) -> RawBody:
    """Redirect git's own queries to the ``.git`` path, any other query to the sign-in page."""
    query = ctx.request.query if ctx.request else ""
    # With any other query the platform routes the path as a web page, and hides pages behind the sign-in.
    if query and query.removeprefix("service=") not in _ABILITIES:
        return redirect_to_sign_in(ctx)
    # The query is kept: without it git would fall back to the dumb protocol, which is not served.
    location = f"{ctx.origin}/{quote(project)}{SUFFIX}/info/refs" + (f"?{query}" if query else "")
    return RawBody(b"", "text/html; charset=utf-8", (("Location", location),), 301)


# Not a read: the fetch is counted.
@area.operation("POST", "*project/git-upload-pack", status=200, refusals=(400, 401, 403, 404))
def upload_git_pack(ctx: WriteContext, project: str) -> RawBody:
    """Send the objects that a client asks for and does not have."""
    _check_suffix(project)
    from fakeplat.git import protocol_v2
    from fakeplat.git.errors import GitError
    from fakeplat.git.ref_advertisement import Service
    from fakeplat.git.upload_pack import upload_pack

    repository, owner = _open_authorized(ctx, project, Ability.DOWNLOAD_CODE)
    body, speaks_v2 = _read_body(ctx), _get_version(ctx) == 2
    try:
        pack = b"".join((protocol_v2.serve_command if speaks_v2 else upload_pack)(repository, body))
    except GitError as error:
        raise UnreadableRequest(f"fatal: {error}") from None
    is_fetch = protocol_v2.is_fetch(body) if speaks_v2 else True
    # An error of the protocol is a successful response, in which it takes the place of the pack. The statistics count
    # what goes over HTTP only.
    if is_fetch and not pack.startswith(b"ERR", 4) and owner is not None and not _is_over_ssh(ctx):
        fetch_counts.count_fetch(ctx, owner)
    return RawBody(pack, Service.UPLOAD.result_type, _NO_CACHE)


def _is_over_ssh(ctx: ReadContext) -> bool:
    return ctx.request is not None and ctx.request.ssh_key is not None


@area.operation("POST", "*project/git-upload-archive", status=200, refusals=(400, 401, 403, 404), ours=True)
def upload_git_archive(ctx: WriteContext, project: str) -> RawBody:
    """Send an archive, for `git archive --remote`; over SSH only."""
    if not _is_over_ssh(ctx):
        raise RouteNotFound(reason="archives are sent over SSH only; over HTTP, use the archive of the API")
    from fakeplat.git.errors import GitError
    from fakeplat.git.upload_archive import upload_archive

    repository, _project = _open_authorized(ctx, project, Ability.DOWNLOAD_CODE)
    try:
        content = b"".join(upload_archive(repository, _read_body(ctx)))
    except GitError as error:
        raise UnreadableRequest(f"fatal: {error}") from None
    return RawBody(content, "application/octet-stream", _NO_CACHE)


@area.operation("POST", "*project/git-receive-pack", status=200, refusals=(400, 401, 403, 404, 422))
def receive_git_pack(ctx: WriteContext, project: str) -> RawBody:
    """Receive a push; the answer says which refs were refused, and why."""
    from fakeplat.git.errors import BadRequest
    from fakeplat.git.ref_advertisement import Service

    _check_suffix(project)
    # The advertisement normally creates a missing project; this covers clients that skip it.
    target = git_access.namespace_to_create_in(ctx, project)
    if target is not None:
        git_access.create_on_push(ctx, ctx.signed_in_user, target)
    try:
        report = _receive_push(ctx, project)
    except BadRequest as error:
        raise UnreadableRequest(f"fatal: {error}") from None
    return RawBody(report, Service.RECEIVE.result_type, _NO_CACHE)


def _receive_push(ctx: WriteContext, path: str) -> bytes:
    wiki_container = git_access.find_wiki_container(ctx.world, path)
    if wiki_container is not None:
        git_access.authorize_wiki(ctx, wiki_container, Ability.PUSH_CODE)
        return wiki_pushes.receive_push(ctx, wiki_container, _read_body(ctx))
    project = git_access.authorize_git(ctx, path, Ability.PUSH_CODE)
    about_project = git_access.messages_on_push(ctx, path, project)

    # Called after the effects of the push: its options may have created a merge request.
    def list_messages(updates: "Sequence[RefUpdate]") -> list[str]:
        refs = [update.name for update in updates if not update.is_deletion]
        return [*merge_request_links.list_links(ctx, ctx.world.projects[project.id], refs), *about_project]

    return git_pushes.receive_push(ctx, project, _read_body(ctx), list_messages)


def _check_suffix(project: str) -> None:
    if not project.endswith(SUFFIX):
        raise RouteNotFound(reason=f"paths of repositories end in {SUFFIX}; {project!r} does not")


def _read_body(ctx: ReadContext) -> bytes:
    return ctx.request.body if ctx.request else b""
