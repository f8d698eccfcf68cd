"""User agents with which records were created. Source: docs/platform/issues.md."""

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.references import Subject
from fakeplat.model.people import UserAgentDetail
from fakeplat.model.world import World
from fakeplat.policy.behaviours import USER_AGENTS_ARE_RECORDED
from fakeplat.policy.context import ReadContext, WriteContext


def record_user_agent(ctx: WriteContext, subject: Subject) -> None:
    """Store the user agent and address of the current request; nothing if it sends no user agent."""
    request = ctx.request
    user_agent = request.headers.get("user-agent") if request else None
    if not ctx.profile.has(USER_AGENTS_ARE_RECORDED):
        return
    # There is no request while a scenario is loaded or a scheduled task runs.
    if request is None or not user_agent or not request.remote_ip:
        return
    insert_user_agent(ctx, subject, user_agent, request.remote_ip)


def insert_user_agent(
    ctx: WriteContext, subject: Subject, user_agent: str, ip_address: str, *, submitted: bool = False
) -> UserAgentDetail:
    """Store a subject's user agent, replacing an earlier one."""
    table, before = ctx.world.user_agent_details, find_user_agent(ctx.world, subject)
    if before is not None:
        return table.change(before, user_agent=user_agent, ip_address=ip_address, antispam_submitted=submitted)
    return table.add(UserAgentDetail(table.next_id(), subject, user_agent, ip_address, submitted))


def find_user_agent(world: World, subject: Subject) -> UserAgentDetail | None:
    """Return a subject's user agent, or None."""
    return world.user_agent_details.find("subject", subject)


def can_report_spam(ctx: ReadContext, subject: Subject) -> bool:
    """Return whether the caller may report a subject as spam: an administrator, once, if the user agent is known."""
    detail = find_user_agent(ctx.world, subject)
    is_reportable = detail is not None and not detail.antispam_submitted and ctx.world.settings.akismet_enabled
    return ctx.admin and is_reportable


def get_user_agent(ctx: ReadContext, subject: Subject, words: str) -> UserAgentDetail:
    """Return a subject's user agent, or raise 404; ``words`` describes the subject (``issue 1``)."""
    detail = find_user_agent(ctx.world, subject)
    if detail is None:
        raise NotFound("UserAgentDetail", reason=f"{words} was created without a user agent")
    return detail
