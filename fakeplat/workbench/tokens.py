"""Credentials made on request, for tests: of any kind, for any user. Source: docs/contract.md ('People and tokens')."""

from collections.abc import Sequence
from typing import Final, cast, get_args

from fakeplat.core.stamps import moment
from fakeplat.domain.people import namespaces, tokens, users
from fakeplat.model.projects import Project
from fakeplat.model.users import TokenKind, User
from fakeplat.platform import Platform
from fakeplat.policy.context import Doing

KINDS: Final = get_args(TokenKind)
_OF_PROJECTS: Final = ("job", "project")


class Unmintable(ValueError):
    """No such user, project, kind or scope."""


def mint(
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
    with platform.acting() as cx:
        user = users.by_username(cx.world, username)
        if user is None:
            raise Unmintable(f"no user is {username!r}")
        place = _project(cx, project, kind)
        if kind == "project" and place is not None:
            made = tokens.create_for_project(
                cx, place, name=name or "project token", scopes=scopes, expires_at=expires_at
            )
        else:
            made = tokens.create(
                cx, user, cast(TokenKind, kind), name=name, scopes=scopes, expires_at=expires_at, project=place
            )
        return made.value


def _check(kind: str, scopes: object, expires_at: object) -> None:
    if kind not in KINDS:
        raise Unmintable(f"no kind of token is {kind!r}; there are {', '.join(KINDS)}")
    known = (*tokens.SCOPES, tokens.SUDO)
    if scopes is not None and not (isinstance(scopes, list | tuple) and all(scope in known for scope in scopes)):
        raise Unmintable(f"scopes are a list of {', '.join(known)}")
    try:
        moment(str(expires_at)) if expires_at is not None else None
    except ValueError:
        raise Unmintable(f"expires_at is no date: {expires_at!r}") from None


def _project(cx: Doing, path: str | None, kind: str) -> Project | None:
    if path is None:
        if kind in _OF_PROJECTS:
            raise Unmintable(f"a {kind} token is for a project; say which one")
        return None
    found = namespaces.project_at(cx.world, path)
    if found is None:
        raise Unmintable(f"no project is {path!r}")
    return found


def known(platform: Platform) -> list[tuple[User, str | None]]:
    """Every user with one of their personal tokens, if there is one."""
    world = platform.view
    found = []
    for user in world.users.all():
        mine = world.tokens.where("user", user.id)
        values = [token.value for token in mine if token.kind == "personal" and not token.revoked]
        found.append((user, values[0] if values else None))
    return found
