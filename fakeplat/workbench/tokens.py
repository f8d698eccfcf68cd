"""Credentials made on request, for tests: of any kind, for any user. Source: docs/contract.md ('People and tokens')."""

from collections.abc import Sequence
from typing import Final, cast, get_args

from fakeplat.core.timestamps import from_iso
from fakeplat.domain.people import namespaces, tokens, users
from fakeplat.model.projects import Project
from fakeplat.model.users import TokenKind, User
from fakeplat.platform import Platform
from fakeplat.policy.context import WriteContext

KINDS: Final = get_args(TokenKind)
_OF_PROJECTS: Final = ("job", "project")


class TokenNotCreatable(ValueError):
    """No such user, project, kind or scope."""


def create_token(
    platform: Platform,
    username: str,
    kind: str = "personal",
    *,
    scopes: Sequence[str] | None = None,
    expires_at: str | None = None,
    project: str | None = None,
    name: str = "",
) -> str:
    """Make a credential and give its value.

    A ``job`` token is a user's for a project (full path); a ``project`` token is that of a bot of the project.
    """
    _check(kind, scopes, expires_at)
    with platform.acting() as ctx:
        user = users.find_by_username(ctx.world, username)
        if user is None:
            raise TokenNotCreatable(f"no user is {username!r}")
        place = _project(ctx, project, kind)
        if kind == "project" and place is not None:
            made = tokens.create_for_project(
                ctx, place, name=name or "project token", scopes=scopes, expires_at=expires_at
            )
        else:
            made = tokens.create(
                ctx, user, cast(TokenKind, kind), name=name, scopes=scopes, expires_at=expires_at, project=place
            )
        return made.value


def _check(kind: str, scopes: object, expires_at: object) -> None:
    if kind not in KINDS:
        raise TokenNotCreatable(f"no kind of token is {kind!r}; there are {', '.join(KINDS)}")
    known = (*tokens.SCOPES, tokens.SUDO)
    if scopes is not None and not (isinstance(scopes, list | tuple) and all(scope in known for scope in scopes)):
        raise TokenNotCreatable(f"scopes are a list of {', '.join(known)}")
    try:
        from_iso(str(expires_at)) if expires_at is not None else None
    except ValueError:
        raise TokenNotCreatable(f"expires_at is no date: {expires_at!r}") from None


def _project(ctx: WriteContext, path: str | None, kind: str) -> Project | None:
    if path is None:
        if kind in _OF_PROJECTS:
            raise TokenNotCreatable(f"a {kind} token is for a project; say which one")
        return None
    found = namespaces.find_project_by_path(ctx.world, path)
    if found is None:
        raise TokenNotCreatable(f"no project is {path!r}")
    return found


def list_users_with_tokens(platform: Platform) -> list[tuple[User, str | None]]:
    """Every user with one of their personal tokens, if there is one."""
    world = platform.view
    found = []
    for user in world.users.all():
        mine = world.tokens.where("user", user.id)
        values = [token.value for token in mine if token.kind == "personal" and not token.revoked]
        found.append((user, values[0] if values else None))
    return found
