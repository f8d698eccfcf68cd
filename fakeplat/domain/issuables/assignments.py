"""Assignments of users to issues and merge requests."""

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain.people.namespaces import list_projects_within
from fakeplat.model.projects import Container, Project
from fakeplat.policy.context import WriteContext


def unassign(ctx: WriteContext, container: Container, user_id: int) -> None:
    """End the assignments of a user in a project, or in all projects of a group. No note or event tells of it."""
    project_ids = {project.id for project in _list_projects(ctx, container)}
    issues, merge_requests, key = ctx.world.issues, ctx.world.merge_requests, ("assignee", user_id)
    for id_ in iterate_bits(issues.bits("facts", key)):
        if issues[id_].project_id in project_ids:
            issues.change(issues[id_], assignee_ids=_without(issues[id_].assignee_ids, user_id))
    for id_ in iterate_bits(merge_requests.bits("facts", key)):
        if merge_requests[id_].project_id in project_ids:
            kept = _without(merge_requests[id_].assignee_ids, user_id)
            merge_requests.change(merge_requests[id_], assignee_ids=kept)


def _without(ids: tuple[int, ...], user_id: int) -> tuple[int, ...]:
    return tuple(id_ for id_ in ids if id_ != user_id)


def _list_projects(ctx: WriteContext, container: Container) -> list[Project]:
    if isinstance(container, Project):
        return [container]
    return [*list_projects_within(ctx.world, container)]
