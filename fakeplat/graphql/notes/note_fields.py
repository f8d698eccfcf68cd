"""Fields of notes of later releases. Source: docs/platform/graphql.md, docs/platform/notes-discussions.md."""

import re
from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain.markup import markup
from fakeplat.domain.notes import awards, note_access, noteables, participants, resolution
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.epics import EPIC
from fakeplat.graphql.issues.issuables import ISSUE, MERGE_REQUEST, view
from fakeplat.graphql.lookups import NOTES
from fakeplat.graphql.notes.notes import DISCUSSION, NOTE, is_resolvable, project
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.graphql.snippets import SNIPPET
from fakeplat.model.issues import Award, Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import Level, User
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import project_level

_COMMENTERS: Final = "15.8"
PERMISSIONS = Type("NotePermissions", "What the caller may do with a note.")
THREAD_PERMISSIONS = Type("DiscussionPermissions", "What the caller may do with a discussion.", since="<=18.5")
METADATA = Type("SystemNoteMetadata", "What a system note tells of.", since="<=15.8")
_ACTIONS: Final = tuple(
    (re.compile(pattern), action)
    for pattern, action in (
        (r"assigned to|unassigned", "assignee"),
        (r"requested review|removed review", "reviewer"),
        (r"(added|removed) .*label", "label"),
        (r"(changed|removed) milestone", "milestone"),
        (r"(changed|removed) iteration", "iteration"),
        (r"(changed|removed) weight|set weight", "weight"),
        (r"changed title|marked .*(draft|ready|Work In Progress)|unmarked", "title"),
        (r"changed the description", "description"),
        (r"mentioned in", "cross_reference"),
        (r"(changed|removed) (start|due) date", "start_date_or_due_date"),
        (r".*time (spent|estimate)", "time_tracking"),
        (r"made the .*confidential|turned on confidentiality", "confidential"),
        (r"made the .*visible|turned off confidentiality", "visible"),
        (r"locked", "locked"),
        (r"unlocked", "unlocked"),
        (r"added \d+ (new )?commit", "commit"),
        (r"marked the (checklist item|task)", "task"),
        (r"resolved all", "discussion"),
        (r"approved", "approved"),
        (r"unapproved", "unapproved"),
        (r"set status to", "work_item_status"),
        (r"closed", "closed"),
        (r"reopened", "opened"),
        (r"merged|enabled|canceled the automatic|aborted the automatic", "merge"),
        (r"(changed|restored|deleted) (the )?(target|source) ?branch|changed target branch", "branch"),
        (r"moved (to|from)", "moved"),
        (r"cloned (to|from)", "cloned"),
        (r"marked this .* as (related|blocking|blocked)", "relate"),
        (r"removed the relation", "unrelate"),
    )
)
"""What system notes begin with, by the kind of the action that they tell of."""


def classify(body: str) -> str:
    """Return the kind of the action that a system note tells of."""
    return next((action for pattern, action in _ACTIONS if pattern.match(body)), "outdated")


@NOTE.field("url: String", since="13.8")
def url(ctx: ReadContext, note: Note) -> str | None:
    """The URL of the note."""
    record = noteables.find_record(ctx.world, note.subject)
    if not isinstance(record, Issue | MergeRequest):
        return None
    return f"{view(ctx, record).web_url()}#note_{note.id}"


@NOTE.field("lastEditedAt: Time", since="<=16.2")
def last_edited_at(_ctx: ReadContext, note: Note) -> str | None:
    """Timestamp of the last edit of the text."""
    return note.updated_at if note.updated_at != note.created_at and not note.system else None


@NOTE.field("lastEditedBy: User", since="<=16.2")
def last_edited_by(ctx: ReadContext, note: Note) -> User | None:
    """The user who edited the text last: the author."""
    return ctx.world.users.get(note.author_id) if last_edited_at(ctx, note) is not None else None


@NOTE.field("authorIsContributor: Boolean", since="<=16.2")
def author_is_contributor(ctx: ReadContext, note: Note) -> bool:
    """Whether the author of the note wrote the merge request without being a member of the project."""
    record = noteables.find_record(ctx.world, note.subject)
    return (
        isinstance(record, MergeRequest)
        and record.author_id == note.author_id
        and not ctx.world.members.find("pair", (("project", record.project_id), note.author_id))
    )


@NOTE.field("awardEmoji: AwardEmojiConnection", since="16.1")
def award_emoji(ctx: ReadContext, note: Note) -> Sequence[Award]:
    """The reactions to the note."""
    return awards.list_awards(ctx, ("note", note.id))


