"""Addresses of things, all below the origin that the client used."""

from hashlib import md5
from typing import Final
from urllib.parse import quote

from fakeplat.core.operations.operation import PREFIX
from fakeplat.domain.people import namespaces
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.context import Context

SYSTEM: Final = "/uploads/-/system"


def api(cx: Context, path: str) -> str:
    """An address of the API."""
    return f"{cx.origin}{PREFIX}/{path}"


def user_page(cx: Context, user: User) -> str:
    """A user's page."""
    return f"{cx.origin}/{user.username}"


def namespace_page(cx: Context, namespace: Namespace) -> str:
    """A group's or user's page."""
    within = "groups/" if isinstance(namespace, Group) else ""
    return f"{cx.origin}/{within}{namespaces.full_path(cx.world, namespace)}"


def project_path(cx: Context, project: Project) -> str:
    """A project's full path, ``acme/site``."""
    return namespaces.project_path(cx.world, project)


def project_page(cx: Context, project: Project) -> str:
    """A project's page."""
    return f"{cx.origin}/{project_path(cx, project)}"


def tree(cx: Context, project: Project, ref: str) -> str:
    """The page of a branch or tag."""
    return f"{project_page(cx, project)}/-/tree/{quote(ref)}"


def blob(cx: Context, project: Project, ref: str, path: str) -> str:
    """The page of a file on a branch or tag."""
    return f"{project_page(cx, project)}/-/blob/{quote(ref)}/{quote(path)}"


def avatar(cx: Context, kind: str, id_: int, file_id: int | None) -> str | None:
    """The address of an uploaded picture of a user, project or group, or None."""
    file = cx.world.files.get(file_id) if file_id is not None else None
    return f"{cx.origin}{SYSTEM}/{kind}/avatar/{id_}/{quote(file.filename)}" if file else None


def user_avatar(cx: Context, user: User) -> str | None:
    """The address of a user's picture: uploaded, or else drawn from the address, or None where that is off."""
    own = avatar(cx, "user", user.id, user.avatar)
    if own or not cx.world.settings.gravatar_enabled:
        return own
    return drawn_avatar(cx, user.email)


def drawn_avatar(cx: Context, email: str, size: int = 80) -> str:
    """The address of a picture that is drawn from an e-mail address."""
    digest = md5(email.strip().lower().encode(), usedforsecurity=False).hexdigest()
    return f"{cx.origin}/avatar/{digest}?s={size}&d=identicon"


def ssh(cx: Context, project: Project) -> str:
    """Where git would reach a project by SSH; nothing is served there."""
    return ssh_to(cx, project_path(cx, project))


def ssh_to(cx: Context, path: str) -> str:
    """Where git would reach what stands at a path."""
    host = cx.origin.partition("://")[2].partition("/")[0].rpartition(":")[0] or cx.origin.partition("://")[2]
    return f"git@{host}:{path}.git"
