"""The places of notes, discussions and awards: one for each kind of thing that they are about."""

from typing import Any, Final

from fakeplat.api.issues import ISSUE_BY_NAME
from fakeplat.api.scopes import PROJECT, find_issue
from fakeplat.core.errors import NotFound, RecordNotFound
from fakeplat.core.scope import Scope, Segment
from fakeplat.domain import awards, notes
from fakeplat.model.issues import Issue
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context


def _find_note(cx: Context, project: Project, record: Any, id_: int) -> Note:
    del project
    return notes.get(cx, record, id_)


def _find_awardable_issue(cx: Context, project: Project, iid: int) -> Issue:
    """One that is there but hidden is refused as what was asked for."""
    try:
        return find_issue(cx, project, iid)
    except RecordNotFound as missing:
        if cx.world.issues.find("iid", (project.id, iid)) is None:
            raise
        raise NotFound(awards.AWARD_EMOJI, reason=missing.why) from None


def _find_awardable_note(cx: Context, project: Project, record: Any, id_: int) -> Note:
    try:
        return _find_note(cx, project, record, id_)
    except RecordNotFound:
        raise
    except NotFound as hidden:
        raise NotFound(awards.AWARD_EMOJI, reason=hidden.why) from None


def _with_notes(place: Scope, word: str, locate: Any = _find_note) -> Scope:
    return place / Segment("notes/:note_id", kind="integer", locate=locate, word=word)


NOTED: Final = (ISSUE_BY_NAME,)
"""Things that can be noted."""
NOTES: Final = tuple(_with_notes(place, place.word) for place in NOTED)
"""Notes on them."""
_AWARDED_ISSUE: Final = PROJECT / Segment(
    "issues/:issue_iid", kind="integer", locate=_find_awardable_issue, word="issue"
)
AWARDED: Final = (_AWARDED_ISSUE,)
"""Things that take emoji."""
AWARDED_NOTES: Final = tuple(_with_notes(place, f"{place.word}_note", _find_awardable_note) for place in AWARDED)
"""Notes that take emoji."""
