"""Mails of the platform's daily jobs: issues that are due tomorrow, and access tokens that expire.

Source: docs/platform/mail.md ('Events and recipients'). Each is a scheduled task of its own, for which nobody waits:
otherwise `settle` would advance the clock to the day before the last due date.
"""

from collections.abc import Iterator
from typing import Final

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, HOUR, MINUTE, from_iso, to_iso_date
from fakeplat.domain.mail.receivers import mail_due_issue, mail_expired_token, mail_expiring_token
from fakeplat.model.issues import Issue
from fakeplat.model.people import Token
from fakeplat.policy.context import WriteContext

_DUE_ISSUE: Final = "mail_due_issue"
_EXPIRING_TOKEN: Final = "mail_expiring_token"
_EXPIRED_TOKEN: Final = "mail_expired_token"
# The times of the day at which the jobs run.
_ISSUES_AT: Final = 50 * MINUTE
_EXPIRING_AT: Final = HOUR
_EXPIRED_AT: Final = 2 * HOUR
_NOTICE: Final = 7 * DAY


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
    """Schedule the mails about a personal access token that expires: a week before, and on the day."""
    if token.kind != "personal" or token.expires_at is None:
        return
    end = from_iso(to_iso_date(from_iso(token.expires_at)))
    # A token for less than a week is told of by the next run of the job.
    tomorrow = (ctx.now() - _EXPIRING_AT) // DAY * DAY + DAY
    for kind, at in (
        (_EXPIRING_TOKEN, max(end - _NOTICE, tomorrow) + _EXPIRING_AT),
        (_EXPIRED_TOKEN, end + _EXPIRED_AT),
    ):
        if ctx.now() < at <= end + _EXPIRED_AT:
            ctx.schedule(kind, ("tokens", token.id), at, recurring=True)


def _find_valid(ctx: WriteContext, task: ScheduledTask) -> Iterator[Token]:
    token = ctx.world.tokens.get(task.subject[1])
    if token is not None and not token.revoked:
        yield token


@task_handler(_EXPIRING_TOKEN)
def _mail_expiring_token(ctx: WriteContext, task: ScheduledTask) -> None:
    for token in _find_valid(ctx, task):
        mail_expiring_token(ctx, token)


@task_handler(_EXPIRED_TOKEN)
def _mail_expired_token(ctx: WriteContext, task: ScheduledTask) -> None:
    for token in _find_valid(ctx, task):
        mail_expired_token(ctx, token)
