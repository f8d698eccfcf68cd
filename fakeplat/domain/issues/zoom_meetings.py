"""Zoom meetings of issues.

Whether an issue has one follows from the last of the system notes about them, which scenarios may have, too.
"""

import re
from typing import Final

from fakeplat.domain.notes import noteables, system_notes
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_ADDED: Final = "added a Zoom call to this issue"
_REMOVED: Final = "removed a Zoom call from this issue"
# Accepts https://zoom.us/j/123 and https://acme.zoom.us/my/ada.
_LINK: Final = re.compile(r"https://(?:[\w-]+\.)?zoom\.us/(?:s|j|my)/\S+")


def find_link(text: str) -> str | None:
    """Return the last Zoom URL in a text; None without one."""
    return next(reversed(_LINK.findall(text)), None)


def has_meeting(world: World, issue: Issue) -> bool:
    """Return whether an issue has a meeting."""
    notes = world.notes.where("subject", noteables.subject_of(issue))
    bodies = [note.body for note in notes if note.system and note.body in (_ADDED, _REMOVED)]
    return bodies[-1:] == [_ADDED]


def set_meeting(ctx: WriteContext, issue: Issue, link: str | None) -> None:
    """Add a meeting to an issue; None removes it."""
    ctx.world.issues.change(ctx.world.issues[issue.id], zoom_url=link)
    system_notes.write(ctx, noteables.subject_of(issue), ctx.signed_in_user, _REMOVED if link is None else _ADDED)
