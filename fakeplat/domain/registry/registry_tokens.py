"""Access tokens of the container registry, which docker gets for its credentials. Source: docs/platform/registry.md.

The platform signs them with the private key that it shares with the registry. Here both are the same program, so a
secret of the world is enough.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from fakeplat.core import json_web_tokens
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import MINUTE, SECOND, from_iso
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.registry import cleanup_policies, container_repositories, protection_rules, tag_protection_rules
from fakeplat.model.people import User
from fakeplat.model.projects import DeployToken, Project
from fakeplat.model.registry import ContainerRepository
from fakeplat.model.world import World
from fakeplat.policy import levels
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import Caller, ReadContext, WriteContext
from fakeplat.policy.minimum_levels import Action

SERVICE: Final = "container_registry"
_SCOPE: Final = re.compile(r"(repository|registry):([a-zA-Z0-9._/-]+):([a-z*,]+)")
_ABILITIES: Final = {
    "pull": Ability.READ_CONTAINER_IMAGE,
    # Developers create and delete images.
    "push": Ability.DESTROY_CONTAINER_IMAGE,
    "delete": Ability.ADMIN_CONTAINER_IMAGE,
    "*": Ability.ADMIN_CONTAINER_IMAGE,
}
_TOKEN_SCOPES: Final = {"pull": ("api", "read_registry"), "push": ("api", "write_registry")}
_DEPLOY_SCOPES: Final = {"pull": "read_registry", "push": "write_registry"}
_GUARDED: Final[Mapping[str, Action]] = {"push": "push", "delete": "delete", "*": "delete"}
_JOB_ACTIONS: Final = ("pull", "push", "delete")
_PROTECTED_ACTIONS: Final[tuple[Action, ...]] = ("push", "delete")
NO_PATTERNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({})


@frozen
class Access:
    """Actions that a caller may do with an image repository, or with the catalog of all of them.

    ``denied``: by action, patterns of tags that are not among those pushed or deleted. ``immutable``: patterns of the
    tags that stay as they are.
    """

    kind: str
    name: str
    actions: tuple[str, ...]
    denied: Mapping[str, tuple[str, ...]] = NO_PATTERNS
    immutable: tuple[str, ...] = ()


@frozen
class ImagePath:
    """A path of docker, resolved to a project and the name of an image repository in it."""

    project: Project
    name: str


def resolve_path(world: World, path: str) -> ImagePath | None:
    """Return the project and name of a path; the longest path of a project in it counts."""
    parts = path.split("/")
    for length in range(len(parts), max(1, len(parts) - 4), -1):
        project = namespaces.find_project_by_path(world, "/".join(parts[:length]))
        name = "/".join(parts[length:])
        if project is not None and container_repositories.is_repository_name(name):
            return ImagePath(project, name)
    return None


def find_repository(world: World, path: str) -> ContainerRepository | None:
    """Return the image repository at a path of docker."""
    image = resolve_path(world, path)
    return None if image is None else world.container_repositories.find("name", (image.project.id, image.name))


def grant_access(ctx: ReadContext, caller: Caller, scopes: Iterable[str]) -> list[Access]:
    """Return what a caller may do of what was asked for (``repository:acme/site:pull,push``)."""
    requested = (match for scope in scopes for part in scope.split() if (match := _SCOPE.fullmatch(part)))
    granted = (_grant(ctx, caller, *match.groups()) for match in requested)
    return [access for access in granted if access.actions]


def _grant(ctx: ReadContext, caller: Caller, kind: str, name: str, actions: str) -> Access:
    asked = actions.split(",")
    if kind == "registry":
        is_admin = caller.user is not None and caller.user.admin
        return Access(kind, name, tuple(asked) if name == "catalog" and is_admin else ())
    image = resolve_path(ctx.world, name)
    if image is None:
        return Access(kind, name, ())
    project = image.project
    allowed = tuple(
        action
        for action in asked
        if _may(ctx, caller, project, action) and not _is_protected(ctx, caller, project, name, action)
    )
    changes = [action for action in _PROTECTED_ACTIONS if action in allowed or "*" in allowed]
    immutable = tag_protection_rules.list_immutable(ctx, project) if changes else ()
    return Access(kind, name, allowed, _list_denied(ctx, caller, project, changes), immutable)


def _list_denied(
    ctx: ReadContext, caller: Caller, project: Project, actions: Iterable[Action]
) -> Mapping[str, tuple[str, ...]]:
    """Return which tags are denied for each action; deploy tokens, who have no role, may change all."""
    if caller.user is None or not ctx.world.container_tag_protection_rules.ids("project", project.id):
        return NO_PATTERNS
    as_caller = ctx.as_user(caller.user)
    return {action: tag_protection_rules.list_denied(as_caller, project, action) for action in actions}


def _is_protected(ctx: ReadContext, caller: Caller, project: Project, path: str, action: str) -> bool:
    """Return whether a rule of the project keeps the caller from an action."""
    guarded = _GUARDED.get(action)
    if guarded is None:
        return False
    if caller.user is None:
        # Deploy tokens have no level.
        return protection_rules.has_rule(ctx.world, project, path, guarded)
    return protection_rules.is_protected(ctx.as_user(caller.user), project, path, guarded)


def _may(ctx: ReadContext, caller: Caller, project: Project, action: str) -> bool:
    if action not in _ABILITIES or not project.container_registry_enabled:
        return False
    if caller.deploy_token is not None:
        is_valid = levels.covers_project(ctx.world, caller.deploy_token, project)
        return is_valid and _DEPLOY_SCOPES.get(action) in caller.deploy_token.scopes
    token = caller.token
    if token is not None and token.kind == "job":
        is_own = token.project_id == project.id and action in _JOB_ACTIONS
        return is_own or (action == "pull" and _can(ctx, caller, action, project))
    scopes = _TOKEN_SCOPES.get(action, ("api",))
    has_scope = token is None or any(scope in token.scopes for scope in scopes)
    return has_scope and _can(ctx, caller, action, project)


def _can(ctx: ReadContext, caller: Caller, action: str, project: Project) -> bool:
    as_caller = ctx.as_anonymous() if caller.user is None else ctx.as_user(caller.user)
    return can(as_caller, _ABILITIES[action], project)


def list_new_images(world: World, granted: Iterable[Access]) -> Iterator[ImagePath]:
    """Yield the image repositories that do not exist, and that a caller is allowed to push to."""
    for access in granted:
        image = resolve_path(world, access.name) if "push" in access.actions else None
        if image is not None and find_repository(world, access.name) is None:
            yield image


def create_repositories(ctx: WriteContext, images: Iterable[ImagePath]) -> None:
    """Create image repositories that are about to be pushed to."""
    for image in images:
        container_repositories.create(ctx, image.project, image.name)
        cleanup_policies.schedule_run(ctx, image.project)


def issue_token(ctx: ReadContext, caller: Caller, granted: Iterable[Access]) -> str:
    """Return a signed token (JWT) with the granted access."""
    now = ctx.moving_now()
    subject = caller.user.username if caller.user else caller.deploy_token.username if caller.deploy_token else ""
    seed = ctx.world.setup.seed
    claims = {
        "access": [_write_claim(access) for access in granted],
        "jti": random_bytes(seed, f"registry token of {subject}", now).hex(),
        "aud": SERVICE,
        "sub": subject,
        "iss": f"{ctx.instance.product_name.lower()}-issuer",
        "iat": now // SECOND,
        "nbf": now // SECOND - 5,
        "exp": (now + ctx.world.settings.container_registry_token_expire_delay * MINUTE) // SECOND,
    }
    return json_web_tokens.encode(claims, _key_of(ctx.world))


def find_granted(ctx: ReadContext, token: str) -> list[Access] | None:
    """Return what a token allows; None if this world did not issue it, or it has expired."""
    claims = json_web_tokens.find_claims(token, _key_of(ctx.world))
    if claims is None or ctx.has_passed(claims["exp"] * SECOND):
        return None
    return [_read_claim(access) for access in claims["access"]]


def find_subject(ctx: ReadContext, token: str) -> User | DeployToken | None:
    """Return whom a token was issued to; None if this world did not issue it, or it has expired."""
    claims = json_web_tokens.find_claims(token, _key_of(ctx.world))
    if claims is None or ctx.has_passed(claims["exp"] * SECOND):
        return None
    user = users.find_by_username(ctx.world, claims["sub"])
    tokens = (each for each in ctx.world.deploy_tokens.all() if each.username == claims["sub"])
    return user or find_active_deploy_token(ctx, next(tokens, None))


def find_active_deploy_token(ctx: ReadContext, token: DeployToken | None) -> DeployToken | None:
    """Return a deploy token, unless it is revoked or has expired."""
    if token is None or token.revoked:
        return None
    is_expired = token.expires_at is not None and ctx.has_passed(from_iso(token.expires_at))
    return None if is_expired else token


def _write_claim(access: Access) -> dict[str, object]:
    claim: dict[str, object] = {"type": access.kind, "name": access.name, "actions": access.actions}
    patterns = {"tag_deny_access_patterns": access.denied, "tag_immutable_patterns": access.immutable}
    meta = {name: value for name, value in patterns.items() if value}
    return {**claim, "meta": meta} if meta else claim


def _read_claim(claim: Mapping[str, Any]) -> Access:
    meta = claim.get("meta", {})
    denied = {action: tuple(patterns) for action, patterns in meta.get("tag_deny_access_patterns", {}).items()}
    immutable = tuple(meta.get("tag_immutable_patterns", ()))
    return Access(claim["type"], claim["name"], tuple(claim["actions"]), denied, immutable)


def _key_of(world: World) -> bytes:
    return random_bytes(world.setup.seed, "registry key", 0, 32)
