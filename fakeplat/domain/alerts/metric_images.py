"""Images of metrics of incidents and alerts.

Source: docs/platform/issues.md ('Metric images').
"""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack
from urllib.parse import quote

from fakeplat.core.operations.errors import BadRequest, Forbidden, ForbiddenWithMessage, NotFoundWithMessage
from fakeplat.core.params.body import Upload
from fakeplat.core.store.references import Subject
from fakeplat.domain import uploads
from fakeplat.domain.issues import issue_links
from fakeplat.domain.notes import noteables
from fakeplat.domain.outbound_urls import explain_blocked_url
from fakeplat.domain.purging import purge
from fakeplat.domain.urls import SYSTEM
from fakeplat.domain.validation import ValidationErrors, too_long
from fakeplat.model.alerts import Alert, MetricImage
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, is_member
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

KIND: Final = "metric_image"
ISSUE: Final = "issue"
ALERT: Final = "alert"
_MAX_SIZE: Final = 1024 * 1024
_EXTENSIONS: Final = "png, jpg, jpeg, gif, bmp, tiff, ico, and webp"
_SECRET: Final = "metric"
_FOLDERS: Final = {ISSUE: "issuable_metric_image", ALERT: "alert_metric_image"}


class Captions(TypedDict, total=False):
    """Where more can be seen, and what is written there."""

    url: str | None
    url_text: str | None


def check_size(file: Upload) -> None:
    """Refuse a file that is too large with 400."""
    if len(file.data) > _MAX_SIZE:
        raise BadRequest("400 Bad request - File is too large", reason="metric images have at most 1 MB")


def check_upload_to_issue(ctx: ReadContext, issue: Issue) -> None:
    """Refuse an image for an issue with 403 unless it is an incident that the caller may change as a member."""
    project = ctx.world.projects[issue.project_id]
    if issue.kind != "incident" or not has_feature(ctx.world, "premium", issue):
        raise ForbiddenWithMessage("Not allowed!", reason="only incidents have metric images, in paid tiers")
    if not is_member(ctx, project) or not _may_create_and_update(ctx, issue):
        raise ForbiddenWithMessage("Not allowed!", reason=f"{caller_name(ctx)} may not change issue {issue.iid}")


def check_change_of_issue(ctx: ReadContext, issue: Issue) -> None:
    """Refuse with 403 to change an image of an issue, unless the caller is a member and may change the issue."""
    is_author = ctx.viewer is not None and ctx.viewer.id == issue.author_id
    is_allowed = is_author or _may_create_and_update(ctx, issue)
    if not is_allowed or not is_member(ctx, ctx.world.projects[issue.project_id]):
        raise Forbidden(reason=f"{caller_name(ctx)} may not change the metric images of issue {issue.iid}")


def _may_create_and_update(ctx: ReadContext, issue: Issue) -> bool:
    project = ctx.world.projects[issue.project_id]
    return can(ctx, Ability.CREATE_ISSUE, project) and noteables.can_update(ctx, issue).allowed


def add(ctx: WriteContext, subject: Subject, file: Upload, **captions: Unpack[Captions]) -> MetricImage:
    """Add an image to an incident or alert, without the checks of `check_image`."""
    table, now = ctx.world.metric_images, ctx.now_iso
    id_ = table.next_id()
    stored = uploads.store_file(ctx, (KIND, id_), file, _SECRET)
    return table.add(MetricImage(id_, subject, stored.id, now, now, **captions))


def check_image(file: Upload | None, captions: Captions) -> ValidationErrors:
    """Return what is wrong with an image and its captions."""
    errors = ValidationErrors()
    if file is not None and not file.filename.lower().endswith(uploads.AVATAR_IMAGES):
        errors.add("file", f"does not have a supported extension. Only {_EXTENSIONS} are supported")
    url = captions.get("url")
    too_long(errors, "url", url)
    blocked = explain_blocked_url(url) if url else ""
    errors.when(blocked, "url", f"is blocked: {blocked}")
    too_long(errors, "url_text", captions.get("url_text"), 128)
    return errors


def list_images(world: World, subject: Subject) -> Sequence[MetricImage]:
    """Return the images of an incident or alert, oldest first."""
    return world.metric_images.where("subject", subject)


def get_image(world: World, subject: Subject, id_: int) -> MetricImage:
    """Return an image of an incident or alert, or raise 404."""
    image = world.metric_images.get(id_)
    if image is None or image.subject != subject:
        raise NotFoundWithMessage("Metric image not found", reason=f"{subject} has no metric image {id_}")
    return image


def update(ctx: WriteContext, image: MetricImage, **captions: Unpack[Captions]) -> MetricImage:
    """Change the captions of an image."""
    return ctx.world.metric_images.change(image, **captions, updated_at=ctx.now_iso)


def delete(ctx: WriteContext, image: MetricImage) -> None:
    """Delete an image with its file."""
    purge(ctx, ctx.world.files[image.file_id])


def url_of(ctx: ReadContext, image: MetricImage) -> str:
    """Return the URL of an image's file."""
    name = ctx.world.files[image.file_id].filename
    return f"{ctx.origin}{SYSTEM}/{_FOLDERS[image.subject[0]]}/file/{image.id}/{quote(name)}"


def find_visible(ctx: ReadContext, folder: str, id_: int) -> MetricImage | None:
    """Return the image at a path if the caller sees what it belongs to."""
    image = ctx.world.metric_images.get(id_)
    if image is None or _FOLDERS[image.subject[0]] != folder:
        return None
    kind, subject_id = image.subject
    if kind == ISSUE:
        return image if issue_links.is_readable(ctx, ctx.world.issues[subject_id]) else None
    return image if can_read_of_alert(ctx, ctx.world.alerts[subject_id]) else None


def can_read_of_alert(ctx: ReadContext, alert: Alert) -> bool:
    """Return whether the caller may see the images of an alert."""
    project = ctx.world.projects[alert.project_id]
    return has_feature(ctx.world, "premium", project) and can(ctx, Ability.READ_ALERT, project)
