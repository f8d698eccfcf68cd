"""Why a merge request cannot be merged now, in one word. Source: docs/decisions/choices.md ('Merge requests').

Releases since 15.6 show it; ``merge_status`` only tells whether there are conflicts.
"""

from typing import Final, Literal

from fakeplat.domain.ci import pipelines
from fakeplat.domain.merge_requests import approval_rules, merge_checks
from fakeplat.domain.notes import resolution
from fakeplat.model.ci import Pipeline
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World

DetailedMergeStatus = Literal[
    "unchecked",
    "checking",
    "not_open",
    "draft_status",
    "broken_status",
    "discussions_not_resolved",
    "not_approved",
    "ci_still_running",
    "ci_must_pass",
    "mergeable",
]
_UNFINISHED: Final[dict[str, DetailedMergeStatus]] = {"unchecked": "unchecked", "checking": "checking"}


def get_status(world: World, merge_request: MergeRequest) -> DetailedMergeStatus:
    """Return the first obstacle of a merge, or that there is none."""
    unfinished = _UNFINISHED.get(merge_checks.public_status(merge_request.merge_status))
    if unfinished is not None and merge_request.is_open:
        return unfinished
    project = world.projects[merge_request.project_id]
    return _obstacle_of_request(world, merge_request, project) or _obstacle_of_pipeline(world, merge_request, project)


def _obstacle_of_request(world: World, merge_request: MergeRequest, project: Project) -> DetailedMergeStatus | None:
    if not merge_request.is_open:
        return "not_open"
    if merge_request.work_in_progress:
        return "draft_status"
    if merge_request.merge_status == "cannot_be_merged":
        return "broken_status"
    if project.only_allow_merge_if_all_discussions_are_resolved and not resolution.all_resolved(world, merge_request):
        return "discussions_not_resolved"
    return "not_approved" if approval_rules.list_unmet_rules(world, merge_request) else None


def _obstacle_of_pipeline(world: World, merge_request: MergeRequest, project: Project) -> DetailedMergeStatus:
    if not project.only_allow_merge_if_pipeline_succeeds:
        return "mergeable"
    pipeline = pipelines.head_pipeline(world, merge_request)
    if _is_accepted(project, pipeline):
        return "mergeable"
    return "ci_still_running" if pipeline is not None and pipeline.is_active else "ci_must_pass"


def _is_accepted(project: Project, pipeline: Pipeline | None) -> bool:
    status = pipeline.status if pipeline else None
    return status == "success" or (status == "skipped" and bool(project.allow_merge_on_skipped_pipeline))
