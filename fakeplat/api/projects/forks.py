"""Forks of projects. Source: docs/platform/projects.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api import missing
from fakeplat.api.people.namespaces import require_readable
from fakeplat.api.projects.project_lists import (
    ListProjects,
    build_list_options,
    list_matching_projects,
    select_list_view,
)
from fakeplat.api.projects.projects import area, build_admin_options
from fakeplat.api.scopes import PROJECT, get_project
from fakeplat.core.operations.errors import NotFound, UnauthorizedWithMessage
from fakeplat.core.operations.paging import BY_OFFSET_OR_KEYSET
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import forks
from fakeplat.domain.repository import branches
from fakeplat.entities.projects.projects import ProjectView
from fakeplat.model.people import Namespace, Visibility
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, decide
from fakeplat.policy.behaviours import OWNERS_LINK_FORKS
from fakeplat.policy.context import ReadContext, WriteContext

_NO_TARGET: Final = "401 Unauthorized - Target Namespace"


class ForkProject(Params):
    """The target namespace and the fields that differ in the fork."""

    namespace: str | None = None
    namespace_id: int | None = None
    namespace_path: str | None = None
    path: str | None = None
    name: str | None = None
    description: str | None = None
    visibility: Visibility | None = None
    mr_default_target_self: Annotated[bool | None, Lifetime(since="<=14.9")] = None
    branches: Annotated[str | None, Lifetime(since="<=17.2")] = None


@area.operation(
    "POST",
    "fork",
    scope=PROJECT,
    params=ForkProject,
    view=ProjectView,
    options=build_admin_options,
    refusals=(404, 409),
)
def fork_project(ctx: WriteContext, project: Project, p: ForkProject) -> Project:
    """Fork a project; its repository is there once ``import_status`` is finished."""
    # `decide`, not `authorize`, which would answer 403: the platform refuses forks with 404.
    ruling = decide(ctx, Ability.FORK_PROJECT, project)
    if not ruling.allowed:
        raise NotFound(reason=ruling.why)
    if p.branches and branches.find_branch(ctx.world, project, p.branches) is None:
        raise NotFound("Source Branch", reason=f"there is no branch {p.branches}")
    params = p.given()
    # A null has the same effect as a parameter that was not sent.
    names = ("path", "name", "description", "visibility", "mr_default_target_self")
    changes = {name: params[name] for name in names if params.get(name) is not None}
    return forks.fork(
        ctx, project, _require_target(ctx, project, p), ctx.signed_in_user, branch=p.branches or "", **changes
    )


def _require_target(ctx: ReadContext, project: Project, p: ForkProject) -> Namespace:
    """Return the requested namespace if the caller may fork into it, else refuse with 404."""
    target = _get_requested_namespace(ctx, p)
    if not (ctx.admin or forks.can_fork_into(ctx.world, project, target)):
        raise NotFound("Target Namespace", reason="prevent_forking_outside_group is on in the project's group")
    ruling = decide(ctx, Ability.CREATE_PROJECTS, target)
    if not ruling.allowed:
        raise NotFound("Target Namespace", reason=ruling.why)
    return target


def _get_requested_namespace(ctx: ReadContext, p: ForkProject) -> Namespace:
    """Find the namespace that the parameters name (the id wins over the path), by default the caller's own."""
    if p.namespace_id is not None:
        return require_readable(ctx, ctx.world.namespaces.get(p.namespace_id), str(p.namespace_id))
    if p.namespace_path:
        return require_readable(ctx, namespaces.find_by_path(ctx.world, p.namespace_path), p.namespace_path)
    if p.namespace:
        return require_readable(ctx, namespaces.find_by_reference(ctx.world, p.namespace), p.namespace)
    user = ctx.signed_in_user
    own = namespaces.find_user_namespace(ctx.world, user)
    if own is None:
        raise NotFound("Target Namespace", reason=missing.namespace(ctx, user.username))
    return own


@area.operation(
    "GET",
    "forks",
    scope=PROJECT,
    params=ListProjects,
    view=select_list_view,
    many=True,
    paging=BY_OFFSET_OR_KEYSET,
    options=build_list_options,
)
def list_project_forks(ctx: ReadContext, project: Project, p: ListProjects) -> Sequence[Project]:
    """List the visible forks of a project."""
    return list_matching_projects(ctx, p, ctx.world.projects.where("forked_from", project.id))


@area.operation(
    "POST",
    "fork/:forked_from_id",
    scope=PROJECT,
    ability=Ability.LINK_FORK,
    view=ProjectView,
    options=build_admin_options,
    refusals=(400, 401, 403, 404, 409),
)
def create_project_fork_relation(ctx: WriteContext, project: Project, forked_from_id: str) -> Project:
    """Create a fork relation between two projects."""
    source = get_project(ctx, forked_from_id)
    authorize(ctx, Ability.FORK_PROJECT, source)
    if ctx.profile.has(OWNERS_LINK_FORKS):
        _require_target_of_link(ctx, project, source)
    return forks.link_fork(ctx, project, source)


def _require_target_of_link(ctx: ReadContext, project: Project, source: Project) -> None:
    """Refuse a link, with 401, unless the caller may fork into the namespace of the project."""
    namespace = ctx.world.namespaces[project.namespace_id]
    ruling = decide(ctx, Ability.CREATE_PROJECTS, namespace)
    if not ruling.allowed:
        raise UnauthorizedWithMessage(_NO_TARGET, reason=ruling.why)
    if not (ctx.admin or forks.can_fork_into(ctx.world, source, namespace)):
        raise UnauthorizedWithMessage(_NO_TARGET, reason="forks stay inside the group of their parent")


@area.operation("DELETE", "fork", scope=PROJECT, ability=Ability.REMOVE_FORK, refusals=(304, 412))
def delete_project_fork_relation(ctx: WriteContext, project: Project) -> None:
    """Delete a project's fork relation."""
    forks.unlink_fork(ctx, project)
