"""Rows of generated merge requests: one for each branch of a history, and additional closed ones."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from fakeplat.core.timestamps import SECOND, to_iso
from fakeplat.domain.merge_requests.merge_requests import MergeRequestChanges, NewMergeRequest
from fakeplat.model.merge_requests import State
from fakeplat.model.repository import DeclaredCommit
from fakeplat.scenario.generating.rows import ProjectContents
from fakeplat.scenario.generating.seeded_random import SeededRandom
from fakeplat.scenario.generating.words import Words


class BranchLine(NamedTuple):
    """A branch with the times (ms) of its first commit and of its merge, if it was merged."""

    name: str
    began: int
    merged: int | None


def list_branches(commits: Sequence[DeclaredCommit], main: str) -> list[BranchLine]:
    """Return the branches of a history except for the main one, ordered by their first commit."""
    began: dict[str, int] = {}
    merged: dict[str, int] = {}
    for commit in commits:
        if commit.branch != main:
            # Commits are dated in seconds, as in git; records in milliseconds.
            began.setdefault(commit.branch, commit.when * SECOND)
        elif commit.merges:
            merged.update(dict.fromkeys(commit.merges, commit.when * SECOND))
    return [BranchLine(name, when, merged.get(name)) for name, when in began.items()]


class Reviews:
    """Generates the rows of merge requests of one project into ``main``. ``now`` is the world's time in ms."""

    def __init__(self, random: SeededRandom, words: Words, contents: ProjectContents, main: str, now: int) -> None:
        self._random = random
        self._words = words
        self._contents = contents
        self._main = main
        self._now = now

    def rows(self, total: int, branches: Sequence[BranchLine], project_id: int) -> Iterator[NewMergeRequest]:
        """Yield ``total`` rows, the oldest first; rows without a branch of their own are earlier, closed requests."""
        missing = max(total - len(branches), 0)
        closed = [self._row(self._random.pick(branches), "closed", project_id) for _ in range(missing)]
        current = [
            self._row(line, "merged" if line.merged else "opened", project_id) for line in islice(branches, total)
        ]
        yield from sorted((*closed, *current), key=lambda row: str(row["created_at"]))

    def _row(self, line: BranchLine, state: State, project_id: int) -> NewMergeRequest:
        random, contents = self._random, self._contents
        draft = state == "opened" and random.hits(15)
        title = f"{random.pick(self._words.verbs)} {random.pick(self._words.things).lower()}"
        created_at = to_iso(line.began)
        return {
            "title": f"Draft: {title}" if draft else title,
            "description": random.pick(self._words.sentences) if random.hits(70) else None,
            "source_project_id": project_id,
            "source_branch": line.name,
            "target_branch": self._main,
            "author_id": random.pick(contents.people),
            "assignee_ids": random.some(contents.people, 1),
            "label_ids": random.some(contents.labels, 2),
            "milestone_id": random.pick(contents.milestones) if contents.milestones and random.hits(40) else None,
            "state": state,
            "created_at": created_at,
            "updated_at": created_at,
            **self._closing_fields(line, state),
        }

    def _closing_fields(self, line: BranchLine, state: State) -> MergeRequestChanges:
        if state == "opened":
            return {}
        latest = line.merged or self._now
        at = latest if state == "merged" else line.began + self._random.below(max(latest - line.began, 1))
        user_id = self._random.pick(self._contents.people)
        if state == "closed":
            return {"closed_at": to_iso(at), "closed_by_id": user_id, "updated_at": to_iso(at)}
        return {
            "merged_at": to_iso(at),
            "merged_by_id": user_id,
            "updated_at": to_iso(at),
            "merge_status": "can_be_merged",
        }