@NOTE.field("systemNoteIconName: String")
def icon_name(_ctx: ReadContext, note: Note) -> str | None:
    """The name of the icon of a system note."""
    return classify(note.body).replace("_", "-") if note.system else None


@NOTE.field("systemNoteMetadata: SystemNoteMetadata", since="<=15.8")
def metadata(_ctx: ReadContext, note: Note) -> Note | None:
    """What a system note tells of."""
    return note if note.system else None


@METADATA.field("action: String")
def action(_ctx: ReadContext, note: Note) -> str:
    """The kind of the action."""
    return classify(note.body)


@NOTE.field("userPermissions: NotePermissions!")
def user_permissions(_ctx: ReadContext, note: Note) -> Note:
    """What the caller may do."""
    return note


@PERMISSIONS.field("readNote: Boolean!")
def may_read(ctx: ReadContext, note: Note) -> bool:
    """Whether the caller may read it."""
    return note_access.is_visible(ctx, note)


@PERMISSIONS.field("adminNote: Boolean!")
@PERMISSIONS.field("repositionNote: Boolean!", since="<=13.6")
def may_change(ctx: ReadContext, note: Note) -> bool:
    """Whether the caller may change it."""
    record = noteables.find_record(ctx.world, note.subject)
    if record is None or note.system:
        return False
    try:
        note_access.authorize_change(ctx, record, note)
    except Refusal:
        return False
    return True


@PERMISSIONS.field("createNote: Boolean!")
@PERMISSIONS.field("awardEmoji: Boolean!")
def may_comment(ctx: ReadContext, note: Note) -> bool:
    """Whether the caller may comment."""
    record = noteables.find_record(ctx.world, note.subject)
    return record is not None and noteables.can_comment(ctx, record).allowed


@PERMISSIONS.field("resolveNote: Boolean!")
def may_resolve(ctx: ReadContext, note: Note) -> bool:
    """Whether the caller may resolve it."""
    return is_resolvable(ctx, note) and may_comment(ctx, note)


@NOTE.field("bodyFirstLineHtml: String!", since="<=18.5")
def body_first_line_html(ctx: ReadContext, note: Note) -> str:
    """The first line of the text rendered as HTML."""
    lines = note.body.strip().splitlines()
    return markup.render_html(ctx, lines[0] if lines else "", project(ctx, note))


@NOTE.field("imported: Boolean", since="<=18.5")
def imported(_ctx: ReadContext, _note: Note) -> bool:
    """Whether it came with an import; that is not told here."""
    return False


@NOTE.field("externalAuthor: String", since="<=18.5")
def external_author(_ctx: ReadContext, _note: Note) -> str | None:
    """The address of an author who wrote by mail, which nobody does here."""
    return None


@NOTE.field("maxAccessLevelOfAuthor: String", since="<=16.2")
def max_access_level_of_author(ctx: ReadContext, note: Note) -> str | None:
    """The name of the author's role in the project."""
    container = project(ctx, note)
    level = project_level(ctx.world, container, note.author_id) if container is not None else 0
    return Level(level).name.replace("_", " ").capitalize() if level else None


@DISCUSSION.field("userPermissions: DiscussionPermissions!", since="<=18.5")
def permissions_of_discussion(_ctx: ReadContext, discussion: Discussion) -> Discussion:
    """What the caller may do."""
    return discussion


@THREAD_PERMISSIONS.field("resolveNote: Boolean!")
def may_resolve_discussion(ctx: ReadContext, discussion: Discussion) -> bool:
    """Whether the caller may resolve it."""
    first = discussion.notes[0]
    record = noteables.find_record(ctx.world, first.subject)
    return record is not None and resolution.can_resolve(ctx, record, first).allowed


@ISSUE.field("commenters: UserConnection!", since=_COMMENTERS)
@MERGE_REQUEST.field("commenters: UserConnection!", since=_COMMENTERS)
@EPIC.field("commenters: UserConnection!", since=_COMMENTERS)
@SNIPPET.field("commenters: UserConnection!", since=_COMMENTERS)
def commenters_of(ctx: ReadContext, record: noteables.Awardable) -> Sequence[User]:
    """The authors of the comments that the caller sees, the newest user first."""
    return participants.list_commenters(ctx, record)


@QUERY.field("note(id: NoteID!): Note", since="15.9")
def find_note(ctx: ReadContext, id: str) -> Note | None:  # the argument's name on the wire
    """The note with a global ID, if the caller sees it."""
    note = ctx.world.notes.get(parse_id(ctx, id, *NOTES))
    record = noteables.find_record(ctx.world, note.subject) if note is not None else None
    if note is None or record is None or not noteables.is_visible(ctx, record):
        return None
    return note if note_access.is_visible(ctx, note) else None
