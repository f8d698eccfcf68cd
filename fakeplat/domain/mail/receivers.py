"""The events about which mail is sent. Source: docs/platform/mail.md.

A receiver only notes what happened. The mails are written when somebody reads them, by modules that are imported only
then. The facts that a writer gets are records, never a context, as they outlive the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

from fakeplat.model.outgoing import OutgoingMail, OutgoingMails
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from fakeplat.model.alerts import Alert
    from fakeplat.model.ci import Pipeline
    from fakeplat.model.import_export import Export
    from fakeplat.model.issues import Issue
    from fakeplat.model.merge_requests import MergeRequest
    from fakeplat.model.notes import Note
    from fakeplat.model.people import AccessRequest, Email, GpgKey, Invitation, SshKey, Token, User, UserAchievement
    from fakeplat.model.projects import Member, Project
    from fakeplat.model.releases import Release

_MAILED_RESULTS: Final = ("success", "failed")


def _mail(ctx: WriteContext, writer: str, *facts: object) -> None:
    """Hand over the mails that a function of this package writes; what a scenario loads is no news."""
    if not ctx.is_loading:
        ctx.send(OutgoingMails(_write, (writer, *facts)))


def _write(reader: ReadContext, writer: str, *facts: object) -> Iterable[OutgoingMail]:
    module, _, name = writer.partition(".")
    mails: Iterable[OutgoingMail] = getattr(import_module(f"{__package__}.{module}"), name)(reader, *facts)
    return mails


# Issues and merge requests


def mail_new_issuable(ctx: WriteContext, record: Issue | MergeRequest) -> None:
    """Mail a new issue or merge request."""
    _mail(ctx, "issuables.write_new", record, ctx.user)


def mail_changed_issuable(ctx: WriteContext, before: Issue | MergeRequest, after: Issue | MergeRequest) -> None:
    """Mail what changed in an issue or merge request."""
    _mail(ctx, "issuables.write_changes", before, after, ctx.user)


def mail_transition(
    ctx: WriteContext, before: Issue | MergeRequest, after: Issue | MergeRequest, actor: User | None
) -> None:
    """Mail an issue or merge request that was closed, reopened or merged."""
    _mail(ctx, "issuables.write_transition", before, after, actor)


def mail_moved_issue(ctx: WriteContext, old: Issue, new: Issue) -> None:
    """Mail an issue that was moved, and the new one."""
    mail_new_issuable(ctx, new)
    _mail(ctx, "issuables.write_copied", old, new, ctx.user, "moved")


def mail_cloned_issue(ctx: WriteContext, original: Issue, clone: Issue) -> None:
    """Mail an issue that was cloned, and the new one."""
    mail_new_issuable(ctx, clone)
    _mail(ctx, "issuables.write_copied", original, clone, ctx.user, "cloned")


def mail_due_issue(ctx: WriteContext, issue: Issue) -> None:
    """Mail that an issue is due tomorrow."""
    _mail(ctx, "issuables.write_due", issue)


def mail_pushed_merge_request(
    ctx: WriteContext, merge_request: MergeRequest, old_head: str, actor: User | None
) -> None:
    """Mail commits that came into a merge request."""
    _mail(ctx, "issuables.write_pushed", merge_request, old_head, actor)


def mail_review_request(ctx: WriteContext, merge_request: MergeRequest, reviewer: User, _was_approved: bool) -> None:
    """Mail a reviewer who was asked once more."""
    _mail(ctx, "issuables.write_review_request", merge_request, reviewer, ctx.user)


def mail_unmergeable(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Mail that a merge request has conflicts."""
    _mail(ctx, "issuables.write_unmergeable", merge_request)


