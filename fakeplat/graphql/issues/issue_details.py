"""Further fields of issues: who changed them, what they duplicate, and what the caller may do.

Source: docs/platform/graphql.md ('Issues').
"""

from collections.abc import Sequence
from typing import Final

from graphql import GraphQLError

from fakeplat.domain.alerts import metric_images
from fakeplat.domain.notes import noteables
from fakeplat.graphql.issues.issuables import ISSUE
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.alerts import MetricImage
from fakeplat.model.issues import Issue
from fakeplat.model.people import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_IMAGES_SINCE: Final = "<=13.7"
_LATER: Final = "<=18.5"


@ISSUE.field("closedAsDuplicateOf: Issue", since="<=15.3")
def closed_as_duplicate_of(ctx: ReadContext, issue: Issue) -> Issue | None:
    """The issue of which this one is a duplicate, if the caller sees it."""
    canonical = ctx.world.issues.get(issue.duplicated_to_id or 0)
    return canonical if canonical is not None and noteables.is_visible(ctx, canonical) else None


@ISSUE.field("updatedBy: User", since="<=13.6")
def updated_by(ctx: ReadContext, issue: Issue) -> User | None:
    """The user who changed it last."""
    return ctx.world.users.get(issue.updated_by_id or 0)


@ISSUE.field("externalAuthor: String", since="<=16.9")
def external_author(_ctx: ReadContext, _issue: Issue) -> str | None:
    """The e-mail address of who wrote to the service desk, which does not receive mails here."""
    return None


IMAGE: Final = Type("MetricImage", "A picture of metrics.", gid="IssuableMetricImage", since=_IMAGES_SINCE)


@ISSUE.field("metricImages: [MetricImage!]", since=_IMAGES_SINCE)
def metric_images_of(ctx: ReadContext, issue: Issue) -> Sequence[MetricImage]:
    """The pictures of metrics of an incident."""
    return metric_images.list_images(ctx.world, ("issue", issue.id))


@IMAGE.field("url: String!")
def image_url(_ctx: ReadContext, image: MetricImage) -> str:
    """The address of the metrics."""
    if image.url is None:  # not every picture has one, against what the platform declares
        raise GraphQLError("Cannot return null for non-nullable field MetricImage.url")
    return image.url


@IMAGE.field("iid: ID!")
def image_number(_ctx: ReadContext, image: MetricImage) -> int:
    """The number, which is that of the instance."""
    return image.id


@IMAGE.field("fileName: String")
def file_name(ctx: ReadContext, image: MetricImage) -> str:
    """The name of the file."""
    return ctx.world.files[image.file_id].filename


@IMAGE.field("filePath: String")
def file_path(ctx: ReadContext, image: MetricImage) -> str:
    """The path of the file."""
    return metric_images.url_of(ctx, image)


# What the caller may do

PERMISSIONS: Final = Type("IssuePermissions", "What the caller may do with an issue.")


@ISSUE.field("userPermissions: IssuePermissions!")
def permissions_of(_ctx: ReadContext, issue: Issue) -> Issue:
    """What the caller may do."""
    return issue


@PERMISSIONS.field("readIssue: Boolean!")
@PERMISSIONS.field("readDesign: Boolean!")
def may_read(ctx: ReadContext, issue: Issue) -> bool:
    """Whether the caller may read it."""
    return noteables.is_visible(ctx, issue)


@PERMISSIONS.field("updateIssue: Boolean!")
@PERMISSIONS.field("reopenIssue: Boolean!")
def may_update(ctx: ReadContext, issue: Issue) -> bool:
    """Whether the caller may change, close and reopen it."""
    return noteables.can_update(ctx, issue).allowed


@PERMISSIONS.field("adminIssue: Boolean!")
def may_administer(ctx: ReadContext, issue: Issue) -> bool:
    """Whether the caller may set labels, dates and the like."""
    return noteables.can_administer(ctx, issue)


@PERMISSIONS.field("adminIssueRelation: Boolean!", since=_LATER)
@PERMISSIONS.field("createNote: Boolean!")
def may_comment(ctx: ReadContext, issue: Issue) -> bool:
    """Whether the caller may comment, and link it to other issues."""
    return noteables.can_comment(ctx, issue, Ability.CREATE_NOTE).allowed


def _permit(signature: str, ability: Ability, since: str = "") -> None:
    def may(ctx: ReadContext, issue: Issue) -> bool:
        return may_read(ctx, issue) and can(ctx, ability, ctx.world.projects[issue.project_id])

    PERMISSIONS.field(signature, description=f"Whether the caller has {ability.value}.", since=since)(may)


_permit("createDesign: Boolean!", Ability.ADMIN_ISSUE)
_permit("destroyDesign: Boolean!", Ability.ADMIN_ISSUE)
_permit("updateDesign: Boolean!", Ability.ADMIN_ISSUE, "<=16.2")
_permit("moveDesign: Boolean!", Ability.ADMIN_ISSUE, _LATER)
_permit("moveIssue: Boolean!", Ability.ADMIN_ISSUE, _LATER)
_permit("cloneIssue: Boolean!", Ability.ADMIN_ISSUE, _LATER)
