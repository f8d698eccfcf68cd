"""A merge request with the figures of its review. Source: docs/platform/analytics.md."""

from fakeplat.core.operations.entity import computed
from fakeplat.domain.analytics import code_reviews
from fakeplat.domain.merge_requests import approvals
from fakeplat.entities.issues.issuables import Issuable
from fakeplat.entities.merge_requests.merge_requests import MergeRequestSimple
from fakeplat.entities.people.users import UserBasic


class CodeReviewView(MergeRequestSimple):
    """A merge request in code review analytics."""

    milestone = Issuable.milestone
    author = Issuable.author

    @computed
    def approved_by(self) -> list[UserBasic]:
        users, given = self.ctx.world.users, approvals.list_approvals(self.ctx.world, self.record)
        return [self.ctx.render(UserBasic, users[approval.user_id]) for approval in given]

    notes_count = Issuable.user_notes_count

    @computed
    def review_time(self) -> int | None:
        return code_reviews.find_review_hours(self.ctx, self.record)

    @computed
    def diff_stats(self) -> dict[str, int]:
        stats = code_reviews.count_changes(self.ctx.world, self.record)
        return {
            "additions": stats.additions,
            "deletions": stats.deletions,
            "commits_count": stats.commits_count,
            "total": stats.additions + stats.deletions,
        }
