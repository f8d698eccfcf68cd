"""Plausible histories: a main line of work, branches from it of which some are merged back, tags along the way.

Each branch has a file of its own, so that merges never conflict.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import DAY, SECOND
from fakeplat.domain.people.path_names import slugify
from fakeplat.model.repositories import DeclaredCommit, DeclaredFile
from fakeplat.scenario.generating.rows import make_unique, unique_names
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import words_of

README: Final = "README.md"
_FROM: Final = 200 * DAY // SECOND
_LONGEST_BRANCH: Final = 3
_LONGEST_FILE: Final = 40
_OPEN_BRANCHES: Final = 3
_CI: Final = "test:\n  script:\n    - make test\n"
_CODE: Final = {
    "app/{}.py": "def {}():\n    return {!r}\n",
    "app/{}.js": "export const {} = () => {!r};\n",
    "docs/{}.md": "## {}\n\n{}\n",
}
_OWN: Final = "features/{}.py"
_MERGED: Final = "merged"

Step = str | None
"""A branch on which the next commit goes, None for the main line; or ``merged NAME`` for the merge of one."""


@frozen
class HistorySize:
    """How much is wanted of a history, by whom, and until when (ms)."""

    commits: int
    branches: int
    tags: int
    people: Sequence[tuple[str, str]]
    until: int


@frozen
class History:
    """A history that the seed and a purpose decide; written anew each time it is asked for, always the same.

    ``before`` are commits that it goes on from, ``title`` is the heading of its README.
    """

    seed: int
    purpose: str
    scope: HistorySize
    main: str
    title: str
    before: Sequence[DeclaredCommit] = ()

    def write(self) -> Sequence[DeclaredCommit]:
        """All commits, the oldest first."""
        return [*self.before, *_HistoryWriter(self).commits()]


class _HistoryWriter:
    """The writing of one history."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._dice = SeededRandom(history.seed, history.purpose)
        self._words = words_of(history.seed)
        self._files: dict[str, list[str]] = {}
        self._started: set[str] = set()

    def commits(self) -> Iterator[DeclaredCommit]:
        history, scope = self._history, self._history.scope
        until = scope.until // SECOND
        began = max(0, until - _FROM, *(commit.when for commit in history.before))
        times = self._dice.moments(scope.commits, began, max(until, began + 1))
        steps = [None, *self._steps()]
        tags = self._tags([place for place, step in enumerate(steps) if step is None])
        for place, (step, time) in enumerate(zip(steps, times, strict=True)):
            yield self._commit(step, time, tags.get(place, {}), first=place == 0 and not history.before)

    def _steps(self) -> Iterator[Step]:
        """On which line each further commit goes; the branches begin one after the other."""
        waiting = self._branches(self._history.scope.commits - 1)
        left = self._history.scope.commits - 1 - sum(map(len, waiting))
        while waiting or left:
            if self._dice.below(left + sum(map(len, waiting))) < left:
                left -= 1
                yield None
                continue
            chosen = self._dice.pick(waiting[:_OPEN_BRANCHES])
            yield chosen.pop(0)
            waiting = [steps for steps in waiting if steps]

    def _branches(self, most: int) -> list[list[Step]]:
        """The steps of each branch: one commit each at least; then more, and merges of every second one."""
        dice, wanted = self._dice, self._history.scope.branches
        is_taken = unique_names({*self._known_names()})
        names = [
            make_unique(slugify(f"{dice.pick(self._words.verbs)}-{dice.pick(self._words.terms)}"), is_taken)
            for _ in range(wanted)
        ]
        spare, found = most - wanted, list[list[Step]]()
        for number, name in enumerate(names):
            more = min(dice.below(_LONGEST_BRANCH), spare)
            merge = number % 2 == 0 and spare > more
            spare -= more + merge
            found.append([*[name] * (1 + more), *([f"{_MERGED} {name}"] if merge else [])])
        return found

    def _known_names(self) -> Iterator[str]:
        yield self._history.main
        for commit in self._history.before:
            yield commit.branch
            yield from commit.tags

    def _tags(self, places: Sequence[int]) -> Mapping[int, Mapping[str, str | None]]:
        """Tags along the main line, every second one annotated."""
        is_taken, found = unique_names({*self._known_names()}), dict[int, dict[str, str | None]]()
        wanted = self._history.scope.tags
        for number in range(wanted):
            name = make_unique(f"v0.{number + 1}.0", is_taken)
            place = places[(number + 1) * len(places) // (wanted + 1)]
            found.setdefault(place, {})[name] = f"Release {name}" if number % 2 else None
        return found

    def _commit(self, step: Step, when: int, tags: Mapping[str, str | None], *, first: bool) -> DeclaredCommit:
        author = self._dice.pick(self._history.scope.people)
        main = self._history.main
        if step is not None and step.startswith(f"{_MERGED} "):
            name = step.removeprefix(f"{_MERGED} ")
            message = f"Merge branch '{name}' into '{main}'"
            return DeclaredCommit(message, author, when, main, merges=(name,))
        message = f"{self._dice.pick(self._words.verbs)} {self._dice.pick(self._words.things).lower()}"
        if step is None:
            files = {**(self._first() if first else {}), **self._changed(self._path())}
            return DeclaredCommit("Initial commit" if first else message, author, when, main, files=files, tags=tags)
        start = None if step in self._started else main
        self._started.add(step)
        files = self._changed(_OWN.format(step.replace("-", "_")))
        return DeclaredCommit(message, author, when, step, start, files=files)

    def _first(self) -> dict[str, DeclaredFile | None]:
        sentences = "\n".join(self._dice.pick(self._words.sentences) for _ in range(3))
        readme = f"# {self._history.title}\n\n{sentences}\n"
        return {README: DeclaredFile(readme.encode()), ".gitlab-ci.yml": DeclaredFile(_CI.encode())}

    def _path(self) -> str:
        """A file of the main line: mostly one that is there."""
        there = [path for path in self._files if not path.startswith("features/")]
        if there and self._dice.hits(70):
            return self._dice.pick(there)
        return self._dice.pick(list(_CODE)).format(self._dice.pick(self._words.terms))

    def _changed(self, path: str) -> dict[str, DeclaredFile | None]:
        """A file with a piece more, or with another one once it is long."""
        pattern = next((code for form, code in _CODE.items() if path.endswith(form[-3:])), "{} {}\n")
        word, sentence = self._dice.pick(self._words.terms), self._dice.pick(self._words.sentences)
        pieces = self._files.setdefault(path, [])
        piece = pattern.format(word, sentence)
        if len(pieces) < _LONGEST_FILE:
            pieces.append(piece)
        else:
            pieces[self._dice.below(_LONGEST_FILE)] = piece
        return {path: DeclaredFile("\n".join(pieces).encode())}
