"""Why a record is not there, in words: what is near it, and whose number it is. Worked out when somebody reads it."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.core.store.table import ROWS, TableOf
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe

_UNSEEN: Final = ("scheduled_tasks", "settings_table")
Why = Callable[[], str]


def project(ctx: ReadContext, reference: str) -> Why:
    """No project has this id or path."""
    return partial(_named, ctx, "project", reference, _project_paths)


def group(ctx: ReadContext, reference: str) -> Why:
    """No group has this id or path."""
    return partial(_named, ctx, "group", reference, _group_paths)


def namespace(ctx: ReadContext, reference: str) -> Why:
    """No namespace has this id or path."""
    return partial(_named, ctx, "namespace", reference, _namespace_paths)


def user(ctx: ReadContext, reference: str) -> Why:
    """No user has this id or name."""
    return partial(_named, ctx, "user", reference, _usernames)


def issue(ctx: ReadContext, container: Project, iid: int) -> Why:
    """A project has no issue with this iid."""
    return partial(_numbered, ctx, container, iid, World.issues, "an issue")


def merge_request(ctx: ReadContext, container: Project, iid: int) -> Why:
    """A project has no merge request with this iid."""
    return partial(_numbered, ctx, container, iid, World.merge_requests, "a merge request")


def _numbered(ctx: ReadContext, container: Project, iid: int, table: TableOf[Any], one: str) -> str:
    world = World(ctx.world.moment())
    keys = world.roots[table.position].maps[table.slots["iid"]]
    iids = sorted(key[1] for key in keys if key[0] == container.id)
    existing = f"it has {_spans(iids)}" if iids else "it has none"
    whose = _whose(world, iid, table.name, one)
    return f"{describe(ctx.world, container)} has no {one.partition(' ')[2]} {iid}; {existing}{whose}"


def _project_paths(world: World) -> Iterator[str]:
    return (project_path(world, project) for project in world.projects.all())


def _group_paths(world: World) -> Iterator[str]:
    return (full_path(world, group) for group in world.namespaces.all() if isinstance(group, Group))


def _namespace_paths(world: World) -> Iterator[str]:
    return (full_path(world, namespace) for namespace in world.namespaces.all())


def _usernames(world: World) -> Iterator[str]:
    return (user.username for user in world.users.all())


def _named(ctx: ReadContext, kind: str, reference: str, names: Callable[[World], Iterable[str]]) -> str:
    world = World(ctx.world.moment())
    number = number_of(reference)
    if number is not None:
        return f"no {kind} has the id {reference}{_whose(world, number, f'{kind}s')}"
    return f"no {kind} is {reference!r}{_near(reference, [*names(world)])}"


def _near(reference: str, names: list[str]) -> str:
    last = reference.lower().rpartition("/")[2]
    same = [name for name in names if name.lower().rpartition("/")[2] == last]
    return f"; did you mean {same[0]}?" if same else did_you_mean(reference, names)


def _whose(world: World, number: int, own: str, one: str = "") -> str:
    """Whose id a number is, if it is another kind's: ids of different kinds start apart. ``one``: of what has iids."""
    for table in World.tables:
        if table.name not in (own, *_UNSEEN) and world.roots[table.position].maps[ROWS].get(number) is not None:
            return f"; {number} is an id among the {table.name.replace('_', ' ')}"
    if one and getattr(world, own).get(number) is not None:
        return f"; {number} is the id of {one}, not its iid"
    return ""


def _spans(numbers: list[int]) -> str:
    return f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
