"""Entities: views of records, declared field by field and extended by inheritance.

```python
class UserBasic(Entity[User]):
    id = attr()
    @computed
    def web_url(self) -> str: ...

class UserPublic(UserBasic):
    bio = attr()
```

A view names its record's class once; the types of its fields are taken from the annotations of that class.

A rendered view is cached as bytes until something that it read changes (`render`).
"""

from collections.abc import Callable, Hashable, Iterable
from functools import cache
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
    TypedDict,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

import orjson

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.cache.entries import Cache, CacheEntry
from fakeplat.core.operations.http_messages import dump_json, hash_content
from fakeplat.core.operations.vendor_names import VENDOR
from fakeplat.core.release import ALWAYS, EVERYTHING, Lifetime, Profile
from fakeplat.core.store.state import View
from fakeplat.core.store.table import Record

R = TypeVar("R")
E = TypeVar("E")
T = TypeVar("T")
Row = TypeVar("Row", bound=Record)
Options = tuple[str, ...]
# A condition gets the view. Which views have the field is known only where it is declared.
Condition = Callable[..., bool]


class Field:
    """A field of a view: the source of its value, its type (``kind``), and the condition under which it is present.

    ``lifetime`` are the releases that have it, ``when`` is any other condition. ``attribute`` is the record's attribute
    that is copied unchanged, if any. Without a ``kind``, the type is taken from the annotation of that attribute.
    """

    def __init__(
        self,
        value: Callable[..., object],
        kind: object,
        when: Condition | None,
        lifetime: Lifetime,
        attribute: str = "",
    ) -> None:
        self.value = value
        self.kind = kind
        self.when = when
        self.lifetime = lifetime
        self.attribute = attribute


class _Presence(TypedDict, total=False):
    """When a field is present: in which releases, and under which other condition."""

    since: str
    until: str
    when: Condition | None


def _presence(*, since: str = "", until: str = "", when: Condition | None = None) -> tuple[Condition | None, Lifetime]:
    return when, Lifetime(since, until) if since or until else ALWAYS


def attr(attribute: str | None = None, **presence: Unpack[_Presence]) -> Any:
    """Declare a field with the value and type of an attribute of the record; by default, of the same name."""
    return _AttributeField(attribute, *_presence(**presence))


class _AttributeField:
    def __init__(self, attribute: str | None, when: Condition | None, lifetime: Lifetime) -> None:
        self.attribute = attribute
        self.when = when
        self.lifetime = lifetime

    def field(self, name: str) -> Field:
        attribute = self.attribute or name
        return Field(attrgetter(f"record.{attribute}"), None, self.when, self.lifetime, attribute)


def nested(path: str, kind: object, **presence: Unpack[_Presence]) -> Any:
    """Declare a field with the value of a nested attribute of the record: ``commit.sha``."""
    return Field(attrgetter(f"record.{path}"), kind, *_presence(**presence), path)


def constant(value: object, kind: object, **presence: Unpack[_Presence]) -> Any:
    """Declare a field with a constant value."""
    return Field(lambda _: value, kind, *_presence(**presence))


def computed(function: Callable[[E], object]) -> Callable[[E], Any]:
    """Declare a field whose value a method computes."""
    function.__dict__["presence"] = (None, ALWAYS)
    return function


def computed_if(**presence: Unpack[_Presence]) -> Callable[[Callable[[E], object]], Callable[[E], Any]]:
    """Declare a field whose value a method computes, and which is present only in some releases or cases."""

    def mark(function: Callable[[E], object]) -> Callable[[E], Any]:
        function.__dict__["presence"] = _presence(**presence)
        return function

    return mark


class Fragment:
    """A rendered view: its JSON and the digest of that."""

    __slots__ = ("_digest", "data", "json")

    def __init__(self, data: bytes) -> None:
        self.data = data
        # Orjson copies a fragment into a list or a larger object without parsing it again.
        self.json = orjson.Fragment(data)
        self._digest: bytes | None = None

    @property
    def digest(self) -> bytes:
        """The hash of the JSON. Views inside other views need none."""
        if self._digest is None:
            self._digest = hash_content(self.data)
        return self._digest


class RenderContext(Protocol):
    """The part of a request's context that entities need."""

    @property
    def world(self) -> View:
        """The world."""

    @property
    def origin(self) -> str:
        """The scheme and authority that the client used."""

    @property
    def fragments(self) -> Cache[Fragment]:
        """The cache of rendered views."""

    @property
    def viewer_key(self) -> Hashable:
        """The cache key of the viewer; None for anonymous callers."""

    @property
    def wire_names(self) -> str:
        """``both``, ``neutral`` or ``vendor``."""

    def now(self) -> int:
        """The world's time in ms."""


