"""Credentials made on request, for tests: of any kind, for any user. Source: contract, 'People and tokens'."""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain import namespaces, users
from fakeplat.model.users import Token, TokenKind, User
from fakeplat.platform import Platform
from fakeplat.policy.context import Doing

KINDS: Final = ("personal", "impersonation", "project", "oauth", "session", "job")
SCOPES: Final = (
    "api",
    "read_user",
    "read_api",
    "read_repository",
    "write_repository",
    "read_registry",
    "write_registry",
)


class Unmintable(ValueError):
    """No such user, project or kind."""


def all_scopes(user: User) -> tuple[str, ...]:
    """Every scope that a user's token can have."""
    return (*SCOPES, "sudo") if user.admin else SCOPES


def mint(
    platform: Platform,
    username: str,
    kind: TokenKind = "personal",
    *,
    scopes: Sequence[str] | None = None,
    expires_at: str | None = None,
    project: str | None = None,
    name: str = "",
) -> str:
    """Make a credential and give its value. A ``job`` token, and a ``project`` one, is for a project (full path)."""
    if kind not in KINDS:
        raise Unmintable(f"no kind of token is {kind!r}; there are {', '.join(KINDS)}")
    with platform.acting() as cx:
        user = users.by_username(cx.world, username)
        if user is None:
            raise Unmintable(f"no user is {username!r}")
        given = tuple(scopes) if scopes is not None else all_scopes(user)
        token = Token(
            id=cx.world.tokens.next_id(),
            user_id=user.id,
            kind=kind,
            value=cx.chance("token", 10),
            created_at=cx.instant,
            name=name or f"{kind} token",
            scopes=given,
            expires_at=expires_at,
            project_id=_project(cx, project, kind),
        )
        cx.world.tokens.add(token)
        return token.value


def _project(cx: Doing, path: str | None, kind: str) -> int | None:
    if path is None:
        if kind in ("job", "project"):
            raise Unmintable(f"a {kind} token is for a project; say which one")
        return None
    found = namespaces.project_at(cx.world, path)
    if found is None:
        raise Unmintable(f"no project is {path!r}")
    return found.id


def known(platform: Platform) -> list[tuple[User, str | None]]:
    """Every user with one of their personal tokens, if there is one."""
    world = platform.view
    found = []
    for user in world.users.all():
        tokens = world.tokens.where("user", user.id)
        values = [token.value for token in tokens if token.kind == "personal" and not token.revoked]
        found.append((user, values[0] if values else None))
    return found
