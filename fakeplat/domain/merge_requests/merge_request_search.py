"""Filtering and ordering merge requests: the filters of issues, and those that only merge requests have.

Source: docs/platform/merge-requests.md.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from fakeplat.core.store.bitsets import bits_of, iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.query import Order, Query
from fakeplat.core.store.sorted_sequence import SortedSequence
from fakeplat.core.store.table import Table
from fakeplat.domain.issues.issue_search import (
    DERIVED_ORDERS,
    IssueFilter,
    ListGroup,
    VisibleProjects,
    make_visible_projects,
    memoized_projects,
)
from fakeplat.domain.merge_requests import approval_states
from fakeplat.model.deployments import Deployment
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import MERGE_REQUEST_ORDERS
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext


@frozen
class MergeRequestFilter(IssueFilter):
    """Filters merge requests for a caller; each filter returns a bitset of ids."""

    @property
    def table(self) -> Table[Any]:
        """The table of merge requests."""
        return self.world.merge_requests

    @property
    def kind(self) -> str:
        """The noteable kind of award emoji."""
        return "merge_request"

    def approved_by(self, user_ids: Sequence[int] | str) -> int:
        """Return those approved by all of the users, or by any user or none (``Any``, ``None``)."""
        if isinstance(user_ids, str):
            approved = bits_of(list({approval.merge_request_id for approval in self.world.approvals.all()}))
            return self.bits("all") & (approved if user_ids == "Any" else ~approved)
        chosen = self.bits("all")
        for id_ in user_ids:
            chosen &= bits_of([approval.merge_request_id for approval in self.world.approvals.where("user", id_)])
        return chosen

    def approved(self) -> int:
        """Return those with an approval that need no more of them."""
        approved_ids = dict.fromkeys(approval.merge_request_id for approval in self.world.approvals.all())
        merge_requests = (self.world.merge_requests[id_] for id_ in approved_ids)
        return bits_of([each.id for each in merge_requests if not approval_states.list_unmet_rules(self.world, each)])

    def approved_by_names(self, names: Sequence[str]) -> int:
        """Return those approved by all users with some names; ``None`` and ``Any`` are special."""
        if len(names) == 1 and names[0].lower() in ("none", "any"):
            return self.approved_by(names[0].capitalize())
        users = [self.world.users.find("username", name.lower()) for name in names]
        return 0 if None in users else self.approved_by([user.id for user in users if user])

    def reviewed_by(self, reviewer: int | str) -> int:
        """Return those with a reviewer (id), without one (0, ``None``), or with any (``Any``)."""
        if reviewer in (0, "None"):
            return self.bits("reviewer", None)
        if reviewer == "Any":
            return self.bits("all") & ~self.bits("reviewer", None)
        return self.bits("reviewer", reviewer)

    def reviewed_by_name(self, name: str) -> int:
        """Return those with a reviewer of a name, without one (``None``), or with any (``Any``)."""
        if name.lower() in ("none", "any"):
            return self.reviewed_by(name.capitalize())
        return self.by_users("reviewer", [name])

    def from_project(self, project_id: int) -> int:
        """Return those whose source branch is in a project."""
        return bits_of([*self.world.merge_requests.ids("source_project", project_id)])

    def merged_by_name(self, name: str) -> int:
        """Return those that a user with a name merged."""
        user = self.world.users.find("username", name.lower())
        return self.bits("merger", user.id) if user else 0

    def approvable_by(self, user_ids: Sequence[int] | str) -> int:
        """Return those whose approval rules name all of the users, or any user or none (``Any``, ``None``)."""
        named_users = approval_states.map_named_users(self.world)
        if isinstance(user_ids, str):
            chosen = bits_of([id_ for id_, users in named_users.items() if users])
            return self.bits("all") & (chosen if user_ids == "Any" else ~chosen)
        return bits_of([id_ for id_, users in named_users.items() if users.issuperset(user_ids)])

    def approvable_by_names(self, names: Sequence[str]) -> int:
        """Return those whose approval rules name all users with some names; ``None`` and ``Any`` are special."""
        special = next((name.capitalize() for name in names if name.lower() in ("none", "any")), None)
        if special is not None:
            return self.approvable_by(special)
        users = [self.world.users.find("username", name.lower()) for name in names]
        known = [user.id for user in users if user is not None]
        return self.approvable_by(known) if known else 0

    def deployed(self, environment: str | None, after: str | None, before: str | None) -> int:
        """Return those that one deployment brought: to the environment with a name, and finished within a time."""
        environments = self.world.environments
        return bits_of(
            [
                id_
                for deployment in self.world.deployments.all()
                if _finished_within(deployment, after, before)
                and environment in (None, "", environments[deployment.environment_id].name)
                for id_ in deployment.merge_request_ids
            ]
        )

    def deployed_by(self, deployment_id: int) -> int:
        """Return those that a deployment brought."""
        deployment = self.world.deployments.get(deployment_id)
        return bits_of(deployment.merge_request_ids) if deployment else 0


def _finished_within(deployment: Deployment, after: str | None, before: str | None) -> bool:
    finished_at = deployment.finished_at
    if finished_at is None:
        return not after and not before
    return (not after or finished_at >= after) and (not before or finished_at <= before)


def visible_projects(
    ctx: ReadContext, projects: Callable[[], Iterable[Project]], container: object, *, archived: bool
) -> VisibleProjects:
    """Return in which of the projects the caller sees merge requests; ``container`` identifies the set of projects.

    The result has no guarded projects, as merge requests have no confidentiality.
    """
    return memoized_projects(ctx, ("merge requests", container), projects, _get_visible_projects, archived=archived)


def _get_visible_projects(ctx: ReadContext, projects: Sequence[Project]) -> VisibleProjects:
    return make_visible_projects(
        ctx,
        [
            project.id
            for project in projects
            if can_see(ctx, project) and can(ctx, Ability.READ_MERGE_REQUESTS, project)
        ],
    )


def order_merge_requests(
    ctx: ReadContext, chosen: int, group: ListGroup, order_by: str, sort: str
) -> Query[MergeRequest]:
    """Return the filtered merge requests in one of the platform's orders; ties by id, in the same direction."""
    table, descending = ctx.world.merge_requests, sort == "desc"
    derived = DERIVED_ORDERS.get(order_by)
    value: Callable[[MergeRequest], Any] = derived(ctx.world, descending) if derived else attrgetter(order_by)
    if order_by in MERGE_REQUEST_ORDERS:
        return Query(table, chosen, Order(table.sorted(order_by, group), value, descending=descending, plain=True))
    # No index has these values, so the selection is sorted.
    matching = map(table.fetch(), iterate_bits(chosen))
    pairs = sorted((value(row), row.id) for row in matching if value(row) is not None)
    return Query(table, chosen, Order(SortedSequence.from_sorted(pairs), value, descending=descending, plain=True))
