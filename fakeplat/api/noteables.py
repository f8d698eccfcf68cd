"""The places of notes, discussions and awards: one for each kind of thing that they are about."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from fakeplat.api.issues import ISSUE
from fakeplat.api.scopes import PROJECT, find_issue, find_merge_request
from fakeplat.api.snippets import find_in_project
from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.operations.scope import Scope, Segment
from fakeplat.domain.notes import awards, notes
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.context import ReadContext


def _find_merge_request(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    """What is hidden is refused as what the platform's query does not find."""
    try:
        return find_merge_request(ctx, project, iid)
    except NotFound as missing:
        raise RecordNotFound(reason=missing.why) from None


def _find_commit(ctx: ReadContext, project: Project, sha: str) -> ProjectCommit:
    """To who may not read the code, no commit is there."""
    ruling = decide(ctx, Ability.DOWNLOAD_CODE, project)
    if not ruling.allowed:
        raise NotFound("Commit", reason=ruling.why)
    return commits.get_commit(ctx.world, project, sha)


def _find_note(ctx: ReadContext, project: Project, record: Any, id_: int) -> Note:
    del project
    return notes.find_note(ctx, record, id_)


def find_note_to_change(ctx: ReadContext, project: Project, record: Any, id_: int) -> Note:
    """Find a note also where it is hidden: like on the platform, who may not change it gets 403 and not 404."""
    del project
    return notes.find(ctx, record, id_)


def _find_awardable_issue(ctx: ReadContext, project: Project, iid: int) -> Issue:
    with _hidden_as_emoji(ctx.world.issues.find("iid", (project.id, iid)) is not None):
        return find_issue(ctx, project, iid)


def _find_awardable_merge_request(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    with _hidden_as_emoji(ctx.world.merge_requests.find("iid", (project.id, iid)) is not None):
        return find_merge_request(ctx, project, iid)


@contextmanager
def _hidden_as_emoji(is_there: bool) -> Iterator[None]:
    """What is there but hidden is refused as what was asked for."""
    try:
        yield
    except NotFound as missing:
        if not is_there:
            raise RecordNotFound(reason=missing.why) from None
        raise NotFound(awards.AWARD_EMOJI, reason=missing.why) from None


def _find_awardable_snippet(ctx: ReadContext, project: Project, id_: int) -> Snippet:
    found = ctx.world.snippets.get(id_)
    with _hidden_as_emoji(found is not None and found.project_id == project.id):
        return find_in_project(ctx, project, id_)


def _find_awardable_note(ctx: ReadContext, project: Project, record: Any, id_: int) -> Note:
    try:
        return _find_note(ctx, project, record, id_)
    except RecordNotFound:
        raise
    except NotFound as hidden:
        raise NotFound(awards.AWARD_EMOJI, reason=hidden.why) from None


def _with_notes(place: Scope, word: str, locate: Any = _find_note) -> Scope:
    return place / Segment("notes/:note_id", kind="integer", locate=locate, word=word)


_MERGE_REQUEST: Final = partial(Segment, "merge_requests/:merge_request_iid", kind="integer", word="merge_request")
NOTED_MERGE_REQUEST: Final = PROJECT / _MERGE_REQUEST(locate=_find_merge_request)
_COMMIT: Final = PROJECT / Segment("repository/commits/:sha", locate=_find_commit, word="commit")
_SNIPPET: Final = partial(Segment, "snippets/:snippet_id", kind="integer", word="snippet")
_NOTED_SNIPPET: Final = PROJECT / _SNIPPET(locate=find_in_project)

NOTED: Final = (ISSUE, NOTED_MERGE_REQUEST, _NOTED_SNIPPET)
"""Things that can be noted."""
COMPARED: Final = (NOTED_MERGE_REQUEST, _COMMIT)
"""Things whose lines can be discussed."""
DISCUSSED: Final = (*NOTED, _COMMIT)
"""Things that can be discussed."""
SETTLED: Final = (NOTED_MERGE_REQUEST,)
"""Things whose discussions are settled."""
NOTES: Final = tuple(_with_notes(place, place.word) for place in NOTED)
"""Notes on them."""
CHANGED_NOTES: Final = tuple(_with_notes(place, place.word, find_note_to_change) for place in NOTED)
"""The same notes, for those who change them."""
_AWARDED_ISSUE: Final = PROJECT / Segment(
    "issues/:issue_iid", kind="integer", locate=_find_awardable_issue, word="issue"
)
AWARDED: Final = (_AWARDED_ISSUE, PROJECT / _SNIPPET(locate=_find_awardable_snippet))
"""Things that take emoji, which everybody sees who sees them."""
AWARDED_INSIDE: Final = (PROJECT / _MERGE_REQUEST(locate=_find_awardable_merge_request),)
"""Things that take emoji, which only those see who are signed in."""


def notes_on(places: tuple[Scope, ...]) -> tuple[Scope, ...]:
    """The notes on some things that take emoji, which take some too."""
    return tuple(_with_notes(place, f"{place.word}_note", _find_awardable_note) for place in places)
