"""Transfers of projects to other namespaces. Source: docs/platform/projects.md."""

from fakeplat.core.operations.errors import BadRequest, inspect_errors
from fakeplat.domain import redirects, signals
from fakeplat.domain.customer_relations import issue_contacts
from fakeplat.domain.issues import issues
from fakeplat.domain.merge_requests import reassignment
from fakeplat.domain.people import seats
from fakeplat.domain.planning import boards, labels
from fakeplat.domain.projects import projects
from fakeplat.domain.registry import container_repositories
from fakeplat.model.people import Group, Namespace, rank
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import TRANSFERS_ARE_EXPLAINED
from fakeplat.policy.context import ReadContext, WriteContext


def transfer(ctx: WriteContext, project: Project, target: Namespace) -> Project:
    """Move a project to another namespace."""
    world = ctx.world
    if target.id == project.namespace_id:
        raise _transfer_refusal(_explain(ctx, "Project is already in this namespace."))
    if not _can_transfer_to(ctx, target):
        text = "You don't have permission to transfer projects into that namespace."
        raise _transfer_refusal(_explain(ctx, text))
    same_path = world.projects.find("place", (target.id, project.path.lower()))
    if same_path or world.projects.find("name", (target.id, project.name)):
        raise _transfer_refusal("Project with same name or path in target namespace already exists")
    if container_repositories.has_tags(world, project):
        raise _transfer_refusal("Project cannot be transferred, because tags are present in its container registry")
    # A project cannot be more visible than its group.
    visibility = project.visibility
    if isinstance(target, Group) and rank(visibility) > rank(target.visibility):
        visibility = target.visibility
    # Seats are recorded before the move, which changes the members counted on both sides.
    for container in (project, target):
        seats.record_seats(ctx, container)
    with redirects.redirect_old_paths(ctx, [project]):
        moved = world.projects.change(project, namespace_id=target.id, visibility=visibility, updated_at=ctx.now_iso)
    adopt_references(ctx, moved)
    signals.post_change.send(ctx, project, moved)
    return moved


def adopt_references(ctx: WriteContext, project: Project) -> None:
    """Replace labels and milestones of groups that a moved project left by its own; contacts there are dropped."""
    issues.adopt_references(ctx, project)
    reassignment.adopt_references(ctx, project)
    labels.adopt_priorities(ctx, project)
    boards.adopt_labels(ctx, project)
    issue_contacts.drop_foreign(ctx, project)


def _can_transfer_to(ctx: ReadContext, target: Namespace) -> bool:
    """Return whether the caller may move projects to a namespace; a personal one must be below its limit."""
    has_room = ctx.admin or not projects.is_limit_reached(ctx.world, target, ctx.signed_in_user)
    return has_room and can(ctx, Ability.TRANSFER_PROJECTS, target)


def _explain(ctx: ReadContext, text: str) -> str:
    # Earlier releases have one text without any detail.
    return text if ctx.profile.has(TRANSFERS_ARE_EXPLAINED) else "Transfer failed, please contact an admin."


def _transfer_refusal(text: str) -> BadRequest:
    return BadRequest(f"Failed to transfer project {inspect_errors({'new_namespace': [text]})}")
