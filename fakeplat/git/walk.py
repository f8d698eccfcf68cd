"""Commits in the orders of `git log`."""

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from fakeplat.git.history import History
from fakeplat.git.objects import Objects
from fakeplat.git.records import Commit, Entry
from fakeplat.git.trees import entry_at


class Selection(NamedTuple):
    """Which commits a log shows. Moments are seconds since 1970 and compared with the committer's.

    ``paths``: commits that change one of these files or folders, history simplified as git does it.
    """

    tips: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    first_parent: bool = False


def by_date(objects: Objects, selection: Selection) -> Iterator[Commit]:
    """`git log`: newest first, one at a time; nothing is read beyond what is asked for."""
    return _shown(_newest_first(objects, selection, _parents(objects, selection)), selection)


def in_topological_order(objects: Objects, selection: Selection, *, dated: bool = False) -> Iterator[Commit]:
    """`git log --topo-order`, or `--date-order` if ``dated``: no parent before all its children."""
    parents = _parents(objects, selection)
    listed = list(_newest_first(objects, selection, parents))
    waiting = dict.fromkeys((commit.sha for commit, _ in listed), 0)
    shown = {commit.sha: (commit, same) for commit, same in listed}
    following = {commit.sha: parents(commit)[0] for commit, _ in listed}
    for before in following.values():
        for parent in before:
            if parent in waiting:
                waiting[parent] += 1
    return _shown(_sorted(shown, waiting, following, dated=dated), selection)


def _sorted(
    shown: dict[str, tuple[Commit, bool]],
    waiting: dict[str, int],
    following: dict[str, Collection[str]],
    *,
    dated: bool,
) -> Iterator[tuple[Commit, bool]]:
    ready = _Dated(shown) if dated else _Stack()
    tips = [sha for sha, children in waiting.items() if not children]
    for sha in tips if dated else reversed(tips):
        ready.put(sha)
    while ready:
        sha = ready.get()
        yield shown[sha]
        for parent in following[sha]:
            if parent in waiting:
                waiting[parent] -= 1
                if not waiting[parent]:
                    ready.put(parent)


class _Stack(list[str]):
    """What came last is next, so that a line of history stays together."""

    put = list[str].append
    get = list[str].pop


class _Dated:
    """The newest is next."""

    def __init__(self, shown: dict[str, tuple[Commit, bool]]) -> None:
        self._shown = shown
        self._heap: list[tuple[int, int, str]] = []
        self._numbers = count()

    def put(self, sha: str) -> None:
        heappush(self._heap, (-self._shown[sha][0].committer.when, next(self._numbers), sha))

    def get(self) -> str:
        return heappop(self._heap)[-1]

    def __len__(self) -> int:
        return len(self._heap)


def _shown(walked: Iterable[tuple[Commit, bool]], selection: Selection) -> Iterator[Commit]:
    until = selection.until
    for commit, same in walked:
        if not same and (until is None or commit.committer.when <= until):
            yield commit


def _newest_first(
    objects: Objects, selection: Selection, parents: Callable[[Commit], tuple[Collection[str], bool]]
) -> Iterator[tuple[Commit, bool]]:
    """Each commit with whether it is left out because it changes nothing of what is asked for."""
    history = History.of(objects)
    hidden = history.reachable(objects, selection.hidden)
    queue: list[tuple[int, int, Commit]] = []
    seen: set[str] = set()
    numbers = count()

    def put(sha: str) -> None:
        if sha not in seen and not history.holds(hidden, sha):
            seen.add(sha)
            commit = objects.commit(sha)
            if selection.since is None or commit.committer.when >= selection.since:
                heappush(queue, (-commit.committer.when, next(numbers), commit))

    for tip in selection.tips:
        put(tip)
    while queue:
        commit = heappop(queue)[-1]
        before, same = parents(commit)
        for parent in before:
            put(parent)
        yield commit, same


def _parents(objects: Objects, selection: Selection) -> Callable[[Commit], tuple[Collection[str], bool]]:
    """Where a walk goes from a commit, and whether the commit itself changes nothing of what is asked for."""
    paths = selection.paths
    if not paths:
        return lambda commit: (commit.parents[:1] if selection.first_parent else commit.parents, False)
    history = History.of(objects)
    hidden = history.reachable(objects, selection.hidden)
    at_hand: dict[str, tuple[Entry | None, ...]] = {}

    def at(sha: str) -> tuple[Entry | None, ...]:
        if sha not in at_hand:
            at_hand[sha] = tuple(entry_at(objects, objects.commit(sha).tree, path) for path in paths)
        return at_hand[sha]

    def simplified(commit: Commit) -> tuple[Collection[str], bool]:
        here = at(commit.sha)
        parents = commit.parents[:1] if selection.first_parent else commit.parents
        if not parents:
            return (), not any(here)
        same = [parent for parent in parents if at(parent) == here]
        counted = [parent for parent in parents if _counts(parent)]
        for parent in same:
            if parent in counted:
                return (parent,), True
        return parents, not counted and len(same) == len(parents)

    def _counts(parent: str) -> bool:
        """A hidden parent does not decide for a merge what it keeps, unless the range starts at it."""
        return parent in selection.hidden or not history.holds(hidden, parent)

    return simplified
