"""Worlds created through domain functions, and requests sent to them in process."""

from collections.abc import Mapping
from typing import Any

import orjson
from attrs import field, frozen

from fakeplat.core.clock import Clock, Kind
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.domain.groups import groups
from fakeplat.domain.people import members, namespaces, users
from fakeplat.domain.projects import projects, shares
from fakeplat.domain.settings import change as change_settings
from fakeplat.model.instance import Instance, Setup
from fakeplat.model.people import Group, Level, Token, TokenKind, User
from fakeplat.model.projects import Member, Project
from fakeplat.model.settings import Settings
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.policy.context import Caller, ReadContext

API = "/api/v4/"
SCOPES = ("api", "read_user", "read_api", "read_repository", "write_repository", "read_registry", "write_registry")


@frozen
class SiteResponse:
    """A response; header names have their original case."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def outcome(self) -> tuple[int, Any]:
        """Status and JSON."""
        return self.status, orjson.loads(self.body) if self.body else None

    @property
    def lasting(self) -> dict[str, str]:
        """The headers that are equal in equal responses."""
        return {name: text for name, text in self.headers.items() if name not in ("X-Request-Id", "X-Runtime")}


class Site:
    """A platform with the administrator ``root``, and methods to create records and send requests.

    Users have a personal token ``<username>-token``; groups and projects are identified by their full path.
    """

    def __init__(
        self, clock: Kind = "virtual", *, seed: int = 1, settings: Mapping[str, Any] | None = None, **instance: Any
    ) -> None:
        self.clock = Clock(clock)
        self.platform = Platform(World.empty_state(Setup(instance=Instance(**instance), seed=seed)), self.clock)
        with self.platform.acting() as ctx:
            ctx.world.settings_table.add(Settings().with_values(settings or {}))
        self.user("root", name="Administrator", admin=True, scopes=(*SCOPES, "sudo"))

    @property
    def world(self) -> World:
        return self.platform.view

    def twin(self) -> "Site":
        """Return a platform with the same records and clock, and empty caches."""
        twin = object.__new__(Site)
        twin.clock = self.clock
        twin.platform = Platform(self.platform.state, self.clock)
        return twin

    # creating records

    def user(self, username: str, /, *, scopes: tuple[str, ...] = SCOPES, **fields: Any) -> User:
        defaults = {
            "name": username.title(),
            "email": f"{username}@example.test",
            "password": f"{username}-password",
            "skip_confirmation": True,
        }
        with self.platform.acting() as ctx:
            user = users.create(ctx, username=username, **{**defaults, **fields})
        self.token(username, f"{username}-token", scopes=scopes)
        return user

    def token(
        self, username: str, value: str, kind: TokenKind = "personal", scopes: tuple[str, ...] = ("api",), **fields: Any
    ) -> Token:
        with self.platform.acting() as ctx:
            tokens, user = ctx.world.tokens, self.person(username)
            return tokens.add(Token(tokens.next_id(), user.id, kind, value, ctx.now_iso, scopes=scopes, **fields))

    def group(self, full_path: str, *, owner: str = "root", **fields: Any) -> Group:
        parent_path, _, path = full_path.rpartition("/")
        parent = self.place(parent_path) if parent_path else None
        with self.platform.acting(self.person(owner)) as ctx:
            return groups.create(ctx, path=path, parent=parent, **fields)

    def project(self, full_path: str, *, creator: str = "root", **fields: Any) -> Project:
        parent_path, _, path = full_path.rpartition("/")
        with self.platform.acting(self.person("root")) as ctx:
            return projects.create(
                ctx, self.place(parent_path), self.person(creator), **{"path": path, "name": path, **fields}
            )

    def member(self, full_path: str, username: str, level: int, expires_at: str | None = None) -> Member:
        with self.platform.acting() as ctx:
            return members.add_member(ctx, self.place(full_path), self.person(username), level, expires_at)

    def share(self, full_path: str, group: str, level: int, expires_at: str | None = None) -> None:
        with self.platform.acting() as ctx:
            shares.share_with_group(ctx, self.place(full_path), self.place(group), level, expires_at)

    def change_user(self, username: str, /, **changes: Any) -> User:
        with self.platform.acting() as ctx:
            return ctx.world.users.change(self.person(username), **changes)

    def change_settings(self, **changes: Any) -> None:
        with self.platform.acting() as ctx:
            change_settings(ctx, changes)

    # looking up records

    def person(self, username: str) -> User:
        user = users.find_by_username(self.world, username)
        assert user is not None, f"no user {username}"
        return user

    def place(self, full_path: str) -> Any:
        container = namespaces.find_project_by_path(self.world, full_path) or namespaces.find_by_path(
            self.world, full_path
        )
        assert container is not None, f"nothing at {full_path}"
        return container

    def context(self, username: str | None) -> ReadContext:
        """Return a context for reading the world as a user, or anonymously."""
        user = self.person(username) if username else None
        platform = self.platform
        return ReadContext(self.world, Caller(user), platform.services)

    # sending requests

    def ask(
        self,
        method: str,
        target: str,
        by: str | None = None,
        *,
        json: object = None,
        headers: Mapping[str, str] | None = None,
        **rest: Any,
    ) -> SiteResponse:
        """Send a request; a target without a leading slash is relative to the API's path."""
        path, _, query = (target if target.startswith("/") else API + target).partition("?")
        defaults = {"private-token": f"{by}-token"} if by else {}
        if json is not None:
            defaults["content-type"] = JSON
            rest["body"] = orjson.dumps(json)
        response = self.platform.handle(Request(method, path, query, {**defaults, **(headers or {})}, **rest))
        assert len(response.headers) == len(dict(response.headers)), "duplicate header"
        return SiteResponse(response.status, dict(response.headers), response.body)

    def get(self, target: str, by: str | None = None, **rest: Any) -> SiteResponse:
        return self.ask("GET", target, by, **rest)


ROLES = {
    "guest": Level.GUEST,
    "reporter": Level.REPORTER,
    "developer": Level.DEVELOPER,
    "maintainer": Level.MAINTAINER,
}


def create_site(clock: Kind = "virtual", **options: Any) -> Site:
    """Return a site with ada (owner of acme), acme/site (private), dev (Developer in it) and eve (no member)."""
    site = Site(clock, **options)
    for username in ("ada", "dev", "eve"):
        site.user(username)
    site.group("acme", owner="ada", visibility="public")
    site.project("acme/site", creator="ada", visibility="private")
    site.member("acme/site", "dev", Level.DEVELOPER)
    return site
