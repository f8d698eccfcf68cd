"""Payloads of events of milestones. Source: docs/platform/webhooks.md ('Later events')."""

from typing import Literal

from fakeplat.domain.hooks.payloads import blocks
from fakeplat.domain.hooks.payloads.blocks import Block
from fakeplat.model.planning import Milestone
from fakeplat.policy.context import ReadContext

MilestoneAction = Literal["create", "close", "reopen", "delete"]


def build_milestone_event(ctx: ReadContext, milestone: Milestone, action: MilestoneAction) -> Block:
    """Return the payload of a milestone that somebody created, closed, reopened or deleted."""
    kind, owner_id = milestone.source
    of_project = kind == "project"
    return {
        "object_kind": "milestone",
        "event_type": "milestone",
        "project": blocks.build_project(ctx, ctx.world.projects[owner_id]) if of_project else None,
        "object_attributes": {
            "id": milestone.id,
            "iid": milestone.iid,
            "title": milestone.title,
            "description": milestone.description,
            "state": milestone.state,
            "created_at": blocks.format_time(milestone.created_at),
            "updated_at": blocks.format_time(milestone.updated_at),
            "due_date": milestone.due_date,
            "start_date": milestone.start_date,
            "group_id": None if of_project else owner_id,
            "project_id": owner_id if of_project else None,
        },
        "action": action,
    }
