"""Where a shallow history ends."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from fakeplat.git.errors import BadRequest
from fakeplat.git.history import History
from fakeplat.git.objects import Objects
from fakeplat.git.walk import Selection, by_date

INFINITE: Final = 0x7FFFFFFF


class Depth(NamedTuple):
    """How much history a client asks for: so many commits, or what is younger, or what does not lead to some refs."""

    commits: int | None = None
    since: int | None = None
    hidden: tuple[str, ...] = ()
    relative: bool = False

    def __bool__(self) -> bool:
        return self.commits is not None or self.since is not None or bool(self.hidden)


class Boundary(NamedTuple):
    """Where the client's history will end: ``cut`` has no parents for it. ``fresh`` and ``opened`` are what changes."""

    cut: frozenset[str]
    fresh: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


def compute_boundary(objects: Objects, tips: Sequence[str], client: frozenset[str], depth: Depth) -> Boundary:
    """The boundary after a fetch by a client whose history ends at some commits. BadRequest if nothing is selected."""
    if not depth:
        return Boundary(client)
    if depth.commits == INFINITE:
        return Boundary(frozenset(), opened=tuple(sorted(client)))
    if depth.commits is None:
        inside, cut = _selected(objects, tips, depth)
    elif depth.relative:
        inside, cut = _as_deep_as(objects, _seen_from(objects, tips, client), depth.commits + 1)
    else:
        inside, cut = _as_deep_as(objects, tips, depth.commits)
    opened = tuple(sorted(sha for sha in client if sha in inside and sha not in cut))
    return Boundary((client | cut) - set(opened), tuple(sorted(cut - client)), opened)


def cut_off(objects: Objects, tips: Iterable[str], cut: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """The commits that lead to some, with their parents, if history ends at those that are cut."""
    found: dict[str, tuple[str, ...]] = {}
    waiting = list(tips)
    while waiting:
        sha = waiting.pop()
        if sha not in found:
            found[sha] = () if sha in cut else objects.commit(sha).parents
            waiting += found[sha]
    return found


def _as_deep_as(objects: Objects, tips: Sequence[str], depth: int) -> tuple[set[str], frozenset[str]]:
    """The commits that are less than so many steps away, and those of them that are the last."""
    inside: set[str] = set()
    row = list(dict.fromkeys(tips))
    for _ in range(max(depth - 1, 0)):
        inside.update(row)
        row = list(
            dict.fromkeys(parent for sha in row for parent in objects.commit(sha).parents if parent not in inside)
        )
        if not row:
            break
    last = [sha for sha in row if sha not in inside]
    return inside.union(last), frozenset(last)


def _selected(objects: Objects, tips: Sequence[str], depth: Depth) -> tuple[set[str], frozenset[str]]:
    inside = {commit.sha for commit in by_date(objects, Selection(tuple(tips), depth.hidden, since=depth.since))}
    if not inside:
        raise BadRequest("no commits selected for shallow requests")
    return inside, frozenset(sha for sha in inside if not inside.issuperset(objects.commit(sha).parents))


def _seen_from(objects: Objects, tips: Sequence[str], client: frozenset[str]) -> list[str]:
    """Where the client's history ends below what it wants."""
    history = History.of(objects)
    below = history.reachable(objects, tips)
    return sorted(sha for sha in client if history.holds(below, sha))
