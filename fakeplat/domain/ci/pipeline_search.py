"""Filtering and ordering of a project's pipelines. Source: docs/platform/pipelines-jobs.md.

A list by id with one filter is an entry of the index ``facts``, and a list without filters in another order a sorted
index. For several filters, the records of the smallest entry are tested.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.row_sequences import MergedRows, SortedRows
from fakeplat.core.store.sorted_sequence import Ids
from fakeplat.core.store.table import RowsById, Table
from fakeplat.domain.people import users
from fakeplat.domain.repository import repositories
from fakeplat.model.ci import ENDED, AnyStatus, Pipeline, Source, Status
from fakeplat.model.projects import Project
from fakeplat.model.world import PIPELINE_ORDERS
from fakeplat.policy.behaviours import PIPELINES_ARE_FOUND_BY_NAME
from fakeplat.policy.context import ReadContext

Scope = Literal["running", "pending", "finished", "branches", "tags"]
OrderBy = Literal["id", "status", "ref", "updated_at", "user_id"]

_STATUSES_OF_SCOPE: Final[dict[str, tuple[Status, ...]]] = {
    "running": ("running",),
    "pending": ("pending",),
    "finished": ENDED,
}
# After all ids, so that a bound with it includes the pipelines of exactly that time.
_BEYOND_ALL_IDS: Final = float("inf")


@frozen
class PipelineFilter:
    """Which pipelines to list, and in which order; None is no filter.

    ``name`` is theirs or, in earlier releases, that of the user who started them.
    """

    scope: Scope | None = None
    status: AnyStatus | None = None
    ref: str | None = None
    sha: str | None = None
    yaml_errors: bool | None = None
    name: str | None = None
    username: str | None = None
    updated_before: str | None = None
    updated_after: str | None = None
    created_before: str | None = None
    created_after: str | None = None
    source: Source | None = None
    schedule_id: int | None = None
    ids: tuple[int, ...] = ()
    order_by: OrderBy = "id"
    descending: bool = True


@frozen
class _Condition:
    """A filter: the disjoint sets of ids that pass it, and the same as a test of a record.

    ``has_children``: the sets include child pipelines, which the sets of other conditions lack.
    """

    sets: Sequence[Ids]
    test: Callable[[Pipeline], bool]
    has_children: bool = False

    @property
    def size(self) -> int:
        return sum(map(len, self.sets))


def list_pipelines(ctx: ReadContext, project: Project, criteria: PipelineFilter) -> Sequence[Pipeline]:
    """Return the pipelines of a project that pass the filter, without child pipelines."""
    search = _Search(ctx, project, criteria)
    conditions = list(search.conditions())
    by_id = criteria.order_by == "id"
    if not conditions and not by_id:
        pairs = search.table.sorted(f"by_{criteria.order_by}", project.id)
        return SortedRows(search.table, pairs, descending=criteria.descending)
    if len(conditions) <= 1 and by_id:
        sets = conditions[0].sets if conditions else [search.ids("all")]
        return MergedRows(search.table, sets, descending=criteria.descending)
    key = ("pipelines", project.id, criteria)
    return RowsById(search.table, ctx.memoize(key, lambda: _sort(search, conditions)))


def _sort(search: "_Search", conditions: Sequence[_Condition]) -> tuple[int, ...]:
    """Return the ids of the pipelines that pass all conditions, in order."""
    smallest = min(conditions, key=lambda condition: (not condition.has_children, condition.size))
    others = [condition.test for condition in conditions if condition is not smallest]
    record = search.table.fetch()
    chosen = [record(id_) for ids in smallest.sets for id_ in ids]
    passing = [pipeline for pipeline in chosen if all(test(pipeline) for test in others)]
    passing.sort(key=search.sort_key(), reverse=search.criteria.descending)
    return tuple(pipeline.id for pipeline in passing)


@frozen
class _Search:
    ctx: ReadContext
    project: Project
    criteria: PipelineFilter

    @property
    def table(self) -> Table[Pipeline]:
        return self.ctx.world.pipelines

    def ids(self, *key: object) -> Ids:
        return self.table.ids("facts", (self.project.id, *key))

    def conditions(self) -> Iterator[_Condition]:
        """Yield the conditions of the filters that were given; blank ones are ignored."""
        criteria = self.criteria
        if criteria.scope in ("branches", "tags"):
            yield self._newest_of_refs(tags=criteria.scope == "tags")
        elif criteria.scope:
            yield self._of_statuses(*_STATUSES_OF_SCOPE[criteria.scope])
        yield from self._ref_and_status()
        yield from self._identity()
        if criteria.name and self.ctx.profile.has(PIPELINES_ARE_FOUND_BY_NAME):
            yield self._passes(lambda pipeline: pipeline.name == criteria.name)
        yield from self._users()
        if criteria.yaml_errors is not None:
            expected = criteria.yaml_errors
            yield _Condition(
                [self.ids("yaml_errors", expected)], lambda pipeline: (pipeline.yaml_errors is not None) == expected
            )
        if criteria.updated_before or criteria.updated_after:
            yield self._updated_between(criteria.updated_after or "", criteria.updated_before)
        if criteria.created_before or criteria.created_after:
            after, before = criteria.created_after or "", criteria.created_before
            yield self._passes(
                lambda pipeline: after < pipeline.created_at and (before is None or pipeline.created_at < before)
            )
        if criteria.schedule_id is not None:
            yield _Condition(
                [self.table.ids("schedule", criteria.schedule_id)],
                lambda pipeline: pipeline.schedule_id == criteria.schedule_id,
            )
        if criteria.source:
            # Child pipelines are listed if they are asked for.
            yield self._passes(lambda pipeline: pipeline.source == criteria.source)

    def _identity(self) -> Iterator[_Condition]:
        if self.criteria.ids:
            yield self._passes(lambda pipeline: pipeline.id in self.criteria.ids)
        if self.criteria.sha:
            yield self._matches("sha", self.criteria.sha)

    def _passes(self, test: Callable[[Pipeline], bool]) -> _Condition:
        """Select by a test that no index knows."""
        has_children = self.criteria.source == "parent_pipeline"
        rows = self.table.where("project", self.project.id) if has_children else self.table.get_many(self.ids("all"))
        chosen = Ids.from_sorted(sorted(pipeline.id for pipeline in rows if test(pipeline)))
        return _Condition([chosen], test, has_children=has_children)

    def _ref_and_status(self) -> Iterator[_Condition]:
        ref, status = self.criteria.ref, self.criteria.status
        if ref and status:
            yield _Condition(
                [self.ids("ref and status", ref, status)],
                lambda pipeline: pipeline.ref == ref and pipeline.status == status,
            )
        elif ref:
            yield self._matches("ref", ref)
        elif status:
            yield self._of_statuses(status)

    def _users(self) -> Iterator[_Condition]:
        if self.criteria.username:
            user = users.find_by_username(self.ctx.world, self.criteria.username)
            # The platform compares the case, too.
            yield self._of_users({user.id} if user and user.username == self.criteria.username else set())
        if self.criteria.name and not self.ctx.profile.has(PIPELINES_ARE_FOUND_BY_NAME):
            everyone = self.ctx.world.users.all()
            yield self._of_users({user.id for user in everyone if user.name == self.criteria.name})

    def _of_users(self, user_ids: set[int]) -> _Condition:
        sets = [self.ids("user", id_) for id_ in user_ids]
        return _Condition(sets, lambda pipeline: pipeline.user_id in user_ids)

    def _matches(self, field: str, value: str) -> _Condition:
        return _Condition([self.ids(field, value)], lambda pipeline: getattr(pipeline, field) == value)

    def _of_statuses(self, *statuses: AnyStatus) -> _Condition:
        return _Condition(
            [self.ids("status", status) for status in statuses], lambda pipeline: pipeline.status in statuses
        )

    def _newest_of_refs(self, *, tags: bool) -> _Condition:
        """Select the newest pipeline of each existing branch or tag, even if it is a child pipeline."""
        git = repositories.open_repository(self.ctx.world, self.project)
        by_ref = [self.table.ids("ref", (self.project.id, ref)) for ref in (git.tags() if tags else git.branches())]
        newest = Ids.from_sorted(sorted(ids.slice(len(ids) - 1, len(ids))[0] for ids in by_ref if ids))
        return _Condition([newest], lambda pipeline: pipeline.id in newest, has_children=True)

    def _updated_between(self, after: str, before: str | None) -> _Condition:
        """Select the pipelines that were updated after a time and before another one."""
        key = ("updated pipelines", self.project.id, after, before)
        chosen = self.ctx.memoize(key, lambda: self._list_updated_between(after, before))
        return _Condition(
            [chosen], lambda pipeline: after < pipeline.updated_at and (before is None or pipeline.updated_at < before)
        )

    def _list_updated_between(self, after: str, before: str | None) -> Ids:
        pairs = self.table.sorted("by_updated_at", self.project.id)
        start = pairs.before((after, _BEYOND_ALL_IDS))
        stop = len(pairs) if before is None else pairs.before((before, 0))
        return Ids.from_sorted(sorted(id_ for _, id_ in pairs.slice(start, stop)))

    def sort_key(self) -> Callable[[Pipeline], Any]:
        column = self.criteria.order_by
        if column == "user_id":
            return lambda pipeline: (pipeline.user_id is None, pipeline.user_id or 0, pipeline.id)
        if column in PIPELINE_ORDERS:
            return lambda pipeline: (getattr(pipeline, column), pipeline.id)
        return lambda pipeline: pipeline.id
