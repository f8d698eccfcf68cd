"""Images of metrics of incidents and alerts.

Source: docs/platform/issues.md ('Metric images').
"""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.issues.issues import ISSUE
from fakeplat.api.issues.issues import area as issues_area
from fakeplat.api.pages import area as pages
from fakeplat.api.pages import serve_file
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import (
    BadRequest,
    Forbidden,
    ForbiddenWithMessage,
    NotFound,
    NotFoundWithMessage,
    Unprocessable,
)
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.alerts import alerts, metric_images
from fakeplat.domain.alerts.metric_images import Captions
from fakeplat.entities.alerts import MetricImageView
from fakeplat.model.alerts import Alert, MetricImage
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Alerts", login=Login.NEVER)
_ALERTS_SINCE: Final = "<=15.4"


class CreateMetricImage(Params):
    """The file, and where more can be seen."""

    file: Upload
    url: str | None = None
    url_text: Annotated[str | None, Lifetime(since="<=15.4")] = None


class UpdateMetricImage(Params):
    """Where more can be seen, and what is written there."""

    url: str | None = None
    url_text: str | None = None


def _captions_of(p: CreateMetricImage | UpdateMetricImage) -> Captions:
    given = p.given()
    captions = Captions()
    if "url" in given:
        captions["url"] = p.url
    if "url_text" in given:
        captions["url_text"] = p.url_text
    return captions


def _update(ctx: WriteContext, image: MetricImage, p: UpdateMetricImage) -> MetricImage:
    captions = _captions_of(p)
    if metric_images.check_image(None, captions):
        raise Unprocessable("Metric image could not be updated")
    return metric_images.update(ctx, image, **captions)


@issues_area.operation("GET", "metric_images", scope=ISSUE, view=MetricImageView, many=True, paging=None)
def list_issue_metric_images(ctx: ReadContext, _project: Project, issue: Issue) -> Sequence[MetricImage]:
    """List the metric images of an incident, oldest first."""
    return metric_images.list_images(ctx.world, (metric_images.ISSUE, issue.id))


@issues_area.operation(
    "POST", "metric_images", scope=ISSUE, params=CreateMetricImage, view=MetricImageView, refusals=(400, 403)
)
def create_issue_metric_image(ctx: WriteContext, _project: Project, issue: Issue, p: CreateMetricImage) -> MetricImage:
    """Upload a metric image for an incident."""
    metric_images.check_size(p.file)
    metric_images.check_upload_to_issue(ctx, issue)
    captions = _captions_of(p)
    if errors := metric_images.check_image(p.file, captions):
        raise ForbiddenWithMessage(f"Validation failed: {', '.join(errors.full_messages())}")
    return metric_images.add(ctx, (metric_images.ISSUE, issue.id), p.file, **captions)


@issues_area.operation(
    "PUT",
    "metric_images/:metric_image_id",
    scope=ISSUE,
    params=UpdateMetricImage,
    view=MetricImageView,
    refusals=(403, 404, 422),
    since="<=15.4",
)
def update_issue_metric_image(
    ctx: WriteContext, _project: Project, issue: Issue, metric_image_id: int, p: UpdateMetricImage
) -> MetricImage:
    """Update the link of an incident's metric image."""
    metric_images.check_change_of_issue(ctx, issue)
    return _update(ctx, metric_images.get_image(ctx.world, (metric_images.ISSUE, issue.id), metric_image_id), p)


@issues_area.operation("DELETE", "metric_images/:metric_image_id", scope=ISSUE, refusals=(403, 404))
def delete_issue_metric_image(ctx: WriteContext, _project: Project, issue: Issue, metric_image_id: int) -> None:
    """Delete a metric image of an incident."""
    metric_images.check_change_of_issue(ctx, issue)
    metric_images.delete(ctx, metric_images.get_image(ctx.world, (metric_images.ISSUE, issue.id), metric_image_id))


def _find_alert(ctx: ReadContext, project: Project, iid: int) -> Alert | None:
    alert = alerts.find_by_iid(ctx, project, iid)
    return alert if alert is not None and metric_images.can_read_of_alert(ctx, alert) else None


