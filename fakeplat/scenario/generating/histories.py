"""Generation of commit histories: a main branch, other branches of which some are merged, and tags.

Each branch changes its own file, so that merges never conflict.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import DAY, SECOND
from fakeplat.domain.people.path_names import slugify
from fakeplat.model.repository import DeclaredCommit, DeclaredFile
from fakeplat.scenario.generating.job_runs import configuration
from fakeplat.scenario.generating.rows import make_unique, unique_names
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import words_of

README: Final = "README.md"
_AGE: Final = 200 * DAY // SECOND
_LONGEST_BRANCH: Final = 3
_LONGEST_FILE: Final = 40
_OPEN_BRANCHES: Final = 3
_CODE: Final = {
    "app/{}.py": "def {}():\n    return {!r}\n",
    "app/{}.js": "export const {} = () => {!r};\n",
    "docs/{}.md": "## {}\n\n{}\n",
}
_BRANCH_FILE: Final = "features/{}.py"
_MERGED: Final = "merged"

Step = str | None
"""The branch of the next commit, None for the main branch; or ``merged NAME`` for the merge of a branch."""


@frozen
class HistorySize:
    """The size of a history, its authors (name and email), and its end (ms)."""

    commits: int
    branches: int
    tags: int
    people: Sequence[tuple[str, str]]
    until: int


@frozen
class History:
    """A history derived from the seed and a purpose; it is generated again, with the same result, whenever it is read.

    ``before`` are the commits that it continues, ``title`` is the heading of its README.
    """

    seed: int
    purpose: str
    size: HistorySize
    main: str
    title: str
    before: Sequence[DeclaredCommit] = ()

    def write(self) -> Sequence[DeclaredCommit]:
        """Return all commits, the oldest first."""
        return [*self.before, *_HistoryWriter(self).commits()]


class _HistoryWriter:
    """The generator of one history."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._random = SeededRandom(history.seed, history.purpose)
        self._words = words_of(history.seed)
        self._files: dict[str, list[str]] = {}
        self._started: set[str] = set()

    def commits(self) -> Iterator[DeclaredCommit]:
        history, size = self._history, self._history.size
        until = size.until // SECOND
        # A history that is continued must not go back behind its declared commits.
        start = max(0, until - _AGE, *(commit.when for commit in history.before))
        # The period must not be empty, even if the declared commits reach up to its end.
        times = self._random.moments(size.commits, start, max(until, start + 1))
        steps = [None, *self._steps()]
        tags = self._tags([position for position, step in enumerate(steps) if step is None])
        for position, (step, time) in enumerate(zip(steps, times, strict=True)):
            yield self._commit(step, time, tags.get(position, {}), first=position == 0 and not history.before)

    def _steps(self) -> Iterator[Step]:
        """Yield the branch of each further commit; only the first few unfinished branches are active at a time."""
        waiting = self._branches(self._history.size.commits - 1)
        main_steps = self._history.size.commits - 1 - sum(map(len, waiting))
        while waiting or main_steps:
            # All remaining commits are equally likely to come next, so the branches and the main one advance evenly.
            if self._random.below(main_steps + sum(map(len, waiting))) < main_steps:
                main_steps -= 1
                yield None
                continue
            chosen = self._random.pick(waiting[:_OPEN_BRANCHES])
            yield chosen.pop(0)
            waiting = [steps for steps in waiting if steps]

    def _branches(self, limit: int) -> list[list[Step]]:
        """Return the steps of each branch: at least one commit, perhaps more, and a merge of every second branch."""
        random, count = self._random, self._history.size.branches
        is_taken = unique_names({*self._known_names()})
        names = [
            make_unique(slugify(f"{random.pick(self._words.verbs)}-{random.pick(self._words.terms)}"), is_taken)
            for _ in range(count)
        ]
        # Every branch gets one commit; the other commits are left for longer branches, merges and the main branch.
        remaining, branches = limit - count, list[list[Step]]()
        for number, name in enumerate(names):
            extra = min(random.below(_LONGEST_BRANCH), remaining)
            merge = number % 2 == 0 and remaining > extra
            remaining -= extra + merge
            branches.append([*[name] * (1 + extra), *([f"{_MERGED} {name}"] if merge else [])])
        return branches

    def _known_names(self) -> Iterator[str]:
        yield self._history.main
        for commit in self._history.before:
            yield commit.branch
            yield from commit.tags

    def _tags(self, positions: Sequence[int]) -> Mapping[int, Mapping[str, str | None]]:
        """Distribute the tags over the commits of the main branch; every second one is annotated."""
        is_taken, tags = unique_names({*self._known_names()}), dict[int, dict[str, str | None]]()
        count = self._history.size.tags
        for number in range(count):
            name = make_unique(f"v0.{number + 1}.0", is_taken)
            # The tags divide the main branch into equal parts; none is at its very beginning or end.
            position = positions[(number + 1) * len(positions) // (count + 1)]
            tags.setdefault(position, {})[name] = f"Release {name}" if number % 2 else None
        return tags

    def _commit(self, step: Step, when: int, tags: Mapping[str, str | None], *, first: bool) -> DeclaredCommit:
        author = self._random.pick(self._history.size.people)
        main = self._history.main
        if step is not None and step.startswith(f"{_MERGED} "):
            name = step.removeprefix(f"{_MERGED} ")
            message = f"Merge branch '{name}' into '{main}'"
            return DeclaredCommit(message, author, when, main, merges=(name,))
        message = f"{self._random.pick(self._words.verbs)} {self._random.pick(self._words.things).lower()}"
        if step is None:
            files = {**(self._initial_files() if first else {}), **self._change_file(self._pick_path())}
            return DeclaredCommit("Initial commit" if first else message, author, when, main, files=files, tags=tags)
        # Only the first commit of a branch says where the branch starts.
        start = None if step in self._started else main
        self._started.add(step)
        files = self._change_file(_BRANCH_FILE.format(step.replace("-", "_")))
        return DeclaredCommit(message, author, when, step, start, files=files)

    def _initial_files(self) -> dict[str, DeclaredFile | None]:
        sentences = "\n".join(self._random.pick(self._words.sentences) for _ in range(3))
        readme = f"# {self._history.title}\n\n{sentences}\n"
        return {
            README: DeclaredFile(readme.encode()),
            ".gitlab-ci.yml": DeclaredFile(configuration(self._history.main).encode()),
        }

    def _pick_path(self) -> str:
        """Pick a file of the main branch, mostly an existing one."""
        existing = [path for path in self._files if not path.startswith("features/")]
        if existing and self._random.hits(70):
            return self._random.pick(existing)
        return self._random.pick(list(_CODE)).format(self._random.pick(self._words.terms))

    def _change_file(self, path: str) -> dict[str, DeclaredFile | None]:
        """Add a piece to a file, or replace one if the file is long."""
        # The last three characters (``.py``, ``.js``, ``.md``) tell the forms apart.
        pattern = next((code for form, code in _CODE.items() if path.endswith(form[-3:])), "{} {}\n")
        word, sentence = self._random.pick(self._words.terms), self._random.pick(self._words.sentences)
        pieces = self._files.setdefault(path, [])
        piece = pattern.format(word, sentence)
        if len(pieces) < _LONGEST_FILE:
            pieces.append(piece)
        else:
            pieces[self._random.below(_LONGEST_FILE)] = piece
        return {path: DeclaredFile("\n".join(pieces).encode())}