class Entity(Generic[R]):
    """Base class of views. ``self.record`` is the record, ``self.ctx`` is the request's context.

    ``cached_by_id``: rendered views are cached by the record's id. Views of objects without an id are not cached.
    """

    fields: ClassVar[dict[str, Field]]
    record_class: ClassVar[Any] = None
    cached_by_id: ClassVar[bool] = True

    __slots__ = ("ctx", "options", "record")

    def __init__(self, record: R, ctx: Any, options: Options = ()) -> None:
        self.record = record
        self.ctx = ctx
        self.options = options

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        inherited = [vars(base).get("fields", {}) for base in reversed(cls.__mro__)]
        cls.fields = {name: field for fields in inherited for name, field in fields.items()} | _declared_fields(cls)
        for name in [name for name, value in vars(cls).items() if value is None and name in cls.fields]:
            del cls.fields[name]  # a view removes a field of its base by setting it to None
        cls.record_class = _record_class(cls)
        _check_attributes(cls)

    @classmethod
    def field_types(cls, profile: Profile = EVERYTHING) -> dict[str, object]:
        """Return the type of each field that a release has, for documents."""
        return {name: _field_type(cls, field) for name, field in cls.fields.items() if profile.has(field.lifetime)}

    def values(self) -> dict[str, Any]:
        """Return the view as a dictionary for JSON."""
        cls, profile = type(self), self.ctx.world.instance.profile
        plan: _Plan = profile.compiled.get(cls) or _compile_plan(cls, profile)
        # All names are inserted first, so that the fields are in the order of declaration, however they are filled.
        values: dict[str, Any] = dict.fromkeys(plan.names)
        values.update(zip(plan.copied, plan.attributes(self.record), strict=True))
        for name, value in plan.computed:
            values[name] = value(self)
        for name, value, is_present in plan.conditional:
            if is_present(self):
                values[name] = value(self)
            else:
                del values[name]
        return values


class _Plan(NamedTuple):
    """How a view is filled in a release: attributes that are copied from the record at once, and computed fields.

    ``conditional`` fields have the condition of their presence, too.
    """

    names: tuple[str, ...]
    copied: tuple[str, ...]
    attributes: Callable[[Any], tuple[Any, ...]]
    computed: tuple[tuple[str, Callable[..., object]], ...]
    conditional: tuple[tuple[str, Callable[..., object], Condition], ...]


def _compile_plan(view: type[Entity[Any]], profile: Profile) -> _Plan:
    fields = {name: field for name, field in view.fields.items() if profile.has(field.lifetime)}
    plain = {name: field.attribute for name, field in fields.items() if field.attribute and field.when is None}
    conditional = tuple((name, field.value, field.when) for name, field in fields.items() if field.when is not None)
    others = [name for name, field in fields.items() if name not in plain and field.when is None]
    computed = tuple((name, fields[name].value) for name in others)
    plan = _Plan(tuple(fields), tuple(plain), _tuple_getter(*plain.values()), computed, conditional)
    profile.compiled[view] = plan
    return plan


def _tuple_getter(*attributes: str) -> Callable[[Any], tuple[Any, ...]]:
    # With a single name, attrgetter would return the value itself instead of a tuple.
    if len(attributes) > 1:
        return attrgetter(*attributes)
    return lambda record: tuple(getattr(record, attribute) for attribute in attributes)


def _declared_fields(cls: type) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for name, value in vars(cls).items():
        if isinstance(value, _AttributeField):
            fields[name] = value.field(name)
        elif isinstance(value, Field):
            fields[name] = value
        elif callable(value) and "presence" in getattr(value, "__dict__", {}):
            fields[name] = Field(value, value, *value.__dict__["presence"])
    return fields


def _record_class(cls: type[Entity[R]]) -> Any:
    """Return the record class of a view or its bases; None if it is still generic."""
    arguments = [argument for base in vars(cls).get("__orig_bases__", ()) for argument in get_args(base)]
    return next(
        (argument for argument in arguments if isinstance(argument, type) and argument is not Any), cls.record_class
    )


def _check_attributes(cls: type[Entity[R]]) -> None:
    """Raise TypeError if a field's attribute does not exist. Generic views are checked in their subclasses."""
    if vars(cls)["__parameters__"]:
        return
    for name, field in cls.fields.items():
        if field.attribute and not hasattr(cls.record_class, field.attribute.partition(".")[0]):
            raise TypeError(f"{cls.__name__}.{name} shows {field.attribute!r}, which {cls.record_class} does not have")


