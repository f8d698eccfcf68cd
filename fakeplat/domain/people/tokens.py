"""Access tokens, and the bot users of project access tokens.

Source: docs/platform/authentication.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.domain.people import members, users
from fakeplat.domain.people.bots import add_bot, name_bot
from fakeplat.domain.validation import TAKEN
from fakeplat.model.jobs import Job
from fakeplat.model.levels import Level
from fakeplat.model.projects import Project
from fakeplat.model.users import Token, TokenKind, User
from fakeplat.model.world import World, lookup_kind
from fakeplat.policy.context import WriteContext

SCOPES: Final = (
    "api",
    "read_user",
    "read_api",
    "read_repository",
    "write_repository",
    "read_registry",
    "write_registry",
)
SUDO: Final = "sudo"


def all_scopes(user: User | None) -> tuple[str, ...]:
    """Return every scope that a user's token can have."""
    return (*SCOPES, SUDO) if user is not None and user.admin else SCOPES


def find(world: World, kind: TokenKind, value: str) -> Token | None:
    """Return the token with a value, among the kinds sent in the same header or parameter."""
    return world.tokens.find("value", (lookup_kind(kind), value))


def owner_of(world: World, token: Token) -> User | None:
    """Return the user of a token, if it has one."""
    return None if token.user_id is None else world.users.get(token.user_id)


def create(
    ctx: WriteContext,
    user: User | None,
    kind: TokenKind = "personal",
    *,
    value: str | None = None,
    name: str = "",
    scopes: Sequence[str] | None = None,
    expires_at: str | None = None,
    project: Project | None = None,
    job: Job | None = None,
) -> Token:
    """Create a token; by default with every scope and a random value. Only OAuth tokens may have no user."""
    if value is not None and find(ctx.world, kind, value):
        raise InvalidRecord({"token": [TAKEN]})
    token = Token(
        id=ctx.world.tokens.next_id(),
        user_id=user.id if user else None,
        kind=kind,
        # Twenty characters, the length of the platform's own tokens.
        value=ctx.random_hex("token", 10) if value is None else value,
        created_at=ctx.now_iso,
        name=name or f"{kind} token",
        scopes=all_scopes(user) if scopes is None else tuple(scopes),
        expires_at=expires_at,
        project_id=project.id if project else None,
        job_id=job.id if job else None,
    )
    return ctx.world.tokens.add(token)


def create_for_project(
    ctx: WriteContext,
    project: Project,
    *,
    name: str,
    value: str | None = None,
    scopes: Sequence[str] | None = None,
    expires_at: str | None = None,
) -> Token:
    """Create a project access token, which belongs to a new bot user with the role Maintainer."""
    bot = name_bot(ctx, add_bot(ctx, name, f"bot of project {project.id}"), project)
    members.add_member(ctx, project, bot, Level.MAINTAINER)
    return create(ctx, bot, "project", value=value, name=name, scopes=scopes, expires_at=expires_at, project=project)


def revoke_job_tokens(ctx: WriteContext, before: Job, job: Job) -> None:
    """Revoke the tokens of a job that is completed."""
    del before
    if job.is_completed:
        for token in list(ctx.world.tokens.where("job", job.id)):
            ctx.world.tokens.change(token, revoked=True)


def delete_bot(ctx: WriteContext, token: Token) -> None:
    """Delete the bot user of a project access token that was deleted with its project."""
    user = owner_of(ctx.world, token)
    # Job tokens have a project, too, but belong to ordinary users.
    if user is not None and token.project_id is not None and user.kind == "project_bot":
        users.delete(ctx, user)