def _get_changeable_alert(ctx: ReadContext, project: Project, iid: int) -> Alert:
    alert = _find_alert(ctx, project, iid)
    # An unknown alert is refused like one that the caller may not change.
    if alert is None or not can(ctx, Ability.UPDATE_ALERT, project):
        raise Forbidden(reason=f"{caller_name(ctx)} may not change an alert {iid}")
    return alert


@area.operation(
    "GET",
    "alert_management_alerts/:alert_iid/metric_images",
    scope=PROJECT,
    view=MetricImageView,
    many=True,
    paging=None,
    refusals=(404,),
    since=_ALERTS_SINCE,
)
def list_alert_management_alert_metric_images(
    ctx: ReadContext, project: Project, alert_iid: int
) -> Sequence[MetricImage]:
    """List the metric images of an alert, oldest first."""
    alert = _find_alert(ctx, project, alert_iid)
    if alert is None:
        raise NotFoundWithMessage("Alert not found", reason=f"{caller_name(ctx)} sees no alert {alert_iid}")
    return metric_images.list_images(ctx.world, (metric_images.ALERT, alert.id))


@area.operation(
    "POST",
    "alert_management_alerts/:alert_iid/metric_images",
    scope=PROJECT,
    params=CreateMetricImage,
    view=MetricImageView,
    refusals=(400, 403),
    since=_ALERTS_SINCE,
)
def create_alert_management_alert_metric_image(
    ctx: WriteContext, project: Project, alert_iid: int, p: CreateMetricImage
) -> MetricImage:
    """Upload a metric image for an alert."""
    metric_images.check_size(p.file)
    alert, captions = _get_changeable_alert(ctx, project, alert_iid), _captions_of(p)
    if errors := metric_images.check_image(p.file, captions):
        raise BadRequest(", ".join(errors.full_messages()))
    return metric_images.add(ctx, (metric_images.ALERT, alert.id), p.file, **captions)


@area.operation(
    "PUT",
    "alert_management_alerts/:alert_iid/metric_images/:metric_image_id",
    scope=PROJECT,
    params=UpdateMetricImage,
    view=MetricImageView,
    refusals=(403, 404, 422),
    since=_ALERTS_SINCE,
)
def update_alert_management_alert_metric_image(
    ctx: WriteContext, project: Project, alert_iid: int, metric_image_id: int, p: UpdateMetricImage
) -> MetricImage:
    """Update the link of an alert's metric image."""
    alert = _get_changeable_alert(ctx, project, alert_iid)
    return _update(ctx, metric_images.get_image(ctx.world, (metric_images.ALERT, alert.id), metric_image_id), p)


@area.operation(
    "DELETE",
    "alert_management_alerts/:alert_iid/metric_images/:metric_image_id",
    scope=PROJECT,
    refusals=(403, 404),
    since=_ALERTS_SINCE,
)
def delete_alert_management_alert_metric_image(
    ctx: WriteContext, project: Project, alert_iid: int, metric_image_id: int
) -> None:
    """Delete a metric image of an alert."""
    alert = _get_changeable_alert(ctx, project, alert_iid)
    metric_images.delete(ctx, metric_images.get_image(ctx.world, (metric_images.ALERT, alert.id), metric_image_id))


@pages.operation("GET", "uploads/-/system/issuable_metric_image/file/:id/:filename", ours=True, produces="*/*")
def get_issue_metric_image_file(ctx: ReadContext, id: int, filename: str) -> RawBody:
    """Download a metric image of an incident."""
    return _serve(ctx, "issuable_metric_image", id, filename)


@pages.operation("GET", "uploads/-/system/alert_metric_image/file/:id/:filename", ours=True, produces="*/*")
def get_alert_metric_image_file(ctx: ReadContext, id: int, filename: str) -> RawBody:
    """Download a metric image of an alert."""
    return _serve(ctx, "alert_metric_image", id, filename)


def _serve(ctx: ReadContext, folder: str, id_: int, filename: str) -> RawBody:
    image = metric_images.find_visible(ctx, folder, id_)
    file = ctx.world.files[image.file_id] if image is not None else None
    if file is None or file.filename != filename:
        raise NotFound(reason=f"{caller_name(ctx)} sees no metric image {id_} with the name {filename!r}")
    return serve_file(file)
