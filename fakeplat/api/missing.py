"""Reasons for missing records: similar names, and the record whose id was sent. Computed when the reason is read."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, TypeVar

from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.store.table import Record, TableOf
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe

# Clients never see the ids of these tables, so they cannot have sent one of them.
_INTERNAL_TABLES: Final = ("scheduled_tasks", "settings_table")
Why = Callable[[], str]


def project(ctx: ReadContext, reference: str) -> Why:
    """Return why no project has an id or path."""
    return partial(_explain_reference, ctx, "project", reference, _list_project_paths)


def group(ctx: ReadContext, reference: str) -> Why:
    """Return why no group has an id or path."""
    return partial(_explain_reference, ctx, "group", reference, _list_group_paths)


def namespace(ctx: ReadContext, reference: str) -> Why:
    """Return why no namespace has an id or path."""
    return partial(_explain_reference, ctx, "namespace", reference, _list_namespace_paths)


def user(ctx: ReadContext, reference: str) -> Why:
    """Return why no user has an id or username."""
    return partial(_explain_reference, ctx, "user", reference, _list_usernames)


def issue(ctx: ReadContext, container: Project, iid: int) -> Why:
    """Return why a project has no issue with an iid."""
    return partial(_explain_iid, ctx, container, iid, World.issues, "an issue")


def merge_request(ctx: ReadContext, container: Project, iid: int) -> Why:
    """Return why a project has no merge request with an iid."""
    return partial(_explain_iid, ctx, container, iid, World.merge_requests, "a merge request")


R = TypeVar("R", bound=Record)


def _explain_iid(ctx: ReadContext, container: Project, iid: int, table: TableOf[R], noun: str) -> str:
    # A view of its own: what a reason reads must not become a dependency of the response.
    world = World(ctx.world.current_state())
    # The keys of the index are pairs of a project's id and an iid.
    keys = world.roots[table.position].index_map(table.slots["iid"])
    iids = sorted(key[1] for key in keys if key[0] == container.id)
    existing = f"it has {_format_range(iids)}" if iids else "it has none"
    owner = _get_owner(world, iid, table.name, noun)
    return f"{describe(ctx.world, container)} has no {noun.partition(' ')[2]} {iid}; {existing}{owner}"


def _list_project_paths(world: World) -> Iterator[str]:
    return (project_path(world, project) for project in world.projects.all())


def _list_group_paths(world: World) -> Iterator[str]:
    return (full_path(world, group) for group in world.namespaces.all() if isinstance(group, Group))


def _list_namespace_paths(world: World) -> Iterator[str]:
    return (full_path(world, namespace) for namespace in world.namespaces.all())


def _list_usernames(world: World) -> Iterator[str]:
    return (user.username for user in world.users.all())


def _explain_reference(ctx: ReadContext, kind: str, reference: str, names: Callable[[World], Iterable[str]]) -> str:
    world = World(ctx.world.current_state())
    number = parse_number(reference)
    # Digits are always an id, so similar names are suggested for other text only.
    if number is not None:
        return f"no {kind} has the id {reference}{_get_owner(world, number, f'{kind}s')}"
    return f"no {kind} is {reference!r}{_suggest_names(reference, [*names(world)])}"


def _suggest_names(reference: str, names: list[str]) -> str:
    # The same name in another namespace is a better suggestion than a similar spelling.
    last_part = reference.lower().rpartition("/")[2]
    same_last_part = [name for name in names if name.lower().rpartition("/")[2] == last_part]
    return f"; did you mean {same_last_part[0]}?" if same_last_part else did_you_mean(reference, names)


def _get_owner(world: World, number: int, table_name: str, noun: str = "") -> str:
    """Name the kind of record that has a number as its id, if it is another kind.

    ``noun`` is the record's own kind, if it has iids: a client may have sent the id instead.
    """
    # Each kind's ids start at a distance from the others', so a number usually belongs to one kind only.
    for table in World.tables:
        is_other = table.name not in (table_name, *_INTERNAL_TABLES)
        if is_other and number in world.roots[table.position].rows:
            return f"; {number} is an id among the {table.name.replace('_', ' ')}"
    if noun and getattr(world, table_name).get(number) is not None:
        return f"; {number} is the id of {noun}, not its iid"
    return ""


def _format_range(numbers: list[int]) -> str:
    return f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
