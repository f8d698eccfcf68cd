"""Parameters, declared as a class and bound from what a client sent.

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

The value of a class attribute is its default; an attribute without a value is required. An instance stores only what
was sent, so absent (not in ``given()``), null (None) and empty values differ. Classes are compiled on first use.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Final, NoReturn, TypeVar, cast, overload

from fakeplat.core.operations.errors import InvalidParams, Refusal
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
    AnyCase,
    ArrayNoneAny,
    As,
    Check,
    CommaList,
    Day,
    DayOrNothing,
    IntegerNoneAny,
    IntegerNoneAnyCurrent,
    JsonDocument,
    Moment,
    MomentOrNothing,
    Named,
    NotAmong,
    NotBlank,
    NotBlankIfSent,
    NotNull,
    ParamType,
    param_type_of,
)
from fakeplat.core.release import EVERYTHING, Profile

__all__ = [
    "AnyCase",
    "ArrayNoneAny",
    "As",
    "Binder",
    "Check",
    "CommaList",
    "Day",
    "DayOrNothing",
    "IntegerNoneAny",
    "IntegerNoneAnyCurrent",
    "JsonDocument",
    "Moment",
    "MomentOrNothing",
    "Named",
    "NotAmong",
    "NotBlank",
    "NotBlankIfSent",
    "NotNull",
    "ParamType",
    "Params",
    "Rule",
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
    """Base class for the parameters of an operation."""

    rules: ClassVar[tuple[Rule, ...]] = ()

    def given(self) -> dict[str, Any]:
        """Return the values that were sent, by attribute."""
        return dict(vars(self))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    @classmethod
    def in_release(cls, _profile: Profile) -> "type[Params]":
        """Return the class that a release has in place of this one."""
        return cls

    @classmethod
    def is_streamed(cls) -> bool:
        """Return whether a body is stored before it is read: it may be as large as a file."""
        return False

    @classmethod
    def refuse_unreadable(cls, _refusal: Refusal) -> Refusal | None:
        """Return what refuses a body that nobody can read once its records are found; None: it is refused at once."""
        return None

    @classmethod
    def stored(cls, _world: Any) -> Mapping[str, object] | None:
        """Return the values that an update would change; None if it does not matter (see `Binder.bind`)."""
        return None

    @classmethod
    def __kind__(cls, profile: Profile) -> ParamType:
        """Return the type of a nested hash with these parameters, as a release has them."""
        binder = binder_of(cls, profile)
        return ParamType(binder.read, binder.schema(), absent=binder.absent)


def binder_of(cls: type[P], profile: Profile = EVERYTHING) -> Binder[P]:
    """Return the binder of a class in a release, compiled once."""
    binder: Binder[P] | None = profile.compiled.get(cls)
    if binder is None:
        binder = profile.compiled[cls] = cast(Binder[P], Binder(cls.in_release(profile), profile))
    return binder


_PATHS: Final[dict[object, ParamType]] = {}


@overload
def coerce_path(kind: type[T], name: str, text: str) -> T: ...
@overload
def coerce_path(kind: object, name: str, text: str) -> Any: ...
def coerce_path(kind: object, name: str, text: str) -> Any:
    """Convert a path parameter to its annotated type. InvalidParams if that fails; path parameters are never null."""
    # Path parameters are converted for every request, so their types are compiled once per annotation.
    if kind not in _PATHS:
        _PATHS[kind] = param_type_of(kind)
    try:
        value = _PATHS[kind].read(text)
    except Refused as error:
        texts = [str(failure.with_prefix(name)) for failure in error.failures]
        raise InvalidParams(*texts, reason=partial(_explain_path, kind, name, text)) from None
    if value is None:
        raise InvalidParams(f"{name} is invalid", reason=partial(_explain_path, kind, name, text))
    return value


def _explain_path(kind: object, name: str, text: str) -> str:
    from fakeplat.core.params.expectations import explain_failure

    return f"in the path, {explain_failure(name, _PATHS[kind].schema, text)}"
