"""The platform's verbs and rules: what changes a world, and in which way only.

What follows when something else happens is hung in by its module when that is imported, so these modules come with the
room; all others are imported when they are needed.
"""

from fakeplat.domain import (  # noqa: F401  # for what they hang in
    alerts,
    approval_rules,
    auto_merge,
    boards,
    closing,
    commit_commands,
    diff_versions,
    forks,
    groups,
    incidents,
    issue_commands,
    issue_effects,
    issue_links,
    issue_notes,
    issues,
    members,
    merge_checks,
    merge_request_commands,
    merge_request_effects,
    merge_request_history,
    merge_request_pushes,
    merge_request_upkeep,
    merge_requests,
    milestones,
    noteable_commands,
    notes,
    outdating,
    pipelines,
    planning_commands,
    projects,
    push_activity,
    rebasing,
    resource_events,
    shares,
    snippet_notes,
    suggestions,
)
