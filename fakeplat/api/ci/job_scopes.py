"""The parameter ``scope`` of lists of jobs: one status or several."""

from collections.abc import Callable
from typing import Annotated, Final, get_args

from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.coercion import NOT_AMONG_VALUES, Reader, Refused
from fakeplat.core.params.params import As, ParamType
from fakeplat.core.release import Lifetime
from fakeplat.model.ci import Status

LATER_STATUSES: Final = Lifetime(since="17.0", values=("waiting_for_callback", "canceling"))
_STATUSES: Final = get_args(Status)
_ONE: Final = {"type": "string", "enum": list(_STATUSES)}
_SCHEMA: Final = {"anyOf": [_ONE, {"type": "array", "items": _ONE}]}


def _statuses_of(values_of_hash: Callable[[dict[str, object]], object]) -> Reader:
    def read(value: object) -> object:
        if isinstance(value, dict):
            value = values_of_hash(value)
        statuses = value if isinstance(value, list) else [value]
        if not all(status in _STATUSES for status in statuses):
            raise Refused.with_text(NOT_AMONG_VALUES)
        return statuses

    return read


JobScope = Annotated[list[Status], As(ParamType(_statuses_of(lambda _: None), _SCHEMA))]
"""One status or an array."""
JobScopeOrHash = Annotated[list[Status], As(ParamType(_statuses_of(lambda value: [*value.values()]), _SCHEMA))]
"""One status or an array; of a hash the values count."""


class ListPipelineJobs(Paged):
    """The statuses of the jobs to list; by default all."""

    scope: JobScope | None = None
