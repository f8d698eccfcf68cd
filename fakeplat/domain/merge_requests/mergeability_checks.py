"""The checks that decide whether a merge request can be merged, one by one. Source: docs/platform/graphql.md.

`detailed_merge_status` names the first that fails.
"""

from collections.abc import Callable
from typing import Final, Literal

from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import pipelines
from fakeplat.domain.merge_requests import detailed_merge_status, merge_checks
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import (
    CHANGE_REQUESTS_BLOCK_MERGING,
    COMMITS_STATUS,
    JIRA_KEYS_ARE_REQUIRED,
    LOCKS_BLOCK_MERGING,
    TITLES_ARE_CHECKED,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

CheckStatus = Literal["success", "failed", "checking", "inactive"]
IsActive = Callable[[ReadContext, MergeRequest, Project], bool]


@frozen
class Check:
    """A check: what it is about, the releases that have it, and whether it is on for a merge request."""

    name: str
    description: str
    is_active: IsActive
    lifetime: Lifetime = ALWAYS


@frozen
class CheckResult:
    """The result of a check of a merge request."""

    identifier: str
    status: CheckStatus


def list_results(ctx: ReadContext, merge_request: MergeRequest) -> list[CheckResult]:
    """Return the result of each check, in the order of the platform."""
    failed = {_SAME_CHECK.get(name, name) for name in detailed_merge_status.list_obstacles(ctx, merge_request)}
    project = ctx.world.projects[merge_request.project_id]
    checks = [check for check in CHECKS if ctx.profile.has(check.lifetime)]
    return [CheckResult(check.name, _evaluate(ctx, merge_request, project, check, failed)) for check in checks]


def _evaluate(
    ctx: ReadContext, merge_request: MergeRequest, project: Project, check: Check, failed: set[str]
) -> CheckStatus:
    if not check.is_active(ctx, merge_request, project):
        return "inactive"
    if check.name == "ci_must_pass" and check.name in failed:
        pipeline = pipelines.head_pipeline(ctx.world, merge_request)
        return "checking" if pipeline is not None and pipeline.is_active else "failed"
    is_unfinished = merge_checks.public_status(merge_request.merge_status) in ("unchecked", "checking")
    if check.name == "conflict" and is_unfinished:
        return "checking"
    return "failed" if check.name in failed else "success"


def _always(_ctx: ReadContext, _merge_request: MergeRequest, _project: Project) -> bool:
    return True


def _never(_ctx: ReadContext, _merge_request: MergeRequest, _project: Project) -> bool:
    return False


def _on_premium(ctx: ReadContext, _merge_request: MergeRequest, project: Project) -> bool:
    return has_feature(ctx.world, "premium", project)


def _requires_status_checks(ctx: ReadContext, _merge_request: MergeRequest, project: Project) -> bool:
    return has_feature(ctx.world, "ultimate", project) and project.only_allow_merge_if_all_status_checks_passed


def _heeds_path_locks(ctx: ReadContext, merge_request: MergeRequest, project: Project) -> bool:
    return has_feature(ctx.world, "premium", project) and merge_request.target_branch == project.default_branch


def _requires_pipeline(_ctx: ReadContext, merge_request: MergeRequest, project: Project) -> bool:
    return merge_request.merge_when_pipeline_succeeds or bool(project.only_allow_merge_if_pipeline_succeeds)


CHECKS: Final = (
    Check("requested_changes", "No reviewer asks for changes.", _on_premium, CHANGE_REQUESTS_BLOCK_MERGING),
    Check("not_approved", "It has the approvals that it needs.", _on_premium),
    Check("merge_request_blocked", "Nothing that has to be merged first is open.", _on_premium),
    Check(
        "jira_association_missing",
        "It names an issue of Jira, where the project requires that.",
        lambda ctx, _, project: detailed_merge_status.requires_jira_keys(ctx.world, project),
        JIRA_KEYS_ARE_REQUIRED,
    ),
    # The world has no security policies.
    Check("security_policy_violations", "It follows the security policies.", _never, Lifetime("<=18.9")),
    Check(
        "status_checks_must_pass",
        "All external status checks passed, where the project requires that.",
        _requires_status_checks,
    ),
    Check("locked_paths", "Nobody else has locked its paths.", _heeds_path_locks, LOCKS_BLOCK_MERGING),
    Check("not_open", "It is open.", _always),
    Check(
        "merge_time",
        "Its time has come.",
        lambda _ctx, merge_request, _project: merge_request.merge_after is not None,
        Lifetime("<=18.5"),
    ),
    Check("draft_status", "It is no draft.", _always),
    Check("broken_status", "The branches can be merged.", _always, Lifetime(until=COMMITS_STATUS.since)),
    Check("commits_status", "The source branch exists and has commits.", _always, COMMITS_STATUS),
    Check(
        "discussions_not_resolved",
        "All threads are resolved, where the project requires that.",
        lambda _ctx, _merge_request, project: bool(project.only_allow_merge_if_all_discussions_are_resolved),
    ),
    Check(
        "title_regex",
        "The title is one that the project allows.",
        lambda _ctx, _merge_request, project: bool(project.merge_request_title_regex),
        TITLES_ARE_CHECKED,
    ),
    Check("ci_must_pass", "The pipeline succeeds, where the project requires that.", _requires_pipeline),
    Check(
        "locked_lfs_files",
        "Nobody else has locked its large files.",
        lambda _ctx, _merge_request, project: bool(project.lfs_enabled),
        LOCKS_BLOCK_MERGING,
    ),
    Check("conflict", "The branches have no conflict.", _always),
    Check(
        "need_rebase",
        "The source branch is up to date, where the project requires that.",
        lambda _ctx, _merge_request, project: project.merge_method != "merge",
    ),
)
_SAME_CHECK: Final = {"blocked_status": "merge_request_blocked", "external_status_checks": "status_checks_must_pass"}
"""Names of obstacles that differ between releases."""
