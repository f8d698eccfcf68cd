"""What an application learns about a user by OpenID Connect. Source: docs/platform/oauth.md."""

from hashlib import sha256
from typing import Any, Final

from fakeplat.domain.oauth import scopes
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Level, Token, User
from fakeplat.model.projects import Member
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    OPENID_TELLS_MORE,
    OPENID_TELLS_PREFERRED_USERNAME,
    OPENID_TELLS_ROLES_IN_GROUPS,
)
from fakeplat.policy.context import ReadContext

CLAIMS_OF_ROLES: Final = {
    Level.OWNER: "https://gitlab.org/claims/groups/owner",
    Level.MAINTAINER: "https://gitlab.org/claims/groups/maintainer",
    Level.DEVELOPER: "https://gitlab.org/claims/groups/developer",
}


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
        "preferred_username": user.username if ctx.profile.has(OPENID_TELLS_PREFERRED_USERNAME) else None,
        **(_name_claims(user) if ctx.profile.has(OPENID_TELLS_MORE) else {}),
        **email_claims(token, user),
        "website": user.website_url,
        "profile": f"{ctx.origin}/{user.username}",
        "picture": avatar_url,
        "groups": _group_paths(ctx.world, user),
        **(_claims_of_roles(ctx.world, user) if ctx.profile.has(OPENID_TELLS_ROLES_IN_GROUPS) else {}),
    }
    return {name: value for name, value in claims.items() if value not in (None, "")}


def _name_claims(user: User) -> dict[str, str]:
    """Return the first word of the name, and the others."""
    given_name, _, family_name = user.name.partition(" ")
    return {"given_name": given_name, "family_name": family_name.strip()}


def _claims_of_roles(world: World, user: User) -> dict[str, Any]:
    """Return the paths of the groups in which a user has a role as a member, by the claim for the role."""
    members = _group_members(world, user)
    paths = {
        claim: [_path_of(world, member) for member in members if member.access_level == level]
        for level, claim in CLAIMS_OF_ROLES.items()
    }
    return {claim: listed or None for claim, listed in paths.items()}


def direct_groups(world: World, user: User) -> list[str]:
    """Return the paths of the groups that have a user as a member."""
    return [_path_of(world, member) for member in _group_members(world, user)]


def email_claims(token: Token, user: User) -> dict[str, Any]:
    """Return the e-mail address: with the scope ``email`` the user's own, else the public one."""
    email = user.email if "email" in token.scopes else user.public_email
    return {"email": email, "email_verified": bool(user.confirmed_at)} if email else {}


def is_open_to(token: Token) -> bool:
    """Return whether a token may be used to learn about its user."""
    return scopes.OPENID in token.scopes


def _group_paths(world: World, user: User) -> list[str]:
    """Return the paths of the groups of a user and of the groups below them."""
    groups = [world.namespaces[member.source[1]] for member in _group_members(world, user)]
    inherited = {group.id: group for own in groups for group in (own, *namespaces.list_descendants(world, own))}
    return [namespaces.full_path(world, inherited[id_]) for id_ in sorted(inherited)]


def _group_members(world: World, user: User) -> list[Member]:
    """Return the memberships of a user in groups, in the order of the groups."""
    members = [member for member in world.members.where("user", user.id) if member.source[0] == "group"]
    return sorted(members, key=lambda member: member.source[1])


def _path_of(world: World, member: Member) -> str:
    return namespaces.full_path(world, world.namespaces[member.source[1]])
