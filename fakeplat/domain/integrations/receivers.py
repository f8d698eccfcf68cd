"""The integrations of a project as receivers of its events, after its webhooks.

Source: docs/platform/integrations.md.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from fakeplat.domain.hooks.triggers import Payload, Trigger
from fakeplat.domain.projects import services
from fakeplat.model.projects import Project
from fakeplat.model.services import Service
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_FLAGS: Final[Mapping[Trigger, tuple[str, ...]]] = {
    # Jira hears of pushes because of their commits.
    "push_hooks": ("push_events", "commit_events"),
    "tag_push_hooks": ("tag_push_events",),
    "issue_hooks": ("issues_events",),
    "confidential_issue_hooks": ("confidential_issues_events",),
    "note_hooks": ("note_events",),
    "confidential_note_hooks": ("confidential_note_events",),
    "merge_request_hooks": ("merge_requests_events",),
    "job_hooks": ("job_events",),
    "pipeline_hooks": ("pipeline_events",),
    "wiki_page_hooks": ("wiki_page_events",),
    "deployment_hooks": ("deployment_events",),
    "alert_hooks": ("alert_events",),
}
"""The flags that switch an event. An integration receives it if it knows one of them and that is on."""


class _Integrations:
    """The integrations of projects."""

    def wants(self, world: World, project: Project, trigger: Trigger) -> bool:
        """Return whether any integration of a project may get an event."""
        return any(True for _ in _list_receivers(world, project, trigger))

    def receive(self, ctx: WriteContext, project: Project, trigger: Trigger, payload: Payload) -> None:
        """Send the event in the formats of the integrations that get it."""
        # Imported late: most worlds have no integrations.
        from fakeplat.domain.integrations import deliveries
        from fakeplat.domain.integrations.events import Event

        for service in list(_list_receivers(ctx.world, project, trigger)):
            for outgoing in deliveries.build(Event(ctx, project, service, trigger, payload)):
                ctx.send(outgoing)


INTEGRATION_RECEIVERS: Final = _Integrations()


def _list_receivers(world: World, project: Project, trigger: Trigger) -> Iterator[Service]:
    flags = _FLAGS.get(trigger, ())
    return (service for service in services.list_active(world, project) if _listens(service, flags))


def _listens(service: Service, flags: tuple[str, ...]) -> bool:
    from fakeplat.domain.integrations.catalog import INTEGRATIONS

    events = INTEGRATIONS[service.slug].events
    return any(flag in events and getattr(service, flag) for flag in flags)
