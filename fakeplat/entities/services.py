"""What integrations show. Source: docs/platform/specification.md ('Integration'), docs/platform/integrations.md."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.alerts.alert_endpoint import SLUG as ALERTS
from fakeplat.domain.projects.services import INTEGRATIONS
from fakeplat.entities import urls
from fakeplat.model.projects import Project
from fakeplat.model.services import Service
from fakeplat.policy.context import ReadContext

Text = str | None


class ServiceBasic(Entity[Service]):
    """An integration in a list."""

    ctx: ReadContext

    id = attr(int | None)

    @computed
    def title(self) -> str:
        return INTEGRATIONS[self.record.slug].title

    slug = attr(str)
    created_at = attr(Text)
    updated_at = attr(Text)
    active = attr(bool)
    commit_events = attr(bool)
    push_events = attr(bool)
    issues_events = attr(bool)
    confidential_issues_events = attr(bool)
    merge_requests_events = attr(bool)
    tag_push_events = attr(bool)
    note_events = attr(bool)
    confidential_note_events = attr(bool)
    pipeline_events = attr(bool)
    wiki_page_events = attr(bool)
    job_events = attr(bool)
    comment_on_event_enabled = attr(bool)


class ServiceView(ServiceBasic):
    """An integration with what it was told."""

    @computed
    def properties(self) -> dict[str, Any]:
        service = self.record
        worked_out = _WORKED_OUT.get(service.slug)
        told = {**service.properties, **(worked_out(self.ctx, service) if worked_out else {})}
        return {name: told.get(name) for name in INTEGRATIONS[service.slug].shown}


def _endpoint(ctx: ReadContext, service: Service) -> dict[str, Any]:
    project: Project = ctx.world.projects[service.project_id]
    return {"url": f"{urls.project_url(ctx, project)}/alerts/notify.json"} if service.active else {}


_WORKED_OUT: Final[Mapping[str, Callable[[ReadContext, Service], dict[str, Any]]]] = {ALERTS: _endpoint}
