"""Views of alerts, with the platform's field names in snake case. Source: docs/platform/alerts.md."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.alerts import alert_payload, incidents, metric_images
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.alerts import Alert, MetricImage
from fakeplat.model.notes import Note
from fakeplat.policy.context import ReadContext


class AlertView(Entity[Alert]):
    """An alert. ``details`` are the other fields of its payload, ``payload`` is the whole payload."""

    ctx: ReadContext

    id = attr()
    iid = attr()
    project_id = attr()
    title = attr()
    description = attr()
    severity = attr()
    status = attr()
    event_count = attr()
    service = attr()
    monitoring_tool = attr()
    hosts = attr()
    started_at = attr()
    ended_at = attr()
    created_at = attr()
    updated_at = attr()
    fingerprint = attr()

    @computed
    def environment(self) -> str | None:
        id_ = self.record.environment_id
        environment = self.ctx.world.environments.get(id_) if id_ is not None else None
        return environment.name if environment else None

    @computed
    def issue_iid(self) -> int | None:
        id_ = self.record.issue_id
        issue = self.ctx.world.issues.get(id_) if id_ is not None else None
        return issue.iid if issue else None

    @computed
    def assignees(self) -> list[UserBasic]:
        return [self.ctx.render(UserBasic, self.ctx.world.users[id_]) for id_ in self.record.assignee_ids]

    @computed
    def runbook(self) -> str | None:
        # Payloads are arbitrary JSON, so the value can have any type.
        runbook = self.record.payload.get("runbook")
        return runbook if isinstance(runbook, str) else None

    @computed
    def details(self) -> dict[str, Any]:
        return alert_payload.flatten_details(self.record.payload)

    @computed
    def payload(self) -> dict[str, Any]:
        return dict(self.record.payload)

    @computed
    def web_url(self) -> str:
        return f"{self.ctx.origin}{incidents.alert_path(self.ctx, self.record)}"


class SystemNoteView(Entity[Note]):
    """A system note."""

    ctx: ReadContext

    id = attr()
    body = attr()
    system = attr()
    created_at = attr()
    updated_at = attr()

    @computed
    def author(self) -> UserBasic | None:
        author: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(self.record.author_id))
        return author


class MetricImageView(Entity[MetricImage]):
    """An image of metrics of an incident or alert."""

    ctx: ReadContext

    id = attr()
    created_at = attr()

    @computed
    def filename(self) -> str:
        return self.ctx.world.files[self.record.file_id].filename

    @computed
    def file_path(self) -> str:
        return metric_images.url_of(self.ctx, self.record)

    url = attr()
    url_text = attr(since="<=15.4")
