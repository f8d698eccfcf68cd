"""Parameters: declared as a class, bound from what a client sent.

```python
class ListIssues(Paged):
    assignee_id: IntegerNoneAny | None = None
    author_id: int | None = None
    author_username: str | None = None
    iids: CommaList[int] | None = None
    state: Literal["opened", "closed", "all"] = "all"
    not_: Annotated[NotIssues | None, Named("not")] = None

    rules = (mutually_exclusive("author_id", "author_username"),)
```

A class attribute is a default, no attribute means required. An instance holds what was sent, and nothing else: absent
(not in ``given()``), null (None) and empty differ. Nothing is compiled before a class's first use.
"""

from typing import Any, ClassVar, Final, NoReturn, TypeVar, overload

from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.params.binder import Binder
from fakeplat.core.params.coercion import Refused
from fakeplat.core.params.rules import (
    Rule,
    all_or_none_of,
    at_least_one_of,
    exactly_one_of,
    mutually_exclusive,
    requires,
)
from fakeplat.core.params.types import (
    ArrayNoneAny,
    As,
    Check,
    CommaList,
    Day,
    IntegerNoneAny,
    Moment,
    Named,
    NotAmong,
    NotBlank,
    NotBlankIfSent,
    ParamType,
    Since,
    param_type_of,
)

__all__ = [
    "ArrayNoneAny",
    "As",
    "Binder",
    "Check",
    "CommaList",
    "Day",
    "IntegerNoneAny",
    "Moment",
    "Named",
    "NotAmong",
    "NotBlank",
    "NotBlankIfSent",
    "ParamType",
    "Params",
    "Rule",
    "Since",
    "all_or_none_of",
    "at_least_one_of",
    "binder_of",
    "coerce_path",
    "exactly_one_of",
    "mutually_exclusive",
    "requires",
]

P = TypeVar("P", bound="Params")
T = TypeVar("T")


class Params:
    """The parameters of an operation; subclasses declare them."""

    rules: ClassVar[tuple[Rule, ...]] = ()

    def given(self) -> dict[str, Any]:
        """What was sent, by attribute."""
        return dict(vars(self))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    @classmethod
    def __kind__(cls) -> ParamType:
        """These parameters as a hash inside another's."""
        plan = binder_of(cls)
        return ParamType(plan.read, plan.schema(), absent=plan.absent)


_PLANS: Final[dict[type[Params], Binder[Any]]] = {}


def binder_of(cls: type[P]) -> Binder[P]:
    """The plan of a class, compiled once."""
    plan = _PLANS.get(cls)
    if plan is None:
        plan = _PLANS[cls] = Binder(cls)
    return plan


_PATHS: Final[dict[object, ParamType]] = {}


@overload
def coerce_path(kind: type[T], name: str, text: str) -> T: ...
@overload
def coerce_path(kind: object, name: str, text: str) -> Any: ...
def coerce_path(kind: object, name: str, text: str) -> Any:
    """A path parameter as an annotation says; it is refused like any other parameter, and never null."""
    if kind not in _PATHS:
        _PATHS[kind] = param_type_of(kind)
    try:
        value = _PATHS[kind].read(text)
    except Refused as refused:
        raise InvalidParams(*(str(failure.under(name)) for failure in refused.failures)) from None
    if value is None:
        raise InvalidParams(f"{name} is invalid")
    return value
