"""Views of search results: matching parts of files, and work items."""

from typing_extensions import override

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.repository.code_search import BlobMatch
from fakeplat.entities.issues.issues import IssueBasic


class BlobMatchView(Entity[BlobMatch]):
    """A matching section of a file."""

    cached_by_id = False

    basename = attr()
    data = attr()
    path = attr()
    filename = attr("path")
    id = attr()
    ref = attr()
    startline = attr()
    project_id = attr()


class WorkItemMatchView(IssueBasic):
    """An issue, incident or task that is found as a work item, and has the address of one."""

    @override
    @computed
    def web_url(self) -> str:
        return f"{self.ctx.origin}/{self._path}/-/work_items/{self.record.iid}"
