"""Rows of plausible merge requests: one for each branch of a history, and closed ones beside them."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fakeplat.core.timestamps import SECOND, to_iso
from fakeplat.model.repositories import DeclaredCommit
from fakeplat.scenario.generating.rows import ProjectContents, Row
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import Words


class BranchLine(NamedTuple):
    """A branch: when it began and (if it was) was merged, in ms."""

    name: str
    began: int
    merged: int | None


def list_branches(commits: Sequence[DeclaredCommit], main: str) -> list[BranchLine]:
    """The branches of a history beside its main line, in the order in which they began."""
    began: dict[str, int] = {}
    merged: dict[str, int] = {}
    for commit in commits:
        if commit.branch != main:
            began.setdefault(commit.branch, commit.when * SECOND)
        elif commit.merges:
            merged.update(dict.fromkeys(commit.merges, commit.when * SECOND))
    return [BranchLine(name, when, merged.get(name)) for name, when in began.items()]


class Reviews:
    """Makes the rows of the merge requests of one project into ``main``. ``now`` is the world's time in ms."""

    def __init__(self, dice: SeededRandom, words: Words, scene: ProjectContents, main: str, now: int) -> None:
        self._dice = dice
        self._words = words
        self._scene = scene
        self._main = main
        self._now = now

    def rows(self, wanted: int, branches: Sequence[BranchLine]) -> Iterator[Row]:
        """So many rows, the oldest first; where branches do not suffice, the first ones were closed before."""
        spare = max(wanted - len(branches), 0)
        earlier = [self._row(self._dice.pick(branches), "closed") for _ in range(spare)]
        own = [self._row(line, "merged" if line.merged else "opened") for line in islice(branches, wanted)]
        yield from sorted((*earlier, *own), key=lambda row: str(row["created_at"]))

    def _row(self, line: BranchLine, state: str) -> Row:
        dice, scene = self._dice, self._scene
        draft = state == "opened" and dice.hits(15)
        title = f"{dice.pick(self._words.verbs)} {dice.pick(self._words.things).lower()}"
        created_at = to_iso(line.began)
        return {
            "title": f"Draft: {title}" if draft else title,
            "description": dice.pick(self._words.sentences) if dice.hits(70) else None,
            "source_branch": line.name,
            "target_branch": self._main,
            "author_id": dice.pick(scene.people),
            "assignee_ids": dice.some(scene.people, 1),
            "label_ids": dice.some(scene.labels, 2),
            "milestone_id": dice.pick(scene.milestones) if scene.milestones and dice.hits(40) else None,
            "state": state,
            "created_at": created_at,
            "updated_at": created_at,
            **self._ended(line, state),
        }

    def _ended(self, line: BranchLine, state: str) -> dict[str, Any]:
        if state == "opened":
            return {}
        last = line.merged or self._now
        at = last if state == "merged" else line.began + self._dice.below(max(last - line.began, 1))
        who = self._dice.pick(self._scene.people)
        status = {"merge_status": "can_be_merged"} if state == "merged" else {}
        return {f"{state}_at": to_iso(at), f"{state}_by_id": who, "updated_at": to_iso(at), **status}
