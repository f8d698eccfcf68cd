"""With what something was written, as the request says. Source: docs/platform/specification.md ('Issues')."""

from fakeplat.core.operations.errors import NotFound
from fakeplat.model.user_agents import UserAgentDetail
from fakeplat.model.world import World
from fakeplat.policy.context import Context, Doing

Subject = tuple[str, int]


def note(cx: Doing, subject: Subject) -> None:
    """Keep the program and the address of the request that makes something; nothing of one that does not say."""
    request = cx.request
    user_agent = request.headers.get("user-agent") if request else None
    if request is None or not user_agent or not request.peer:
        return
    put(cx, subject, user_agent, request.peer)


def put(cx: Doing, subject: Subject, user_agent: str, ip_address: str, *, submitted: bool = False) -> UserAgentDetail:
    """Keep with what something was written, in the place of what was known."""
    table, before = cx.world.user_agent_details, of(cx.world, subject)
    if before is not None:
        return table.change(before, user_agent=user_agent, ip_address=ip_address, antispam_submitted=submitted)
    return table.add(UserAgentDetail(table.next_id(), subject, user_agent, ip_address, submitted))


def of(world: World, subject: Subject) -> UserAgentDetail | None:
    """With what something was written, if that is known."""
    return world.user_agent_details.find("subject", subject)


def get(cx: Context, subject: Subject, words: str) -> UserAgentDetail:
    """With what something (in words: ``issue 1``) was written, or 404."""
    found = of(cx.world, subject)
    if found is None:
        raise NotFound("UserAgentDetail", reason=f"{words} did not come with a user agent")
    return found


def drop(cx: Doing, subject: Subject) -> None:
    """Forget it with what goes."""
    found = of(cx.world, subject)
    if found is not None:
        cx.world.user_agent_details.remove(found)
