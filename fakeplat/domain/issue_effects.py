"""How what quick actions change of an issue comes into effect."""

from typing import Final

from fakeplat.domain import issue_moves, issues, noteable_effects, noteables, system_notes
from fakeplat.domain.noteables import ISSUE
from fakeplat.domain.quick_actions import EFFECTS, Effects
from fakeplat.model.issues import Issue
from fakeplat.policy.context import Doing

_FIELDS: Final = ("confidential", "due_date", "weight")


def _change_state(cx: Doing, issue: Issue, event: str) -> None:
    issues.close(cx, issue) if event == "close" else issues.reopen(cx, issue)


def _mark_duplicate(cx: Doing, issue: Issue, canonical_id: int) -> None:
    world, canonical = cx.world, cx.world.issues[canonical_id]
    left, right = (world.projects[one.project_id] for one in (issue, canonical))
    told = (
        (issue, f"marked this issue as a duplicate of {noteables.reference(world, canonical, left)}"),
        (canonical, f"marked {noteables.reference(world, issue, right)} as a duplicate of this issue"),
    )
    for one, body in told:
        other = canonical if one is issue else issue
        system_notes.write(cx, (ISSUE.kind, one.id), cx.someone, body, source=(ISSUE.kind, other.id))
    issues.close(cx, issue)


def _move(cx: Doing, issue: Issue, project_id: int) -> None:
    issue_moves.move(cx, cx.world.projects[issue.project_id], issue, cx.world.projects[project_id])


EFFECTS[ISSUE.kind] = Effects(
    put=issues.put,
    fields=(*noteable_effects.FIELDS, *_FIELDS),
    at_first=noteable_effects.AT_FIRST,
    acts={
        **noteable_effects.ACTS,
        "state_event": _change_state,
        "canonical_issue_id": _mark_duplicate,
        "target_project": _move,
    },
)
