"""Boundaries of shallow histories."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from fakeplat.git.errors import BadRequest
from fakeplat.git.history import History
from fakeplat.git.objects import Objects
from fakeplat.git.walk import Selection, walk_by_date

# The depth that clients send for `git fetch --unshallow`.
INFINITE: Final = 0x7FFFFFFF


class Depth(NamedTuple):
    """The history that a client requests: by number of commits, by date, or without the ancestors of some refs."""

    commits: int | None = None
    since: int | None = None
    hidden: tuple[str, ...] = ()
    relative: bool = False

    def __bool__(self) -> bool:
        return self.commits is not None or self.since is not None or bool(self.hidden)


class Boundary(NamedTuple):
    """The end of the client's history after a fetch.

    ``cut`` are the commits whose parents the client lacks; ``fresh`` are new among them, ``opened`` no longer so.
    """

    cut: frozenset[str]
    fresh: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


def compute_boundary(objects: Objects, tips: Sequence[str], client: frozenset[str], depth: Depth) -> Boundary:
    """Compute the boundary after a fetch. ``client`` is the present one; BadRequest if no commit is selected."""
    if not depth:
        return Boundary(client)
    if depth.commits == INFINITE:
        return Boundary(frozenset(), opened=tuple(sorted(client)))
    if depth.commits is None:
        inside, cut = _select(objects, tips, depth)
    elif depth.relative:  # counted from the present boundary, which is the first level
        inside, cut = _limit_depth(objects, _wanted_boundary(objects, tips, client), depth.commits + 1)
    else:
        inside, cut = _limit_depth(objects, tips, depth.commits)
    opened = tuple(sorted(sha for sha in client if sha in inside and sha not in cut))
    return Boundary((client | cut) - set(opened), tuple(sorted(cut - client)), opened)


def parents_within(objects: Objects, tips: Iterable[str], cut: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Return the ancestors of the tips with their parents, in a history that ends at the cut commits."""
    parents: dict[str, tuple[str, ...]] = {}
    queue = list(tips)
    while queue:
        sha = queue.pop()
        if sha not in parents:
            parents[sha] = () if sha in cut else objects.commit(sha).parents
            queue += parents[sha]
    return parents


def _limit_depth(objects: Objects, tips: Sequence[str], depth: int) -> tuple[set[str], frozenset[str]]:
    """Return the commits within a number of steps from the tips, and the last of them."""
    inside: set[str] = set()
    level = list(dict.fromkeys(tips))
    # The tips are the first level: at depth 1 their parents are missing already.
    for _ in range(max(depth - 1, 0)):
        inside.update(level)
        level = list(
            dict.fromkeys(parent for sha in level for parent in objects.commit(sha).parents if parent not in inside)
        )
        if not level:
            break
    last = [sha for sha in level if sha not in inside]
    return inside.union(last), frozenset(last)


def _select(objects: Objects, tips: Sequence[str], depth: Depth) -> tuple[set[str], frozenset[str]]:
    inside = {commit.sha for commit in walk_by_date(objects, Selection(tuple(tips), depth.hidden, since=depth.since))}
    if not inside:
        raise BadRequest("no commits selected for shallow requests")
    # The boundary consists of the selected commits of which a parent was not selected.
    return inside, frozenset(sha for sha in inside if not inside.issuperset(objects.commit(sha).parents))


def _wanted_boundary(objects: Objects, tips: Sequence[str], client: frozenset[str]) -> list[str]:
    """Return the commits at the client's boundary that are ancestors of the tips."""
    history = History.of(objects)
    ancestors = history.reachable(objects, tips)
    return sorted(sha for sha in client if history.holds(ancestors, sha))