def mail_auto_merge(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Mail that a merge request is to be merged when its pipeline succeeds."""
    _mail(ctx, "issuables.write_auto_merge", merge_request, ctx.user)


def mail_resolved_threads(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Mail that all threads of a merge request are resolved."""
    _mail(ctx, "issuables.write_resolved", merge_request, ctx.user)


def mail_note(ctx: WriteContext, note: Note) -> None:
    """Mail a comment."""
    _mail(ctx, "notes.write_note", note)


def mail_review(ctx: WriteContext, merge_request: MergeRequest, notes: Sequence[Note]) -> None:
    """Mail the comments of a review together."""
    _mail(ctx, "notes.write_review", merge_request, tuple(notes), ctx.user)


# Pipelines


def mail_pipeline(ctx: WriteContext, _before: Pipeline, pipeline: Pipeline) -> None:
    """Mail the result of a pipeline."""
    if pipeline.status in _MAILED_RESULTS:
        _mail(ctx, "pipelines.write_result", pipeline)


# Accounts and memberships


def mail_new_user(ctx: WriteContext, user: User, chooses_password: bool) -> None:
    """Mail a new user, whom somebody else may have invited to choose a password."""
    _mail(ctx, "accounts.write_new_user", user, ctx.actor is not None, chooses_password)


def mail_changed_user(ctx: WriteContext, before: User, after: User) -> None:
    """Mail another address or password of an account."""
    names = ("email", "unconfirmed_email", "password")
    if any(getattr(before, name) != getattr(after, name) for name in names):
        _mail(ctx, "accounts.write_changes", before, after)


def mail_forgotten_password(ctx: WriteContext, user: User) -> None:
    """Mail a link to set a new password."""
    _mail(ctx, "accounts.write_forgotten_password", user)


def mail_achievement(ctx: WriteContext, award: UserAchievement) -> None:
    """Mail an achievement that a user got."""
    _mail(ctx, "accounts.write_achievement", award, ctx.world.achievements[award.achievement_id])


def mail_new_address(ctx: WriteContext, email: Email) -> None:
    """Mail a further address of a user that has to be confirmed."""
    if email.confirmed_at is None:
        _mail(ctx, "accounts.write_new_address", email)


def mail_new_key(ctx: WriteContext, key: SshKey | GpgKey) -> None:
    """Mail a new key of a user."""
    _mail(ctx, "accounts.write_new_key", key)


def mail_expiring_token(ctx: WriteContext, token: Token, days: int) -> None:
    """Mail that a token expires within some days."""
    _mail(ctx, "accounts.write_expiring_token", token, days)


def mail_expiring_key(ctx: WriteContext, key: SshKey) -> None:
    """Mail that an SSH key expires soon."""
    _mail(ctx, "accounts.write_expiring_key", key)


def mail_expired_key(ctx: WriteContext, key: SshKey) -> None:
    """Mail that an SSH key has expired."""
    _mail(ctx, "accounts.write_expired_key", key)


def mail_expired_token(ctx: WriteContext, token: Token) -> None:
    """Mail that a token has expired."""
    _mail(ctx, "accounts.write_expired_token", token)


def mail_new_member(ctx: WriteContext, member: Member) -> None:
    """Mail a new member."""
    _mail(ctx, "memberships.write_granted", member)


def mail_changed_member(ctx: WriteContext, before: Member, after: Member) -> None:
    """Mail a member with another access level."""
    if before.access_level != after.access_level:
        mail_new_member(ctx, after)


def mail_invitation(ctx: WriteContext, invitation: Invitation) -> None:
    """Mail an invitation."""
    _mail(ctx, "memberships.write_invitation", invitation)


def mail_access_request(ctx: WriteContext, request: AccessRequest) -> None:
    """Mail a request for access."""
    _mail(ctx, "memberships.write_requested", request)


def mail_removed_access_request(ctx: WriteContext, request: AccessRequest) -> None:
    """Mail that a request for access was denied."""
    _mail(ctx, "memberships.write_denied", request, ctx.user)


# Projects


def mail_release(ctx: WriteContext, release: Release) -> None:
    """Mail a new release."""
    _mail(ctx, "projects.write_release", release)


def mail_changed_project(ctx: WriteContext, before: Project, after: Project) -> None:
    """Mail a project with another path."""
    if (before.path, before.namespace_id) != (after.path, after.namespace_id):
        _mail(ctx, "projects.write_moved", before, after)


def mail_export(ctx: WriteContext, export: Export, user_id: int) -> None:
    """Mail a finished export."""
    _mail(ctx, "projects.write_exported", export.source, user_id)


def mail_alert(ctx: WriteContext, alert: Alert) -> None:
    """Mail a new alert."""
    _mail(ctx, "projects.write_alert", alert)
