"""Integrations of projects and groups: their declarations, and the changes of their records.

```python
register_integration(Integration("webhook-chat", "Chat", (Property("webhook", required=True),), flags=("push_events",)))
```

`fakeplat.domain.integrations.catalog` declares those of the platform, each once.

Source: docs/platform/integrations.md, docs/contract.md ('Alerts, SCIM, pipelines'), docs/decisions/rulings.md (31).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from attrs import evolve, field

from fakeplat.core.operations.errors import BadRequest, inspect_errors
from fakeplat.core.release import Lifetime, Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people.members import source_of
from fakeplat.model.hooks import Service
from fakeplat.model.instance import Instance
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.behaviours import ADDRESSES_OF_CHATS_ARE_HIDDEN, INTEGRATION_ERRORS_ARE_SHOWN
from fakeplat.policy.context import WriteContext

Params = Mapping[str, Any]


@frozen
class Property:
    """A setting of an integration. ``kind`` is a parameter's annotation.

    ``required``: each update has to send it, though it may be null; in some releases only, if it is a lifetime.
    ``transient``: used once and not stored. ``since``: the first release with it.
    """

    name: str
    kind: object = str
    required: bool | Lifetime = False
    transient: bool = False
    since: str = ""
    lifetime: Lifetime = field(init=False)

    @lifetime.default
    def _build_lifetime(self) -> Lifetime:
        return Lifetime(self.since)

    def is_required(self, profile: Profile) -> bool:
        """Return whether each update has to send it in a release."""
        return profile.has(self.required) if isinstance(self.required, Lifetime) else self.required


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
    ``explain_error`` says why an active integration is invalid, as ``name: text``; empty if it is valid.

    ``since`` and ``until``: the releases that have it. ``later_flags``: flags that came later, with their releases.
    ``is_for_projects_only``: groups do not have it; ``is_hosted_only``: only the hosted offering has it, and an
    ``is_retired`` one nobody any more. ``is_installed_elsewhere``: the API only edits it; ``needs_setting``: the
    application setting without which groups do not have it.
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
    since: str = ""
    until: str = ""
    later_flags: Mapping[str, str] = field(factory=dict)
    is_for_projects_only: bool = False
    is_hosted_only: bool = False
    is_retired: bool = False
    is_installed_elsewhere: bool = False
    needs_setting: str = ""
    lifetime: Lifetime = field(init=False)
    events: frozenset[str] = field(init=False)
    """The flags of the kinds of events that it receives."""

    @lifetime.default
    def _build_lifetime(self) -> Lifetime:
        return Lifetime(self.since, self.until)

    @events.default
    def _join_events(self) -> frozenset[str]:
        return frozenset((*self.flags, *self.later_flags, *self.further_events))

    def list_properties(self, profile: Profile) -> list[Property]:
        """Return the properties that a release has."""
        return [prop for prop in self.properties if profile.has(prop.lifetime)]

    def list_flags(self, profile: Profile) -> list[str]:
        """Return the flags that a release has."""
        later = [flag for flag, since in self.later_flags.items() if profile.has(Lifetime(since))]
        return [*self.flags, *later]

    def list_fields(self, profile: Profile) -> list[str]:
        """Return the names of the properties in the responses of a release."""
        # Others than columns are shown where they are stored, which they are only in releases that have them.
        later = self.properties if self.shows_unset else ()
        missing = {prop.name for prop in later if not profile.has(prop.lifetime)}
        return [name for name in self.fields if name not in missing and not is_hidden(name, profile)]

    @property
    def form_names(self) -> tuple[str, ...]:
        """Return the names of the properties that deleting an integration clears."""
        return (*self.secrets, *self.fields)


def is_hidden(name: str, profile: Profile) -> bool:
    """Return whether responses of a release never contain a property, whatever integration has it."""
    return name == "webhook" and profile.has(ADDRESSES_OF_CHATS_ARE_HIDDEN)


_FALSE: Final = ("", "0", "f", "false", "off")
INTEGRATIONS: Final[dict[str, Integration]] = {}


def register_integration(integration: Integration) -> Integration:
    """Register a kind of integration."""
    INTEGRATIONS[integration.slug] = integration
    return integration


def find_service(world: World, owner: Routable, slug: str) -> Service | None:
    """Return the integration of a project or group, active or not; None if it was never configured."""
    return world.services.find("place", (source_of(owner), slug))


def list_services(world: World, owner: Routable) -> Sequence[Service]:
    """Return the integrations of a project or group, active or not."""
    return world.services.where("source", source_of(owner))


def list_active(world: World, owner: Routable) -> list[Service]:
    """Return the active integrations of a project or group."""
    return [service for service in list_services(world, owner) if service.active]


def find_integration(instance: Instance, slug: str) -> Integration | None:
    """Return the kind of integration with a slug; None if the instance's release or tier has none."""
    integration = INTEGRATIONS.get(slug)
    if integration is None or not instance.has(integration.tier) or not instance.profile.has(integration.lifetime):
        return None
    return integration


