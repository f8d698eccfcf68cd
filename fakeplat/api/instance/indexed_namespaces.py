"""Which namespaces of a plan advanced search indexes. Source: docs/platform/settings.md."""

from typing import Annotated, Final, Literal

import orjson

from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.coercion import NOT_AMONG_VALUES
from fakeplat.core.params.params import Params
from fakeplat.core.params.types import Check
from fakeplat.domain.instance import indexed_namespaces
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import WriteContext

area: Final = Area("Instance", login=Login.ALWAYS, located_first=True)
_MOST: Final = 100


def _check_percentage(value: object) -> str | None:
    is_valid = isinstance(value, int) and 0 <= value <= _MOST
    return None if is_valid else NOT_AMONG_VALUES


class RollOut(Params):
    """A plan, and how many of 100 of its namespaces are to be indexed."""

    percentage: Annotated[
        int, Check(_check_percentage, absent=NOT_AMONG_VALUES, schema={"minimum": 0, "maximum": _MOST})
    ]
    plan: Literal["bronze", "silver", "gold"]


def _name_job(ctx: WriteContext) -> RawBody:
    """Return the id of the job that the platform starts."""
    return RawBody(orjson.dumps(ctx.random_hex("job of advanced search", 12)), JSON)


@area.operation(
    "PUT",
    "elasticsearch_indexed_namespaces/rollout",
    ability=Ability.ADMIN_SETTINGS,
    params=RollOut,
    tier="premium",
)
def start_advanced_search_rollout(ctx: WriteContext, p: RollOut) -> RawBody:
    """Start to index further namespaces of a plan."""
    indexed_namespaces.roll_out(ctx, p.plan, p.percentage)
    return _name_job(ctx)


@area.operation(
    "PUT",
    "elasticsearch_indexed_namespaces/rollback",
    ability=Ability.ADMIN_SETTINGS,
    params=RollOut,
    tier="premium",
)
def start_advanced_search_rollback(ctx: WriteContext, p: RollOut) -> RawBody:
    """Start to index fewer namespaces of a plan."""
    indexed_namespaces.roll_back(ctx, p.plan, p.percentage)
    return _name_job(ctx)
