"""What the identity provider of an instance does to the members of groups, through links to SAML groups.

Source: docs/platform/scim.md ('Groups of the instance').
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from fakeplat.domain.people import members, namespaces
from fakeplat.domain.purging import purge
from fakeplat.domain.scim import instance_provisioning
from fakeplat.domain.scim.scim_errors import ScimError, ScimNotFound
from fakeplat.model.people import Group, Identity, SamlGroupLink, ScimGroupMembership, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FILTER: Final = re.compile(r"""displayName\s+eq\s+(?:"([^"]+)"|'([^']+)')""", re.IGNORECASE)


def list_links(world: World, filter_text: str) -> list[SamlGroupLink]:
    """Return the links that have an id of the identity provider, of those with a name if a filter gives one."""
    known = [link for link in world.saml_group_links.all() if link.scim_group_uid]
    if not filter_text.strip():
        return known
    match = _FILTER.search(filter_text)
    if match is None:
        raise ScimError("Unsupported Filter", reason=f"{filter_text!r}: only displayName, with eq and a quoted name")
    return [link for link in known if link.name == (match[1] or match[2])]


def get_links(world: World, scim_group_uid: str) -> Sequence[SamlGroupLink]:
    """Return the links that have an id, or refuse with 404."""
    links = world.saml_group_links.where("scim_group_uid", scim_group_uid)
    if not links:
        raise ScimNotFound(f"Group {scim_group_uid} not found", reason="no SAML link has this id; POST sets it")
    return links


def list_identities(world: World, scim_group_uid: str) -> list[Identity]:
    """Return the identities of the members of a group."""
    memberships = world.scim_group_memberships.where("scim_group_uid", scim_group_uid)
    user_ids = {membership.user_id for membership in memberships}
    return [identity for identity in instance_provisioning.list_identities(world) if identity.user_id in user_ids]


def assign(ctx: WriteContext, name: str, scim_group_uid: str | None) -> SamlGroupLink:
    """Give all links to a SAML group an id, a new one if none was sent; return the first link."""
    uid = ctx.random_uuid("scim group") if scim_group_uid is None else scim_group_uid
    missing = [f":{key}" for key, value in (("saml_group_name", name), ("scim_group_uid", uid)) if not value.strip()]
    if missing:
        raise ScimError(f"Missing params: [{', '.join(missing)}]")
    if not _UUID.fullmatch(uid):
        raise ScimError("Invalid UUID for scim_group_uid")
    table = ctx.world.saml_group_links
    links = [table.change(link, scim_group_uid=uid) for link in table.all() if link.name == name]
    if not links:
        raise ScimError(f"No matching SAML group found with name: {name}")
    return links[0]


def detach(ctx: WriteContext, scim_group_uid: str) -> None:
    """Take the id from all links, and forget the members, who stay members of the groups."""
    for link in get_links(ctx.world, scim_group_uid):
        ctx.world.saml_group_links.change(link, scim_group_uid=None)
    forget_unlinked(ctx, scim_group_uid)


def forget_unlinked(ctx: WriteContext, scim_group_uid: str | None) -> None:
    """Forget the members of a group to which no link leads any more."""
    if scim_group_uid and not ctx.world.saml_group_links.where("scim_group_uid", scim_group_uid):
        for membership in [*ctx.world.scim_group_memberships.where("scim_group_uid", scim_group_uid)]:
            purge(ctx, membership)


def find_users(world: World, values: object) -> list[User]:
    """Return the users whom a list of members names by their ids, without those who are unknown."""
    ids = [member.get("value") for member in values if isinstance(member, dict)] if isinstance(values, list) else []
    identities = [instance_provisioning.find_identity(world, id_) for id_ in ids if isinstance(id_, str)]
    return [world.users[identity.user_id] for identity in identities if identity is not None]


def add(ctx: WriteContext, scim_group_uid: str, users: Collection[User]) -> None:
    """Make users members of all linked groups, with the highest level of the links."""
    table = ctx.world.scim_group_memberships
    for user in users:
        if table.find("pair", (scim_group_uid, user.id)) is None:
            table.add(ScimGroupMembership(table.next_id(), scim_group_uid, user.id))
    for group, level in _list_levels(ctx.world, [scim_group_uid]):
        for user in users:
            member = members.find_member(ctx.world, group, user)
            if member is None or member.access_level < level:
                _set_level(ctx, group, user, level)


def remove(ctx: WriteContext, scim_group_uid: str, users: Collection[User]) -> None:
    """End the memberships of users in all linked groups, as far as no other group of the provider gives them."""
    table = ctx.world.scim_group_memberships
    for user in users:
        membership = table.find("pair", (scim_group_uid, user.id))
        if membership is not None:
            purge(ctx, membership)
        others = [other.scim_group_uid for other in table.where("user", user.id)]
        retained = {group.id: level for group, level in _list_levels(ctx.world, others)}
        for group, _ in _list_levels(ctx.world, [scim_group_uid]):
            _reduce(ctx, group, user, retained.get(group.id))


def replace(ctx: WriteContext, scim_group_uid: str, users: Collection[User]) -> None:
    """Make users the only members whom the provider has in a group. Other members of the linked groups stay."""
    wanted = {user.id for user in users}
    memberships = ctx.world.scim_group_memberships.where("scim_group_uid", scim_group_uid)
    gone = [ctx.world.users[each.user_id] for each in memberships if each.user_id not in wanted]
    remove(ctx, scim_group_uid, gone)
    add(ctx, scim_group_uid, users)


def _list_levels(world: World, scim_group_uids: Collection[str]) -> list[tuple[Group, int]]:
    """Return the groups to which links with some ids belong, with the highest level of each."""
    levels: dict[int, int] = defaultdict(int)
    for uid in scim_group_uids:
        for link in world.saml_group_links.where("scim_group_uid", uid):
            levels[link.group_id] = max(levels[link.group_id], link.access_level)
    found = [(world.namespaces[group_id], level) for group_id, level in levels.items()]
    return [(group, level) for group, level in found if isinstance(group, Group)]


def _set_level(ctx: WriteContext, group: Group, user: User, level: int) -> None:
    member = members.find_member(ctx.world, group, user)
    if member is None:
        members.add_member(ctx, group, user, level)
    elif member.access_level != level:
        members.update_member(ctx, group, member, access_level=level)


def _reduce(ctx: WriteContext, group: Group, user: User, level: int | None) -> None:
    """Give a member the level that remains, or end the membership, except for the last owner."""
    member = members.find_member(ctx.world, group, user)
    if member is None:
        return
    if level is not None:
        _set_level(ctx, group, user, level)
    elif namespaces.owner_ids(ctx.world, group) != [user.id]:
        members.remove_member(ctx, group, member)
