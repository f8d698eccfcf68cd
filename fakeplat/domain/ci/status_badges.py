"""Badges that show the status or the coverage of a ref, as small pictures. Source: docs/platform/pipelines-jobs.md."""

from typing import Final
from xml.sax.saxutils import escape

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import pipelines
from fakeplat.domain.repository import commits
from fakeplat.model.ci import Pipeline
from fakeplat.model.projects import Project
from fakeplat.model.world import World

MAX_KEY_LENGTH: Final = 64
MAX_KEY_WIDTH: Final = 512

_UNKNOWN: Final = "#9f9f9f"
_STATUS_COLORS: Final = {
    "success": "#4c1",
    "failed": "#e05d44",
    "running": "#dfb317",
    "pending": "#dfb317",
    "preparing": "#a7a7a7",
}
_COVERAGE_COLORS: Final = ((95, "#4c1"), (90, "#a3c51c"), (75, "#dfb317"), (0, "#e05d44"))
"""The colors from a coverage (in percent) on."""
_KEY_COLOR: Final = "#555"
_KEY_WIDTH: Final = 62
_HEIGHT: Final = 20


@frozen
class Badge:
    """A badge: its key on the left and its value on the right. Widths are in pixels."""

    key: str
    value: str
    color: str
    value_width: int
    key_width: int = _KEY_WIDTH

    def with_key(self, text: str | None, width: int | None) -> "Badge":
        """Return the badge with another key or width of the key; what is too long or too wide is ignored."""
        key = text if text and len(text) <= MAX_KEY_LENGTH else self.key
        key_width = width if width is not None and 1 <= width <= MAX_KEY_WIDTH else self.key_width
        return Badge(key, self.value, self.color, self.value_width, key_width)

    def draw(self, *, square: bool) -> bytes:
        """Return the badge as SVG, with square or round corners."""
        width, radius = self.key_width + self.value_width, 0 if square else 3
        texts = _text(self.key_width // 2, self.key), _text(self.key_width + self.value_width // 2, self.value)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}">'
            f'<clipPath id="frame"><rect width="{width}" height="{_HEIGHT}" rx="{radius}"/></clipPath>'
            f'<g clip-path="url(#frame)">{_box(0, self.key_width, _KEY_COLOR)}'
            f"{_box(self.key_width, self.value_width, self.color)}</g>"
            '<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">'
            f"{''.join(texts)}</g></svg>"
        ).encode()


def _box(left: int, width: int, color: str) -> str:
    return f'<rect x="{left}" width="{width}" height="{_HEIGHT}" fill="{color}"/>'


def _text(middle: int, text: str) -> str:
    return f'<text x="{middle}" y="14">{escape(text)}</text>'


def status_badge(world: World, project: Project, ref: str, *, ignore_skipped: bool = False) -> Badge:
    """Return the badge with the status of the newest pipeline for the newest commit of a ref."""
    commit = commits.find_commit(world, project, ref)
    found = world.pipelines.where("commit", (project.id, commit.commit.sha)).in_reverse() if commit else ()
    status = next((pipeline.status for pipeline in found if _counts(pipeline, ref, ignore_skipped)), None)
    text = {"success": "passed", None: "unknown"}.get(status, status) or "unknown"
    return Badge("pipeline", text, _STATUS_COLORS.get(status or "", _UNKNOWN), value_width=54)


def _counts(pipeline: Pipeline, ref: str, ignore_skipped: bool) -> bool:
    is_ignored = pipeline.is_dangling or (ignore_skipped and pipeline.status == "skipped")
    return pipeline.ref == ref and not is_ignored


def coverage_badge(world: World, project: Project, ref: str, job: str | None = None) -> Badge:
    """Return the badge with the coverage of the newest successful pipeline of a ref, or of a job of it."""
    pipeline = pipelines.find_latest_successful(world, project, ref)
    coverage = _find_coverage(world, pipeline, job) if pipeline is not None else None
    if coverage is None:
        return Badge("coverage", "unknown", _UNKNOWN, value_width=58)
    color = next((color for least, color in _COVERAGE_COLORS if least <= coverage <= 100), _UNKNOWN)
    return Badge("coverage", f"{coverage:.2f}%", color, value_width=54)


def _find_coverage(world: World, pipeline: Pipeline, job: str | None) -> float | None:
    if not job:
        return pipelines.find_coverage(world, pipeline)
    builds = world.jobs.where("latest", pipeline.id)
    return next((build.coverage for build in builds if build.kind == "build" and build.name == job), None)
