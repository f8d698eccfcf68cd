"""Graphs on pages: the jobs of a pipeline with what they wait for, and the commits of all branches.

Nodes and edges have their places here, in pixels; the templates draw them, without a script.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import field

from fakeplat.core.store.frozen import frozen

if TYPE_CHECKING:
    from fakeplat.git.records import Commit
    from fakeplat.model.ci import Job

_NODE_WIDTH: Final = 184
_NODE_HEIGHT: Final = 40
_GAP: Final = 10
_COLUMN_GAP: Final = 56
_PADDING: Final = 12
_HEADING: Final = 32

LANE: Final = 16
"""The width of a line of commits."""
ROW: Final = 32
"""The height of a commit, which the style sheet repeats."""


@frozen
class JobNode:
    """A job, at the upper left corner of its box; ``waits_for`` names the jobs that its ``needs`` have."""

    job: "Job"
    x: int
    y: int
    url: str | None = None
    waits_for: tuple[str, ...] = ()


@frozen
class Stage:
    """A column of jobs. ``follows``: some of its jobs wait for the stage before."""

    name: str
    x: int
    nodes: Sequence[JobNode]
    follows: bool = False


@frozen
class PipelineGraph:
    """The jobs of a pipeline by stage; an edge, as the data of an SVG path, leads from each needed job."""

    stages: Sequence[Stage] = ()
    edges: Sequence[str] = ()
    width: int = 0
    height: int = 0
    node_width: int = _NODE_WIDTH
    node_height: int = _NODE_HEIGHT


def draw_pipeline(jobs: Sequence["Job"], urls: Mapping[int, str | None]) -> PipelineGraph:
    """Return the graph of a pipeline's jobs, which are ordered by stage; ``urls`` are the pages of jobs by id."""
    by_stage: dict[str, list[Job]] = {}
    for job in jobs:
        by_stage.setdefault(job.stage, []).append(job)
    stages = [_draw_stage(number, name, rows, urls) for number, (name, rows) in enumerate(by_stage.items())]
    height = _HEADING + max((len(stage.nodes) for stage in stages), default=0) * (_NODE_HEIGHT + _GAP) + _PADDING
    width = len(stages) * (_NODE_WIDTH + 2 * _PADDING + _COLUMN_GAP) - _COLUMN_GAP
    return PipelineGraph(stages, list(_draw_edges(stages)), max(width, 0), height)


def _draw_stage(number: int, name: str, jobs: Sequence["Job"], urls: Mapping[int, str | None]) -> Stage:
    x = number * (_NODE_WIDTH + 2 * _PADDING + _COLUMN_GAP)
    nodes = [
        JobNode(
            job,
            x + _PADDING,
            _HEADING + row * (_NODE_HEIGHT + _GAP),
            urls.get(job.id),
            tuple(need.name for need in job.needs or ()),
        )
        for row, job in enumerate(jobs)
    ]
    return Stage(name, x, nodes, follows=number > 0 and any(job.needs is None for job in jobs))


def _draw_edges(stages: Sequence[Stage]) -> Iterator[str]:
    places = {node.job.name: node for stage in stages for node in stage.nodes}
    for node in places.values():
        for name in node.waits_for:
            if (needed := places.get(name)) is not None:
                yield _draw_edge(needed, node)


def _draw_edge(start: JobNode, end: JobNode) -> str:
    """Return a curve from the right side of a box to the left side of another; within a stage it turns around."""
    x, y = start.x + _NODE_WIDTH, start.y + _NODE_HEIGHT // 2
    to_x, to_y = end.x, end.y + _NODE_HEIGHT // 2
    bend = _COLUMN_GAP // 2 + _PADDING
    return f"M{x} {y} C{x + bend} {y} {to_x - bend} {to_y} {to_x} {to_y}"


@frozen
class CommitNode:
    """A commit in its row: its ``lane`` is 0 for the leftmost line; ``refs`` are the branches and tags at it."""

    commit: "Commit"
    lane: int
    refs: Sequence[str] = ()


@frozen
class CommitGraph:
    """Commits, newest first, and an edge, as the data of an SVG path, from each to its parents."""

    nodes: Sequence[CommitNode]
    edges: Sequence[str]
    lanes: int
    is_cut: bool = False
    lane_width: int = LANE
    row_height: int = ROW

    @property
    def width(self) -> int:
        """The width of all lines."""
        return self.lanes * LANE

    @property
    def height(self) -> int:
        """The height of all rows."""
        return len(self.nodes) * ROW


@frozen
class _Lanes:
    """The lines of commits that are open at a row: each waits for the commit that continues it."""

    waiting: list[str | None] = field(factory=list)

    def take(self, sha: str) -> int:
        """Return the lane of a commit, and end all other lanes that wait for it."""
        mine = [lane for lane, waited_for in enumerate(self.waiting) if waited_for == sha]
        for lane in mine:
            self.waiting[lane] = None
        return mine[0] if mine else self._first_free()

    def _first_free(self) -> int:
        if None not in self.waiting:
            self.waiting.append(None)
        return self.waiting.index(None)

    def continue_with(self, lane: int, parents: Sequence[str]) -> None:
        """Let the first parent continue the lane, and the others lanes of their own."""
        for number, parent in enumerate(parents):
            if number == 0:
                self.waiting[lane] = parent
            elif parent not in self.waiting:
                self.waiting[self._first_free()] = parent


def draw_commits(commits: Sequence["Commit"], refs: Mapping[str, Sequence[str]], *, is_cut: bool) -> CommitGraph:
    """Return the graph of commits, children before parents; ``is_cut``: there are older ones."""
    lanes, nodes = _Lanes(), []
    for commit in commits:
        lane = lanes.take(commit.sha)
        nodes.append(CommitNode(commit, lane, refs.get(commit.sha, ())))
        lanes.continue_with(lane, commit.parents)
    return CommitGraph(nodes, list(_draw_lines(nodes)), max(len(lanes.waiting), 1), is_cut)


def _draw_lines(nodes: Sequence[CommitNode]) -> Iterator[str]:
    rows = {node.commit.sha: row for row, node in enumerate(nodes)}
    for row, node in enumerate(nodes):
        for parent in node.commit.parents:
            below = rows.get(parent, len(nodes))
            lane = nodes[below].lane if below < len(nodes) else node.lane
            yield _draw_line(node.lane, row, lane, below)


def _draw_line(lane: int, row: int, to_lane: int, to_row: int) -> str:
    """Return a line that leaves its lane in the row below, or enters that of its parent in the row above it."""
    x, y, to_x, to_y = (lane + 0.5) * LANE, (row + 0.5) * ROW, (to_lane + 0.5) * LANE, (to_row + 0.5) * ROW
    if lane == to_lane:
        return f"M{x:g} {y:g} V{to_y:g}"
    if to_lane > lane:
        return f"M{x:g} {y:g} C{x:g} {y + ROW:g} {to_x:g} {y:g} {to_x:g} {y + ROW:g} V{to_y:g}"
    return f"M{x:g} {y:g} V{to_y - ROW:g} C{x:g} {to_y:g} {to_x:g} {to_y - ROW:g} {to_x:g} {to_y:g}"
