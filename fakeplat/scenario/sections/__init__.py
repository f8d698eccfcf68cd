"""What each area says in scenarios. Importing this package registers its sections.

Their order is the order in which things of one rank are made that have the same ``created_at``, and in which a
world is told.
"""

from fakeplat.scenario.section import register
from fakeplat.scenario.sections import (
    access_tokens,
    alerts,
    award_emoji,
    custom_attributes,
    environments,
    generate,
    groups,
    identities,
    issue_links,
    issues,
    label_priorities,
    labels,
    members,
    milestones,
    notes,
    projects,
    protected,
    repositories,
    resource_events,
    services,
    shares,
    starrers,
    subscribers,
    tokens,
    uploads,
    user_agents,
    users,
)

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
    labels,
    milestones,
    issues,
    label_priorities,
    award_emoji,
    subscribers,
    user_agents,
    issue_links,
    environments,
    services,
    alerts,
    notes,
    generate,
):
    register(_area.SECTION)
for _section in (protected.BRANCHES, protected.TAGS, *resource_events.SECTIONS):
    register(_section)
