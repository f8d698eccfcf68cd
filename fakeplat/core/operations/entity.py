"""What a record shows: declared field by field, views built on views by inheritance.

```python
class UserBasic(Entity[User]):
    id = attr()
    @shown
    def web_url(self) -> str: ...

class UserPublic(UserBasic):
    bio = attr()
```

A view names its record once; what it shows of an attribute has the type of the record's annotation.

A view is rendered to bytes once and kept until something that it read changes (`RenderContext.show`).
"""

from collections.abc import Callable, Hashable
from hashlib import blake2b
from inspect import get_annotations, getattr_static
from operator import attrgetter
from types import FunctionType, UnionType
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import orjson

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.cache.entries import Cache, CacheEntry
from fakeplat.core.operations.vendor_names import VENDOR
from fakeplat.core.store.state import View
from fakeplat.core.store.table import Record

R = TypeVar("R")
E = TypeVar("E")
Options = tuple[str, ...]


class Field:
    """One field of a view: where its value comes from, its type, and when it stands there at all.

    ``attribute`` is the attribute of the record that it shows as it is; without a ``kind`` it has the type that the
    record's class says.
    """

    def __init__(
        self,
        value: Callable[[Any], Any],
        kind: object,
        when: Callable[[Any], bool] | None,
        attribute: str = "",
    ) -> None:
        self.value = value
        self.kind = kind
        self.when = when
        self.attribute = attribute


def attr(of: str | None = None, *, when: Callable[[Any], bool] | None = None) -> Any:
    """A field that shows an attribute of the record: the one of the same name unless told otherwise.

    Its type is what the record's class says of the attribute.
    """
    return _Attribute(of, when)


class _Attribute:
    def __init__(self, of: str | None, when: Callable[[Any], bool] | None) -> None:
        self.of = of
        self.when = when

    def field(self, name: str) -> Field:
        attribute = self.of or name
        return Field(attrgetter(f"record.{attribute}"), None, self.when, attribute)


def nested(path: str, kind: object) -> Any:
    """A field that shows an attribute of something in the record: ``commit.sha``."""
    return Field(attrgetter(f"record.{path}"), kind, None, path)


def constant(value: object, kind: object, *, when: Callable[[Any], bool] | None = None) -> Any:
    """A field that always shows the same."""
    return Field(lambda _: value, kind, when)


def computed(function: Callable[[E], Any]) -> Callable[[E], Any]:
    """A field whose value a method works out."""
    function.__dict__["shown_when"] = None
    return function


def computed_if(condition: Callable[[Any], bool]) -> Callable[[Callable[[E], Any]], Callable[[E], Any]]:
    """A field that stands there only under a condition."""

    def mark(function: Callable[[E], Any]) -> Callable[[E], Any]:
        function.__dict__["shown_when"] = condition
        return function

    return mark


class Fragment:
    """A rendered view: its JSON and the digest of it."""

    __slots__ = ("data", "digest", "json")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.json = orjson.Fragment(data)
        self.digest = blake2b(data, digest_size=16).digest()


class RenderContext(Protocol):
    """What an entity needs of the request's context."""

    @property
    def world(self) -> View:
        """The records."""

    @property
    def origin(self) -> str:
        """Scheme and authority that the client used."""

    @property
    def fragments(self) -> Cache[Fragment]:
        """What was rendered before."""

    @property
    def viewer_key(self) -> Hashable:
        """What tells viewers apart; None for nobody."""

    @property
    def wire_names(self) -> str:
        """``both``, ``neutral`` or ``vendor``."""

    def now(self) -> int:
        """The world's time in ms."""


class Entity(Generic[R]):
    """Base of all views. ``self.record`` is shown, ``self.ctx`` is the request's context.

    ``keyed``: what was rendered is kept by the record's id. A view of what has none is not keyed.
    """

    fields: ClassVar[dict[str, Field]]
    record_class: ClassVar[Any] = None
    cached_by_id: ClassVar[bool] = True
    _plan: ClassVar["_Plan"]

    __slots__ = ("ctx", "options", "record")

    def __init__(self, record: R, ctx: Any, options: Options = ()) -> None:
        self.record = record
        self.ctx = ctx
        self.options = options

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        inherited = [vars(base).get("fields", {}) for base in reversed(cls.__mro__)]
        cls.fields = {name: field for fields in inherited for name, field in fields.items()} | _declared(cls)
        for name in [name for name, value in vars(cls).items() if value is None and name in cls.fields]:
            del cls.fields[name]  # a view may leave a field of its base out
        cls.record_class = _record_class(cls)
        _check_attributes(cls)
        cls._plan = _planned(cls.fields)

    @classmethod
    def kinds(cls) -> dict[str, object]:
        """The type of each field, for the OpenAPI document."""
        return {name: _kind(cls, field) for name, field in cls.fields.items()}

    def values(self) -> dict[str, Any]:
        """The view as a dict, ready for JSON."""
        plan = self._plan
        found: dict[str, Any] = dict.fromkeys(self.fields)
        found.update(zip(plan.names, plan.attributes(self.record), strict=True))
        for name, field in plan.others:
            if field.when is None or field.when(self):
                found[name] = field.value(self)
            else:
                del found[name]
        return found