def _field_type(cls: type[Entity[R]], field: Field) -> object:
    if field.kind is None:
        return json_type(_annotation_of(cls.record_class, field.attribute))
    return _return_type(field.kind) if isinstance(field.kind, FunctionType) else field.kind


def _annotation_of(record_class: type, attribute: str) -> object:
    declared = getattr_static(record_class, attribute)
    if isinstance(declared, property):
        return _return_type(declared.fget)
    return next(
        annotations[attribute] for base in record_class.__mro__ if attribute in (annotations := get_annotations(base))
    )


@cache
def _return_type(function: object) -> object:
    return get_type_hints(function).get("return", object)


def json_type(annotation: object) -> object:
    """Return the JSON type of an annotation: a list for a tuple, and the type of its values for a Literal."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return type(arguments[0])
    if origin is tuple:
        return list[arguments[0]]  # type: ignore[valid-type]
    if origin in (Union, UnionType):
        return Union[tuple(json_type(argument) for argument in arguments)]  # noqa: UP007  # made at run time
    return annotation


def render(entity: "type[Entity[Row]]", record: Row, ctx: RenderContext, options: Options = ()) -> Fragment:
    """Render a record, or return the cached rendering if it is still valid.

    A view that depends on the viewer is cached per viewer; all others are shared.
    """
    return render_all(entity, (record,), ctx, options)[0]


def render_nested(entity: "type[Entity[Row]]", record: Row, ctx: RenderContext, options: Options = ()) -> object:
    """Render a record inside another view, which becomes JSON as a whole."""
    if entity.cached_by_id:
        return render(entity, record, ctx, options).json
    return with_wire_names(entity(record, ctx, options).values(), ctx.wire_names)


def render_all(
    entity: "type[Entity[Row]]", records: Iterable[Row], ctx: RenderContext, options: Options = ()
) -> list[Fragment]:
    """Render records as `render` does."""
    world = ctx.world
    if world.is_draft:
        # A draft's records may never be committed.
        return [_render_entry(entity, record, ctx, options).value for record in records]
    if entity.cached_by_id:
        entries = _get_or_render(entity, records, ctx, options)
    else:
        entries = [_render_entry(entity, record, ctx, options) for record in records]
    reads = world.contents.reads
    if reads is not None:
        reads.add(*[entry.reads for entry in entries])
    return [entry.value for entry in entries]


def _get_or_render(
    entity: type[Entity[Row]], records: Iterable[Row], ctx: RenderContext, options: Options
) -> list[CacheEntry[Fragment]]:
    # After a write, a list finds all its rows but one here. What they have in common is therefore looked up once.
    fragments, viewer, origin, state, now = ctx.fragments, ctx.viewer_key, ctx.origin, ctx.world.state, ctx.now
    entries = []
    for record in records:
        # The key has only the record's id, so the entry must also be of this very version of the record. The context
        # may be of another world state than the one in which the entry was computed.
        key = (entity, record.id, origin, options)
        entry = fragments.find(key, viewer)
        if entry is None or entry.reads.record is not record or not entry.reads.is_valid(state, now):
            entry = _render_entry(entity, record, ctx, options)
            fragments.store(key, viewer, entry)
        entries.append(entry)
    return entries


def _render_entry(entity: type[Entity[R]], record: R, ctx: RenderContext, options: Options) -> CacheEntry[Fragment]:
    # The view's lookups are noted separately, and become one part of the outer dependencies: a list of 100 views then
    # depends on 100 parts, which other lists share.
    world, outer = ctx.world, ctx.world.reads
    world.reads = reads = Dependencies(record)
    try:
        values = entity(record, ctx, options).values()
    finally:
        world.reads = outer
    return CacheEntry(Fragment(dump_json(with_wire_names(values, ctx.wire_names))), reads, world.state)


def with_wire_names(values: dict[str, T], wire_names: str) -> dict[str, T]:
    """Return the fields under the names that the instance sends: the neutral ones, the vendor's, or both."""
    if VENDOR.keys().isdisjoint(values):
        return values
    vendor_names = {name: vendor_name for name in values if (vendor_name := VENDOR.get(name))}
    if wire_names == "neutral":
        return values
    renamed = {}
    for name, value in values.items():
        if name not in vendor_names or wire_names == "both":
            renamed[name] = value
        if name in vendor_names:
            renamed[vendor_names[name]] = value
    return renamed
