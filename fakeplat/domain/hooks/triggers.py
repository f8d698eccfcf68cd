"""Which receivers get an event of a project: its webhooks, then its integrations.

A payload is built only if somebody gets it, as most worlds have no hooks.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, Protocol

from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

Trigger = Literal[
    "push_hooks",
    "tag_push_hooks",
    "issue_hooks",
    "confidential_issue_hooks",
    "note_hooks",
    "confidential_note_hooks",
    "merge_request_hooks",
    "job_hooks",
    "pipeline_hooks",
    "wiki_page_hooks",
    "deployment_hooks",
    "feature_flag_hooks",
    "release_hooks",
    "alert_hooks",
]
Payload = Mapping[str, Any]


class Receivers(Protocol):
    """A kind of receivers: webhooks or integrations."""

    def wants(self, world: World, project: Project, trigger: Trigger) -> bool:
        """Return whether any receiver of a project may get an event."""

    def receive(self, ctx: WriteContext, project: Project, trigger: Trigger, payload: Payload) -> None:
        """Send the event to the receivers that get it."""


def is_silent(ctx: WriteContext) -> bool:
    """Return whether no webhook gets an event: most worlds have none, and what a scenario loads is no event."""
    return ctx.is_loading or not ctx.world.hooks.all_ids()


def execute(ctx: WriteContext, project: Project, trigger: Trigger, build: Callable[[], Payload]) -> None:
    """Send an event of a project to everybody who gets it; ``build`` returns the payload.

    What a scenario loads are no events.
    """
    if ctx.is_loading:
        return
    wanting = [receivers for receivers in _all_receivers() if receivers.wants(ctx.world, project, trigger)]
    if wanting:
        payload = build()
        for receivers in wanting:
            receivers.receive(ctx, project, trigger, payload)


@cache
def _all_receivers() -> tuple[Receivers, ...]:
    # Both modules import this one.
    from fakeplat.domain.hooks.webhooks import WEBHOOK_RECEIVERS
    from fakeplat.domain.integrations.receivers import INTEGRATION_RECEIVERS

    return WEBHOOK_RECEIVERS, INTEGRATION_RECEIVERS
