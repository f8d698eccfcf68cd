"""Traversal of commits in the orders of `git log`."""

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from fakeplat.git.history import History
from fakeplat.git.objects import Objects
from fakeplat.git.records import Commit, Entry
from fakeplat.git.trees import find_entry


class Selection(NamedTuple):
    """The commits that a log shows. ``since`` and ``until`` are compared with the committer's date.

    ``paths``: only commits that change one of these files or folders, with git's history simplification.
    """

    tips: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    first_parent: bool = False


def walk_by_date(objects: Objects, selection: Selection) -> Iterator[Commit]:
    """Yield commits newest first, as `git log`; only as many commits as needed are read."""
    return _filter(_walk_by_date(objects, selection, _parent_function(objects, selection)), selection)


def walk_topologically(objects: Objects, selection: Selection, *, dated: bool = False) -> Iterator[Commit]:
    """Yield children before parents, as `git log --topo-order`, or `--date-order` if ``dated``."""
    get_parents = _parent_function(objects, selection)
    walked = list(_walk_by_date(objects, selection, get_parents))
    child_counts = dict.fromkeys((commit.sha for commit, _ in walked), 0)
    commits = {commit.sha: (commit, is_same) for commit, is_same in walked}
    parents = {commit.sha: get_parents(commit)[0] for commit, _ in walked}
    for parent_shas in parents.values():
        for parent in parent_shas:
            # Parents outside the selection are not sorted, and must not hold back others.
            if parent in child_counts:
                child_counts[parent] += 1
    return _filter(_sort(commits, child_counts, parents, dated=dated), selection)


def _sort(
    commits: dict[str, tuple[Commit, bool]],
    child_counts: dict[str, int],
    parents: dict[str, Collection[str]],
    *,
    dated: bool,
) -> Iterator[tuple[Commit, bool]]:
    """Sort topologically (Kahn's algorithm): a commit is ready once all its children were yielded."""
    ready = _DateQueue(commits) if dated else _Stack()
    tips = [sha for sha, count in child_counts.items() if not count]
    # The stack returns what was put last, so the first tip goes on top.
    for sha in tips if dated else reversed(tips):
        ready.put(sha)
    while ready:
        sha = ready.get()
        yield commits[sha]
        for parent in parents[sha]:
            if parent in child_counts:
                child_counts[parent] -= 1
                if not child_counts[parent]:
                    ready.put(parent)


class _Stack(list[str]):
    """Last in, first out: a line of history stays together."""

    put = list[str].append
    get = list[str].pop


class _DateQueue:
    """Newest commit first."""

    def __init__(self, commits: dict[str, tuple[Commit, bool]]) -> None:
        self._commits = commits
        self._heap: list[tuple[int, int, str]] = []
        self._order = count()

    def put(self, sha: str) -> None:
        heappush(self._heap, (-self._commits[sha][0].committer.when, next(self._order), sha))

    def get(self) -> str:
        return heappop(self._heap)[-1]

    def __len__(self) -> int:
        return len(self._heap)


def _filter(walked: Iterable[tuple[Commit, bool]], selection: Selection) -> Iterator[Commit]:
    until = selection.until
    for commit, is_same in walked:
        # A commit after ``until`` is only left out: its ancestors may be within the range.
        if not is_same and (until is None or commit.committer.when <= until):
            yield commit


def _walk_by_date(
    objects: Objects, selection: Selection, get_parents: Callable[[Commit], tuple[Collection[str], bool]]
) -> Iterator[tuple[Commit, bool]]:
    """Yield each commit, and whether it is to be omitted because it changes none of the selected paths."""
    history = History.of(objects)
    hidden = history.reachable(objects, selection.hidden)
    queue: list[tuple[int, int, Commit]] = []
    visited: set[str] = set()
    order = count()  # commits of one date stay in the order of visit

    def put(sha: str) -> None:
        if sha not in visited and not history.holds(hidden, sha):
            visited.add(sha)
            commit = objects.commit(sha)
            # A commit before ``since`` ends the walk along its line, as its ancestors are older still.
            if selection.since is None or commit.committer.when >= selection.since:
                heappush(queue, (-commit.committer.when, next(order), commit))

    for tip in selection.tips:
        put(tip)
    while queue:
        commit = heappop(queue)[-1]
        parents, is_same = get_parents(commit)
        for parent in parents:
            put(parent)
        yield commit, is_same


def _parent_function(objects: Objects, selection: Selection) -> Callable[[Commit], tuple[Collection[str], bool]]:
    """Return a function that gives the parents to follow from a commit, and whether it changes no selected path."""
    paths = selection.paths
    if not paths:
        return lambda commit: (commit.parents[:1] if selection.first_parent else commit.parents, False)
    history = History.of(objects)
    hidden = history.reachable(objects, selection.hidden)
    cache: dict[str, tuple[Entry | None, ...]] = {}

    def entries_at(sha: str) -> tuple[Entry | None, ...]:
        if sha not in cache:
            cache[sha] = tuple(find_entry(objects, objects.commit(sha).tree, path) for path in paths)
        return cache[sha]

    def simplified_parents(commit: Commit) -> tuple[Collection[str], bool]:
        # As git simplifies history: if a parent has the same entries, only this parent is followed, and the commit is
        # omitted; a commit without parents is omitted if it has none of the paths.
        entries = entries_at(commit.sha)
        parents = commit.parents[:1] if selection.first_parent else commit.parents
        if not parents:
            return (), not any(entries)
        same = [parent for parent in parents if entries_at(parent) == entries]
        relevant = [parent for parent in parents if is_relevant(parent)]
        for parent in same:
            if parent in relevant:
                return (parent,), True
        return parents, not relevant and len(same) == len(parents)

    def is_relevant(parent: str) -> bool:
        """Return whether a parent can simplify a merge: hidden ones cannot, unless the range starts there."""
        return parent in selection.hidden or not history.holds(hidden, parent)

    return simplified_parents
