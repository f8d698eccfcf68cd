"""Issues that become epics. Source: docs/platform/epics.md ('Promotion')."""

from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain import events
from fakeplat.domain.epics import epic_access, epic_issues, epics
from fakeplat.domain.issuables import resource_events
from fakeplat.domain.issues import issue_moves, issues
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.planning import labels
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_NO_GROUP: Final = "Cannot promote issue because it does not belong to a group."
_NOT_PERMITTED: Final = "Cannot promote issue due to insufficient permissions."
_IS_PROMOTED: Final = "Issue already promoted to epic."
_NOT_SUPPORTED: Final = "Promotion is not supported."
_COPIED_FIELDS: Final = ("title", "description", "confidential", "state", "closed_at", "closed_by_id")


def promote(ctx: WriteContext, issue: Issue, group: Group | None = None) -> Epic:
    """Copy an issue into an epic of a group, by default that of its project, and close the issue.

    400 without a group, for callers who may not do both, for issues that were promoted and for those of other types.
    """
    target = group or _group_of(ctx, issue)
    if target is None:
        raise BadRequest(_NO_GROUP)
    _check(ctx, issue, target)
    epic = _create_epic(ctx, issue, target)
    user = ctx.signed_in_user
    reference = noteables.format_reference(ctx.world, issue, target)
    system_notes.write(ctx, (epic_access.KIND, epic.id), user, f"promoted from issue {reference}")
    reference = noteables.format_reference(ctx.world, epic, ctx.world.projects[issue.project_id])
    system_notes.write(ctx, ("issue", issue.id), user, f"promoted to epic {reference}")
    issues.close(ctx, ctx.world.issues.change(issue, promoted_to_epic_id=epic.id))
    return epic


def _group_of(ctx: ReadContext, issue: Issue) -> Group | None:
    namespace = ctx.world.namespaces[ctx.world.projects[issue.project_id].namespace_id]
    return namespace if isinstance(namespace, Group) else None


def _check(ctx: ReadContext, issue: Issue, group: Group) -> None:
    may_create = has_feature(ctx.world, "premium", group) and can(ctx, Ability.ADMIN_EPIC, group)
    if not may_create or not noteables.can_administer(ctx, issue):
        raise BadRequest(_NOT_PERMITTED)
    if issue.promoted_to_epic_id is not None:
        raise BadRequest(_IS_PROMOTED)
    has_subepics = has_feature(ctx.world, "ultimate", group)
    is_in_epic = epic_issues.find_link(ctx.world, issue) is not None
    if issue.kind != "issue" or _group_of(ctx, issue) is None or (is_in_epic and not has_subepics):
        raise BadRequest(_NOT_SUPPORTED)


def _create_epic(ctx: WriteContext, issue: Issue, group: Group) -> Epic:
    available = {label.id for label in labels.list_available(ctx.world, group)}
    link = epic_issues.find_link(ctx.world, issue)
    epic = epics.insert(
        ctx,
        group,
        author_id=ctx.signed_in_user.id,
        label_ids=tuple(id_ for id_ in issue.label_ids if id_ in available),
        parent_id=link.epic_id if link is not None else None,
        **{name: getattr(issue, name) for name in _COPIED_FIELDS},
    )
    subject = (epic_access.KIND, epic.id)
    issue_moves.copy_notes(ctx, ("issue", issue.id), subject)
    resource_events.copy_events(ctx, ("issue", issue.id), subject)
    events.record_event(ctx, ctx.user, "created", group, subject)
    return epic
