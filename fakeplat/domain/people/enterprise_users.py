"""Enterprise users, whose accounts the owners of a top-level group manage.

Source: docs/platform/users.md ('Enterprise users').
"""

from collections.abc import Sequence

from fakeplat.core.operations.errors import BadRequest, Conflict, RecordNotFound
from fakeplat.domain.people import namespaces, users
from fakeplat.model.people import Group, User
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe


def list_users(world: World, group: Group) -> Sequence[User]:
    """Return the enterprise users of a group, the newest first."""
    return list(world.users.where("enterprise_group", group.id))[::-1]


def get_user(world: World, group: Group, user_id: int) -> User:
    """Return an enterprise user of a group, or raise 404."""
    user = world.users.get(user_id)
    if user is None or user.enterprise_group_id != group.id:
        raise RecordNotFound(reason=lambda: f"user {user_id} is no enterprise user of {describe(world, group)}")
    return user


def is_managed(ctx: ReadContext, user: User) -> bool:
    """Return whether the viewer owns the group whose enterprise user somebody is."""
    group_id = user.enterprise_group_id
    if group_id is None or ctx.viewer is None:
        return False
    return ctx.viewer.id in namespaces.owner_ids(ctx.world, ctx.world.namespaces[group_id])


def update(ctx: WriteContext, group: Group, user: User, name: str | None, email: str | None) -> User:
    """Rename an enterprise user, or give them an address of a domain of the group; 400 for what is invalid."""
    if email and email.lower() != user.email.lower() and not _owns_domain(ctx.world, group, email):
        text = "Email must be owned by the user's enterprise group"
        raise BadRequest(text, reason=lambda: f"no verified domain of {describe(ctx.world, group)} is that of {email}")
    changes: users.UserChanges = {"skip_reconfirmation": True}
    if name is not None:
        changes["name"] = name
    if email is not None:
        changes["email"] = email
    return users.update(ctx, user, **changes)


def _owns_domain(world: World, group: Group, email: str) -> bool:
    """Return whether the domain of an address is a verified one of a project below a group."""
    domain = world.pages_domains.find("domain", email.rpartition("@")[2].lower())
    if domain is None or domain.verified_at is None:
        return False
    project = world.projects[domain.project_id]
    return namespaces.root_of(world, world.namespaces[project.namespace_id]).id == group.id


def delete(ctx: WriteContext, user: User, *, hard: bool) -> None:
    """Delete an enterprise user; 409 for the only owner of a group, unless the group is deleted, too."""
    if not hard and users.solely_owned_groups(ctx.world, user):
        raise Conflict("Can not remove a user who is the sole owner of a group.", reason=user.username)
    users.delete(ctx, user, hard=hard)
