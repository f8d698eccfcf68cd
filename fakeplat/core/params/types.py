"""Types of parameters: the annotations of Params classes, and their meanings.

Supported are ``int``, ``float``, ``bool``, ``str``, ``object``, ``Upload``, ``Literal``, ``list``, ``dict``, unions,
other Params classes, and the aliases and markers below.
"""

from collections.abc import Callable, Collection
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

from attrs import evolve
from typing_extensions import override

from fakeplat.core.params.body import Upload
from fakeplat.core.params.coercion import (
    INVALID,
    NOT_AMONG_VALUES,
    Failure,
    Reader,
    Refused,
    comma_list_of,
    first_of,
    hash_of,
    in_lower_case,
    list_of,
    one_of,
    read_any,
    read_bool,
    read_day,
    read_day_or_nothing,
    read_float,
    read_int,
    read_json,
    read_moment,
    read_moment_or_nothing,
    read_str,
    read_upload,
)
from fakeplat.core.params.none_any import (
    ARRAY_NONE_ANY,
    INTEGER_NONE_ANY,
    INTEGER_NONE_ANY_CURRENT,
    read_array_none_any,
    read_integer_none_any,
    read_integer_none_any_current,
)
from fakeplat.core.release import EVERYTHING, Lifetime, Profile
from fakeplat.core.store.frozen import frozen

Schema = dict[str, Any]


@frozen
class ParamType:
    """The meaning of an annotation.

    ``null`` is the value for a null, or its failures. ``strict``: a null fails even if the annotation allows None.
    ``absent`` are the failures inside a required value that is missing; ``absent_at_root`` are further ones of a value
    that is no key of a hash.
    """

    read: Reader
    schema: Schema
    null: object = (Failure(INVALID),)
    strict: bool = False
    absent: tuple[Failure, ...] = ()
    absent_at_root: tuple[Failure, ...] = ()


class Named:
    """A marker for a parameter's name in requests, if it is a Python keyword (``not``, ``in``, ``from``)."""

    def __init__(self, name: str) -> None:
        self.name = name


class Check:
    """A marker for an additional check of a value; ``look`` returns the text of the failure, or None.

    ``null`` is the failure of a null; without it a null is not checked. ``strict``: a null also fails if the annotation
    allows None. ``absent`` is the failure of a required value that was not sent, after "is missing".
    """

    def __init__(
        self,
        look: Callable[[Any], str | None],
        *,
        null: str | None = None,
        strict: bool = True,
        absent: str | None = None,
        schema: Schema | None = None,
    ) -> None:
        self.check = look
        self.null = null
        self.strict = strict
        self.absent = absent
        self.schema = schema or {}

    def apply_to(self, kind: ParamType) -> ParamType:
        """Return a type with this check added."""
        read, check = kind.read, self.check

        def read_checked(value: object) -> object:
            result = read(value)
            text = None if result is None else check(result)
            if text is None:
                return result
            raise Refused.with_text(text)

        checked = evolve(kind, read=read_checked, schema=kind.schema | self.schema)
        if self.absent:
            checked = evolve(checked, absent=(*kind.absent, Failure(self.absent)))
        if not self.null:
            return checked
        return evolve(checked, null=(*_failures_of_checks(kind), Failure(self.null)), strict=self.strict)


def _failures_of_checks(kind: ParamType) -> tuple[Failure, ...]:
    """Return the failures of a null in earlier checks; they replace "is invalid"."""
    return tuple(failure for failure in kind.null if failure.text != INVALID) if isinstance(kind.null, tuple) else ()


class NotAmong(Check):
    """A marker for values that are not allowed."""

    def __init__(self, *values: object) -> None:
        super().__init__(
            lambda value: "has a value not allowed" if value in values else None,
            schema={"not": {"enum": list(values)}},
        )


_EMPTY: Final = "is empty"


def _check_not_blank(value: object) -> str | None:
    blank = not value.strip() if isinstance(value, str) else value in ([], {})
    return _EMPTY if blank else None


