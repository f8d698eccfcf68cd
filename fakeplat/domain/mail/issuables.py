"""Mails about issues and merge requests. Source: docs/platform/mail.md ('Events and recipients', 'Bodies')."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.issues.issue_notes import describe_creation
from fakeplat.domain.mail import messages
from fakeplat.domain.mail.messages import Message, Thread, defuse
from fakeplat.domain.mail.recipients import Audience, Recipient, get_address
from fakeplat.domain.notes import noteables, participants, references
from fakeplat.domain.notes.noteables import Noteable
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.urls import container_url
from fakeplat.domain.validation import join_words
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.behaviours import REVIEWERS_AS_SENTENCES
from fakeplat.policy.context import ReadContext

_NAMES: Final = {
    "issue": "Issue",
    "merge_request": "MergeRequest",
    "commit": "Commit",
    "snippet": "ProjectSnippet",
    "epic": "Epic",
    "wiki": "WikiPage-Meta",
}
_ACTIONS: Final = {"issue": "View Issue", "merge_request": "View Merge request", "commit": "View Commit"}
_THREADS: Final = {"snippet": "project_snippet", "wiki": "wiki_page_meta"}
_UNSUBSCRIBABLE: Final = ("issue", "merge_request", "epic", "wiki")
_NEW_ACTIONS: Final = {"issue": "new_issue", "merge_request": "new_merge_request"}
_LABEL_SUBSCRIPTIONS: Final = "Manage your label subscriptions: {}/-/labels?subscribed=true"


def write_new(ctx: ReadContext, record: Issuable, actor: User | None) -> Iterator[OutgoingMail]:
    """Write the mails about a new issue or merge request."""
    author = ctx.world.users.get(record.author_id)
    audience = _gather_for_new(ctx, record, actor)
    noteable = noteables.noteable_of(record)
    texts = [
        f"{name_of(author)} created {'an' if isinstance(record, Issue) else 'a'} {noteable.words}: {_link(ctx, record)}"
    ]
    if isinstance(record, MergeRequest):
        texts.append(f"Branches: {record.source_branch} to {record.target_branch}")
        texts.append(f"Author: {name_of(author)}")
    texts += _list_assignees(ctx.world, record)
    texts += _list_reviewers(ctx.world, record)
    yield from _send(ctx, record, audience, author, [*texts, *filter(None, (record.description,))], is_new=True)


def _gather_for_new(ctx: ReadContext, record: Issuable, actor: User | None) -> Audience:
    audience = gather(ctx, record, actor, _NEW_ACTIONS[noteables.noteable_of(record).kind])
    audience.add(_find_mentioned(ctx, record, actor), "mention", "mentioned")
    audience.add(record.assignee_ids, "participating", "assigned")
    if isinstance(record, MergeRequest):
        audience.add(record.reviewer_ids, "participating", "review_requested")
    for label_id in record.label_ids:
        audience.add_subscribers(("label", label_id))
    return audience


def write_changes(ctx: ReadContext, before: Issuable, after: Issuable, actor: User | None) -> Iterator[OutgoingMail]:
    """Write the mails about what an update changed: assignees, milestone, labels, mentions, automatic merge."""
    if before.assignee_ids != after.assignee_ids:
        yield from _write_reassigned(ctx, before, after, actor)
    if isinstance(before, MergeRequest) and isinstance(after, MergeRequest):
        yield from _write_reviewers(ctx, before, after, actor)
    if before.milestone_id != after.milestone_id:
        yield from _write_milestone(ctx, after, actor)
    added = [id_ for id_ in after.label_ids if id_ not in before.label_ids]
    if added:
        yield from _write_relabeled(ctx, after, actor, added)
    if describe_creation(before) != describe_creation(after):
        yield from _write_newly_mentioned(ctx, before, after, actor)


def _write_reassigned(
    ctx: ReadContext, before: Issuable, after: Issuable, actor: User | None
) -> Iterator[OutgoingMail]:
    kind = noteables.noteable_of(after).kind
    audience = gather(ctx, after, actor, f"reassign_{kind}")
    audience.add((id_ for id_ in before.assignee_ids if id_ not in after.assignee_ids), "mention")
    audience.add(after.assignee_ids, "mention", "assigned")
    old = f" from {_join_names(ctx.world, before.assignee_ids)}" if before.assignee_ids else ""
    new = _join_names(ctx.world, after.assignee_ids) if after.assignee_ids else "Unassigned"
    yield from _send(ctx, after, audience, actor, [f"Assignee changed{old} to {new}"])


def _write_reviewers(
    ctx: ReadContext, before: MergeRequest, after: MergeRequest, actor: User | None
) -> Iterator[OutgoingMail]:
    if before.reviewer_ids == after.reviewer_ids:
        return
    audience = gather(ctx, after, actor, "change_reviewer_merge_request")
    audience.add((id_ for id_ in before.reviewer_ids if id_ not in after.reviewer_ids), "mention")
    audience.add(after.reviewer_ids, "mention", "review_requested")
    tell = _tell_reviewers if ctx.profile.has(REVIEWERS_AS_SENTENCES) else _tell_change_of_reviewers
    yield from _send(ctx, after, audience, actor, [tell(ctx.world, before.reviewer_ids, after.reviewer_ids)])


def _tell_change_of_reviewers(world: World, before: Sequence[int], after: Sequence[int]) -> str:
    old = f" from {_join_names(world, before)}" if before else ""
    return f"Reviewer changed{old} to {_join_names(world, after) if after else 'Unassigned'}"


def _tell_reviewers(world: World, before: Sequence[int], after: Sequence[int]) -> str:
    if not after:
        return "All reviewers were removed."
    added = [id_ for id_ in after if id_ not in before]
    removed = [id_ for id_ in before if id_ not in after]
    words_of_added = "were added as reviewers" if len(added) > 1 else "was added as a reviewer"
    words_of_removed = f"{'were' if len(removed) > 1 else 'was'} removed from reviewers"
    return "\n".join(
        f"{_join_names(world, ids)} {words}."
        for ids, words in ((added, words_of_added), (removed, words_of_removed))
        if ids
    )


def write_review_request(
    ctx: ReadContext, record: MergeRequest, reviewer: User, actor: User | None
) -> Iterator[OutgoingMail]:
    """Write the mail to a reviewer who was asked once more."""
    audience = _create_audience(ctx, record, actor, "")
    audience.add([reviewer.id], "mention", "review_requested")
    text = f"{name_of(actor)} requested a new review on {_link(ctx, record)}."
    yield from _send(ctx, record, audience, actor, [text])


def _write_milestone(ctx: ReadContext, record: Issuable, actor: User | None) -> Iterator[OutgoingMail]:
    milestone = ctx.world.milestones.get(record.milestone_id or 0)
    text = "Milestone removed" if milestone is None else f"Milestone changed to {milestone.title}"
    yield from _send(ctx, record, gather(ctx, record, actor), actor, [text])


def _write_relabeled(
    ctx: ReadContext, record: Issuable, actor: User | None, label_ids: Sequence[int]
) -> Iterator[OutgoingMail]:
    audience = _create_audience(ctx, record, actor, "")
    for label_id in label_ids:
        audience.add_subscribers(("label", label_id))
    titles = [label.title for id_ in label_ids if (label := ctx.world.labels.get(id_)) is not None]
    text = f"{name_of(actor)} added the label{'s' if len(titles) > 1 else ''} {join_words(titles)}"
    yield from _send(ctx, record, audience, actor, [text], is_about_labels=True)


def _write_newly_mentioned(
    ctx: ReadContext, before: Issuable, after: Issuable, actor: User | None
) -> Iterator[OutgoingMail]:
    known = _find_mentioned(ctx, before, actor)
    mentioned = {id_ for id_ in _find_mentioned(ctx, after, actor) if id_ not in known}
    if not mentioned:
        return
    recipients = [each for each in _gather_for_new(ctx, after, actor).list_recipients() if each.user.id in mentioned]
    text = f"You have been mentioned in {noteables.noteable_of(after).words} {_link(ctx, after)}"
    yield from _send(ctx, after, recipients, actor, [text, *filter(None, (after.description,))])


def write_transition(ctx: ReadContext, before: Issuable, after: Issuable, actor: User | None) -> Iterator[OutgoingMail]:
    """Write the mails about an issue or merge request that was closed, reopened or merged."""
    noteable = noteables.noteable_of(after)
    verb, word = {"closed": ("close", "closed"), "merged": ("merge", "merged")}.get(after.state, ("reopen", "reopened"))
    was_waiting = isinstance(before, MergeRequest) and before.merge_when_pipeline_succeeds and after.state == "merged"
    audience = gather(ctx, after, actor, f"{verb}_{noteable.kind}", includes_actor=was_waiting)
    reference = f"{noteable.words.capitalize()} {noteable.sign}{after.iid}"
    texts = [f"{reference} was {word} by {name_of(actor)}"]
    if isinstance(after, MergeRequest) and after.state == "merged":
        texts.append(f"Branches: {after.source_branch} to {after.target_branch}")
        texts.append(f"Author: {name_of(ctx.world.users.get(after.author_id))}")
        texts += _list_assignees(ctx.world, after)
        texts += _list_reviewers(ctx.world, after)
    yield from _send(ctx, after, audience, actor, texts)


def write_copied(ctx: ReadContext, old: Issue, new: Issue, actor: User | None, verb: str) -> Iterator[OutgoingMail]:
    """Write the mails about an issue that was moved or cloned; only who may see the new one learns its place."""
    for recipient in gather(ctx, old, actor).list_recipients():
        can_see = noteables.is_visible(ctx.as_user(recipient.user), new)
        place = f"New issue: {_link(ctx, new)}" if can_see else "You don't have access to the project."
        yield from _send(ctx, old, [recipient], actor, [f"Issue was {verb} to another project.", place])


def write_due(ctx: ReadContext, issue: Issue) -> Iterator[OutgoingMail]:
    """Write the mails about an issue that is due tomorrow."""
    author = ctx.world.users.get(issue.author_id)
    audience = gather(ctx, issue, author, "issue_due", includes_actor=True)
    texts = [f"Issue {_link(ctx, issue)} is due soon.", f"Due date: {issue.due_date}"]
    texts += _list_assignees(ctx.world, issue)
    yield from _send(ctx, issue, audience, author, texts)


def write_pushed(ctx: ReadContext, record: MergeRequest, old_head: str, actor: User | None) -> Iterator[OutgoingMail]:
    """Write the mails about commits that came into a merge request."""
    audience = gather(ctx, record, actor, "push_to_merge_request")
    text = f"{name_of(actor)} pushed new commits to merge request {_link(ctx, record)}"
    yield from _send(ctx, record, audience, actor, [text, *_list_commits(ctx, record, old_head)])


def _list_commits(ctx: ReadContext, record: MergeRequest, old_head: str) -> list[str]:
    from fakeplat.domain.reviews import diff_versions
    from fakeplat.git.walk import Selection, walk_by_date

    source, refs = ctx.world.projects.get(record.source_project_id or 0), diff_versions.latest_refs(ctx.world, record)
    if source is None or refs is None:
        return []
    objects = repositories.open_repository(ctx.world, source).objects
    commits = walk_by_date(objects, Selection((refs.head,), (old_head,)))
    short = messages.SHORT_SHA
    return ["\n".join(f"* {commit.sha[:short]} - {commit.message.partition(chr(10))[0]}" for commit in commits)]


def write_unmergeable(ctx: ReadContext, record: MergeRequest) -> Iterator[OutgoingMail]:
    """Write the mails about a merge request with conflicts: to its author, and to who set it to be merged."""
    from fakeplat.domain.reviews import diff_versions

    refs = diff_versions.latest_refs(ctx.world, record)
    if refs is None or refs.head == refs.base:
        return  # what has no commits has no conflicts
    audience = _create_audience(ctx, record, None, "")
    merger_id = record.merge_user_id if record.merge_when_pipeline_succeeds else None
    audience.add([record.author_id, *([] if merger_id is None else [merger_id])], "participating")
    text = f"Merge request {_link(ctx, record)} can no longer be merged due to conflict."
    yield from _send(ctx, record, audience, ctx.world.users.get(record.author_id), [text])


def write_auto_merge(ctx: ReadContext, record: MergeRequest, actor: User | None) -> Iterator[OutgoingMail]:
    """Write the mails about a merge request that is to be merged when its pipeline succeeds."""
    audience = gather(ctx, record, actor, "merge_when_pipeline_succeeds")
    text = f"Merge request !{record.iid} was scheduled to merge after pipeline succeeds by {name_of(actor)}"
    yield from _send(ctx, record, audience, actor, [text])


def write_resolved(ctx: ReadContext, record: MergeRequest, actor: User | None) -> Iterator[OutgoingMail]:
    """Write the mails about a merge request whose threads are all resolved."""
    text = f"All discussions on merge request !{record.iid} were resolved by {name_of(actor)}"
    yield from _send(ctx, record, gather(ctx, record, actor), actor, [text])


# Recipients


def gather(
    ctx: ReadContext, record: Issuable, actor: User | None, action: str = "", *, includes_actor: bool = False
) -> Audience:
    """Return the usual candidates: participants, observers and subscribers."""
    audience = _create_audience(ctx, record, actor, action, includes_actor=includes_actor)
    reader = ctx if actor is None else ctx.as_user(actor)
    audience.add((user.id for user in participants.list_participants(reader, record)), "participating")
    audience.add_observers()
    audience.add_subscribers()
    return audience


def _create_audience(
    ctx: ReadContext, record: Issuable, actor: User | None, action: str, *, includes_actor: bool = False
) -> Audience:
    return Audience(
        ctx,
        noteables.project_of(ctx.world, record),
        action=action,
        actor=actor,
        subject=noteables.subject_of(record),
        can_read=lambda reader: noteables.is_visible(reader, record),
        includes_actor=includes_actor,
    )


def _find_mentioned(ctx: ReadContext, record: Issuable, actor: User | None) -> Iterable[int]:
    reader = ctx if actor is None else ctx.as_user(actor)
    return references.find_mentioned_users(reader, noteables.project_of(ctx.world, record), describe_creation(record))


# Messages


def _send(
    ctx: ReadContext,
    record: Issuable,
    audience: Audience | Sequence[Recipient],
    sender: User | None,
    paragraphs: Sequence[str],
    *,
    is_new: bool = False,
    is_about_labels: bool = False,
) -> Iterator[OutgoingMail]:
    recipients = audience.list_recipients() if isinstance(audience, Audience) else audience
    if not recipients:
        return
    key = thread_key(record)
    thread = Thread(message_id=key) if is_new else Thread(in_reply_to=key, references=(key,))
    message = create_message(ctx, record, sender, paragraphs, thread, is_about_labels=is_about_labels)
    if is_new:
        message = message.as_first()
    yield from deliver(ctx, message, recipients)


def create_message(
    ctx: ReadContext,
    record: Noteable,
    sender: User | None,
    paragraphs: Sequence[str],
    thread: Thread,
    *,
    view: str = "",
    is_about_labels: bool = False,
) -> Message:
    """Return a message that answers the one about the creation of a record; nobody is mailed a new page of a wiki."""
    noteable, container = noteables.noteable_of(record), noteables.container_of(ctx.world, record)
    can_unsubscribe = noteable.kind in _UNSUBSCRIBABLE and not is_about_labels
    return Message(
        parts=(f"Re: {container.name}", f"{noteable.title(record)} ({_number(record)})"),
        paragraphs=paragraphs,
        view=view or page_of(ctx, record),
        action=_ACTIONS.get(noteable.kind, ""),
        sender=sender,
        container=container,
        headers=_write_record_headers(record),
        thread=thread.about(noteable.subject(record)) if can_unsubscribe else thread,
        footer=_LABEL_SUBSCRIPTIONS.format(container_url(ctx, container)) if is_about_labels else "",
    )


def deliver(ctx: ReadContext, message: Message, recipients: Iterable[Recipient]) -> Iterator[OutgoingMail]:
    """Write a message to each recipient."""
    for recipient in recipients:
        address = get_address(ctx.world, recipient.user, message.container)
        yield messages.write(ctx, message, address, recipient.user.id, recipient.reason)


def thread_key(record: Noteable) -> str:
    """Return the id of the message about the creation of a record, without the host."""
    kind, *ids = noteables.subject_of(record)
    return f"{_THREADS.get(kind, kind)}_{ids[-1]}"


def page_of(ctx: ReadContext, record: Noteable) -> str:
    """Return the address of the page of a record."""
    noteable, container = noteables.noteable_of(record), noteables.container_of(ctx.world, record)
    return f"{container_url(ctx, container)}/-/{noteable.page}/{noteable.number_of(record)}"


def _number(record: Noteable) -> str:
    if isinstance(record, ProjectCommit):
        return record.commit.sha[: messages.SHORT_SHA]
    noteable = noteables.noteable_of(record)
    return f"{noteable.sign}{noteable.number_of(record)}"


def _write_record_headers(record: Noteable) -> dict[str, str]:
    kind, *ids = noteables.subject_of(record)
    headers = {f"X-GitLab-{_NAMES[kind]}-ID": str(ids[-1])}
    return headers | ({f"X-GitLab-{_NAMES[kind]}-IID": str(record.iid)} if isinstance(record, Issuable | Epic) else {})


def _link(ctx: ReadContext, record: Issuable) -> str:
    return f"{noteables.noteable_of(record).sign}{record.iid} ( {page_of(ctx, record)} )"


def name_of(user: User | None) -> str:
    """Return the name of whoever did something, for use in a text."""
    return defuse(user.name) if user is not None else "Somebody"


def _list_assignees(world: World, record: Issuable) -> list[str]:
    """Return the line of a text that names the assignees, if there are any."""
    ids = record.assignee_ids
    return [f"Assignee{'s' if len(ids) > 1 else ''}: {_join_names(world, ids)}"] if ids else []


def _list_reviewers(world: World, record: Issuable) -> list[str]:
    """Return the line of a text that names the reviewers, if there are any."""
    ids = record.reviewer_ids if isinstance(record, MergeRequest) else ()
    return [f"Reviewer{'s' if len(ids) > 1 else ''}: {_join_names(world, ids)}"] if ids else []


def _join_names(world: World, ids: Iterable[int]) -> str:
    return join_words([defuse(user.name) for id_ in ids if (user := world.users.get(id_)) is not None])
