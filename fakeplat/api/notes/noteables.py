"""Scopes of notes, discussions and award emoji: one for each kind of noteable."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from fakeplat.api.epic_scopes import BY_ID as EPIC
from fakeplat.api.issues.issues import ISSUE
from fakeplat.api.scopes import GROUP, PROJECT, get_issue, get_merge_request
from fakeplat.api.snippets.snippets import get_in_project
from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.operations.scope import Scope, Segment
from fakeplat.domain.epics import epic_access
from fakeplat.domain.notes import awards, notes
from fakeplat.domain.notes.noteables import Noteable
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.model.snippets import Snippet
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, decide
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe


def _get_merge_request(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    """Find a merge request; a hidden one is refused like a missing record."""
    try:
        return get_merge_request(ctx, project, iid)
    except NotFound as refusal:
        # `NotFound` names the kind of record in its text; the finder of notes answers the plain ``404 Not found``.
        raise RecordNotFound(reason=refusal.why) from None


def _get_commit(ctx: ReadContext, project: Project, sha: str) -> ProjectCommit:
    """Find a commit; 404 for callers without access to the code."""
    ruling = decide(ctx, Ability.DOWNLOAD_CODE, project)
    if not ruling.allowed:
        raise NotFound("Commit", reason=ruling.why)
    return commits.get_commit(ctx.world, project, sha)


def _get_note(ctx: ReadContext, _container: Routable, record: Noteable, id_: int) -> Note:
    return notes.get_note(ctx, record, id_)


def get_editable_note(ctx: ReadContext, _container: Routable, record: Noteable, id_: int) -> Note:
    """Find a note even if it is hidden: as on the platform, callers who may not change it get 403, not 404."""
    return notes.get_any_note(ctx, record, id_)


def _get_awardable_issue(ctx: ReadContext, project: Project, iid: int) -> Issue:
    with _refuse_hidden_as_emoji(ctx.world.issues.find("iid", (project.id, iid)) is not None):
        return get_issue(ctx, project, iid)


def _get_awardable_merge_request(ctx: ReadContext, project: Project, iid: int) -> MergeRequest:
    with _refuse_hidden_as_emoji(ctx.world.merge_requests.find("iid", (project.id, iid)) is not None):
        return get_merge_request(ctx, project, iid)


@contextmanager
def _refuse_hidden_as_emoji(exists: bool) -> Iterator[None]:
    """Refuse a hidden record as a missing award emoji, and one that does not exist as a missing record."""
    try:
        yield
    except NotFound as refusal:
        if not exists:
            raise RecordNotFound(reason=refusal.why) from None
        raise NotFound(awards.AWARD_EMOJI, reason=refusal.why) from None


def _get_awardable_snippet(ctx: ReadContext, project: Project, id_: int) -> Snippet:
    snippet = ctx.world.snippets.get(id_)
    with _refuse_hidden_as_emoji(snippet is not None and snippet.project_id == project.id):
        return get_in_project(ctx, project, id_)


def _get_awardable_epic(ctx: ReadContext, group: Group, iid: int) -> Epic:
    epic = ctx.world.epics.find("iid", (group.id, iid))
    if epic is None:
        raise RecordNotFound(reason=lambda: f"{describe(ctx.world, group)} has no epic {iid}")
    if not epic_access.is_visible(ctx, epic):
        raise NotFound(awards.AWARD_EMOJI, reason=lambda: f"epic {iid} is hidden from {caller_name(ctx)}")
    return epic


def _get_awardable_note(ctx: ReadContext, container: Routable, record: Noteable, id_: int) -> Note:
    try:
        return _get_note(ctx, container, record, id_)
    # The subclass has to be caught first: a missing note keeps its text, only a hidden one is refused as an emoji.
    except RecordNotFound:
        raise
    except NotFound as refusal:
        raise NotFound(awards.AWARD_EMOJI, reason=refusal.why) from None


def _note_scope(scope: Scope, word: str, locate: Callable[..., Note] = _get_note) -> Scope:
    return scope / Segment("notes/:note_id", kind="integer", locate=locate, word=word)


# Notes, discussions and emoji share the paths but find records differently; each use adds its own `locate`.
_MERGE_REQUEST: Final = partial(Segment, "merge_requests/:merge_request_iid", kind="integer", word="merge_request")
NOTEABLE_MERGE_REQUEST: Final = PROJECT / _MERGE_REQUEST(locate=_get_merge_request)
_COMMIT: Final = PROJECT / Segment("repository/commits/:sha", locate=_get_commit, word="commit")
_SNIPPET: Final = partial(Segment, "snippets/:snippet_id", kind="integer", word="snippet")
_NOTED_SNIPPET: Final = PROJECT / _SNIPPET(locate=get_in_project)

NOTEABLE_SCOPES: Final = (ISSUE, NOTEABLE_MERGE_REQUEST, _NOTED_SNIPPET)
"""Records that take notes."""
DIFF_SCOPES: Final = (NOTEABLE_MERGE_REQUEST, _COMMIT)
"""Records that take discussions on lines of a diff."""
DISCUSSABLE_SCOPES: Final = (*NOTEABLE_SCOPES, _COMMIT, EPIC)
"""Records that take discussions."""
RESOLVABLE_SCOPES: Final = (NOTEABLE_MERGE_REQUEST, ISSUE)
"""Records whose discussions can be resolved."""
NOTES: Final = tuple(_note_scope(scope, scope.word) for scope in NOTEABLE_SCOPES)
"""Notes on these records."""
EDITABLE_NOTES: Final = tuple(_note_scope(scope, scope.word, get_editable_note) for scope in NOTEABLE_SCOPES)
"""The same notes, for operations that change them."""
_AWARDED_ISSUE: Final = PROJECT / Segment(
    "issues/:issue_iid", kind="integer", locate=_get_awardable_issue, word="issue"
)
_AWARDED_EPIC: Final = GROUP / Segment(
    "epics/:epic_iid", kind="integer", locate=_get_awardable_epic, word="epic", tier="premium"
)
AWARDABLE_SCOPES: Final = (_AWARDED_ISSUE, PROJECT / _SNIPPET(locate=_get_awardable_snippet), _AWARDED_EPIC)
"""Records that take award emoji, readable without a login."""
AWARDABLE_SCOPES_WITH_LOGIN: Final = (PROJECT / _MERGE_REQUEST(locate=_get_awardable_merge_request),)
"""Records that take award emoji, readable for signed-in users only."""


def note_scopes_on(scopes: tuple[Scope, ...]) -> tuple[Scope, ...]:
    """Return the scopes of the notes on some records, which take award emoji too."""
    return tuple(_note_scope(scope, f"{scope.word}_note", _get_awardable_note) for scope in scopes)
