"""Namespaces: paths, names and lookup."""

from collections.abc import Iterator
from typing import TypedDict, Unpack

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.model.instance import EARLY_PLANS, PLAN_TIERS, PLANS
from fakeplat.model.people import Group, Level, Namespace, User, UserNamespace
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.behaviours import PLANS_ARE_NAMED_LIKE_TIERS
from fakeplat.policy.context import WriteContext
from fakeplat.policy.levels import ancestors, namespace_path


def full_path(world: World, namespace: Namespace) -> str:
    """Return the full path of a namespace: ``acme/tools``."""
    return namespace_path(world, namespace.id)


def project_path(world: World, project: Project) -> str:
    """Return the full path of a project: ``acme/tools/kit``."""
    return f"{namespace_path(world, project.namespace_id)}/{project.path}"


def container_path(world: World, container: Routable) -> str:
    """Return the full path of a project or namespace."""
    return project_path(world, container) if isinstance(container, Project) else full_path(world, container)


def full_name(world: World, namespace: Namespace) -> str:
    """Return the full name of a namespace: ``Acme / Tools``."""
    return " / ".join(reversed([container.name for container in ancestors(world, namespace.id)]))


def root_of(world: World, namespace: Namespace) -> Namespace:
    """Return the top-level namespace."""
    # Ancestors are listed innermost first.
    *_, root = ancestors(world, namespace.id)
    return root


def find_by_path(world: World, path: str) -> Namespace | None:
    """Return the namespace with a full path."""
    namespace: Namespace | None = None
    # Level by level, because paths are unique only within their parent; the top level has the parent None.
    for part in path.split("/"):
        namespace = world.namespaces.find("place", (namespace.id if namespace else None, part.lower()))
        if namespace is None:
            return None
    return namespace


def find_by_reference(world: World, text: str) -> Namespace | None:
    """Return the namespace with an id (all digits) or else a full path."""
    number = parse_number(text)
    return find_by_path(world, text) if number is None else world.namespaces.get(number)


def find_group(world: World, text: str) -> Group | None:
    """Return the group with an id or a full path."""
    namespace = find_by_reference(world, text)
    return namespace if isinstance(namespace, Group) else None


def find_project(world: World, text: str) -> Project | None:
    """Return the project with an id or a full path."""
    # All digits are an id, never a path: a project's full path contains a slash.
    number = parse_number(text)
    return find_project_by_path(world, text) if number is None else world.projects.get(number)


def find_project_by_path(world: World, path: str) -> Project | None:
    """Return the project with a full path."""
    parent_path, _, name = path.rpartition("/")
    namespace = find_by_path(world, parent_path) if parent_path else None
    return world.projects.find("place", (namespace.id, name.lower())) if namespace else None


def user_namespace(world: World, user: User) -> UserNamespace:
    """Return a user's personal namespace."""
    namespace = find_user_namespace(world, user)
    if namespace is None:
        raise LookupError(f"user {user.username} has no namespace")
    return namespace


def find_user_namespace(world: World, user: User) -> UserNamespace | None:
    """Return a user's personal namespace, or None: internal users have none."""
    namespace = next(iter(world.namespaces.where("owner", user.id)), None)
    return namespace if isinstance(namespace, UserNamespace) else None


def owner_of(world: World, namespace: Namespace) -> User | None:
    """Return the owner of a personal namespace."""
    return world.users.get(namespace.owner_id) if isinstance(namespace, UserNamespace) else None


def list_descendants(world: World, group: Namespace) -> Iterator[Group]:
    """Yield all subgroups of a group, at any depth."""
    for child in world.namespaces.where("parent", group.id):
        if isinstance(child, Group):
            yield child
            yield from list_descendants(world, child)


def list_projects_within(world: World, namespace: Namespace) -> Iterator[Project]:
    """Yield all projects of a namespace and of its subgroups."""
    for container in (namespace, *list_descendants(world, namespace)):
        yield from world.projects.where("namespace", container.id)


def create_for_user(ctx: WriteContext, user: User) -> UserNamespace:
    """Create the personal namespace of a user."""
    table, now = ctx.world.namespaces, ctx.now_iso
    namespace = UserNamespace(
        id=table.next_id(), name=user.name, path=user.username, created_at=now, updated_at=now, owner_id=user.id
    )
    table.add(namespace)
    return namespace


class NamespaceChanges(TypedDict, total=False):
    """Changes of a namespace."""

    plan: str | None
    trial_ends_on: str | None
    shared_runners_minutes_limit: int | None
    extra_shared_runners_minutes_limit: int | None
    additional_purchased_storage_size: int
    additional_purchased_storage_ends_on: str | None


def update(ctx: WriteContext, namespace: Namespace, **fields: Unpack[NamespaceChanges]) -> Namespace:
    """Edit a namespace: plan, shared runner minutes, end of the trial; 400 for an unknown plan."""
    plan = fields.get("plan")
    known = PLAN_TIERS if ctx.profile.has(PLANS_ARE_NAMED_LIKE_TIERS) else EARLY_PLANS
    if plan and plan not in known:
        raise InvalidRecord({"plan": ["is not included in the list"]})
    if "plan" in fields:
        # An empty plan clears it, so that the instance's own applies.
        fields["plan"] = plan or None
    changed = ctx.world.namespaces.change(namespace, **fields)
    return changed if changed is namespace else ctx.world.namespaces.change(changed, updated_at=ctx.now_iso)


def count_members(world: World, group: Namespace) -> int:
    """Return the number of distinct members of a group, its subgroups and their projects."""
    groups = [group, *list_descendants(world, group)]
    user_ids = {
        member.user_id for group_below in groups for member in world.members.where("source", ("group", group_below.id))
    }
    for project in list_projects_within(world, group):
        user_ids.update(member.user_id for member in world.members.where("source", ("project", project.id)))
    return len(user_ids)


def plan_of(world: World, namespace: Namespace) -> str:
    """Return the plan of a namespace's root; by default that of the instance's tier on the hosted offering."""
    plan = root_of(world, namespace).plan
    if plan:
        return plan
    return PLANS[world.instance.tier] if world.instance.hosted else "default"


def owner_ids(world: World, group: Namespace) -> list[int]:
    """Return the ids of a group's direct owners."""
    members = world.members.where("source", ("group", group.id))
    return [member.user_id for member in members if member.access_level == Level.OWNER]


def find_template_project(world: World, group: Group) -> Project | None:
    """Return the project of a group's file templates: one of the group's own, or one shared with the group."""
    project = world.projects.get(group.file_template_project_id) if group.file_template_project_id else None
    if project is None or project.namespace_id == group.id:
        return project
    shared = world.shares.find("pair", (("project", project.id), group.id))
    return project if shared is not None else None
