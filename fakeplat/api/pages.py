"""What is served beside the API: a small page per `web_url`, pictures, uploaded files, health.

The pages are ours; addresses and permissions are the platform's. Source: docs/contract.md ('URLs').
"""

from typing import Any, Final

from fakeplat.core.operations.errors import NotFound, RouteNotFound
from fakeplat.core.operations.messages import Raw
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.projects import files
from fakeplat.domain.projects.pictures import identicon
from fakeplat.entities import urls
from fakeplat.entities.namespaces import GroupView
from fakeplat.entities.projects import ProjectSimple
from fakeplat.entities.users import UserBasic
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project, StoredFile
from fakeplat.model.users import User
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import caller, sees

area: Final = Area("Pages", login=Login.NEVER, prefix="")
_LARGEST_PICTURE: Final = 512
_KINDS: Final = ("user", "project", "group")
_TEXT: Final = "text/plain; charset=utf-8"
_HTML: Final = "text/html; charset=utf-8"


@area.operation("GET", "-/health")
def get_health(cx: Context) -> Raw:
    """Report that the instance is healthy."""
    return Raw(f"{cx.instance.product_name} OK".encode(), _TEXT)


@area.operation("GET", "-/readiness")
def get_readiness(cx: Context) -> dict[str, Any]:
    """Report that the instance is ready."""
    del cx
    return {"status": "ok", "master_check": [{"status": "ok"}]}


@area.operation("GET", "-/liveness")
def get_liveness(cx: Context) -> dict[str, str]:
    """Report that the instance is alive."""
    del cx
    return {"status": "ok"}


class DrawAvatar(Params):
    """The size in pixels."""

    s: int = 80


@area.operation("GET", "avatar/:digest", takes=DrawAvatar, ours=True)
def get_drawn_avatar(cx: Context, digest: str, p: DrawAvatar) -> Raw:
    """Draw the identicon of an e-mail address."""
    del cx
    return Raw(identicon(digest, min(max(p.s or 80, 1), _LARGEST_PICTURE)), "image/png")


@area.operation("GET", "uploads/-/system/:kind/avatar/:id/:filename", ours=True)
def get_uploaded_avatar(cx: Context, kind: str, id: int, filename: str) -> Raw:
    """Download an uploaded avatar of a user, project or group."""
    file = cx.world.files.find("place", ((kind, id), files.AVATAR, filename)) if kind in _KINDS else None
    if file is None or not _sees_owner(cx, kind, id):
        raise NotFound(reason=f"no picture {filename!r} of {kind} {id} is visible to {caller(cx)}")
    return _served(file)


def _sees_owner(cx: Context, kind: str, id_: int) -> bool:
    if kind == "user":
        return True
    owner = cx.world.projects.get(id_) if kind == "project" else cx.world.namespaces.get(id_)
    return owner is not None and sees(cx, owner)


def _served(file: StoredFile) -> Raw:
    kind = files.shown_as(file.filename)
    disposition = "inline" if kind else "attachment"
    headers = (
        ("Content-Disposition", f'{disposition}; filename="{file.filename.encode("ascii", "replace").decode()}"'),
    )
    return Raw(file.data, kind or "application/octet-stream", headers)


@area.operation("GET", "*path", ours=True)
def get_page(cx: Context, path: str) -> Raw:
    """Show the page of a record, or a file uploaded to a project."""
    project_path, _, upload = path.partition("/uploads/")
    if upload:
        return _upload(cx, project_path, upload)
    found = _record_at(cx, path)
    if found is None:
        raise RouteNotFound(reason=f"{caller(cx)} sees nothing at /{path}")
    return _page(cx, found)


def _upload(cx: Context, project_path: str, rest: str) -> Raw:
    project = namespaces.project_at(cx.world, project_path)
    secret, _, name = rest.partition("/")
    file = cx.world.files.find("place", (("project", project.id), secret, name)) if project else None
    if file is None or project is None or not sees(cx, project):
        raise RouteNotFound(reason=f"{caller(cx)} sees no upload at /{project_path}/uploads/{rest}")
    return _served(file)


def _record_at(cx: Context, path: str) -> User | Group | Project | None:
    path = path.rstrip("/").removesuffix(".git")
    if path.startswith("groups/"):
        group = namespaces.at_path(cx.world, path.removeprefix("groups/"))
        return group if isinstance(group, Group) and sees(cx, group) else None
    project = namespaces.project_at(cx.world, path)
    if project is not None:
        return project if sees(cx, project) else None
    group = namespaces.at_path(cx.world, path)
    if isinstance(group, Group):
        return group if sees(cx, group) else None
    return users.by_username(cx.world, path)


def _page(cx: Context, record: User | Group | Project) -> Raw:
    if isinstance(record, Project):
        view, api = ProjectSimple(record, cx).values(), urls.api(cx, f"projects/{record.id}")
    elif isinstance(record, Group):
        view, api = GroupView(record, cx).values(), urls.api(cx, f"groups/{record.id}")
    else:
        view, api = UserBasic(record, cx).values(), urls.api(cx, f"users/{record.id}")
    return html_page(type(record).__name__, view, api)


def sign_in_redirect(cx: Context) -> Raw:
    """Send a browser to the page where people sign in, as the platform does where nobody is signed in."""
    place = f"{cx.origin}/users/sign_in"
    page = f'<html><body>You are being <a href="{_escaped(place)}">redirected</a>.</body></html>'
    return Raw(page.encode(), _HTML, (("Location", place), ("Cache-Control", "no-cache")), 302)


def html_page(kind: str, fields: dict[str, Any], api: str) -> Raw:
    """A page that names a record, lists its plain fields and links its API address."""
    title = _escaped(f"{kind} {fields.get('name') or fields.get('title') or fields.get('id')}")
    plain = {name: value for name, value in fields.items() if isinstance(value, str | int | None)}
    rows = "".join(f"<dt>{_escaped(name)}</dt><dd>{_escaped(value)}</dd>" for name, value in plain.items())
    link = f'<p><a href="{_escaped(api)}">{_escaped(api)}</a></p>'
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    return Raw(f"{head}<h1>{title}</h1>{link}<dl>{rows}</dl></html>".encode(), _HTML)


def _escaped(value: object) -> str:
    text = "" if value is None else str(value)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
