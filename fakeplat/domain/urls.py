"""URLs of records, all below the origin that the client used."""

from hashlib import md5
from typing import Final
from urllib.parse import quote, urlsplit

from fakeplat.core.operations.operation import PREFIX
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Group, Namespace, User
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.context import ReadContext

SYSTEM: Final = "/uploads/-/system"
_PORTS: Final = {"http": 80, "https": 443}


def api_url(ctx: ReadContext, path: str) -> str:
    """Return the URL of an API resource."""
    return f"{ctx.origin}{PREFIX}/{path}"


def host_of(origin: str) -> str:
    """Return host and port of an origin, as it names them. The container registry is there, too."""
    return origin.partition("://")[2]


def host_with_port(origin: str) -> str:
    """Return host and port of an origin, also a port that its scheme implies."""
    return f"{urlsplit(origin).hostname}:{port_of(origin)}"


def port_of(origin: str) -> int:
    """Return the port of an origin, which its scheme implies if it names none."""
    url = urlsplit(origin)
    return url.port or _PORTS[url.scheme]


def image_location(ctx: ReadContext, path: str) -> str:
    """Return an address as docker takes it: the host and port, without the scheme."""
    return f"{host_of(ctx.origin)}/{path}"


def user_url(ctx: ReadContext, user: User) -> str:
    """Return the URL of a user's profile."""
    return f"{ctx.origin}/{user.username}"


def namespace_url(ctx: ReadContext, namespace: Namespace) -> str:
    """Return the URL of a group or of a user's namespace."""
    prefix = "groups/" if isinstance(namespace, Group) else ""
    return f"{ctx.origin}/{prefix}{namespaces.full_path(ctx.world, namespace)}"


def project_path(ctx: ReadContext, project: Project) -> str:
    """Return a project's full path, ``acme/site``."""
    return namespaces.project_path(ctx.world, project)


def project_url(ctx: ReadContext, project: Project) -> str:
    """Return the URL of a project."""
    return f"{ctx.origin}/{project_path(ctx, project)}"


def container_url(ctx: ReadContext, container: Routable) -> str:
    """Return the URL of a project or namespace."""
    return project_url(ctx, container) if isinstance(container, Project) else namespace_url(ctx, container)


def http_url(ctx: ReadContext, project: Project) -> str:
    """Return the URL of a project's repository for git over HTTP; its root may be set by an administrator."""
    root = ctx.world.settings.custom_http_clone_url_root
    return f"{root.rstrip('/') if root else ctx.origin}/{project_path(ctx, project)}.git"


def tree_url(ctx: ReadContext, project: Project, ref: str) -> str:
    """Return the URL of a branch or tag."""
    return f"{project_url(ctx, project)}/-/tree/{quote(ref)}"


def blob_url(ctx: ReadContext, project: Project, ref: str, path: str) -> str:
    """Return the URL of a file on a branch or tag."""
    return f"{project_url(ctx, project)}/-/blob/{quote(ref)}/{quote(path)}"


def release_url(ctx: ReadContext, project: Project, tag_name: str) -> str:
    """Return the URL of the release of a tag."""
    return f"{project_url(ctx, project)}/-/releases/{quote(tag_name, safe='')}"


def avatar_url(ctx: ReadContext, kind: str, id_: int, file_id: int | None) -> str | None:
    """Return the URL of the uploaded avatar of a user, project or group, or None."""
    file = ctx.world.files.get(file_id) if file_id is not None else None
    return f"{ctx.origin}{SYSTEM}/{kind}/avatar/{id_}/{quote(file.filename)}" if file else None


def user_avatar_url(ctx: ReadContext, user: User) -> str | None:
    """Return the URL of a user's avatar: uploaded, else generated from the e-mail address if that is enabled."""
    uploaded = avatar_url(ctx, "user", user.id, user.avatar)
    if uploaded or not ctx.world.settings.gravatar_enabled:
        return uploaded
    return generated_avatar_url(ctx, user.email)


def generated_avatar_url(ctx: ReadContext, email: str, size: int = 80) -> str:
    """Return the URL of an avatar generated from an e-mail address."""
    # Gravatar's digest: MD5 of the trimmed address in lower case.
    digest = md5(email.strip().lower().encode(), usedforsecurity=False).hexdigest()
    return f"{ctx.origin}/avatar/{digest}?s={size}&d=identicon"


def ssh_url(ctx: ReadContext, project: Project) -> str:
    """Return the SSH URL of a project's repository."""
    return ssh_url_of_path(ctx, project_path(ctx, project))


def ssh_url_of_path(ctx: ReadContext, path: str) -> str:
    """Return the SSH URL of the repository at a path; while there is no SSH server, nothing is served there."""
    if server := ctx.world.setup.endpoints.ssh:
        return f"{server}/{path}.git"
    # The host without the port, which is that of HTTP.
    # Without a port, the last partition leaves nothing in front of the colon, and the whole host is used.
    host = host_of(ctx.origin).partition("/")[0].rpartition(":")[0] or host_of(ctx.origin)
    return f"git@{host}:{path}.git"
