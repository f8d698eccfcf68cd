"""Views of integrations. Source: docs/platform/integrations.md."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.alerts.alert_endpoint import SLUG as ALERTS
from fakeplat.domain.integrations.catalog import INTEGRATIONS
from fakeplat.entities import urls
from fakeplat.model.hooks import Service
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext


class ServiceBasic(Entity[Service]):
    """An integration in a list."""

    ctx: ReadContext

    # An integration that is not configured has neither an id nor times (ruling 31).
    @computed
    def id(self) -> int | None:
        return self.record.id

    @computed
    def title(self) -> str:
        return INTEGRATIONS[self.record.slug].title

    slug = attr()

    @computed
    def created_at(self) -> str | None:
        return self.record.created_at

    @computed
    def updated_at(self) -> str | None:
        return self.record.updated_at

    active = attr()
    commit_events = attr()
    push_events = attr()
    issues_events = attr()
    incident_events = attr(since="<=17.6")
    alert_events = attr(since="<=16.11")
    confidential_issues_events = attr()
    merge_requests_events = attr()
    tag_push_events = attr()
    deployment_events = attr(since="<=16.11")
    note_events = attr()
    confidential_note_events = attr()
    pipeline_events = attr()
    wiki_page_events = attr()
    job_events = attr()
    comment_on_event_enabled = attr()
    vulnerability_events = attr(since="16.4")

    @computed_if(since="17.3")
    def inherited(self) -> bool:
        return self.record.inherit_from_id is not None


class ServiceView(ServiceBasic):
    """An integration with its properties."""

    @computed
    def properties(self) -> dict[str, Any]:
        service = self.record
        compute = _COMPUTED_PROPERTIES.get(service.slug)
        properties = {**service.properties, **(compute(self.ctx, service) if compute else {})}
        integration = INTEGRATIONS[service.slug]
        # Secrets such as tokens are not among the fields.
        return {
            name: properties.get(name)
            for name in integration.list_fields(self.ctx.profile)
            if integration.shows_unset or name in properties
        }


def _alert_endpoint(ctx: ReadContext, service: Service) -> dict[str, Any]:
    project: Project = ctx.world.projects[service.source[1]]
    return {"url": f"{urls.project_url(ctx, project)}/alerts/notify.json"} if service.active else {}


_COMPUTED_PROPERTIES: Final[Mapping[str, Callable[[ReadContext, Service], dict[str, Any]]]] = {ALERTS: _alert_endpoint}
