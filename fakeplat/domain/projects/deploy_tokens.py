"""Deploy tokens of projects and groups. Source: docs/platform/deploy-keys-tokens.md."""

import re
from collections.abc import Collection, Sequence
from typing import Final, TypedDict, Unpack, get_args

from fakeplat.core.operations.errors import BadRequest, RecordNotFound
from fakeplat.core.timestamps import from_iso
from fakeplat.domain import signals
from fakeplat.domain.people.members import source_of
from fakeplat.domain.validation import TAKEN, ValidationErrors, too_long
from fakeplat.model.projects import DeployToken, DeployTokenScope, Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.behaviours import DEPLOY_TOKEN_PREFIX
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

SCOPES: Final[tuple[DeployTokenScope, ...]] = get_args(DeployTokenScope)
_CI_NAME: Final = "gitlab-deploy-token"
_USERNAME: Final = re.compile(r"[a-zA-Z0-9.+_-]+")
_USERNAME_TEXT: Final = "can contain only letters, digits, '_', '-', '+', and '.'"
_NOT_IN_USERNAMES: Final = re.compile(r"[^a-z0-9._-]+")


def list_all(world: World) -> Sequence[DeployToken]:
    """Return all deploy tokens."""
    return list(world.deploy_tokens.all())


def list_deploy_tokens(world: World, container: Routable) -> Sequence[DeployToken]:
    """Return the deploy tokens of a project or group."""
    return world.deploy_tokens.where("source", source_of(container))


def select_active(ctx: ReadContext, tokens: Sequence[DeployToken], active: bool | None) -> Sequence[DeployToken]:
    """Return the tokens that are active, or those that are not; all for None."""
    return tokens if active is None else [token for token in tokens if active is not is_inactive(ctx, token)]


def is_inactive(ctx: ReadContext, token: DeployToken) -> bool:
    """Return whether a token is revoked or expired."""
    return token.revoked or is_expired(ctx, token)


def is_expired(ctx: ReadContext, token: DeployToken) -> bool:
    """Return whether the time of a token is over."""
    return token.expires_at is not None and ctx.has_passed(from_iso(token.expires_at))


def get_deploy_token(world: World, container: Routable, id_: int) -> DeployToken:
    """Return the deploy token of a project or group with an id, or refuse with 404."""
    token = world.deploy_tokens.get(id_)
    if token is None or token.source != source_of(container):
        raise RecordNotFound(reason=lambda: f"{describe(world, container)} has no deploy token {id_}")
    return token


def find_ci_deploy_token(ctx: ReadContext, project: Project) -> DeployToken | None:
    """Return the active deploy token of a project whose special name makes it known to the project's jobs."""
    tokens = list_deploy_tokens(ctx.world, project)
    return next((token for token in tokens if token.name == _CI_NAME and not is_inactive(ctx, token)), None)


class DeployTokenFields(TypedDict, total=False):
    """Further fields of a new deploy token."""

    created_at: str
    expires_at: str | None
    revoked: bool


def create(
    ctx: WriteContext,
    container: Routable,
    *,
    name: str,
    scopes: Collection[str],
    username: str | None = None,
    value: str | None = None,
    **fields: Unpack[DeployTokenFields],
) -> DeployToken:
    """Create a deploy token; by default with a random value and a username that contains the token's id."""
    table = ctx.world.deploy_tokens
    _validate(ctx.world, username, scopes, value)
    id_ = table.next_id()
    values: DeployTokenFields = {"created_at": ctx.now_iso, **fields}
    token = DeployToken(
        id=id_,
        source=source_of(container),
        name=name,
        username=_default_username(ctx, id_) if username is None else username,
        value=_draw_value(ctx) if value is None else value,
        scopes=tuple(scope for scope in SCOPES if scope in scopes),
        **values,
    )
    table.add(token)
    signals.post_create.send(ctx, token)
    return token


def _draw_value(ctx: WriteContext) -> str:
    # Twenty characters, the length of the platform's own tokens.
    return f"{ctx.profile.choose(DEPLOY_TOKEN_PREFIX)}{ctx.random_hex('deploy token', 10)}"


def _default_username(ctx: WriteContext, id_: int) -> str:
    product = _NOT_IN_USERNAMES.sub("-", ctx.instance.product_name.lower())
    return f"{product}+deploy-token-{id_}"


def is_default_username(token: DeployToken) -> bool:
    """Return whether a token has the username that it gets if none is given."""
    return token.username.endswith(f"+deploy-token-{token.id}")


def _validate(world: World, username: str | None, scopes: Collection[str], value: str | None) -> None:
    errors = ValidationErrors()
    errors.when(not scopes, "scopes", "can't be blank")
    too_long(errors, "username", username)
    errors.when(username is not None and not _USERNAME.fullmatch(username), "username", _USERNAME_TEXT)
    errors.when(value is not None and world.deploy_tokens.find("value", value), "token", TAKEN)
    if errors:
        raise BadRequest(" and ".join(errors.full_messages()))
