"""Views of detailed statuses. Source: docs/platform/pipelines-jobs.md."""

from fakeplat.core.operations.entity import Entity, attr, computed_if, constant
from fakeplat.domain.ci.detailed_statuses import DetailedStatus, StatusAction


class StatusActionView(Entity[StatusAction]):
    """The button of a status."""

    cached_by_id = False

    icon = attr()
    title = attr()
    path = attr()
    method = attr()
    button_title = attr()


class DetailedStatusView(Entity[DetailedStatus]):
    """A status with its texts, icons and links."""

    cached_by_id = False

    icon = attr()
    text = attr()
    label = attr()
    group = attr()
    tooltip = attr()
    has_details = attr()
    details_path = attr()
    illustration = constant(None, str | None)
    favicon = attr()

    @computed_if(when=lambda view: view.record.action is not None)
    def action(self) -> StatusActionView:
        view: StatusActionView = self.ctx.render(StatusActionView, self.record.action)
        return view
