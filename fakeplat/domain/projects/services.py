"""Integrations of projects: each is declared once, and everything about its slug follows from that.

```python
declare(Integration("webhook-chat", "Chat", (Property("webhook", required=True),), flags=("push_events",)))
```

Source: docs/platform/integrations.md, docs/contract.md ('Alerts, SCIM, pipelines'), docs/decisions/rulings.md (31).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import evolve, fields

from fakeplat.core.store.frozen import frozen
from fakeplat.model.projects import Project
from fakeplat.model.services import Service
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

Given = Mapping[str, Any]
EVENTS: Final = tuple(field.name for field in fields(Service) if field.name.endswith(("_events", "_event_enabled")))
"""The switches for kinds of events, in the order in which answers show them."""


@frozen
class Property:
    """Something that an integration is told. ``kind`` is a parameter's annotation.

    ``passing``: acted upon and not kept. ``secret``: kept and never shown.
    """

    name: str
    kind: object = str
    required: bool = False
    passing: bool = False
    secret: bool = False


def _as_sent(ctx: WriteContext, before: Given, given: Given) -> dict[str, Any]:
    """The properties that an integration has after an update: those before, and those that were sent."""
    del ctx
    return {**before, **given}


@frozen
class Integration:
    """A kind of integration. ``own`` are properties that no client can set.

    ``settle`` gives the properties after an update, from those before it and those that were sent.
    """

    slug: str
    title: str
    properties: tuple[Property, ...] = ()
    flags: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    settle: Callable[[WriteContext, Given, Given], dict[str, Any]] = _as_sent

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of the properties that are stored."""
        return (*self.own, *(one.name for one in self.properties if not one.passing))

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the properties that answers show."""
        secrets = {one.name for one in self.properties if one.secret}
        return tuple(name for name in self.kept if name not in secrets)


INTEGRATIONS: Final[dict[str, Integration]] = {}
UNBUILT: Final = frozenset(
    "asana assembla bamboo bugzilla buildkite campfire confluence custom-issue-tracker discord drone-ci emails-on-push "
    "ewm external-wiki flowdock github hangouts-chat hipchat irker jenkins jira mattermost mattermost-slash-commands "
    "microsoft-teams packagist pipelines-email pivotaltracker prometheus pushover redmine slack slack-slash-commands "
    "teamcity unify-circuit webex-teams youtrack".split()
)
"""The slugs that the platform has and nothing here declares yet."""


def register_integration(integration: Integration) -> Integration:
    """Add a kind of integration."""
    INTEGRATIONS[integration.slug] = integration
    return integration


def find_service(world: World, project: Project, slug: str) -> Service | None:
    """A project's integration, whether active or not; None for one that was never configured."""
    return world.services.find("place", (project.id, slug))


def list_active(world: World, project: Project) -> list[Service]:
    """A project's active integrations."""
    return [service for service in world.services.where("project", project.id) if service.active]


def unconfigured_service(project: Project, slug: str) -> Any:
    """What stands for an integration that was never configured: no id, no times."""
    nothing: Any = None
    return Service(nothing, project.id, slug, nothing, nothing)


def update(ctx: WriteContext, project: Project, integration: Integration, given: Given) -> Service:
    """Configure an integration, and switch it on unless ``active`` is false."""
    found = find_service(ctx.world, project, integration.slug) or add_service(ctx, project, integration)
    said = {one.name: given[one.name] for one in integration.properties if given.get(one.name) is not None}
    settled = integration.settle(ctx, found.properties, said)
    changes = {
        **{name: given[name] for name in integration.flags if given.get(name) is not None},
        "active": given.get("active") is not False,
        "properties": {name: value for name, value in settled.items() if name in integration.kept},
    }
    return change_fields(ctx, found, **changes)


def add_service(ctx: WriteContext, project: Project, integration: Integration) -> Service:
    """Have an integration that was never configured; it is not active yet."""
    table, now = ctx.world.services, ctx.now_iso
    return table.add(Service(table.next_id(), project.id, integration.slug, now, now))


def change_fields(ctx: WriteContext, service: Service, **changes: Any) -> Service:
    """Give fields of an integration other values."""
    changed = evolve(service, **changes)
    if changed == service:
        return service
    changed = ctx.world.services.replace(service, evolve(changed, updated_at=changes.get("updated_at", ctx.now_iso)))
    ctx.emit("service_updated", changed)
    return changed


def switch_off(ctx: WriteContext, service: Service) -> None:
    """Make an integration inactive and forget what it was told; its record stays."""
    change_fields(ctx, service, active=False, properties={})
