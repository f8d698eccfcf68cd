"""Links between issues. Source: docs/platform/issue-links.md."""

from collections.abc import Sequence
from typing import Final, Literal

from fakeplat.api.issues.issues import ISSUE
from fakeplat.api.scopes import get_issue, get_project
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.issues import issue_links
from fakeplat.entities.issues.issue_links import LINKED_TO, IssueLinkView, RelatedIssue
from fakeplat.entities.issues.issues import SINGLE
from fakeplat.model.issues import Issue, IssueLink
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import LINKS_ARE_OF_THEIR_ISSUES
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Issue links", login=Login.ALWAYS)
Type = Literal["relates_to", "blocks", "is_blocked_by"]


def _link_options(ctx: ReadContext, _p: object, _issue: Issue | None) -> tuple[str, ...]:
    # The records are those of the path in its order: the project, then the issue.
    return (f"{LINKED_TO}{ctx.records[1].id}", SINGLE)


@area.operation("GET", "links", scope=ISSUE, view=RelatedIssue, many=True, paging=None, options=_link_options)
def list_issue_links(ctx: ReadContext, _project: Project, issue: Issue) -> Sequence[Issue]:
    """List the links of an issue, oldest first."""
    return list(issue_links.list_linked_issues(ctx, issue))


class CreateIssueLink(Params):
    """The target issue and the type of the link."""

    target_project_id: str
    target_issue_iid: str
    link_type: Type = "relates_to"


@area.operation("POST", "links", scope=ISSUE, params=CreateIssueLink, view=IssueLinkView, refusals=(403, 404, 409, 422))
def create_issue_link(ctx: WriteContext, _project: Project, issue: Issue, p: CreateIssueLink) -> IssueLink:
    """Link an issue to another."""
    # The iid is declared as text, so a value that is not a number is 404 and no invalid parameter.
    target = get_issue(ctx, get_project(ctx, p.target_project_id), parse_number(p.target_issue_iid) or 0)
    return issue_links.create(ctx, issue, target, p.link_type)


@area.operation("GET", "links/:issue_link_id", scope=ISSUE, view=IssueLinkView, refusals=(404,), since="15.1")
def get_issue_link(ctx: ReadContext, _project: Project, issue: Issue, issue_link_id: int) -> IssueLink:
    """Get an issue link."""
    return issue_links.get_link_of(ctx, issue, issue_link_id)


class DeleteIssueLink(Params):
    """The type of the link; it is validated and otherwise ignored."""

    link_type: Type | None = None


@area.operation(
    "DELETE",
    "links/:issue_link_id",
    scope=ISSUE,
    params=DeleteIssueLink,
    view=IssueLinkView,
    status=200,
    refusals=(404,),
)
def delete_issue_link(ctx: WriteContext, _project: Project, issue: Issue, issue_link_id: int) -> IssueLink:
    """Delete an issue link and return it as it was."""
    # As on the platform, the link need not belong to the issue in the path in earlier releases.
    is_own = ctx.profile.has(LINKS_ARE_OF_THEIR_ISSUES)
    link = issue_links.get_link_of(ctx, issue, issue_link_id) if is_own else issue_links.get_link(ctx, issue_link_id)
    issue_links.delete(ctx, link)
    return link
