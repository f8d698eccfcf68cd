"""Predefined variables of merge requests, in their pipelines. Source: docs/platform/predefined-variables.md."""

from collections.abc import Iterator
from typing import Final, Literal

from fakeplat.domain.ci.variable_lifetimes import LIFETIMES
from fakeplat.domain.merge_requests import approval_states
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import protection
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.validation import join_words
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.features import has_feature

Pairs = Iterator[tuple[str, str]]
_LONGEST_DESCRIPTION: Final = 2_700


def event_type_of(merge_request: MergeRequest, ref: str) -> Literal["merge_train", "detached"]:
    """Return for what of a merge request the pipeline of a ref runs: its merge train, or its source branch."""
    return "merge_train" if ref == diff_versions.TRAIN_REF.format(merge_request.iid) else "detached"


def list_variables(world: World, merge_request: MergeRequest, origin: str, ref: str = "") -> Pairs:
    """Yield the variables of a merge request with their values."""
    # Pipelines for merged results are a paid feature; all others are detached, and do not name these two commits.
    yield "CI_MERGE_REQUEST_EVENT_TYPE", event_type_of(merge_request, ref)
    yield "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", ""
    yield "CI_MERGE_REQUEST_TARGET_BRANCH_SHA", ""
    if world.profile.has(LIFETIMES["CI_MERGE_REQUEST_DIFF_ID"]):
        yield from _list_diff(world, merge_request)
    target = world.projects[merge_request.project_id]
    yield "CI_MERGE_REQUEST_ID", str(merge_request.id)
    yield "CI_MERGE_REQUEST_IID", str(merge_request.iid)
    yield "CI_MERGE_REQUEST_REF_PATH", diff_versions.HEAD_REF.format(merge_request.iid)
    yield from _list_side("", world, target, origin)
    yield "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", merge_request.target_branch
    yield "CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED", _describe_protection(world, target, merge_request.target_branch)
    source = world.projects.get(merge_request.source_project_id or 0)
    if source is not None:
        yield from _list_side("SOURCE_", world, source, origin)
        yield "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", merge_request.source_branch
        yield (
            "CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED",
            _describe_protection(world, source, merge_request.source_branch),
        )
    yield "CI_MERGE_REQUEST_TITLE", merge_request.title
    yield "CI_MERGE_REQUEST_DRAFT", str(merge_request.work_in_progress).lower()
    description = merge_request.description or ""
    yield "CI_MERGE_REQUEST_DESCRIPTION", description[:_LONGEST_DESCRIPTION]
    yield "CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED", str(len(description) > _LONGEST_DESCRIPTION).lower()
    yield "CI_MERGE_REQUEST_SQUASH_ON_MERGE", str(bool(merge_request.squash)).lower()
    yield from _list_classification(world, merge_request)
    if world.profile.has(LIFETIMES["CI_MERGE_REQUEST_APPROVED"]) and _is_approved(world, merge_request, target):
        yield "CI_MERGE_REQUEST_APPROVED", "true"


def _list_side(side: str, world: World, project: Project, origin: str) -> Pairs:
    yield f"CI_MERGE_REQUEST_{side}PROJECT_ID", str(project.id)
    yield f"CI_MERGE_REQUEST_{side}PROJECT_PATH", namespaces.project_path(world, project)
    yield f"CI_MERGE_REQUEST_{side}PROJECT_URL", f"{origin}/{namespaces.project_path(world, project)}"


def _list_classification(world: World, merge_request: MergeRequest) -> Pairs:
    if merge_request.assignee_ids:
        assignees = [world.users[id_].username for id_ in merge_request.assignee_ids]
        yield "CI_MERGE_REQUEST_ASSIGNEES", join_words(assignees)
    if merge_request.milestone_id is not None:
        yield "CI_MERGE_REQUEST_MILESTONE", world.milestones[merge_request.milestone_id].title
    if merge_request.label_ids:
        titles = sorted(world.labels[id_].title for id_ in merge_request.label_ids)
        yield "CI_MERGE_REQUEST_LABELS", ",".join(titles)


def _list_diff(world: World, merge_request: MergeRequest) -> Pairs:
    version = diff_versions.latest_version(world, merge_request)
    refs = diff_versions.refs_of(world, version)
    if version is not None and refs is not None:
        yield "CI_MERGE_REQUEST_DIFF_ID", str(version.id)
        yield "CI_MERGE_REQUEST_DIFF_BASE_SHA", refs.base or ""


def _describe_protection(world: World, project: Project, branch: str) -> str:
    return str(protection.is_protected(world, project, branch)).lower()


def _is_approved(world: World, merge_request: MergeRequest, target: Project) -> bool:
    return has_feature(world, "premium", target) and not approval_states.list_unmet_rules(world, merge_request)