NotBlank: Final = Check(_check_not_blank, null=_EMPTY, absent=_EMPTY)
"""A marker: the value must not be null, an empty array or hash, or a string of white space.

A required value that was not sent is reported as missing and as empty, as by the platform's ``allow_blank: false``.
"""

NotBlankIfSent: Final = Check(_check_not_blank, null=_EMPTY)
"""A marker like NotBlank, but a required value that was not sent is only reported as missing."""


class _NullIsEmpty(Check):
    """See `NotNull`."""

    @override
    def apply_to(self, kind: ParamType) -> ParamType:
        return evolve(kind, null=(Failure(_EMPTY),), strict=True)


NotNull: Final = _NullIsEmpty(lambda _value: None)
"""A marker: a null is reported as empty, and not as a value that is not among the accepted ones."""


class _AnyCase:
    """A marker of texts that may be written in any case; the accepted values are in lower case."""


AnyCase: Final = _AnyCase()


class As:
    """A marker that sets the parameter type, whatever the annotated type is; a function tells that of a release."""

    def __init__(self, kind: ParamType | Callable[[Profile], ParamType]) -> None:
        self._kind = kind

    def kind_in(self, profile: Profile) -> ParamType:
        """Return the type in a release."""
        return self._kind if isinstance(self._kind, ParamType) else self._kind(profile)


class _Commas:
    """A marker for lists that may be written with commas."""


T = TypeVar("T")
_WORDS: Final[Schema] = {"enum": ["None", "Any"]}

CommaList = Annotated[list[T], _Commas()]
"""A list that a client may also send as a comma-separated string, or as a single value."""

Moment = Annotated[str, As(ParamType(read_moment, {"type": "string", "format": "date-time"}))]
"""A time, as ``2020-11-20T09:00:00.000Z``."""

Day = Annotated[str, As(ParamType(read_day, {"type": "string", "format": "date"}))]
"""A date, as ``2020-11-20``."""

MomentOrNothing = Annotated[str, As(ParamType(read_moment_or_nothing, {"type": "string", "format": "date-time"}))]
"""A time that the platform takes as a text: one that is no time is like a null."""

DayOrNothing = Annotated[str, As(ParamType(read_day_or_nothing, {"type": "string", "format": "date"}))]
"""A date that the platform takes as a text: one that is no date is like a null."""

JsonDocument = Annotated[Any, As(ParamType(read_json, {"type": ["object", "array"]}, null=None))]
"""An object or an array, which a client may also send as JSON text."""

IntegerNoneAny = Annotated[
    int | Literal["None", "Any"],
    As(
        ParamType(
            read_integer_none_any, {"anyOf": [{"type": "integer"}, _WORDS]}, (Failure(INTEGER_NONE_ANY),), strict=True
        ),
    ),
]
"""An integer, or the word None or Any."""

IntegerNoneAnyCurrent = Annotated[
    int | Literal["None", "Any", "Current"],
    As(
        ParamType(
            read_integer_none_any_current,
            {"anyOf": [{"type": "integer"}, {"enum": ["None", "Any", "Current"]}]},
            (Failure(f"{INTEGER_NONE_ANY_CURRENT}, however got "),),
            strict=True,
        ),
    ),
]
"""An integer, or the word None, Any or Current."""

ArrayNoneAny = Annotated[
    list[int] | Literal["None", "Any"],
    As(
        ParamType(
            read_array_none_any,
            {"anyOf": [{"type": "array", "items": {"type": "integer"}}, _WORDS]},
            (Failure(ARRAY_NONE_ANY),),
            strict=True,
        )
    ),
]
"""An array of ids, or the word None or Any."""


