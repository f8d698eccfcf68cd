"""Issues in lists that also contain those of external trackers. Source: docs/platform/integrations.md."""

from typing import Any

from fakeplat.domain.integrations.issue_trackers import ExternalIssue
from fakeplat.entities.issues.issues import IssueBasic


class IssueClosedOnMerge(IssueBasic):
    """An issue that a merge closes; one of an external tracker has only a title and a key."""

    def values(self) -> dict[str, Any]:
        """Return the view as a dictionary for JSON."""
        issue: Any = self.record
        if isinstance(issue, ExternalIssue):
            return {"title": issue.title, "id": issue.id}
        return super().values()
