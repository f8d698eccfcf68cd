"""Fine-grained tokens: whether a token has permissions, such as ``read_work_item``, in a project or elsewhere.

Source: docs/platform/fine-grained-tokens.md.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal, NamedTuple

from fakeplat.core.operations.errors import InsufficientGranularScope, NotFound
from fakeplat.model.people import GRANULAR, GranularScope, Token, User, UserNamespace
from fakeplat.model.projects import Container, Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see, is_member
from fakeplat.policy.behaviours import GRANULAR_TOKENS, GRANULAR_TOKENS_ARE_ON
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import ancestors_of

FLAG: Final = "granular_personal_access_tokens"
_DISABLED: Final = "Fine-grained personal access tokens are not yet supported."


class Boundary(NamedTuple):
    """Where a permission is needed: in a project or group, for the user's own things, or for those of the instance."""

    kind: Literal["project", "group", "user", "instance"]
    container: Container | None = None

    @classmethod
    def of(cls, container: Container) -> "Boundary":
        """Return the boundary of a project or group."""
        return cls("project" if isinstance(container, Project) else "group", container)


def name_permission(permission: str) -> str:
    """Return the name of a permission in scopes of tokens: ``read_work_item`` for ``Work Item: Read``."""
    resource, _, action = permission.partition(": ")
    return f"{action} {resource}".lower().replace(" ", "_")


def is_granular(token: Token) -> bool:
    """Return whether a token is fine-grained."""
    return GRANULAR in token.scopes


def are_enabled(ctx: ReadContext, user: User) -> bool:
    """Return whether a user has fine-grained tokens: by default in later releases, before with a feature flag."""
    feature = ctx.world.features.find("name", FLAG)
    if feature is None or not ctx.profile.has(GRANULAR_TOKENS):
        return ctx.profile.has(GRANULAR_TOKENS_ARE_ON)
    return feature.state == "on" or user.id in feature.user_ids


def check_enabled(ctx: ReadContext, token: Token) -> None:
    """Refuse a fine-grained token whose user has no such tokens."""
    user = ctx.world.users.get(token.user_id or 0)
    if user is None or not are_enabled(ctx, user):
        raise InsufficientGranularScope(_DISABLED, reason=f"the feature {FLAG} is off")


def authorize_token(ctx: ReadContext, token: Token, boundaries: Sequence[Boundary], permissions: Sequence[str]) -> None:
    """Refuse a fine-grained token that has not all of some permissions within one of the boundaries.

    Permissions are written as in the refusal (``Work Item: Read``). 404 where its user does not see the boundary.
    """
    missing = [list_missing(ctx, token, boundary, permissions) for boundary in boundaries]
    if not all(missing):
        return
    if any(each.container is not None and not can_see(ctx, each.container) for each in boundaries):
        raise NotFound(reason="the user of the token does not see the project or group")
    first, wanted = boundaries[0], missing[0]
    raise InsufficientGranularScope(
        f"This operation requires a fine-grained personal access token with the following {first.kind} "
        f"permissions: [{', '.join(sorted(wanted))}].",
        reason=partial(_explain, ctx.world, token, wanted),
    )


def _explain(world: World, token: Token, missing: Sequence[str]) -> str:
    scopes = world.granular_scopes.where("token", token.id)
    held = "; ".join(f"{scope.access}: {', '.join(scope.permissions)}" for scope in scopes) or "nothing"
    return f"the token has {held}; the operation needs {', '.join(map(name_permission, missing))}"


def list_missing(ctx: ReadContext, token: Token, boundary: Boundary, permissions: Sequence[str]) -> list[str]:
    """Return those of some permissions that a fine-grained token does not have within a boundary."""
    # Whoever is no member has no permission there, whatever the token says.
    if boundary.container is not None and not is_member(ctx, boundary.container):
        return list(permissions)
    scopes = ctx.world.granular_scopes.where("token", token.id)
    held = {name for scope in scopes if _covers(ctx.world, token, scope, boundary) for name in scope.permissions}
    return [permission for permission in permissions if name_permission(permission) not in held]


def _covers(world: World, token: Token, scope: GranularScope, boundary: Boundary) -> bool:
    """Return whether a scope applies within a boundary."""
    container = boundary.container
    if container is None:
        return scope.access == boundary.kind
    if scope.access == "all_memberships":
        return True
    above = list(ancestors_of(world, container))
    if scope.access == "personal_projects":
        return any(isinstance(each, UserNamespace) and each.owner_id == token.user_id for each in above)
    is_named = isinstance(container, Project) and container.id == scope.project_id
    return scope.access == "selected_memberships" and (is_named or any(each.id == scope.group_id for each in above))
