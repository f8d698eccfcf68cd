"""What an application learns about a user by OpenID Connect. Source: docs/platform/oauth.md."""

from hashlib import sha256
from typing import Any

from fakeplat.domain.oauth import scopes
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Token, User
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext


def subject_of(world: World, user: User) -> dict[str, str]:
    """Return the claims that identify a user: the id, and a digest that older releases had instead."""
    digest = sha256(f"{user.id}-{world.setup.seed}".encode()).hexdigest()
    return {"sub": str(user.id), "sub_legacy": digest}


def claims_of(ctx: ReadContext, token: Token, user: User, avatar_url: str | None) -> dict[str, Any]:
    """Return all claims about the user of a token, without empty ones."""
    claims = {
        **subject_of(ctx.world, user),
        "name": user.name,
        "nickname": user.username,
        **email_claims(token, user),
        "website": user.website_url,
        "profile": f"{ctx.origin}/{user.username}",
        "picture": avatar_url,
        "groups": _group_paths(ctx.world, user),
    }
    return {name: value for name, value in claims.items() if value not in (None, "")}


def email_claims(token: Token, user: User) -> dict[str, Any]:
    """Return the e-mail address: with the scope ``email`` the user's own, else the public one."""
    email = user.email if "email" in token.scopes else user.public_email
    return {"email": email, "email_verified": bool(user.confirmed_at)} if email else {}


def is_open_to(token: Token) -> bool:
    """Return whether a token may be used to learn about its user."""
    return scopes.OPENID in token.scopes


def _group_paths(world: World, user: User) -> list[str]:
    ids = sorted(member.source[1] for member in world.members.where("user", user.id) if member.source[0] == "group")
    groups = [world.namespaces[id_] for id_ in ids]
    inherited = {group.id: group for own in groups for group in (own, *namespaces.list_descendants(world, own))}
    return [namespaces.full_path(world, inherited[id_]) for id_ in sorted(inherited)]
