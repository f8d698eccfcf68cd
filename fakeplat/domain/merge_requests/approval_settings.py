"""Who may approve: what projects allow, unless the instance prevents it for all of them (paid).

Source: docs/platform/settings.md, docs/platform/merge-requests.md.
"""

from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.features import has_feature


def may_override_approvers(world: World, project: Project) -> bool:
    """Return whether merge requests may have other approvers than their project, by the project and the instance."""
    is_prevented = world.settings.disable_overriding_approvers_per_merge_request and has_feature(world, "premium")
    return not (is_prevented or project.disable_overriding_approvers_per_merge_request)


def may_authors_approve(world: World, project: Project) -> bool:
    """Return whether authors may approve their own merge requests, by the project and the instance."""
    is_prevented = world.settings.prevent_merge_requests_author_approval and has_feature(world, "premium")
    return project.merge_requests_author_approval and not is_prevented


def may_committers_approve(world: World, project: Project) -> bool:
    """Return whether committers may approve their own commits, by the project and the instance."""
    is_prevented = world.settings.prevent_merge_requests_committers_approval and has_feature(world, "premium")
    return not (is_prevented or project.merge_requests_disable_committers_approval)