def is_available(world: World, owner: Routable, integration: Integration) -> bool:
    """Return whether a project or group can have an integration that the release knows."""
    if integration.is_retired or (integration.is_hosted_only and not world.instance.hosted):
        return False
    if isinstance(owner, Project):
        return True
    needed = integration.needs_setting
    return not integration.is_for_projects_only and bool(not needed or getattr(world.settings, needed, None))


def unconfigured_service(owner: Routable, slug: str) -> Any:
    """Return a placeholder for an integration that was never configured, without id and times."""
    unset: Any = None
    return Service(unset, source_of(owner), slug, unset, unset, **INTEGRATIONS[slug].defaults)


def update(ctx: WriteContext, owner: Routable, integration: Integration, params: Params) -> Service:
    """Configure an integration, and activate it unless ``active`` is false. BadRequest if it is invalid."""
    service = find_service(ctx.world, owner, integration.slug) or add_service(ctx, owner, integration)
    sent = {prop.name: params[prop.name] for prop in integration.properties if prop.name in params}
    merged = integration.merge_properties(ctx, service.properties, sent)
    flags = integration.list_flags(ctx.profile)
    changes: ServiceChanges = {
        **{name: _cast(params[name]) for name in flags if params.get(name) is not None},  # type: ignore[typeddict-item]  # flags are fields
        "properties": {name: value for name, value in merged.items() if name not in _transient_names(integration)},
        "inherit_from_id": None,
    }
    if not integration.is_installed_elsewhere:
        # Configuring an integration activates it, even if it was inactive before.
        changes["active"] = params.get("active") is not False
    changed = change_fields(ctx, service, **changes)
    _refuse_invalid(ctx, integration, changed)
    return changed


def _refuse_invalid(ctx: WriteContext, integration: Integration, service: Service) -> None:
    error = integration.explain_error(ctx, service.properties) if service.active else ""
    if error:
        message = "400 Bad Request"
        if ctx.profile.has(INTEGRATION_ERRORS_ARE_SHOWN):
            message = f"Failed to update integration. {inspect_errors(_read_errors(error))}"
        raise BadRequest(message, reason=f"the integration {integration.slug} would be invalid: {error}")


def _read_errors(error: str) -> dict[str, list[str]]:
    """Return the texts by the names of the properties, given as ``first, second: text``."""
    names, _, text = error.partition(": ")
    return {name: [text] for name in names.split(", ")}


def _transient_names(integration: Integration) -> set[str]:
    return {prop.name for prop in integration.properties if prop.transient}


def _cast(flag: object) -> bool:
    """Cast a flag as the platform's database does."""
    return str(flag).lower() not in _FALSE


def add_service(ctx: WriteContext, owner: Routable, integration: Integration) -> Service:
    """Create the record of an integration that was never configured, inactive."""
    table, now = ctx.world.services, ctx.now_iso
    return table.add(Service(table.next_id(), source_of(owner), integration.slug, now, now, **integration.defaults))


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
    incident_events: bool
    vulnerability_events: bool
    properties: Mapping[str, Any]
    inherit_from_id: int | None
    updated_at: str


def change_fields(ctx: WriteContext, service: Service, **changes: Unpack[ServiceChanges]) -> Service:
    """Change fields of an integration."""
    changed = evolve(service, **changes)
    if changed == service:
        return service
    return ctx.world.services.replace(service, evolve(changed, updated_at=changes.get("updated_at", ctx.now_iso)))


def delete(ctx: WriteContext, owner: Routable, integration: Integration) -> Service:
    """Deactivate an integration and clear its properties; the record stays, and is created if there is none."""
    service = find_service(ctx.world, owner, integration.slug)
    ctx.check_unmodified_since(service.updated_at if service else None)
    service = service or add_service(ctx, owner, integration)
    kept = {name: value for name, value in service.properties.items() if name not in integration.form_names}
    cleared = {} if integration.shows_unset else dict.fromkeys(integration.form_names)
    return change_fields(ctx, service, active=False, properties={**kept, **cleared})
