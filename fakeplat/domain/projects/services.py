"""Integrations of projects: their declarations, and the changes of their records.

```python
register_integration(Integration("webhook-chat", "Chat", (Property("webhook", required=True),), flags=("push_events",)))
```

`fakeplat.domain.integrations.catalog` declares those of the platform, each once.

Source: docs/platform/integrations.md, docs/contract.md ('Alerts, SCIM, pipelines'), docs/decisions/rulings.md (31).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypedDict, Unpack

from attrs import evolve, field

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.store.frozen import frozen
from fakeplat.model.hooks import Service
from fakeplat.model.instance import Instance
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

Params = Mapping[str, Any]


@frozen
class Property:
    """A setting of an integration. ``kind`` is a parameter's annotation.

    ``required``: each update has to send it, though it may be null. ``transient``: used once and not stored.
    """

    name: str
    kind: object = str
    required: bool = False
    transient: bool = False


def _override_properties(_ctx: WriteContext, before: Params, changes: Params) -> dict[str, Any]:
    """Return an integration's properties after an update: the previous ones, overridden by those sent."""
    return {**before, **changes}


def _accept(_ctx: WriteContext, _properties: Params) -> str:
    return ""


@frozen(eq=False)
class Integration:
    """A kind of integration.

    ``flags`` are the parameters that switch kinds of events; those in ``strict_flags`` have to be Booleans, the others
    are texts that are cast. ``further_events`` are flags of received events that are no parameters. ``fields`` are the
    properties in responses, in their order, and ``secrets`` those that responses never contain; the platform hides
    properties by their names. ``shows_unset``: properties that are not stored are null in responses, not left out.
    ``defaults`` are fields of a new record that differ from the usual ones.

    ``merge_properties`` computes the properties after an update, from the previous ones and those sent.
    ``explain_error`` says why an active integration is invalid; empty if it is valid.
    """

    slug: str
    title: str
    properties: tuple[Property, ...] = ()
    flags: tuple[str, ...] = ()
    merge_properties: Callable[[WriteContext, Params, Params], dict[str, Any]] = _override_properties
    strict_flags: frozenset[str] = frozenset()
    further_events: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    shows_unset: bool = False
    defaults: Mapping[str, Any] = field(factory=dict)
    explain_error: Callable[[WriteContext, Params], str] = _accept
    tier: str = ""

    @property
    def events(self) -> tuple[str, ...]:
        """Return the flags of the kinds of events that it receives."""
        return (*self.flags, *self.further_events)

    @property
    def form_names(self) -> tuple[str, ...]:
        """Return the names of the properties that deleting an integration clears."""
        return (*self.secrets, *self.fields)


_FALSE: Final = ("", "0", "f", "false", "off")
INTEGRATIONS: Final[dict[str, Integration]] = {}


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


def find_integration(instance: Instance, slug: str) -> Integration | None:
    """Return the kind of integration with a slug; None if there is none at the instance's tier."""
    integration = INTEGRATIONS.get(slug)
    return integration if integration is not None and instance.has(integration.tier) else None


def unconfigured_service(project: Project, slug: str) -> Any:
    """Return a placeholder for an integration that was never configured, without id and times."""
    unset: Any = None
    return Service(unset, project.id, slug, unset, unset, **INTEGRATIONS[slug].defaults)


def update(ctx: WriteContext, project: Project, integration: Integration, params: Params) -> Service:
    """Configure an integration, and activate it unless ``active`` is false. BadRequest if it is invalid."""
    service = find_service(ctx.world, project, integration.slug) or add_service(ctx, project, integration)
    sent = {prop.name: params[prop.name] for prop in integration.properties if prop.name in params}
    merged = integration.merge_properties(ctx, service.properties, sent)
    changes: dict[str, Any] = {
        **{name: _cast(params[name]) for name in integration.flags if params.get(name) is not None},
        # Configuring an integration activates it, even if it was inactive before.
        "active": params.get("active") is not False,
        "properties": {name: value for name, value in merged.items() if name not in _transient_names(integration)},
    }
    error = integration.explain_error(ctx, changes["properties"]) if changes["active"] else ""
    if error:
        raise BadRequest("400 Bad Request", reason=f"the integration {integration.slug} would be invalid: {error}")
    return change_fields(ctx, service, **changes)


def _transient_names(integration: Integration) -> set[str]:
    return {prop.name for prop in integration.properties if prop.transient}


def _cast(flag: object) -> bool:
    """Cast a flag as the platform's database does."""
    return str(flag).lower() not in _FALSE


def add_service(ctx: WriteContext, project: Project, integration: Integration) -> Service:
    """Create the record of an integration that was never configured, inactive."""
    table, now = ctx.world.services, ctx.now_iso
    return table.add(Service(table.next_id(), project.id, integration.slug, now, now, **integration.defaults))


class ServiceChanges(TypedDict, total=False):
    """Changes of an integration."""

    active: bool
    commit_events: bool
    push_events: bool
    issues_events: bool
    confidential_issues_events: bool
    merge_requests_events: bool
    tag_push_events: bool
    note_events: bool
    confidential_note_events: bool
    pipeline_events: bool
    wiki_page_events: bool
    job_events: bool
    comment_on_event_enabled: bool
    deployment_events: bool
    alert_events: bool
    properties: Mapping[str, Any]
    updated_at: str


def change_fields(ctx: WriteContext, service: Service, **changes: Unpack[ServiceChanges]) -> Service:
    """Change fields of an integration."""
    changed = evolve(service, **changes)
    if changed == service:
        return service
    return ctx.world.services.replace(service, evolve(changed, updated_at=changes.get("updated_at", ctx.now_iso)))


def delete(ctx: WriteContext, project: Project, integration: Integration) -> None:
    """Deactivate an integration and clear its properties; the record stays, and is created if there is none."""
    service = find_service(ctx.world, project, integration.slug)
    ctx.check_unmodified_since(service.updated_at if service else None)
    service = service or add_service(ctx, project, integration)
    kept = {name: value for name, value in service.properties.items() if name not in integration.form_names}
    cleared = {} if integration.shows_unset else dict.fromkeys(integration.form_names)
    change_fields(ctx, service, active=False, properties={**kept, **cleared})