class _Plan(NamedTuple):
    """How a view is filled: what is copied from the record in one go, and what is worked out field by field."""

    names: tuple[str, ...]
    attributes: Callable[[Any], tuple[Any, ...]]
    others: tuple[tuple[str, Field], ...]


def _planned(fields: dict[str, Field]) -> _Plan:
    plain = {name: field.attribute for name, field in fields.items() if field.attribute and field.when is None}
    others = tuple((name, field) for name, field in fields.items() if name not in plain)
    return _Plan(tuple(plain), _getter(*plain.values()), others)


def _getter(*attributes: str) -> Callable[[Any], tuple[Any, ...]]:
    if len(attributes) > 1:
        return attrgetter(*attributes)
    return lambda record: tuple(getattr(record, attribute) for attribute in attributes)


def _declared(cls: type) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for name, value in vars(cls).items():
        if isinstance(value, _Attribute):
            found[name] = value.field(name)
        elif isinstance(value, Field):
            found[name] = value
        elif callable(value) and "shown_when" in getattr(value, "__dict__", {}):
            found[name] = Field(value, value, value.__dict__["shown_when"])
    return found


def _record_class(cls: type[Entity[Any]]) -> Any:
    """The class that a view or one of its bases names as its record; None while it is left open."""
    arguments = [argument for base in vars(cls).get("__orig_bases__", ()) for argument in get_args(base)]
    return next((one for one in arguments if isinstance(one, type) and one is not Any), cls.record_class)


def _check_attributes(cls: type[Entity[Any]]) -> None:
    """Refuse a view of attributes that its record does not have. A generic view leaves that to its heirs."""
    if vars(cls)["__parameters__"]:
        return
    for name, field in cls.fields.items():
        if field.attribute and not hasattr(cls.record_class, field.attribute.partition(".")[0]):
            raise TypeError(f"{cls.__name__}.{name} shows {field.attribute!r}, which {cls.record_class} does not have")


def _kind(cls: type[Entity[Any]], field: Field) -> object:
    if field.kind is None:
        return _json_type(_annotation(cls.record_class, field.attribute))
    return _return_type(field.kind) if isinstance(field.kind, FunctionType) else field.kind


def _annotation(record_class: type, attribute: str) -> object:
    declared = getattr_static(record_class, attribute)
    if isinstance(declared, property):
        return _return_type(declared.fget)
    return next(said[attribute] for base in record_class.__mro__ if attribute in (said := get_annotations(base)))


def _return_type(function: Any) -> object:
    return get_type_hints(function).get("return", object)


def _json_type(annotation: Any) -> object:
    """The type that a value has in JSON: a list where records have tuples, any text where they allow certain ones."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return type(arguments[0])
    if origin is tuple:
        return list[arguments[0]]  # type: ignore[valid-type]
    if origin in (Union, UnionType):
        return Union[tuple(_json_type(argument) for argument in arguments)]  # noqa: UP007  # made at run time
    return annotation


def render(entity: "type[Entity[Any]]", record: Record, ctx: RenderContext, options: Options = ()) -> Fragment:
    """Render a record, or take what was rendered before where it still fits.

    A view that asked who is looking is kept per viewer; any other is shared by all.
    """
    world = ctx.world
    if world.passing:
        return _make(entity, record, ctx, options).value  # a draft's records may never be committed
    made = _kept(entity, record, ctx, options) if entity.cached_by_id else _make(entity, record, ctx, options)
    reads = world.contents.reads
    if reads is not None:
        reads.add(made.reads)
    return made.value


def _kept(entity: type[Entity[Any]], record: Record, ctx: RenderContext, options: Options) -> CacheEntry[Fragment]:
    key = (entity, record.id, ctx.origin, options)
    made = ctx.fragments.find(key, ctx.viewer_key)
    if made is None or made.reads.record is not record or not made.is_valid(ctx.world.state, ctx.now):
        made = _make(entity, record, ctx, options)
        ctx.fragments.keep(key, ctx.viewer_key, made)
    return made


def _make(entity: type[Entity[Any]], record: Record, ctx: RenderContext, options: Options) -> CacheEntry[Fragment]:
    world, outer = ctx.world, ctx.world.reads
    world.reads = reads = Dependencies(record)
    try:
        values = entity(record, ctx, options).values()
    finally:
        world.reads = outer
    return CacheEntry(Fragment(orjson.dumps(with_wire_names(values, ctx.wire_names))), reads, world.state)


def with_wire_names(values: dict[str, Any], wire_names: str) -> dict[str, Any]:
    """The fields under the names that the instance shows: neutral, the vendor's, or both."""
    if VENDOR.keys().isdisjoint(values):
        return values
    twins = {name: other for name in values if (other := VENDOR.get(name))}
    if wire_names == "neutral":
        return values
    both = {}
    for name, value in values.items():
        if name not in twins or wire_names == "both":
            both[name] = value
        if name in twins:
            both[twins[name]] = value
    return both
