"""Access tokens of projects and groups, whose users are bots, and service accounts.

Source: docs/platform/impersonation-and-access-tokens.md.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import BadRequest, NotFound, NotFoundWithMessage, Unauthorized
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Day, Params
from fakeplat.domain.people import bots, tokens, users
from fakeplat.entities.people.access_tokens import ResourceAccessTokenView, ResourceAccessTokenWithToken
from fakeplat.entities.people.users import UserSafe
from fakeplat.model.people import Group, Level, Token, User
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, decide, level_on
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Access tokens", login=Login.ALWAYS)
groups_area: Final = Area("Groups", login=Login.ALWAYS)
CONTAINERS: Final = (PROJECT, GROUP)
PATH: Final = "access_tokens"
Scope = Literal["api", "read_api", "read_repository", "write_repository", "read_registry", "write_registry"]


def _kind(container: Container) -> str:
    return "project" if isinstance(container, Project) else "group"


@area.operation(
    "GET",
    PATH,
    scope=CONTAINERS,
    params=Paged,
    view=ResourceAccessTokenView,
    many=True,
    refusals=(401,),
    since=("13.9", "14.7"),
)
def list_access_tokens(ctx: ReadContext, container: Container) -> Sequence[Token]:
    """List the access tokens of a project or group."""
    decision = decide(ctx, Ability.READ_RESOURCE_ACCESS_TOKENS, container)
    if not decision.allowed:
        # The platform answers 401 here, although the caller is signed in.
        raise Unauthorized(reason=decision.why)
    return tokens.list_of_container(ctx.world, container)


class CreateResourceToken(Params):
    """A new access token, and the role of its bot."""

    name: str
    scopes: CommaList[Scope]
    expires_at: Day | None = None
    access_level: Literal[10, 20, 30, 40, 50] = 40


@area.operation(
    "POST",
    PATH,
    scope=CONTAINERS,
    params=CreateResourceToken,
    view=ResourceAccessTokenWithToken,
    refusals=(400,),
    since=("13.9", "14.7"),
)
def create_access_token(ctx: WriteContext, container: Container, p: CreateResourceToken) -> Token:
    """Create an access token of a project or group, with a bot user. Only this response contains the token."""
    kind, caller = _kind(container), ctx.signed_in_user
    # A bot has the role of its token, but makes no further tokens.
    if caller.kind == "project_bot" or not can(ctx, Ability.CREATE_RESOURCE_ACCESS_TOKENS, container):
        text = f"User does not have permission to create {kind} access token"
        raise BadRequest(f"400 Bad request - {text}", reason=partial(_explain_creation, ctx, container))
    if p.access_level > max(level_on(ctx, container), Level.MAINTAINER):
        text = "Access level of the token can't be greater the access level of the user who created the token"
        raise BadRequest(f"400 Bad request - {text}", reason=f"{caller_name(ctx)} is below {p.access_level} there")
    latest = tokens.latest_expiry(ctx)
    if p.expires_at and latest and p.expires_at > latest:
        text = f"400 Bad request - Expires at must be before {latest}"
        raise BadRequest(text, reason=f"{p.expires_at} is later than an access token is valid")
    return tokens.create_for_container(
        ctx,
        container,
        name=p.name,
        scopes=p.scopes,
        expires_at=p.expires_at or latest,
        # Projects have no owners of their own, so their bots are Maintainers at most.
        access_level=min(p.access_level, Level.MAINTAINER) if isinstance(container, Project) else p.access_level,
    )


def _explain_creation(ctx: ReadContext, container: Container) -> str:
    if ctx.signed_in_user.kind == "project_bot":
        return "bots create no access tokens"
    return decide(ctx, Ability.CREATE_RESOURCE_ACCESS_TOKENS, container).reason


@area.operation("DELETE", f"{PATH}/:token_id", scope=PROJECT, refusals=(400, 404), since="13.9")
def revoke_project_access_token(ctx: WriteContext, project: Project, token_id: str) -> None:
    """Revoke an access token of a project, and delete its bot."""
    token = next((one for one in tokens.list_of_container(ctx.world, project) if str(one.id) == token_id), None)
    if token is None:
        text = f"404 Could not find project access token with token_id: {token_id} Not Found"
        raise NotFoundWithMessage(text, reason=f"{describe(ctx.world, project)} has no such token")
    bot = tokens.bot_of(ctx.world, token)
    decision = decide(ctx, Ability.DESTROY_RESOURCE_ACCESS_TOKENS, project)
    if not decision.allowed:
        text = f"{ctx.signed_in_user.name} cannot delete {bot.name}"
        raise BadRequest(f"400 Bad request - {text}", reason=decision.why)
    tokens.revoke_with_bot(ctx, token)


class CreateServiceAccount(Params):
    """The names of a service account; by default, they are made up."""

    name: str | None = None
    username: str | None = None


@groups_area.operation(
    "POST",
    "service_accounts",
    scope=GROUP,
    ability=Ability.ADMIN_SERVICE_ACCOUNTS,
    params=CreateServiceAccount,
    view=UserSafe,
    tier="premium",
    refusals=(400, 404),
    since="16.1",
)
def create_group_service_account(ctx: WriteContext, group: Group, p: CreateServiceAccount) -> User:
    """Create a service account in a top-level group. It is no member yet."""
    if group.parent_id is not None:
        raise NotFound("Group", reason="only top-level groups have service accounts")
    username = p.username or f"service_account_group_{group.id}_{ctx.random_hex('service account')}"
    if users.is_username_taken(ctx.world, username):
        raise BadRequest("400 Bad request - Username has already been taken", reason=f"{username} is taken")
    return bots.add_service_account(ctx, p.name or "Service account user", username)
