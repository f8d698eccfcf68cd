"""Choosing and ordering merge requests: as issues, but for what only they have.

Source: docs/platform/merge-requests.md.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fakeplat.core.store.bitsets import bits_of
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.query import Order, Query
from fakeplat.core.store.table import Table
from fakeplat.domain.issues.issue_search import IssueFilter, VisibleProjects, make_visible_projects, memoized_projects
from fakeplat.domain.merge_requests import approval_rules
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext


@frozen
class MergeRequestFilter(IssueFilter):
    """Chooses merge requests for a caller."""

    @property
    def table(self) -> Table[Any]:
        """What is chosen from."""
        return self.world.merge_requests

    @property
    def kind(self) -> str:
        """What awards call it."""
        return "merge_request"

    def approved_by(self, wanted: Sequence[int] | str) -> int:
        """Those that all of some users approved, or nobody, or anybody."""
        if isinstance(wanted, str):
            approved = bits_of(list({one.merge_request_id for one in self.world.approvals.all()}))
            return self.bits("all") & (approved if wanted == "Any" else ~approved)
        chosen = self.bits("all")
        for id_ in wanted:
            chosen &= bits_of([one.merge_request_id for one in self.world.approvals.where("user", id_)])
        return chosen

    def approvable_by(self, wanted: Sequence[int] | str) -> int:
        """Those whose rules name all of some users, or nobody, or anybody."""
        named = approval_rules.explicit_users(self.world)
        if isinstance(wanted, str):
            chosen = bits_of([id_ for id_, users in named.items() if users])
            return self.bits("all") & (chosen if wanted == "Any" else ~chosen)
        return bits_of([id_ for id_, users in named.items() if users.issuperset(wanted)])


def visible_projects(
    ctx: ReadContext, projects: Callable[[], Iterable[Project]], container: object, *, archived: bool
) -> VisibleProjects:
    """In which of some projects, which ``place`` names, the caller sees merge requests; none of these is guarded."""
    return memoized_projects(ctx, ("merge requests", container), projects, _sight, archived=archived)


def _sight(ctx: ReadContext, projects: Sequence[Project]) -> VisibleProjects:
    return make_visible_projects(
        ctx, [p.id for p in projects if can_see(ctx, p) and can(ctx, Ability.READ_MERGE_REQUESTS, p)]
    )


def order_merge_requests(ctx: ReadContext, chosen: int, group: Any, order_by: str, sort: str) -> Query[MergeRequest]:
    """The chosen ones in an order of the platform; ties by id, in the same direction."""
    table = ctx.world.merge_requests
    pairs = table.sorted(order_by, group)
    return Query(table, chosen, Order(pairs, lambda one: getattr(one, order_by), descending=sort == "desc", plain=True))
