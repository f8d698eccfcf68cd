"""Resources outside the API: a page per `web_url`, avatars, uploaded files and health checks.

The pages are our own; their URLs and permissions are the platform's. Source: docs/contract.md ('URLs').
"""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from fakeplat.api.feeds import activity_feeds
from fakeplat.api.oauth.html import page_around
from fakeplat.core.operations.errors import NotFound, Reason, RouteNotFound
from fakeplat.core.operations.http_messages import TEXT, RawBody, Response
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain import uploads
from fakeplat.domain.people import gpg_keys, namespaces, user_keys, users
from fakeplat.domain.projects.identicons import identicon
from fakeplat.entities import urls
from fakeplat.entities.people.accounts import publish_key
from fakeplat.entities.people.namespaces import GroupView
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.projects.projects import ProjectSimple
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project, StoredFile
from fakeplat.policy.authorization import caller_name, can_see
from fakeplat.policy.behaviours import UPLOADS_HAVE_PATHS_BY_ID
from fakeplat.policy.context import ReadContext

area: Final = Area("Pages", login=Login.NEVER, prefix="", produces="text/html")
# In pixels. Time and memory for drawing grow with the square of the size, so clients must not choose any.
_MAX_AVATAR_SIZE: Final = 512
_KINDS: Final = ("user", "project", "group")
_HTML: Final = "text/html; charset=utf-8"
_BY_ID: Final = "-/project/"
CONSOLE: Final = "/_fakeplat/at"
"""The console has a page for each web URL, at this prefix and the URL's path."""


@area.operation("GET", "-/health", produces="text/plain")
def get_health(ctx: ReadContext) -> RawBody:
    """Report that the instance is healthy."""
    return RawBody(f"{ctx.instance.product_name} OK".encode(), TEXT)


@area.operation("GET", "-/readiness")
def get_readiness(_ctx: ReadContext) -> dict[str, Any]:
    """Report that the instance is ready."""
    return {"status": "ok", "master_check": [{"status": "ok"}]}


@area.operation("GET", "-/liveness")
def get_liveness(_ctx: ReadContext) -> dict[str, str]:
    """Report that the instance is alive."""
    return {"status": "ok"}


class DrawAvatar(Params):
    """The size in pixels."""

    s: int = 80


@area.operation("GET", "avatar/:digest", params=DrawAvatar, ours=True, produces="image/png")
def get_drawn_avatar(_ctx: ReadContext, digest: str, p: DrawAvatar) -> RawBody:
    """Draw the identicon of an e-mail address."""
    # 0 and a null stand for the default size.
    return RawBody(identicon(digest, min(max(p.s or 80, 1), _MAX_AVATAR_SIZE)), "image/png")


@area.operation("GET", "uploads/-/system/:kind/avatar/:id/:filename", ours=True, produces="*/*")
def get_uploaded_avatar(ctx: ReadContext, kind: str, id: int, filename: str) -> RawBody:
    """Download an uploaded avatar of a user, project or group."""
    file = ctx.world.files.find("place", ((kind, id), uploads.AVATAR, filename)) if kind in _KINDS else None
    if file is None or not _can_see_owner(ctx, kind, id):
        raise NotFound(reason=f"no avatar {filename!r} of {kind} {id} is visible to {caller_name(ctx)}")
    return serve_file(file)


@area.operation("GET", "uploads/-/system/projects/topic/avatar/:id/:filename", ours=True, produces="*/*")
def get_uploaded_topic_avatar(ctx: ReadContext, id: int, filename: str) -> RawBody:
    """Download the avatar of a topic, which everybody sees."""
    file = ctx.world.files.find("place", (("topic", id), uploads.AVATAR, filename))
    if file is None:
        raise NotFound(reason=f"topic {id} has no avatar {filename!r}")
    return serve_file(file)


def _can_see_owner(ctx: ReadContext, kind: str, id_: int) -> bool:
    if kind == "user":
        return True
    owner = ctx.world.projects.get(id_) if kind == "project" else ctx.world.namespaces.get(id_)
    return owner is not None and can_see(ctx, owner)


def serve_file(file: StoredFile) -> RawBody:
    """Return an uploaded file."""
    kind = uploads.inline_content_type(file.filename)
    # Only images are shown inline; any other upload could run scripts on this origin.
    disposition = "inline" if kind else "attachment"
    headers = (
        # Headers are ASCII here; other characters of the name become question marks.
        ("Content-Disposition", f'{disposition}; filename="{file.filename.encode("ascii", "replace").decode()}"'),
    )
    return RawBody(file.data, kind or "application/octet-stream", headers)


@area.operation("GET", "*path", ours=True, produces="*/*")
def get_page(ctx: ReadContext, path: str) -> RawBody:
    """Show the page of a record, a feed of activity, or a file uploaded to a project."""
    project_path, _, upload = path.partition("/uploads/")
    if upload:
        return _serve_upload(ctx, project_path, upload)
    username, dot, kind = path.rpartition(".")
    if dot and kind == "atom":
        return activity_feeds.get_activity_feed(ctx, username)
    user = users.find_by_username(ctx.world, username) if dot and kind in _KEY_LISTS else None
    if user is not None:
        return RawBody("\n".join(_KEY_LISTS[kind](ctx, user)).encode(), TEXT)
    record = _find_record(ctx, path)
    if record is None:
        raise page_not_found(ctx, f"{caller_name(ctx)} sees nothing at /{path}")
    return _render_page(ctx, record)


def _list_ssh_keys(ctx: ReadContext, user: User) -> list[str]:
    return [publish_key(ctx, key, user) for key in user_keys.list_keys(ctx.world, user)]


