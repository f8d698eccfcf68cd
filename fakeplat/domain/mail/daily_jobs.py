"""Mails of the platform's daily jobs: issues that are due tomorrow, access tokens and SSH keys that expire.

Source: docs/platform/mail.md ('Events and recipients'). Each is a scheduled task of its own, for which nobody waits:
otherwise `settle` would advance the clock to the day before the last due date.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, HOUR, MINUTE, from_iso, to_iso_date
from fakeplat.domain.hooks.token_hooks import execute_expiring_token
from fakeplat.domain.mail.receivers import (
    mail_due_issue,
    mail_expired_key,
    mail_expired_token,
    mail_expiring_key,
    mail_expiring_token,
)
from fakeplat.model.issues import Issue
from fakeplat.model.people import SshKey, Token
from fakeplat.policy.behaviours import BOTS_TELL_OF_EXPIRY, SSH_KEYS_TELL_OF_EXPIRY, TOKEN_NOTICES
from fakeplat.policy.context import WriteContext

_DUE_ISSUE: Final = "mail_due_issue"
_EXPIRING_TOKEN: Final = "mail_expiring_token"
_EXPIRED_TOKEN: Final = "mail_expired_token"
_EXPIRING_KEY: Final = "mail_expiring_key"
_EXPIRED_KEY: Final = "mail_expired_key"
# The times of the day at which the jobs run.
_ISSUES_AT: Final = 50 * MINUTE
_EXPIRING_AT: Final = HOUR
_EXPIRED_AT: Final = 2 * HOUR
_KEY_NOTICE: Final = 7 * DAY


def schedule_due_issue(ctx: WriteContext, issue: Issue) -> None:
    """Schedule the mails about an issue with a due date, unless the day before is over."""
    if issue.due_date is None:
        return
    at = from_iso(issue.due_date) - DAY + _ISSUES_AT
    if at > ctx.now():
        ctx.schedule(_DUE_ISSUE, ("issues", issue.id), at, recurring=True)


def schedule_due_clone(ctx: WriteContext, _original: Issue, clone: Issue) -> None:
    """Schedule the mails about a clone with a due date."""
    schedule_due_issue(ctx, clone)


def reschedule_due_issue(ctx: WriteContext, before: Issue, after: Issue) -> None:
    """Schedule the mails about an issue with another due date."""
    if before.due_date != after.due_date:
        ctx.cancel_tasks(("issues", after.id), _DUE_ISSUE)
        schedule_due_issue(ctx, after)


@task_handler(_DUE_ISSUE)
def _mail_due_issue(ctx: WriteContext, task: ScheduledTask) -> None:
    issue = ctx.world.issues.get(task.subject[1])
    if issue is not None and issue.state == "opened":
        mail_due_issue(ctx, issue)


def schedule_token(ctx: WriteContext, token: Token) -> None:
    """Schedule the mails about an access token that expires: before, and for personal ones on the day."""
    if token.expires_at is None or not _is_announced(ctx, token):
        return
    end = from_iso(to_iso_date(from_iso(token.expires_at)))
    notices = sorted(_list_notices(ctx))
    # Each notice is for the days after which the next one is due.
    for days, next_days in zip(notices, (-1, *notices), strict=False):
        # A token for less time is told of by the next run of the job.
        at = max(end - days * DAY, _tomorrow(ctx)) + _EXPIRING_AT
        if ctx.now() < at < end - next_days * DAY:
            ctx.schedule(_EXPIRING_TOKEN, ("tokens", token.id), at, recurring=True, days=days)
    if token.kind == "personal" and ctx.now() < end + _EXPIRED_AT:
        ctx.schedule(_EXPIRED_TOKEN, ("tokens", token.id), end + _EXPIRED_AT, recurring=True)


def _list_notices(ctx: WriteContext) -> Sequence[int]:
    """Return how many days before the end of a token its owners are told."""
    return ctx.profile.choose(TOKEN_NOTICES)


def _is_announced(ctx: WriteContext, token: Token) -> bool:
    is_of_bot = token.kind in ("project", "group")
    return token.kind == "personal" or (is_of_bot and ctx.profile.has(BOTS_TELL_OF_EXPIRY))


def _tomorrow(ctx: WriteContext) -> int:
    """Return the day of the next run of the job."""
    return (ctx.now() - _EXPIRING_AT) // DAY * DAY + DAY


def schedule_key(ctx: WriteContext, key: SshKey) -> None:
    """Schedule the mails about an SSH key that expires: a week before, and on the day."""
    if key.expires_at is None or not ctx.profile.has(SSH_KEYS_TELL_OF_EXPIRY):
        return
    end = from_iso(to_iso_date(from_iso(key.expires_at)))
    for kind, at in (
        (_EXPIRING_KEY, max(end - _KEY_NOTICE, _tomorrow(ctx)) + _EXPIRING_AT),
        (_EXPIRED_KEY, end + _EXPIRED_AT),
    ):
        if ctx.now() < at <= end + _EXPIRED_AT:
            ctx.schedule(kind, ("ssh_keys", key.id), at, recurring=True)


@task_handler(_EXPIRING_KEY)
def _mail_expiring_key(ctx: WriteContext, task: ScheduledTask) -> None:
    key = ctx.world.ssh_keys.get(task.subject[1])
    if key is not None:
        mail_expiring_key(ctx, key)


@task_handler(_EXPIRED_KEY)
def _mail_expired_key(ctx: WriteContext, task: ScheduledTask) -> None:
    key = ctx.world.ssh_keys.get(task.subject[1])
    if key is not None:
        mail_expired_key(ctx, key)


def _find_valid(ctx: WriteContext, task: ScheduledTask) -> Iterator[Token]:
    token = ctx.world.tokens.get(task.subject[1])
    if token is not None and not token.revoked:
        yield token


@task_handler(_EXPIRING_TOKEN)
def _mail_expiring_token(ctx: WriteContext, task: ScheduledTask) -> None:
    for token in _find_valid(ctx, task):
        days = int(task.args["days"])
        mail_expiring_token(ctx, token, days)
        # Webhooks get the last notice only.
        if token.kind != "personal" and days == min(_list_notices(ctx)):
            execute_expiring_token(ctx, token)


@task_handler(_EXPIRED_TOKEN)
def _mail_expired_token(ctx: WriteContext, task: ScheduledTask) -> None:
    for token in _find_valid(ctx, task):
        mail_expired_token(ctx, token)
