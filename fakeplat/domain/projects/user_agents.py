"""With what something was written, as the request says. Source: docs/platform/specification.md ('Issues')."""

from fakeplat.core.operations.errors import NotFound
from fakeplat.model.user_agents import UserAgentDetail
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

Subject = tuple[str, int]


def record_user_agent(ctx: WriteContext, subject: Subject) -> None:
    """Keep the program and the address of the request that makes something; nothing of one that does not say."""
    request = ctx.request
    user_agent = request.headers.get("user-agent") if request else None
    if request is None or not user_agent or not request.peer:
        return
    insert_user_agent(ctx, subject, user_agent, request.peer)


def insert_user_agent(
    ctx: WriteContext, subject: Subject, user_agent: str, ip_address: str, *, submitted: bool = False
) -> UserAgentDetail:
    """Keep with what something was written, in the place of what was known."""
    table, before = ctx.world.user_agent_details, find_user_agent(ctx.world, subject)
    if before is not None:
        return table.change(before, user_agent=user_agent, ip_address=ip_address, antispam_submitted=submitted)
    return table.add(UserAgentDetail(table.next_id(), subject, user_agent, ip_address, submitted))


def find_user_agent(world: World, subject: Subject) -> UserAgentDetail | None:
    """With what something was written, if that is known."""
    return world.user_agent_details.find("subject", subject)


def get_user_agent(ctx: ReadContext, subject: Subject, words: str) -> UserAgentDetail:
    """With what something (in words: ``issue 1``) was written, or 404."""
    found = find_user_agent(ctx.world, subject)
    if found is None:
        raise NotFound("UserAgentDetail", reason=f"{words} did not come with a user agent")
    return found