def _list_gpg_keys(ctx: ReadContext, user: User) -> list[str]:
    return [key.key for key in gpg_keys.list_keys(ctx.world, user)]


_KEY_LISTS: Final[Mapping[str, Callable[[ReadContext, User], list[str]]]] = {
    "keys": _list_ssh_keys,
    "gpg": _list_gpg_keys,
}
"""What the pages of users with these endings list: ``/ada.keys``, ``/ada.gpg``."""


def _find_project(ctx: ReadContext, path: str) -> Project | None:
    """Return the project with a path; later releases name it by its id in the paths of uploads."""
    id_ = path.removeprefix(_BY_ID)
    if path != id_ and id_.isascii() and id_.isdigit() and ctx.profile.has(UPLOADS_HAVE_PATHS_BY_ID):
        return ctx.world.projects.get(int(id_))
    return namespaces.find_project_by_path(ctx.world, path)


def _serve_upload(ctx: ReadContext, project_path: str, file_path: str) -> RawBody:
    project = _find_project(ctx, project_path)
    secret, _, name = file_path.partition("/")
    file = ctx.world.files.find("place", (("project", project.id), secret, name)) if project else None
    if file is None or project is None or not can_see(ctx, project):
        raise RouteNotFound(reason=f"{caller_name(ctx)} sees no upload at /{project_path}/uploads/{file_path}")
    return serve_file(file)


def _find_record(ctx: ReadContext, path: str) -> User | Group | Project | None:
    # The clone address of a project leads to its page, too.
    path = path.rstrip("/").removesuffix(".git")
    # A group has a page at ``/groups/acme`` and at ``/acme``.
    if path.startswith("groups/"):
        group = namespaces.find_by_path(ctx.world, path.removeprefix("groups/"))
        return group if isinstance(group, Group) and can_see(ctx, group) else None
    # Projects and groups share one space of paths, so a hidden project ends the search.
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is not None:
        return project if can_see(ctx, project) else None
    group = namespaces.find_by_path(ctx.world, path)
    if isinstance(group, Group):
        return group if can_see(ctx, group) else None
    return users.find_by_username(ctx.world, path)


def _render_page(ctx: ReadContext, record: User | Group | Project) -> RawBody:
    if isinstance(record, Project):
        view, api_url = ProjectSimple(record, ctx).values(), urls.api_url(ctx, f"projects/{record.id}")
    elif isinstance(record, Group):
        view, api_url = GroupView(record, ctx).values(), urls.api_url(ctx, f"groups/{record.id}")
    else:
        view, api_url = UserBasic(record, ctx).values(), urls.api_url(ctx, f"users/{record.id}")
    return render_html_page(type(record).__name__, view, api_url)


class PageNotFound(RouteNotFound):
    """404 as a page, for a browser: it leads to the sign-in page, and to the console's page of the same path."""

    def __init__(self, path: str, *, reason: Reason = "", signed_in: bool) -> None:
        super().__init__(reason=reason)
        self._path = path
        self._signed_in = signed_in

    def response(self) -> Response:
        """Return the page, which does not say whether something is hidden there."""
        sign_in = "" if self._signed_in else '<p><a href="/users/sign_in">Sign in</a></p>'
        console = f'<p><a href="{_escape(CONSOLE + self._path)}">Look for it in the console</a></p>'
        text = "<p>There is no page here, or you may not see it.</p>"
        page = page_around("404 Not Found", f"{text}{sign_in}{console}")
        return Response(404, (("Content-Type", _HTML), ("Cache-Control", "no-cache")), page)


def page_not_found(ctx: ReadContext, reason: Reason) -> RouteNotFound:
    """Return the refusal for a page that does not exist, or that the caller may not see; browsers get a page."""
    accepted = ctx.request.headers.get("accept", "") if ctx.request else ""
    if ctx.request is None or "text/html" not in accepted:
        return RouteNotFound(reason=reason)
    return PageNotFound(ctx.request.path, reason=reason, signed_in=ctx.viewer is not None)


def redirect_to_sign_in(ctx: ReadContext) -> RawBody:
    """Redirect to the sign-in page, as the platform does for anonymous callers."""
    return redirect_to(f"{ctx.origin}/users/sign_in")


def redirect_to(location: str) -> RawBody:
    """Redirect to an address."""
    page = f'<html><body>You are being <a href="{_escape(location)}">redirected</a>.</body></html>'
    return RawBody(page.encode(), _HTML, (("Location", location), ("Cache-Control", "no-cache")), 302)


def render_html_page(kind: str, fields: Mapping[str, object], api_url: str) -> RawBody:
    """Return a page with a record's name, its plain fields, and links to its API URL and to the console.

    The console's pages show more, but only to those who may control the world; these are for all who see the record.
    """
    title = _escape(f"{kind} {fields.get('name') or fields.get('title') or fields.get('id')}")
    plain = {name: value for name, value in fields.items() if isinstance(value, str | int | None)}
    rows = "".join(f"<div><dt>{_escape(name)}</dt><dd>{_escape(value)}</dd></div>" for name, value in plain.items())
    link = f'<p><a href="{_escape(api_url)}">{_escape(api_url)}</a></p>'
    console = urlsplit(str(fields.get("web_url") or "")).path
    if console:
        link += f'<p><a href="{_escape(CONSOLE + console)}">Show it in the console</a></p>'
    return RawBody(page_around(title, f'{link}<dl class="facts">{rows}</dl>'), _HTML)


def _escape(value: object) -> str:
    text = "" if value is None else str(value)
    # ``&`` is replaced first; later it would change the entities that the other replacements insert.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
