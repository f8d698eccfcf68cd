"""Which receivers get an event of a project: its webhooks, then its integrations.

A payload is built only if somebody gets it, as most worlds have no hooks.
"""

from typing import Final, ParamSpec

from fakeplat.domain.hooks.events import HookEvent, Receivers
from fakeplat.domain.hooks.webhooks import WEBHOOK_RECEIVERS
from fakeplat.domain.integrations.receivers import INTEGRATION_RECEIVERS
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext

P = ParamSpec("P")
_RECEIVERS: Final[tuple[Receivers, ...]] = (WEBHOOK_RECEIVERS, INTEGRATION_RECEIVERS)


def execute(ctx: WriteContext, project: Project, event: HookEvent[P], *args: P.args, **kwargs: P.kwargs) -> None:
    """Send an event of a project to everybody who gets it; the arguments are those of its payload.

    What a scenario loads are no events.
    """
    if ctx.is_loading or not ctx.profile.has(event.lifetime):
        return
    wanting = [receivers for receivers in _RECEIVERS if receivers.wants(ctx.world, project, event)]
    if wanting:
        payload = event.build_payload(ctx, *args, **kwargs)
        for receivers in wanting:
            receivers.receive(ctx, project, event, payload)
