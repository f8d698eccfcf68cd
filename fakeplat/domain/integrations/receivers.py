"""The integrations of a project as receivers of its events, after its webhooks.

Source: docs/platform/integrations.md.
"""

from collections.abc import Iterator
from typing import Final

from fakeplat.domain.hooks.events import PUSH, HookEvent, Payload
from fakeplat.domain.projects import services
from fakeplat.model.hooks import Service
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

# Jira hears of pushes because of their commits.
_COMMIT_FLAG: Final = "commit_events"


class _Integrations:
    """The integrations of projects."""

    def wants(self, world: World, project: Project, event: HookEvent[...]) -> bool:
        """Return whether any integration of a project may get an event."""
        # As with webhooks, nearly all worlds have none.
        return bool(world.services) and any(True for _ in _list_receivers(world, project, event))

    def receive(self, ctx: WriteContext, project: Project, event: HookEvent[...], payload: Payload) -> None:
        """Send the event in the formats of the integrations that get it."""
        # Imported late: most worlds have no integrations.
        from fakeplat.domain.integrations import deliveries
        from fakeplat.domain.integrations.events import Event

        for service in list(_list_receivers(ctx.world, project, event)):
            for outgoing in deliveries.build(Event(ctx, project, service, event.trigger, payload)):
                ctx.send(outgoing)


INTEGRATION_RECEIVERS: Final = _Integrations()


def _list_receivers(world: World, project: Project, event: HookEvent[...]) -> Iterator[Service]:
    """Yield the integrations that know a flag of an event and have it on."""
    flags = (event.flag, _COMMIT_FLAG) if event is PUSH else (event.flag,)
    return (service for service in services.list_active(world, project) if _listens(service, flags))


def _listens(service: Service, flags: tuple[str, ...]) -> bool:
    from fakeplat.domain.integrations.catalog import INTEGRATIONS

    events = INTEGRATIONS[service.slug].events
    return any(flag in events and getattr(service, flag) for flag in flags)
