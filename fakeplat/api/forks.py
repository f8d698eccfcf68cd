"""Forks of projects. Source: docs/platform/projects.md."""

from collections.abc import Sequence

from fakeplat.api import missing
from fakeplat.api.namespaces import readable
from fakeplat.api.project_lists import ListProjects, listed, options, view_of_list
from fakeplat.api.projects import administered, area
from fakeplat.api.scopes import PROJECT, find_project
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.params.params import Params
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import forks
from fakeplat.entities.projects import ProjectView
from fakeplat.model.levels import Visibility
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import demand, rule


class ForkProject(Params):
    """Where to, and what shall be different there."""

    namespace: str | None = None
    namespace_id: int | None = None
    namespace_path: str | None = None
    path: str | None = None
    name: str | None = None
    description: str | None = None
    visibility: Visibility | None = None


@area.operation(
    "POST", "fork", under=PROJECT, takes=ForkProject, shows=ProjectView, options=administered, refuses=(404, 409)
)
def fork_project(cx: Doing, project: Project, p: ForkProject) -> Project:
    """Fork a project; its repository is there once ``import_status`` is finished."""
    ruling = rule(cx, May.FORK_PROJECT, project)
    if not ruling.allowed:
        raise NotFound(reason=ruling.why)
    said = p.given()
    given = {name: said[name] for name in ("path", "name", "description", "visibility") if said.get(name) is not None}
    return forks.fork(cx, project, _target(cx, p), cx.someone, given)


def _target(cx: Context, p: ForkProject) -> Namespace:
    """The caller's own namespace, or another in which the caller may create projects."""
    target = _asked_for(cx, p)
    ruling = rule(cx, May.CREATE_PROJECTS, target)
    if not ruling.allowed:
        raise NotFound("Target Namespace", reason=ruling.why)
    return target


def _asked_for(cx: Context, p: ForkProject) -> Namespace:
    """The namespace that a parameter names, the id before the path; without any the caller's own."""
    if p.namespace_id is not None:
        return readable(cx, cx.world.namespaces.get(p.namespace_id), str(p.namespace_id))
    if p.namespace_path:
        return readable(cx, namespaces.at_path(cx.world, p.namespace_path), p.namespace_path)
    if p.namespace:
        return readable(cx, namespaces.by_reference(cx.world, p.namespace), p.namespace)
    own = cx.someone
    if not namespaces.has_own(cx.world, own):
        raise NotFound("Target Namespace", reason=missing.namespace(cx, own.username))
    return namespaces.of_user(cx.world, own)


@area.operation(
    "GET",
    "forks",
    under=PROJECT,
    takes=ListProjects,
    shows=view_of_list,
    many=True,
    keyset=True,
    offset_limit=True,
    options=options,
)
def list_project_forks(cx: Context, project: Project, p: ListProjects) -> Sequence[Project]:
    """List the visible forks of a project."""
    return listed(cx, p, cx.world.projects.where("forked_from", project.id))


@area.operation(
    "POST",
    "fork/:forked_from_id",
    under=PROJECT,
    may=May.ADMIN_PROJECT,
    shows=ProjectView,
    options=administered,
    refuses=(403, 404, 409),
)
def create_project_fork_relation(cx: Doing, project: Project, forked_from_id: str) -> Project:
    """Create a fork relation between two projects."""
    source = find_project(cx, forked_from_id)
    demand(cx, May.FORK_PROJECT, source)
    return forks.link(cx, project, source)


@area.operation("DELETE", "fork", under=PROJECT, may=May.REMOVE_FORK, refuses=(304, 412))
def delete_project_fork_relation(cx: Doing, project: Project) -> None:
    """Delete a project's fork relation."""
    forks.unlink(cx, project)
