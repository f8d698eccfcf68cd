"""The sections of all areas. Importing this package registers them.

Their order is the order of the sections in an export, and the creation order of records of the same rank with the same
``created_at``.
"""

from fakeplat.scenario.section import register_section
from fakeplat.scenario.sections import (
    administration,
    alerts,
    broadcast_messages,
    clusters,
    generate,
    registry,
    snippets,
)
from fakeplat.scenario.sections.ci import (
    ci_includes,
    job_artifacts,
    job_outcomes,
    jobs,
    pipeline_schedules,
    pipelines,
    resource_groups,
    runners,
    triggers,
    variables,
)
from fakeplat.scenario.sections.deployments import (
    deployments,
    environments,
    feature_flag_user_lists,
    feature_flags,
    freeze_periods,
)
from fakeplat.scenario.sections.issues import issue_links, issues, user_agents
from fakeplat.scenario.sections.merge_requests import approval_rules, merge_requests
from fakeplat.scenario.sections.notes import award_emoji, commit_comments, notes, subscribers, todos
from fakeplat.scenario.sections.packages import packages
from fakeplat.scenario.sections.people import (
    access_requests,
    access_tokens,
    accounts,
    events,
    groups,
    identities,
    members,
    notification_settings,
    oauth_applications,
    scim,
    tokens,
    users,
)
from fakeplat.scenario.sections.planning import boards, label_priorities, labels, milestones, resource_events
from fakeplat.scenario.sections.projects import (
    badges,
    custom_attributes,
    deploy_keys,
    deploy_tokens,
    integrations,
    projects,
    services,
    shares,
    starrers,
    uploads,
)
from fakeplat.scenario.sections.releases import releases
from fakeplat.scenario.sections.repository import lfs_objects, protected, repositories

for _area in (
    users,
    groups,
    members,
    projects,
    repositories,
    access_tokens,
    identities,
    tokens,
    custom_attributes,
    shares,
    starrers,
    uploads,
    lfs_objects,
    labels,
    milestones,
    issues,
    merge_requests,
    pipelines,
    ci_includes,
    jobs,
    approval_rules,
    snippets,
    label_priorities,
    award_emoji,
    subscribers,
    user_agents,
    issue_links,
    boards,
    access_requests,
    badges,
    deploy_keys,
    deploy_tokens,
    environments,
    feature_flag_user_lists,
    feature_flags,
    freeze_periods,
    releases,
    resource_groups,
    deployments,
    packages,
    registry,
    clusters,
    services,
    integrations,
    alerts,
    notes,
    commit_comments,
    todos,
    events,
    broadcast_messages,
    job_outcomes,
    variables,
    triggers,
    pipeline_schedules,
    runners,
    generate,
):
    register_section(_area.SECTION)
for _section in (
    job_artifacts.ARTIFACTS,
    job_artifacts.TOKEN,
    job_artifacts.RUNNER,
    protected.BRANCHES,
    protected.TAGS,
    *accounts.SECTIONS,
    *resource_events.SECTIONS,
    oauth_applications.APPLICATIONS,
    oauth_applications.GRANTS,
    oauth_applications.TOKENS,
    scim.SECTION,
    notification_settings.CONTAINER_SETTINGS,
    notification_settings.USER_SETTINGS,
    notes.DISCUSSIONS,
    administration.APPEARANCE,
    administration.FEATURES,
):
    register_section(_section)
