"""Where the pages of projects would be served."""

from urllib.parse import urlsplit

from fakeplat.domain.people.namespaces import full_path
from fakeplat.model.projects import Project
from fakeplat.model.world import World


def pages_host(origin: str) -> str:
    """Return the host below which the pages of all projects would be served."""
    hostname = urlsplit(origin).hostname or ""
    # An address can have no names below it.
    return f"pages.{hostname if any(map(str.isalpha, hostname)) else 'localhost'}"


def pages_url(world: World, project: Project, origin: str) -> str:
    """Return the URL of a project's pages; a unique domain has the project's id in its name."""
    scheme = "https" if project.pages_https_only else "http"
    host, path = pages_host(origin), project.path.lower()
    if project.pages_unique_domain_enabled:
        return f"{scheme}://{path}-{project.id}.{host}"
    top_level, *rest = full_path(world, world.namespaces[project.namespace_id]).lower().split("/")
    page = f"{top_level}.{host}"
    # The project with the name of the host is served at its root.
    return f"{scheme}://{page}" if path == page and not rest else "/".join([f"{scheme}://{page}", *rest, path])
