"""The view of error tracking settings. Source: docs/platform/error-tracking.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.core.release import since
from fakeplat.domain.projects import error_tracking
from fakeplat.model.error_tracking import ErrorTrackingSetting


class ErrorTrackingView(Entity[ErrorTrackingSetting]):
    """The error tracking settings of a project."""

    active = attr()
    project_name = attr()

    @computed
    def sentry_external_url(self) -> str | None:
        return error_tracking.external_url(self.record)

    api_url = attr()
    integrated = attr(when=since("14.2"))
