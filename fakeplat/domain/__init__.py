"""The platform's verbs and rules: what changes a world, and in which way only.

What follows when something else happens is hung in by its module when that is imported, so these modules come with the
room; all others are imported when they are needed.
"""

from fakeplat.domain.alerts import alerts, incidents  # noqa: F401  # for what they hang in
from fakeplat.domain.issues import issue_links, issue_notes, issues  # noqa: F401  # for what they hang in
from fakeplat.domain.merge_requests import (
    approval_rules,  # noqa: F401  # for what they hang in
    auto_merge,  # noqa: F401  # for what they hang in
    diff_versions,  # noqa: F401  # for what they hang in
    merge_checks,  # noqa: F401  # for what they hang in
    merge_request_history,  # noqa: F401  # for what they hang in
    merge_request_pushes,  # noqa: F401  # for what they hang in
    merge_requests,  # noqa: F401  # for what they hang in
    rebasing,  # noqa: F401  # for what they hang in
    suggestions,  # noqa: F401  # for what they hang in
)
from fakeplat.domain.merge_requests import closing_issues as closing  # noqa: F401  # for what they hang in
from fakeplat.domain.merge_requests import reassignment as merge_request_upkeep  # noqa: F401  # for what they hang in
from fakeplat.domain.notes import (
    notes,  # noqa: F401  # for what they hang in
    snippet_notes,  # noqa: F401  # for what they hang in
)
from fakeplat.domain.notes import outdated_positions as outdating  # noqa: F401  # for what they hang in
from fakeplat.domain.people import groups, members  # noqa: F401  # for what they hang in
from fakeplat.domain.planning import boards, milestones, resource_events  # noqa: F401  # for what they hang in
from fakeplat.domain.projects import forks, pipelines, projects, shares  # noqa: F401  # for what they hang in
from fakeplat.domain.quick_actions import (
    commit_commands,  # noqa: F401  # for what they hang in
    issue_commands,  # noqa: F401  # for what they hang in
    issue_effects,  # noqa: F401  # for what they hang in
    merge_request_commands,  # noqa: F401  # for what they hang in
    merge_request_effects,  # noqa: F401  # for what they hang in
    noteable_commands,  # noqa: F401  # for what they hang in
)
from fakeplat.domain.quick_actions import issuable_commands as planning_commands  # noqa: F401  # for what they hang in
from fakeplat.domain.repository import push_events as push_activity  # noqa: F401  # for what they hang in
