"""The platform's verbs and rules: what changes a world, and in which way only.

What follows when something else happens is hung in by its module when that is imported, so these modules come with the
room; all others are imported when they are needed.
"""

from fakeplat.domain.alerts import alerts, incidents  # noqa: F401  # for what they hang in
from fakeplat.domain.issues import issue_links, issue_notes, issues  # noqa: F401  # for what they hang in
from fakeplat.domain.merge_requests import (  # noqa: F401  # for what they hang in
    approval_rules,
    auto_merge,
    closing,
    diff_versions,
    merge_checks,
    merge_request_history,
    merge_request_pushes,
    merge_request_upkeep,
    merge_requests,
    rebasing,
    suggestions,
)
from fakeplat.domain.notes import notes, outdating, snippet_notes  # noqa: F401  # for what they hang in
from fakeplat.domain.people import groups, members  # noqa: F401  # for what they hang in
from fakeplat.domain.planning import boards, milestones, resource_events  # noqa: F401  # for what they hang in
from fakeplat.domain.projects import forks, pipelines, projects, shares  # noqa: F401  # for what they hang in
from fakeplat.domain.quick_actions import (  # noqa: F401  # for what they hang in
    commit_commands,
    issue_commands,
    issue_effects,
    merge_request_commands,
    merge_request_effects,
    noteable_commands,
    planning_commands,
)
from fakeplat.domain.repository import push_activity  # noqa: F401  # for what they hang in
