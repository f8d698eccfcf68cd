"""Badges with the status and the coverage of a ref. Source: docs/platform/pipelines-jobs.md."""

from typing import Final

from fakeplat.api.pages import area
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.params.params import Params
from fakeplat.domain.ci import status_badges
from fakeplat.domain.ci.status_badges import Badge
from fakeplat.domain.people import namespaces
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext

_NO_CACHE: Final = (
    ("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate"),
    ("Pragma", "no-cache"),
    ("Expires", "Fri, 01 Jan 1990 00:00:00 GMT"),
)


class BadgeStyle(Params):
    """The form of a badge, and another key with its width in pixels."""

    style: str | None = None
    key_text: str | None = None
    key_width: int | None = None


class StatusBadge(BadgeStyle):
    """The form, and whether skipped pipelines count."""

    ignore_skipped: bool = False


class CoverageBadge(BadgeStyle):
    """The form, and the job whose coverage is shown; by default that of the pipeline."""

    job: str | None = None


@area.operation("GET", "*project/badges/*ref/pipeline.svg", params=StatusBadge, ours=True, produces="image/svg+xml")
def get_pipeline_badge(ctx: ReadContext, project: str, ref: str, p: StatusBadge) -> RawBody:
    """Show the status of the newest pipeline of a ref as a badge."""
    container = _get_project(ctx, project)
    return draw_badge(status_badges.status_badge(ctx.world, container, ref, ignore_skipped=bool(p.ignore_skipped)), p)


@area.operation("GET", "*project/badges/*ref/coverage.svg", params=CoverageBadge, ours=True, produces="image/svg+xml")
def get_coverage_badge(ctx: ReadContext, project: str, ref: str, p: CoverageBadge) -> RawBody:
    """Show the coverage of the newest successful pipeline of a ref as a badge."""
    container = _get_project(ctx, project)
    return draw_badge(status_badges.coverage_badge(ctx.world, container, ref, p.job), p)


def _get_project(ctx: ReadContext, path: str) -> Project:
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not can_see(ctx, project) or not can(ctx, Ability.READ_BUILD, project):
        raise RouteNotFound(reason=f"{caller_name(ctx)} sees no jobs of {path}")
    return project


def draw_badge(badge: Badge, p: BadgeStyle) -> RawBody:
    """Return a badge as a picture, in the form and with the key that were asked for."""
    picture = badge.with_key(p.key_text, p.key_width).draw(square=p.style == "flat-square")
    return RawBody(picture, "image/svg+xml; charset=utf-8", _NO_CACHE)
