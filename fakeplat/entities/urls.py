"""Addresses of things, all below the origin that the client used."""

from hashlib import md5
from typing import Final
from urllib.parse import quote

from fakeplat.core.operations.operation import PREFIX
from fakeplat.domain.people import namespaces
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.context import ReadContext

SYSTEM: Final = "/uploads/-/system"


def api_url(ctx: ReadContext, path: str) -> str:
    """An address of the API."""
    return f"{ctx.origin}{PREFIX}/{path}"


def user_url(ctx: ReadContext, user: User) -> str:
    """A user's page."""
    return f"{ctx.origin}/{user.username}"


def namespace_url(ctx: ReadContext, namespace: Namespace) -> str:
    """A group's or user's page."""
    within = "groups/" if isinstance(namespace, Group) else ""
    return f"{ctx.origin}/{within}{namespaces.full_path(ctx.world, namespace)}"


def project_path(ctx: ReadContext, project: Project) -> str:
    """A project's full path, ``acme/site``."""
    return namespaces.project_path(ctx.world, project)


def project_url(ctx: ReadContext, project: Project) -> str:
    """A project's page."""
    return f"{ctx.origin}/{project_path(ctx, project)}"


def tree_url(ctx: ReadContext, project: Project, ref: str) -> str:
    """The page of a branch or tag."""
    return f"{project_url(ctx, project)}/-/tree/{quote(ref)}"


def blob_url(ctx: ReadContext, project: Project, ref: str, path: str) -> str:
    """The page of a file on a branch or tag."""
    return f"{project_url(ctx, project)}/-/blob/{quote(ref)}/{quote(path)}"


def avatar_url(ctx: ReadContext, kind: str, id_: int, file_id: int | None) -> str | None:
    """The address of an uploaded picture of a user, project or group, or None."""
    file = ctx.world.files.get(file_id) if file_id is not None else None
    return f"{ctx.origin}{SYSTEM}/{kind}/avatar/{id_}/{quote(file.filename)}" if file else None


def user_avatar_url(ctx: ReadContext, user: User) -> str | None:
    """The address of a user's picture: uploaded, or else drawn from the address, or None where that is off."""
    own = avatar_url(ctx, "user", user.id, user.avatar)
    if own or not ctx.world.settings.gravatar_enabled:
        return own
    return generated_avatar_url(ctx, user.email)


def generated_avatar_url(ctx: ReadContext, email: str, size: int = 80) -> str:
    """The address of a picture that is drawn from an e-mail address."""
    digest = md5(email.strip().lower().encode(), usedforsecurity=False).hexdigest()
    return f"{ctx.origin}/avatar/{digest}?s={size}&d=identicon"


def ssh_url(ctx: ReadContext, project: Project) -> str:
    """Where git would reach a project by SSH; nothing is served there."""
    return ssh_url_of_path(ctx, project_path(ctx, project))


def ssh_url_of_path(ctx: ReadContext, path: str) -> str:
    """Where git would reach what stands at a path."""
    host = ctx.origin.partition("://")[2].partition("/")[0].rpartition(":")[0] or ctx.origin.partition("://")[2]
    return f"git@{host}:{path}.git"
