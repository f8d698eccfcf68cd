"""Old paths of projects: git still finds a project there after it, or what it is in, was renamed or moved."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from fakeplat.domain.people import namespaces
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.redirects import Redirect
from fakeplat.model.world import World
from fakeplat.policy.context import Doing


def project_at(world: World, path: str) -> Project | None:
    """Return the project that had a full path before."""
    redirect = world.redirects.find("path", path.lower())
    return world.projects[redirect.project_id] if redirect else None


def of(world: World, project: Project) -> list[str]:
    """Return the full paths that a project had, the oldest first."""
    return [redirect.path for redirect in world.redirects.where("project", project.id)]


def put(cx: Doing, project: Project, path: str) -> Redirect:
    """Let a full path lead to a project."""
    forget(cx, path)
    return cx.world.redirects.add(Redirect(cx.world.redirects.next_id(), project.id, path))


def forget(cx: Doing, path: str) -> None:
    """Remove the redirects at a path and below it, which something else takes."""
    lowered = path.lower()
    for redirect in list(cx.world.redirects.all()):
        if f"{redirect.path.lower()}/".startswith(f"{lowered}/"):
            cx.world.redirects.remove(redirect)


def drop(cx: Doing, project: Project) -> None:
    """Remove the redirects to a project that goes."""
    for redirect in list(cx.world.redirects.where("project", project.id)):
        cx.world.redirects.remove(redirect)


def within(world: World, namespace: Namespace) -> Iterator[Project]:
    """Yield all projects of a namespace, and of the groups below it."""
    for place in (namespace, *namespaces.inside(world, namespace)):
        yield from world.projects.where("namespace", place.id)


@contextmanager
def kept(cx: Doing, projects: Iterable[Project]) -> Iterator[None]:
    """Let the paths that projects have now lead to them, where they have others afterwards."""
    before = [(project.id, namespaces.project_path(cx.world, project)) for project in projects]
    yield
    for id_, path in before:
        project = cx.world.projects[id_]
        new_path = namespaces.project_path(cx.world, project)
        if new_path.lower() != path.lower():
            forget(cx, new_path)
            put(cx, project, path)
