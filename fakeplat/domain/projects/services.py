"""Integrations of projects, each declared once with its properties and events.

```python
register_integration(Integration("webhook-chat", "Chat", (Property("webhook", required=True),), flags=("push_events",)))
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

Params = Mapping[str, Any]
EVENTS: Final = tuple(field.name for field in fields(Service) if field.name.endswith(("_events", "_event_enabled")))
"""The switches for kinds of events, in the order of the responses."""


@frozen
class Property:
    """A setting of an integration. ``kind`` is a parameter's annotation.

    ``transient``: used once and not stored. ``secret``: stored but never returned.
    """

    name: str
    kind: object = str
    required: bool = False
    transient: bool = False
    secret: bool = False


def _override_properties(ctx: WriteContext, before: Params, changes: Params) -> dict[str, Any]:
    """Return an integration's properties after an update: the previous ones, overridden by those sent."""
    del ctx
    return {**before, **changes}


@frozen
class Integration:
    """A kind of integration. ``internal`` are properties that clients cannot set.

    ``merge_properties`` computes the properties after an update, from the previous ones and those sent.
    """

    slug: str
    title: str
    properties: tuple[Property, ...] = ()
    flags: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    merge_properties: Callable[[WriteContext, Params, Params], dict[str, Any]] = _override_properties

    @property
    def stored_names(self) -> tuple[str, ...]:
        """Return the names of the stored properties."""
        return (*self.internal, *(prop.name for prop in self.properties if not prop.transient))

    @property
    def visible_names(self) -> tuple[str, ...]:
        """Return the names of the properties in responses."""
        secrets = {prop.name for prop in self.properties if prop.secret}
        return tuple(name for name in self.stored_names if name not in secrets)


INTEGRATIONS: Final[dict[str, Integration]] = {}
UNIMPLEMENTED: Final = frozenset(
    "asana assembla bamboo bugzilla buildkite campfire confluence custom-issue-tracker discord drone-ci emails-on-push "
    "ewm external-wiki flowdock github hangouts-chat hipchat irker jenkins jira mattermost mattermost-slash-commands "
    "microsoft-teams packagist pipelines-email pivotaltracker prometheus pushover redmine slack slack-slash-commands "
    "teamcity unify-circuit webex-teams youtrack".split()
)
"""Slugs of the platform's integrations that are not implemented here."""


def register_integration(integration: Integration) -> Integration:
    """Register a kind of integration."""
    INTEGRATIONS[integration.slug] = integration
    return integration


def find_service(world: World, project: Project, slug: str) -> Service | None:
    """Return a project's integration, active or not; None if it was never configured."""
    return world.services.find("place", (project.id, slug))


def list_active(world: World, project: Project) -> list[Service]:
    """Return a project's active integrations."""
    return [service for service in world.services.where("project", project.id) if service.active]


def unconfigured_service(project: Project, slug: str) -> Any:
    """Return a placeholder for an integration that was never configured, without id and times."""
    unset: Any = None
    return Service(unset, project.id, slug, unset, unset)


def update(ctx: WriteContext, project: Project, integration: Integration, params: Params) -> Service:
    """Configure an integration, and activate it unless ``active`` is false."""
    service = find_service(ctx.world, project, integration.slug) or add_service(ctx, project, integration)
    # Null counts as not sent, so it cannot clear a property.
    sent = {prop.name: params[prop.name] for prop in integration.properties if params.get(prop.name) is not None}
    properties = integration.merge_properties(ctx, service.properties, sent)
    changes = {
        **{name: params[name] for name in integration.flags if params.get(name) is not None},
        # Configuring an integration activates it, even if it was inactive before.
        "active": params.get("active") is not False,
        "properties": {name: value for name, value in properties.items() if name in integration.stored_names},
    }
    return change_fields(ctx, service, **changes)


def add_service(ctx: WriteContext, project: Project, integration: Integration) -> Service:
    """Create the record of an integration that was never configured, inactive."""
    table, now = ctx.world.services, ctx.now_iso
    return table.add(Service(table.next_id(), project.id, integration.slug, now, now))


def change_fields(ctx: WriteContext, service: Service, **changes: Any) -> Service:
    """Change fields of an integration."""
    changed = evolve(service, **changes)
    if changed == service:
        return service
    changed = ctx.world.services.replace(service, evolve(changed, updated_at=changes.get("updated_at", ctx.now_iso)))
    ctx.emit("service_updated", changed)
    return changed


def deactivate(ctx: WriteContext, service: Service) -> None:
    """Deactivate an integration and clear its properties; the record stays."""
    change_fields(ctx, service, active=False, properties={})