def param_type_of(annotation: object, profile: Profile = EVERYTHING) -> ParamType:
    """Return the parameter type of an annotation in a release. TypeError if the annotation is not supported."""
    # Params classes provide their type themselves, since this module cannot import them.
    if hasattr(annotation, "__kind__"):
        return annotation.__kind__(profile)  # type: ignore[no-any-return]
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    build = _BUILDERS.get(get_origin(annotation))
    if build is None:
        raise TypeError(f"{annotation!r} is not supported as the annotation of a parameter")
    return build(annotation, profile)


_PLAIN: Final[dict[Any, ParamType]] = {
    int: ParamType(read_int, {"type": "integer"}),
    float: ParamType(read_float, {"type": "number"}),
    bool: ParamType(read_bool, {"type": "boolean"}),
    str: ParamType(read_str, {"type": "string"}, null=""),
    object: ParamType(read_any, {}, null=None),
    Any: ParamType(read_any, {}, null=None),
    Upload: ParamType(read_upload, {"type": "string", "format": "binary"}),
}


def _annotated(annotation: object, profile: Profile) -> ParamType:
    base, *markers = get_args(annotation)
    later = {value for mark in markers if isinstance(mark, Lifetime) and not profile.has(mark) for value in mark.values}
    if later:
        base = _without_values(base, later)
    explicit_type = next((mark.kind_in(profile) for mark in markers if isinstance(mark, As)), None)
    if any(isinstance(mark, _Commas) for mark in markers):
        explicit_type = _array(base, profile, comma_list_of)
    kind = explicit_type or param_type_of(base, profile)
    if AnyCase in markers:
        kind = evolve(kind, read=in_lower_case(kind.read))
    # The order of the markers is the order of the checks, of which the first failure is reported.
    for mark in markers:
        if isinstance(mark, Check):
            kind = mark.apply_to(kind)
    return kind


def _without_values(annotation: Any, values: Collection[str | int]) -> Any:
    """Return an annotation whose Literals lack some values; a union is left without those that have no other."""
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return Literal[tuple(member for member in members if member not in values)]
    if origin in (Union, UnionType):
        kept = (_without_values(member, values) for member in members if not _is_literal_of(member, values))
        return Union[tuple(kept)]  # noqa: UP007  # made at run time
    return origin[tuple(_without_values(member, values) for member in members)] if origin else annotation


def _is_literal_of(annotation: object, values: Collection[str | int]) -> bool:
    return get_origin(annotation) is Literal and all(member in values for member in get_args(annotation))


def _union(annotation: object, profile: Profile) -> ParamType:
    members = get_args(annotation)
    kinds = [param_type_of(member, profile) for member in members if member is not type(None)]
    kind = kinds[0] if len(kinds) == 1 else _first_matching(kinds)
    return evolve(kind, null=None) if type(None) in members and not kind.strict else kind


def _first_matching(kinds: list[ParamType]) -> ParamType:
    return ParamType(first_of([kind.read for kind in kinds]), {"anyOf": [kind.schema for kind in kinds]})


def _enum(annotation: object, _profile: Profile) -> ParamType:
    values = get_args(annotation)
    plain = _PLAIN[type(values[0])]
    schema, failures = plain.schema | {"enum": list(values)}, (Failure(NOT_AMONG_VALUES),)
    # Grape looks whether a value is among the accepted ones also if it was not sent, but not within hashes.
    return ParamType(one_of(values, plain.read), schema, failures, absent_at_root=failures)


def _array(annotation: object, profile: Profile, build: Callable[[Reader], Reader] = list_of) -> ParamType:
    element = param_type_of(get_args(annotation)[0], profile)
    return ParamType(build(element.read), {"type": "array", "items": element.schema})


def _hash(annotation: object, profile: Profile) -> ParamType:
    value = param_type_of(get_args(annotation)[1], profile)
    return ParamType(hash_of(value.read), {"type": "object", "additionalProperties": value.schema})


_BUILDERS: Final[dict[Any, Callable[[Any, Profile], ParamType]]] = {
    Annotated: _annotated,
    Union: _union,
    UnionType: _union,
    Literal: _enum,
    list: _array,
    dict: _hash,
}
