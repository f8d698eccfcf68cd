"""Rows of generated pipelines: those of pushes, and further ones that were started for the default branch.

A generated world stands still, so every pipeline has ended.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import SECOND, to_iso
from fakeplat.domain.ci.pipelines import measure_periods
from fakeplat.domain.reviews.diff_versions import HEAD_REF
from fakeplat.model.ci import Source
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.repository import BRANCHES, TAGS, ZERO_SHA
from fakeplat.scenario.generating import job_runs
from fakeplat.scenario.generating.job_runs import Try
from fakeplat.scenario.generating.rows import Row
from fakeplat.scenario.generating.seeded_random import SeededRandom

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

_PUSH_DELAY: Final = 5 * SECOND
_SOURCES: Final[tuple[Source, ...]] = ("web", "api", "schedule")
_time: Final = attrgetter("time")


@frozen
class PushedCommit:
    """A commit that was pushed to a branch or tag at a time (ms)."""

    ref: str
    sha: str
    before_sha: str
    time: int
    email: str
    tag: bool = False


@frozen
class Run:
    """What starts a pipeline at a time (ms)."""

    push: PushedCommit
    time: int
    ref: str
    source: Source = "push"
    before_sha: str = ZERO_SHA
    merge_request_id: int | None = None


class People(NamedTuple):
    """The ids of those who start pipelines: all of them, and by email."""

    ids: Sequence[int]
    by_email: Mapping[str, int]


def list_pushes(git: "Git", main: str) -> list[PushedCommit]:
    """Return the commits of all branches and tags, each for the branch on which it was made; oldest first."""
    seen: set[str] = set()
    branches = dict.fromkeys((main, *git.branches()))
    pushes = [push for branch in branches for push in _list_branch(git, branch, seen)]
    tags = (_push_of(git, TAGS + name, name, tag=True) for name in git.tags())
    return sorted((*pushes, *tags), key=_time)


def _list_branch(git: "Git", branch: str, seen: set[str]) -> Iterator[PushedCommit]:
    commits = git.log(BRANCHES + branch, first_parent=True) if git.find_branch(branch) else ()
    for commit in commits:
        if commit.sha in seen:
            return
        seen.add(commit.sha)
        yield _push_of(git, commit.sha, branch)


def _push_of(git: "Git", revision: str, ref: str, *, tag: bool = False) -> PushedCommit:
    commit = git.commit(revision)
    before = ZERO_SHA if tag or not commit.parents else commit.parents[0]
    return PushedCommit(ref, commit.sha, before, commit.committer.when * SECOND, commit.author.email, tag)


class PipelineRows:
    """Generates the rows of pipelines of one project, and those of their jobs. ``now`` is the world's time in ms."""

    def __init__(
        self, random: SeededRandom, people: People, main: str, merge_requests: Sequence[MergeRequest], now: int
    ) -> None:
        self._random = random
        self._people = people
        self._main = main
        self._merge_requests = {merge_request.source_branch: merge_request for merge_request in merge_requests}
        self._now = now

    def rows(self, total: int, pushes: Sequence[PushedCommit]) -> list[tuple[Row, list[Row]]]:
        """Return rows of pipelines, each with those of its jobs, the oldest first."""
        newest = pushes[max(len(pushes) - total, 0) :]
        runs = [*map(self._run_for_push, newest), *self._further_runs(total - len(newest), pushes)]
        return [self._rows_of(run) for run in sorted(runs, key=_time)]

    def _further_runs(self, total: int, pushes: Sequence[PushedCommit]) -> Iterator[Run]:
        """Yield runs without a push, for the commit that the default branch had at the time."""
        commits = [push for push in pushes if push.ref == self._main and not push.tag] or pushes
        since = min(commits[0].time, self._now - 1)
        for moment in self._random.moments(total, since, self._now):
            push = commits[max(bisect_right(commits, moment, key=_time) - 1, 0)]
            yield Run(push, moment, push.ref, self._random.pick(_SOURCES))

    def _run_for_push(self, push: PushedCommit) -> Run:
        time = min(push.time + self._random.below(_PUSH_DELAY), self._now)
        merge_request = None if push.tag else self._merge_requests.get(push.ref)
        if merge_request is None or self._random.hits(50):
            return Run(push, time, push.ref, before_sha=push.before_sha)
        ref = HEAD_REF.format(merge_request.iid)
        return Run(push, time, ref, "merge_request_event", push.before_sha, merge_request.id)

    def _rows_of(self, run: Run) -> tuple[Row, list[Row]]:
        push = run.push
        jobs = job_runs.RELEASE_JOBS if push.tag or run.ref == self._main else job_runs.JOBS
        tries = job_runs.play(self._random, jobs, run.time, self._now)
        common = {
            "ref": run.ref,
            "tag": push.tag,
            "user_id": self._people.by_email.get(push.email) or self._random.pick(self._people.ids),
        }
        pipeline = {
            **common,
            "sha": push.sha,
            "before_sha": run.before_sha,
            "source": run.source,
            "merge_request_id": run.merge_request_id,
            "created_at": to_iso(run.time),
            **_summarize(tries, run.time),
        }
        return pipeline, [{**job.row(), **common} for job in tries]


def _summarize(tries: Sequence[Try], created: int) -> Row:
    """Return what a pipeline has of its jobs: its status and times."""
    begun = [job for job in tries if job.started is not None]
    finished = to_iso(max((job.finished or 0 for job in tries), default=created))
    periods = [(job.started or 0, job.finished or 0) for job in begun if not job.retried]
    return {
        "status": job_runs.status_of(tries),
        "started_at": to_iso(min(job.started or 0 for job in begun)) if begun else None,
        "finished_at": finished,
        "updated_at": finished,
        "duration": measure_periods(periods),
    }
