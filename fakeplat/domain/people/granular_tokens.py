"""The creation of fine-grained tokens, from scopes that name projects and groups by id.

Source: docs/platform/fine-grained-tokens.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from attrs import evolve

from fakeplat.core.operations.errors import ForbiddenWithMessage, NotFound, Unprocessable
from fakeplat.domain.people import tokens
from fakeplat.model.people import GranularAccess, GranularScope, Group, Level, Token, TokenKind, User
from fakeplat.model.projects import Container, Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.granular_scopes import are_enabled, is_granular
from fakeplat.policy.levels import ancestors_of, group_level, project_level

_NONE: Final = "At least one granular scope must be provided"
_ESCALATION: Final = "A granular token can only create tokens with equal or lesser permissions."
_INVALID_PERMISSIONS: Final = "Validation failed: Permissions must be a valid json schema"


class ScopeRequest(NamedTuple):
    """A granular scope as a client asks for it; each project and group becomes a scope of its own."""

    access: GranularAccess
    permissions: Sequence[str]
    project_ids: Sequence[int] = ()
    group_ids: Sequence[int] = ()


def create(
    ctx: WriteContext,
    user: User,
    kind: TokenKind,
    requests: Sequence[ScopeRequest],
    *,
    name: str,
    expires_at: str | None,
    description: str | None = None,
) -> Token:
    """Create a fine-grained token of a user.

    404 without the feature, and for a project or group to which the user does not belong; 403 for more permissions
    than those of the fine-grained token of the request; 422 without scopes or permissions.
    """
    if not are_enabled(ctx, user):
        raise NotFound(reason=f"{user.username} has no fine-grained tokens: the feature is off")
    scopes = [scope for request in requests for scope in _build_scopes(ctx.world, user, request)]
    _check_escalation(ctx, scopes)
    if not scopes:
        raise Unprocessable(_NONE, reason="granular_scopes is empty, or names no project or group")
    if any(not scope.permissions or len({*scope.permissions}) < len(scope.permissions) for scope in scopes):
        raise Unprocessable(_INVALID_PERMISSIONS, reason="each scope needs permissions, and each of them once")
    return tokens.create_granular(ctx, user, kind, scopes, name=name, expires_at=expires_at, description=description)


def _build_scopes(world: World, user: User, request: ScopeRequest) -> Iterator[GranularScope]:
    scope = GranularScope(id=0, token_id=0, access=request.access, permissions=tuple(request.permissions))
    if request.access != "selected_memberships":
        yield scope
        return
    groups = [group for id_ in request.group_ids if isinstance(group := world.namespaces.get(id_), Group)]
    projects = [project for id_ in request.project_ids if (project := world.projects.get(id_)) is not None]
    containers: list[Container] = [*groups, *projects]
    for container in containers:
        if not _is_member(world, container, user):
            raise NotFound(reason=f"{user.username} does not belong to {container.path}")
        is_project = isinstance(container, Project)
        yield evolve(scope, project_id=container.id) if is_project else evolve(scope, group_id=container.id)


def _is_member(world: World, container: Container, user: User) -> bool:
    if isinstance(container, Project):
        return project_level(world, container, user.id) > Level.MINIMAL
    return group_level(world, container, user.id) > Level.MINIMAL


def _check_escalation(ctx: ReadContext, requested: Iterable[GranularScope]) -> None:
    """Refuse more permissions than the fine-grained token of the request has."""
    if ctx.token is None or not is_granular(ctx.token):
        return
    held = list(ctx.world.granular_scopes.where("token", ctx.token.id))
    for scope in requested:
        covered = {name for other in held if _includes(ctx.world, other, scope) for name in other.permissions}
        if not covered.issuperset(scope.permissions):
            raise ForbiddenWithMessage(_ESCALATION, reason="the token of the request lacks one of these permissions")


def _includes(world: World, held: GranularScope, requested: GranularScope) -> bool:
    """Return whether a scope that a token has applies wherever a requested one does."""
    if requested.access in ("user", "instance"):
        return held.access == requested.access
    if held.access == "all_memberships":
        return True
    if held.access != requested.access or held.access != "selected_memberships":
        return held.access == requested.access == "personal_projects"
    if requested.project_id is not None:
        project = world.projects[requested.project_id]
        return held.project_id == project.id or _is_below(world, project, held.group_id)
    return _is_below(world, world.namespaces[requested.group_id or 0], held.group_id)


def _is_below(world: World, container: Routable, group_id: int | None) -> bool:
    return any(each.id == group_id for each in ancestors_of(world, container))
