"""Redirects from old paths of projects, which git follows after a project or a group above was renamed or moved."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.model.projects import Project, Redirect
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def find_project(world: World, path: str) -> Project | None:
    """Return the project that once had a full path."""
    redirect = world.redirects.find("path", path.lower())
    return world.projects[redirect.project_id] if redirect else None


def list_old_paths(world: World, project: Project) -> list[str]:
    """Return the former full paths of a project, oldest first."""
    return [redirect.path for redirect in world.redirects.where("project", project.id)]


def insert_redirect(ctx: WriteContext, project: Project, path: str) -> Redirect:
    """Redirect a full path to a project."""
    delete_redirects(ctx, path)
    return ctx.world.redirects.add(Redirect(ctx.world.redirects.next_id(), project.id, path))


def delete_redirects(ctx: WriteContext, path: str) -> None:
    """Delete the redirects at a path and below it, because the path is used again."""
    lowered = path.lower()
    for redirect in list(ctx.world.redirects.all()):
        # With the slash, ``acme/site`` does not match ``acme/site-2``.
        if f"{redirect.path.lower()}/".startswith(f"{lowered}/"):
            purge(ctx, redirect)


@contextmanager
def redirect_old_paths(ctx: WriteContext, projects: Iterable[Project]) -> Iterator[None]:
    """Create redirects from the current paths of projects if they differ when the context ends."""
    before = [(project.id, namespaces.project_path(ctx.world, project)) for project in projects]
    yield
    for id_, path in before:
        project = ctx.world.projects[id_]
        new_path = namespaces.project_path(ctx.world, project)
        if new_path.lower() != path.lower():
            # A project that returns to an old path must not be redirected from it.
            delete_redirects(ctx, new_path)
            insert_redirect(ctx, project, path)
