"""Feedback from review apps, as threads of a bot in merge requests.

Source: docs/platform/notes-discussions.md ('Visual reviews').
"""

from typing import Final

from fakeplat.core.operations.errors import Forbidden
from fakeplat.domain.instance import features
from fakeplat.domain.notes import discussions, notes
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.domain.people import bots
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Position
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

FEATURE: Final = "anonymous_visual_review_feedback"


def require_feature(world: World) -> None:
    """Refuse with 403 unless the feature is on, which it is not by default."""
    if not features.is_enabled(world, FEATURE):
        raise Forbidden("Anonymous visual review feedback is disabled", reason=f"the feature {FEATURE} is off")


def start_discussion(
    ctx: WriteContext, merge_request: MergeRequest, body: str, position: Position | None
) -> NoteResult:
    """Start a thread as a bot, which names the caller if there is one."""
    notes.check_body(body)
    if ctx.user is not None:
        body = f"**Feedback from @{ctx.user.username} ({ctx.user.email})**\n\n{body}"
    ctx.act_as(bots.get_or_create_bot(ctx, "visual_review_bot"))
    if position is None:
        return discussions.start_discussion(ctx, merge_request, body)
    return discussions.start_line_discussion(ctx, merge_request, body, position)
