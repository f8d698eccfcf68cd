"""Where the pages of projects would be served."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people.namespaces import full_path
from fakeplat.model.projects import Project
from fakeplat.model.world import World

if TYPE_CHECKING:  # Names of people are compared with domains before any pipeline is read.
    from fakeplat.ci_config.jobs import PlannedJob

FOLDER: Final = "public"
"""The folder that is published unless a job names another one."""
_LONGEST_PREFIX: Final = 63
_SLASHES_OF_HOST: Final = len("//")
_NO_PREFIX: Final = re.compile(r"[^a-z0-9.]")


def find_options(job: "PlannedJob") -> Mapping[str, object] | None:
    """Return what a job says of the pages that it deploys, None if it deploys none."""
    pages = job.options.get("pages")
    if pages is False or (pages is None and job.name != "pages"):
        return None
    options = pages if isinstance(pages, Mapping) else {}
    return {"publish": job.options.get("publish"), **options}


def slugify_prefix(text: str) -> str | None:
    """Return a prefix as a part of a path; None without one."""
    return _NO_PREFIX.sub("-", text.lower())[:_LONGEST_PREFIX].strip("-.") or None


def pages_host(origin: str) -> str:
    """Return the host below which the pages of all projects would be served."""
    hostname = urlsplit(origin).hostname or ""
    # An address can have no names below it.
    return f"pages.{hostname if any(map(str.isalpha, hostname)) else 'localhost'}"


def is_unique_domain(world: World, name: str) -> bool:
    """Return whether the pages of a project are below a domain of their own with a name."""
    _, separator, number = name.rpartition("-")
    project = world.projects.get(parse_number(number) or 0) if separator else None
    return project is not None and project.pages_unique_domain_enabled and _unique_domain(project) == name


def _unique_domain(project: Project) -> str:
    return f"{project.path.lower()}-{project.id}"


def deployment_url(world: World, project: Project, origin: str, prefix: str | None) -> str:
    """Return the URL of a deployment; the one at the root of a host ends in a slash."""
    url = pages_url(world, project, origin)
    return f"{url}/{prefix or ''}" if prefix or url.count("/") == _SLASHES_OF_HOST else url


def pages_url(world: World, project: Project, origin: str) -> str:
    """Return the URL of a project's pages; a unique domain has the project's id in its name."""
    scheme = "https" if project.pages_https_only else "http"
    host, path = pages_host(origin), project.path.lower()
    if project.pages_unique_domain_enabled:
        return f"{scheme}://{_unique_domain(project)}.{host}"
    top_level, *rest = full_path(world, world.namespaces[project.namespace_id]).lower().split("/")
    page = f"{top_level}.{host}"
    # The project with the name of the host is served at its root.
    return f"{scheme}://{page}" if path == page and not rest else "/".join([f"{scheme}://{page}", *rest, path])
