"""What a user visits often and lately. Source: docs/platform/graphql.md ('Visits')."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal

from fakeplat.core.timestamps import SECOND, from_iso, subtract_months, to_iso_date
from fakeplat.model.people import User, Visit
from fakeplat.model.world import World

Kind = Literal["project", "group"]
_MOST: Final[dict[Kind, int]] = {"project": 5, "group": 3}
_MONTHS: Final = 3


def list_frecent_ids(world: World, user: User, kind: Kind, now: int) -> Sequence[int]:
    """Return the ids of the projects or groups with the highest scores, the highest first.

    The visits of a week count once in the first week with visits of the last three months, twice in the next, and so
    on.
    """
    recent = list(_list_recent(world, user, kind, now))
    weeks = sorted({_week_of(visit) for visit in recent})
    scores: Counter[int] = Counter()
    for visit in recent:
        scores[visit.source[1]] += weeks.index(_week_of(visit)) + 1
    return sorted(scores, key=lambda id_: (-scores[id_], id_))[: _MOST[kind]]


def _list_recent(world: World, user: User, kind: Kind, now: int) -> Iterator[Visit]:
    end = _to_datetime(now)
    start = datetime.combine(date.fromisoformat(subtract_months(to_iso_date(now), _MONTHS)), end.timetz())
    for visit in world.visits.where("user", user.id):
        if visit.source[0] == kind and start < _to_datetime(from_iso(visit.visited_at)) <= end:
            yield visit


def _to_datetime(timestamp: int) -> datetime:
    return datetime.fromtimestamp(timestamp / SECOND, UTC)


def _week_of(visit: Visit) -> date:
    """Return the Monday of the week of a visit."""
    day = _to_datetime(from_iso(visit.visited_at)).date()
    return day - timedelta(days=day.weekday())
