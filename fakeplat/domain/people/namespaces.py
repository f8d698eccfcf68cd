"""Namespaces: paths, names and where things are found by them."""

from collections.abc import Iterator
from typing import Any

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.model.instance import PLAN_TIERS, PLANS
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group, Namespace, UserNamespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.levels import ancestors, path_to


def full_path(world: World, namespace: Namespace) -> str:
    """``acme/tools``."""
    return path_to(world, namespace.id)


def project_path(world: World, project: Project) -> str:
    """``acme/tools/kit``."""
    return f"{full_path(world, world.namespaces[project.namespace_id])}/{project.path}"


def full_name(world: World, namespace: Namespace) -> str:
    """``Acme / Tools``."""
    return " / ".join(reversed([container.name for container in ancestors(world, namespace.id)]))


def root_of(world: World, namespace: Namespace) -> Namespace:
    """The outermost namespace."""
    *_, root = ancestors(world, namespace.id)
    return root


def find_by_path(world: World, path: str) -> Namespace | None:
    """The namespace with a full path."""
    found: Namespace | None = None
    for part in path.split("/"):
        found = world.namespaces.find("place", (found.id if found else None, part.lower()))
        if found is None:
            return None
    return found


def find_by_reference(world: World, text: str) -> Namespace | None:
    """The namespace with an id (all digits) or else a full path."""
    number = number_of(text)
    return find_by_path(world, text) if number is None else world.namespaces.get(number)


def find_group(world: World, text: str) -> Group | None:
    """The group with an id or a full path."""
    found = find_by_reference(world, text)
    return found if isinstance(found, Group) else None


def find_project_by_path(world: World, path: str) -> Project | None:
    """The project with a full path."""
    above, _, own = path.rpartition("/")
    namespace = find_by_path(world, above) if above else None
    return world.projects.find("place", (namespace.id, own.lower())) if namespace else None


def user_namespace(world: World, user: User) -> UserNamespace:
    """A user's own namespace."""
    for namespace in world.namespaces.where("owner", user.id):
        if isinstance(namespace, UserNamespace):
            return namespace
    raise LookupError(f"user {user.username} has no namespace")


def has_user_namespace(world: World, user: User) -> bool:
    """Whether a user has a namespace; the platform's own users have none."""
    return bool(world.namespaces.ids("owner", user.id))


def owner_of(world: World, namespace: Namespace) -> User | None:
    """Who owns a user namespace."""
    return world.users.get(namespace.owner_id) if isinstance(namespace, UserNamespace) else None


def list_descendants(world: World, group: Namespace) -> Iterator[Group]:
    """All groups below a group, at any depth."""
    for child in world.namespaces.where("parent", group.id):
        if isinstance(child, Group):
            yield child
            yield from list_descendants(world, child)


def create_for_user(ctx: WriteContext, user: User) -> UserNamespace:
    """Give a user a namespace."""
    table, now = ctx.world.namespaces, ctx.now_iso
    made = UserNamespace(
        id=table.next_id(), name=user.name, path=user.username, created_at=now, updated_at=now, owner_id=user.id
    )
    table.add(made)
    return made


def update(ctx: WriteContext, namespace: Namespace, **fields: Any) -> Namespace:
    """Edit a namespace: plan, minutes of shared runners, last day of the trial; 400 for an unknown plan."""
    plan = fields.get("plan")
    if plan and plan not in PLAN_TIERS:
        raise InvalidRecord({"plan": ["is not included in the list"]})
    if "plan" in fields:
        fields["plan"] = plan or None
    changed = ctx.world.namespaces.change(namespace, **fields)
    return changed if changed is namespace else ctx.world.namespaces.change(changed, updated_at=ctx.now_iso)


def counted_members(world: World, group: Namespace) -> int:
    """How many different users are members of a group or of anything below it."""
    places = [group, *list_descendants(world, group)]
    found = {
        member.user_id for container in places for member in world.members.where("source", ("group", container.id))
    }
    for container in places:
        for project in world.projects.where("namespace", container.id):
            found.update(member.user_id for member in world.members.where("source", ("project", project.id)))
    return len(found)


def plan_of(world: World, namespace: Namespace) -> str:
    """The plan of a namespace's root; on the hosted offering by default the one of the instance's tier."""
    plan = root_of(world, namespace).plan
    if plan:
        return plan
    return PLANS[world.instance.tier] if world.instance.hosted else "default"


def owner_ids(world: World, group: Namespace) -> list[int]:
    """The ids of a group's direct owners."""
    members = world.members.where("source", ("group", group.id))
    return [member.user_id for member in members if member.access_level == Level.OWNER]
