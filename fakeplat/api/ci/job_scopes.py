"""The parameter ``scope`` of lists of jobs: one status or several."""

from collections.abc import Callable, Sequence
from typing import Annotated, Final, get_args

from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.coercion import NOT_AMONG_VALUES, Reader, Refused
from fakeplat.core.params.params import As, ParamType
from fakeplat.core.release import Lifetime, Profile
from fakeplat.model.ci import AnyStatus, Status

LATER_STATUSES: Final = Lifetime(since="17.0", values=("waiting_for_callback", "canceling"))
_STATUSES: Final = tuple(dict.fromkeys((*get_args(Status), *LATER_STATUSES.values)))


def _type_of(values_of_hash: Callable[[dict[str, object]], object]) -> Callable[[Profile], ParamType]:
    def build(profile: Profile) -> ParamType:
        later = () if profile.has(LATER_STATUSES) else LATER_STATUSES.values
        known = [status for status in _STATUSES if status not in later]
        one = {"type": "string", "enum": known}
        return ParamType(_reader_of(known, values_of_hash), {"anyOf": [one, {"type": "array", "items": one}]})

    return build


def _reader_of(known: Sequence[str], values_of_hash: Callable[[dict[str, object]], object]) -> Reader:
    def read(value: object) -> object:
        if isinstance(value, dict):
            value = values_of_hash(value)
        statuses = value if isinstance(value, list) else [value]
        if not all(status in known for status in statuses):
            raise Refused.with_text(NOT_AMONG_VALUES)
        return statuses

    return read


JobScope = Annotated[list[AnyStatus], As(_type_of(lambda _: None)), LATER_STATUSES]
"""One status or an array."""
JobScopeOrHash = Annotated[list[AnyStatus], As(_type_of(lambda value: [*value.values()])), LATER_STATUSES]
"""One status or an array; of a hash the values count."""


class ListPipelineJobs(Paged):
    """The statuses of the jobs to list; by default all."""

    scope: JobScope | None = None
