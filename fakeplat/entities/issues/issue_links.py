"""Views of issue links. Source: docs/platform/issues.md, docs/platform/issue-links.md."""

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.issues import issue_links
from fakeplat.entities.issues.issues import IssueBasic, IssueView
from fakeplat.model.issues import IssueLink
from fakeplat.policy.context import ReadContext

# Options are strings because they are part of the cache key of a view.
LINKED_TO = "linked:"


class IssueLinkView(Entity[IssueLink]):
    """A link with both issues, as stored."""

    ctx: ReadContext

    id = attr(since="<=18.9")

    @computed
    def source_issue(self) -> IssueBasic:
        return self._issue(self.record.source_id)

    @computed
    def target_issue(self) -> IssueBasic:
        return self._issue(self.record.target_id)

    link_type = attr()

    def _issue(self, id_: int) -> IssueBasic:
        issue: IssueBasic = self.ctx.render(IssueBasic, self.ctx.world.issues[id_])
        return issue


class RelatedIssue(IssueView):
    """A linked issue; an option contains the id of the issue whose links are listed."""

    @computed
    def issue_link_id(self) -> int:
        return self._link.id

    @computed
    def link_type(self) -> str:
        return issue_links.link_type_from(self._link, self._origin_id)

    @computed_if(since="<=15.4")
    def link_created_at(self) -> str:
        return self._link.created_at

    @computed_if(since="<=15.4")
    def link_updated_at(self) -> str:
        return self._link.updated_at

    # The client looks from the other issue, so issues of that issue's project have short references.
    def _relative(self, short: str, full: str) -> str:
        same_project = self.ctx.world.issues[self._origin_id].project_id == self.record.project_id
        return short if same_project else full

    @property
    def _origin_id(self) -> int:
        return next(int(option.removeprefix(LINKED_TO)) for option in self.options if option.startswith(LINKED_TO))

    @property
    def _link(self) -> IssueLink:
        link = issue_links.find_link_between(self.ctx.world, self.record.id, self._origin_id)
        # The list consists of the origin's links, so there is always one.
        if link is None:
            raise LookupError(f"issue {self.record.id} has no link to {self._origin_id}")
        return link
