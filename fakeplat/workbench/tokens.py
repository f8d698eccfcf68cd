"""Credentials of any kind for any user, for tests. Source: docs/contract.md ('People and tokens')."""

from collections.abc import Sequence
from typing import Final, cast, get_args

from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.oauth.scopes import MCP
from fakeplat.domain.people import feed_tokens, namespaces, tokens, two_factor, users
from fakeplat.model.people import Group, TokenKind, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.policy.context import WriteContext
from fakeplat.policy.credentials import LATER_SCOPES

FEED: Final = "feed"
KINDS: Final = (*get_args(TokenKind), FEED)
_KINDS_OF_PROJECTS: Final = ("job", "project")


class TokenNotCreatable(ValueError):
    """There is no such user, project, kind of token or scope."""


def create_token(
    platform: Platform,
    username: str,
    kind: str = "personal",
    *,
    scopes: Sequence[str] | None = None,
    expires_at: str | None = None,
    project: str | None = None,
    group: str | None = None,
    job: int | None = None,
    name: str = "",
) -> str:
    """Create a credential and return its value.

    A ``job`` token belongs to a user and a project (full path), or to a running job (id), with which it ends; that has
    only one, as each user has one of the kind ``feed``. A ``project`` token belongs to a bot of the project, a
    ``group`` token to one of the group.
    """
    _check_options(kind, scopes, expires_at)
    if kind == FEED:
        return _get_feed_token(platform, username)
    if job is not None:
        return _get_job_token(platform, username, kind, job)
    with platform.acting() as ctx:
        user = _get_user(ctx, username)
        token_project = _find_project(ctx, project, kind)
        container = _get_group(ctx, group) if kind == "group" else token_project if kind == "project" else None
        if container is not None:
            token = tokens.create_for_container(
                ctx, container, name=name or f"{kind} token", scopes=scopes, expires_at=expires_at
            )
        else:
            token = tokens.create(
                ctx, user, cast(TokenKind, kind), name=name, scopes=scopes, expires_at=expires_at, project=token_project
            )
        return token.value


def one_time_code(platform: Platform, username: str) -> str:
    """Return the one-time code of a user at the world's time."""
    with platform.acting() as ctx:
        user = _get_user(ctx, username)
        return two_factor.code_of(ctx, user)


def _get_user(ctx: WriteContext, username: str) -> User:
    user = users.find_by_username(ctx.world, username)
    if user is None:
        hint = did_you_mean(str(username), [user.username for user in ctx.world.users.all()])
        raise TokenNotCreatable(f"there is no user {username!r}{hint}")
    return user


def _get_feed_token(platform: Platform, username: str) -> str:
    """Return the token with which feed readers of a user open feeds; a user has only one."""
    with platform.acting() as ctx:
        return feed_tokens.get_feed_token(ctx.world, _get_user(ctx, username))


def _get_job_token(platform: Platform, username: str, kind: str, id_: int) -> str:
    """Return the token of a running job of a user, which is created on first use."""
    with platform.acting() as ctx:
        job = ctx.world.jobs.get(id_)
        if kind != "job" or job is None:
            raise TokenNotCreatable("only a job token has a job" if job else f"there is no job {id_}")
        user = ctx.world.users.get(job.user_id) if job.user_id is not None else None
        if user is None or user.username != username:
            raise TokenNotCreatable(f"job {id_} does not run for the user {username!r}")
        if job.status != "running":
            raise TokenNotCreatable(f"job {id_} is {job.status}; only a running job has a valid token")
        from fakeplat.domain.ci import job_tokens

        return job_tokens.ensure(ctx, job).value


def _check_options(kind: str, scopes: object, expires_at: object) -> None:
    if kind not in KINDS:
        raise TokenNotCreatable(f"there is no kind of token {kind!r}; known kinds: {', '.join(KINDS)}")
    known = (*tokens.SCOPES, tokens.SUDO, *LATER_SCOPES, MCP)
    if scopes is not None and not (isinstance(scopes, list | tuple) and all(scope in known for scope in scopes)):
        raise TokenNotCreatable(f"scopes must be a list of: {', '.join(known)}")
    try:
        from_iso(str(expires_at)) if expires_at is not None else None
    except ValueError:
        raise TokenNotCreatable(f"expires_at is not a date: {expires_at!r}") from None


def _find_project(ctx: WriteContext, path: str | None, kind: str) -> Project | None:
    if path is None:
        if kind in _KINDS_OF_PROJECTS:
            raise TokenNotCreatable(f"a {kind} token needs a project; give its full path")
        return None
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None:
        raise TokenNotCreatable(f"there is no project {path!r}")
    return project


def _get_group(ctx: WriteContext, path: str | None) -> Group:
    group = namespaces.find_by_path(ctx.world, path) if path is not None else None
    if not isinstance(group, Group):
        raise TokenNotCreatable(f"there is no group {path!r}" if path else "a group token needs a group's full path")
    return group


def list_users_with_tokens(platform: Platform) -> list[tuple[User, str | None]]:
    """Return every user with one of their personal tokens, None if there is none."""
    world = platform.view
    return [(user, _find_value(world, user)) for user in world.users.all()]


def find_token(platform: Platform, username: str) -> str | None:
    """Return the value of a personal token of the user with exactly this username."""
    user = users.find_by_username(platform.view, username)
    return None if user is None or user.username != username else _find_value(platform.view, user)


def _find_value(world: World, user: User) -> str | None:
    user_tokens = world.tokens.where("user", user.id)
    return next((token.value for token in user_tokens if token.kind == "personal" and not token.revoked), None)
