"""Mails about comments. Source: docs/platform/mail.md ('Events and recipients', 'Common format')."""

from collections.abc import Iterable, Iterator, Sequence

from fakeplat.domain.mail import issuables
from fakeplat.domain.mail.messages import Thread
from fakeplat.domain.mail.recipients import Audience
from fakeplat.domain.notes import note_access, noteables, participants, references
from fakeplat.domain.notes.noteables import Awardable
from fakeplat.domain.people import users
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.model.people import User
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.policy.context import ReadContext


def write_note(ctx: ReadContext, note: Note) -> Iterator[OutgoingMail]:
    """Write the mails about a new comment."""
    record, author = noteables.find_record(ctx.world, note.subject), ctx.world.users.get(note.author_id)
    if record is None or author is None:
        return
    audience = _gather(ctx, record, note, author)
    earlier = _list_earlier(ctx, note)
    key = issuables.thread_key(record)
    thread = Thread(
        message_id=_id_of(note),
        in_reply_to=_id_of(earlier[-1]) if earlier else key,
        references=(key, *map(_id_of, earlier)),
    )
    message = issuables.create_message(
        ctx,
        record,
        author,
        [f"{issuables.name_of(author)} {_describe(note, is_first=not earlier)}", note.body],
        thread,
        view=f"{issuables.page_of(ctx, record)}#{_id_of(note)}",
    )
    message = message.with_headers({"X-GitLab-Discussion-ID": note.discussion_id})
    yield from issuables.deliver(ctx, message, audience.list_recipients())


def write_review(
    ctx: ReadContext, merge_request: MergeRequest, notes: Sequence[Note], author: User
) -> Iterator[OutgoingMail]:
    """Write the mails about the comments of a review, one to each recipient."""
    gathered = [_gather(ctx, merge_request, note, author).list_recipients() for note in notes]
    # Who gets several of the comments gets them for the first reason.
    recipients = {each.user.id: each for each in reversed([each for several in gathered for each in several])}
    page = issuables.page_of(ctx, merge_request)
    paragraphs = [f"Merge request {page} was reviewed by {issuables.name_of(author)}"]
    for note in notes:
        first = not _list_earlier(ctx, note)
        text = f"{issuables.name_of(author)} {_describe(note, is_first=first)} {page}#{_id_of(note)}"
        paragraphs += ["--", text, note.body]
    key = issuables.thread_key(merge_request)
    thread = Thread(in_reply_to=key, references=(key,))
    message = issuables.create_message(ctx, merge_request, author, paragraphs, thread)
    yield from issuables.deliver(ctx, message, recipients.values())


def _gather(ctx: ReadContext, record: Awardable | ProjectCommit | WikiPageMeta, note: Note, author: User) -> Audience:
    container, reader = noteables.container_of(ctx.world, record), ctx.as_user(author)

    def can_read(ctx: ReadContext) -> bool:
        return noteables.is_visible(ctx, record) and note_access.is_visible(ctx, note)

    audience = Audience(
        ctx, container, action="new_note", actor=author, subject=noteables.subject_of(record), can_read=can_read
    )
    mentioned = references.find_mentioned_users(reader, container, note.body)
    audience.add(mentioned, "mention", "mentioned")
    involved = _list_involved(ctx, record) if isinstance(record, ProjectCommit) else _list_participants(reader, record)
    audience.add(involved, "participating")
    audience.add_observers()
    audience.add_subscribers()
    return audience


def _list_participants(reader: ReadContext, record: Awardable | WikiPageMeta) -> Iterable[int]:
    return (user.id for user in participants.list_participants(reader, record))


def _list_involved(ctx: ReadContext, record: ProjectCommit) -> Iterator[int]:
    """Yield who wrote a commit, committed it or commented on it."""
    for signature in (record.commit.author, record.commit.committer):
        user = users.find_by_any_email(ctx.world, signature.email)
        if user is not None:
            yield user.id
    for note in ctx.world.notes.where("comments", noteables.subject_of(record)):
        yield note.author_id


def _list_earlier(ctx: ReadContext, note: Note) -> list[Note]:
    """Return the earlier comments of the same discussion; none for a comment on its own."""
    if note.type is None:
        return []
    discussion = (other for other in ctx.world.notes.where("discussion", note.discussion_id) if other.id < note.id)
    return [other for other in discussion if not other.system]


def _id_of(note: Note) -> str:
    return f"note_{note.id}"


def _describe(note: Note, *, is_first: bool) -> str:
    if note.type is None:
        return "commented:"
    place = f" on {note.position.path}" if note.position is not None and note.position.path else ""
    return f"started a new discussion{place}:" if is_first else f"commented on a discussion{place}:"
