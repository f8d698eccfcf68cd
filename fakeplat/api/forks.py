"""Forks of projects. Source: docs/platform/projects.md."""

from collections.abc import Sequence

from fakeplat.api import missing
from fakeplat.api.namespaces import require_readable
from fakeplat.api.project_lists import ListProjects, list_matching, list_options, view_of_list
from fakeplat.api.projects import administered_options, area
from fakeplat.api.scopes import PROJECT, find_project
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.params.params import Params
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import forks
from fakeplat.entities.projects import ProjectView
from fakeplat.model.levels import Visibility
from fakeplat.model.namespaces import Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, decide
from fakeplat.policy.context import ReadContext, WriteContext


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
    "POST",
    "fork",
    scope=PROJECT,
    params=ForkProject,
    view=ProjectView,
    options=administered_options,
    refusals=(404, 409),
)
def fork_project(ctx: WriteContext, project: Project, p: ForkProject) -> Project:
    """Fork a project; its repository is there once ``import_status`` is finished."""
    ruling = decide(ctx, Ability.FORK_PROJECT, project)
    if not ruling.allowed:
        raise NotFound(reason=ruling.why)
    said = p.given()
    given = {name: said[name] for name in ("path", "name", "description", "visibility") if said.get(name) is not None}
    return forks.fork(ctx, project, _target(ctx, project, p), ctx.signed_in_user, given)


def _target(ctx: ReadContext, project: Project, p: ForkProject) -> Namespace:
    """The caller's own namespace, or another in which the caller may create projects."""
    target = _asked_for(ctx, p)
    if not (ctx.admin or forks.may_be_in(ctx.world, project, target)):
        raise NotFound("Target Namespace", reason="prevent_forking_outside_group is on in the project's group")
    ruling = decide(ctx, Ability.CREATE_PROJECTS, target)
    if not ruling.allowed:
        raise NotFound("Target Namespace", reason=ruling.why)
    return target


def _asked_for(ctx: ReadContext, p: ForkProject) -> Namespace:
    """The namespace that a parameter names, the id before the path; without any the caller's own."""
    if p.namespace_id is not None:
        return require_readable(ctx, ctx.world.namespaces.get(p.namespace_id), str(p.namespace_id))
    if p.namespace_path:
        return require_readable(ctx, namespaces.find_by_path(ctx.world, p.namespace_path), p.namespace_path)
    if p.namespace:
        return require_readable(ctx, namespaces.find_by_reference(ctx.world, p.namespace), p.namespace)
    own = ctx.signed_in_user
    if not namespaces.has_user_namespace(ctx.world, own):
        raise NotFound("Target Namespace", reason=missing.namespace(ctx, own.username))
    return namespaces.user_namespace(ctx.world, own)


@area.operation(
    "GET",
    "forks",
    scope=PROJECT,
    params=ListProjects,
    view=view_of_list,
    many=True,
    keyset=True,
    offset_limit=True,
    options=list_options,
)
def list_project_forks(ctx: ReadContext, project: Project, p: ListProjects) -> Sequence[Project]:
    """List the visible forks of a project."""
    return list_matching(ctx, p, ctx.world.projects.where("forked_from", project.id))


@area.operation(
    "POST",
    "fork/:forked_from_id",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    view=ProjectView,
    options=administered_options,
    refusals=(403, 404, 409),
)
def create_project_fork_relation(ctx: WriteContext, project: Project, forked_from_id: str) -> Project:
    """Create a fork relation between two projects."""
    source = find_project(ctx, forked_from_id)
    authorize(ctx, Ability.FORK_PROJECT, source)
    return forks.link_fork(ctx, project, source)


@area.operation("DELETE", "fork", scope=PROJECT, ability=Ability.REMOVE_FORK, refusals=(304, 412))
def delete_project_fork_relation(ctx: WriteContext, project: Project) -> None:
    """Delete a project's fork relation."""
    forks.unlink_fork(ctx, project)
