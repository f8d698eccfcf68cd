"""Declarations of types, fields and mutations, from which `schema.py` builds the schema.

```python
PROJECT = Type("Project", "A project.", gid="Project")

PROJECT.attributes({"name: String!": "The name."})

@PROJECT.field("starCount: Int!")
def star_count(ctx: ReadContext, project: Project) -> int:
    '''Number of users who starred the project.'''
```

A field is declared by its signature in the schema definition language; the docstring of its function is its
description. Arguments are passed to the function in snake case. A module can add fields to a type of another module. A
type ``XConnection`` need not be declared: such a field has the pagination arguments, and its function returns all rows.

``since`` and ``until`` are the releases between which something exists. Arguments, fields of inputs and fields of
payloads have them as a directive in their text: ``topic: String @lifetime(since: "14.3")``. What a release changed is
declared once per shape, the newest one last: the same name may appear again with a lifetime that does not overlap.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

from attrs import evolve, field

from fakeplat.core.release import ALWAYS, EVERYTHING, Lifetime, Profile, Release, parse_bound
from fakeplat.core.store.frozen import frozen
from fakeplat.policy.context import ReadContext, WriteContext

F = TypeVar("F", bound=Callable[..., Any])
Sdl = str
EnumValue = tuple[Any, str] | tuple[Any, str, Lifetime]
ReadEffect = Callable[[ReadContext, Any], Callable[[WriteContext], None] | None]

CONNECTION: Final = "Connection"
"""The suffix of the type names of connections."""
EDGE: Final = "Edge"
"""The suffix of the type names of edges."""
_SINCE: Final = re.compile(r' @lifetime\(since: "([^"]+)"(?:, (until: "[^"]+"))?\)')
"""The directive of an argument that begins with a release."""


@frozen
class Field:
    """A field of a type. ``call`` computes its value; None: the record's attribute of the same name in snake case.

    ``single``: it looks up a single record, whose next scheduled step runs first under the auto clock.
    ``read_effect`` returns the side effect of showing that record, if any. ``lifetime`` are the releases that have it.
    ``calls``: later releases answer only so many uses of the field in one query; 0 is no limit. ``page_limit``: a page
    of its connection has at most so many rows; 0 is the limit of all connections.
    """

    signature: Sdl
    description: str
    call: Callable[..., Any] | None = None
    single: bool = False
    read_effect: ReadEffect | None = None
    lifetime: Lifetime = ALWAYS
    calls: int = 0
    page_limit: int = 0

    @property
    def name(self) -> str:
        """``issues`` of ``issues(iid: String): IssueConnection``."""
        # The first colon may be that of an argument; what comes before it starts with the name in any case.
        return self.signature.partition(":")[0].partition("(")[0].strip()

    @property
    def kind(self) -> Sdl:
        """``Issue`` of ``issue(iid: String): Issue!``."""
        # The colons of arguments come earlier than the one before the field's own type.
        return self.signature.rpartition(":")[2].strip().rstrip("!")


def trim_lifetimes(text: Sdl, start: Release) -> Sdl:
    """Return arguments without the beginnings that are not after that of the field which has them."""

    def trim(match: re.Match[str]) -> str:
        if parse_bound(match[1]) > start:
            return match[0]
        return f" @lifetime({match[2]})" if match[2] else ""

    return _SINCE.sub(trim, text)


def _append_to(declared: list[Field], signature: Sdl, since: str) -> Callable[[F], F]:
    def declare(function: F) -> F:
        declared.append(Field(signature, _first_line(function), function, lifetime=Lifetime(since)))
        return function

    return declare


def _unchanged(record: Any) -> Any:
    return record


def _inherit(declared: Field, to_base: Callable[[Any], Any], heir: Lifetime) -> Field:
    """Return a field that a type, which some releases have, has from its base."""
    signature = trim_lifetimes(declared.signature, heir.start)
    lifetime = declared.lifetime
    if lifetime.start <= heir.start:
        lifetime = Lifetime(until=lifetime.until)
    if lifetime.end >= heir.end:
        lifetime = Lifetime(since=lifetime.since)
    call = declared.call if to_base is _unchanged else _compute_from_base(declared, to_base)
    return evolve(declared, signature=signature, lifetime=lifetime, call=call)


def _compute_from_base(declared: Field, to_base: Callable[[Any], Any]) -> Callable[..., Any]:
    call, name = declared.call, to_snake_case(declared.name)
    if call is None:
        return lambda _ctx, record: getattr(to_base(record), name)
    return lambda ctx, record, **arguments: call(ctx, to_base(record), **arguments)


@frozen(eq=False)
class Type:
    """An object type. ``gid`` is the kind of its records in global ids, or a function that returns it for a record.

    ``has_count``: its connection has a ``count``, from the release ``count_since`` on. ``implements`` are the names of
    its interfaces, whose fields the type must declare too. From the release ``split_since`` on, the name is that of an
    interface, and the records are of the type ``core_name``. ``declared`` are the fields, the newest shape of one last.
    A type has all fields of its ``base``, too, of whose records ``to_base`` returns the one for its own. ``totals`` are
    fields of its connections, computed from all rows; ``of_connection`` and ``of_edge`` those that are computed from
    the connection or the edge, which know the record that has the field.
    """

    name: str
    description: str
    gid: str | Callable[[Any], str] | None = None
    has_count: bool = False
    implements: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    count_since: str = ""
    connection_since: str = ""
    core_name: str = ""
    split_since: str = ""
    base: "Type | None" = None
    to_base: Callable[[Any], Any] = _unchanged
    declared: list[Field] = field(factory=list)
    totals: list[Field] = field(factory=list)
    of_connection: list[Field] = field(factory=list)
    of_edge: list[Field] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        if self.name in TYPES:
            raise ValueError(f"type {self.name} is declared twice")
        TYPES[self.name] = self

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the type."""
        return Lifetime(self.since, self.until)

    @property
    def connection_lifetime(self) -> Lifetime:
        """The releases that have connections of the type, which may come later than the type itself."""
        return Lifetime(self.connection_since or self.since, self.until)

    def name_in(self, profile: Profile) -> str:
        """Return the name of the records' type in a release; in the sum of all releases the one that came first."""
        is_split = self.core_name and profile is not EVERYTHING and profile.has(Lifetime(self.split_since))
        return self.core_name if is_split else self.name

    @property
    def all_declared(self) -> list[Field]:
        """The fields, those of the base first; a field of the type itself replaces that of its base."""
        if self.base is None:
            return self.declared
        own = {each.name for each in self.declared}
        lifetime = self.lifetime
        rest = (
            each
            for each in self.base.all_declared
            if each.name not in own and each.lifetime.end > lifetime.start and each.lifetime.start < lifetime.end
        )
        return [*(_inherit(each, self.to_base, lifetime) for each in rest), *self.declared]

    def fields(self, profile: Profile) -> dict[str, Field]:
        """Return the fields that a release has, by name."""
        return {each.name: each for each in self.all_declared if profile.has(each.lifetime)}

    def attributes(self, signatures: Mapping[Sdl, str], *, since: str = "", until: str = "") -> None:
        """Declare fields that return attributes of the record as they are, with their descriptions."""
        for signature, description in signatures.items():
            self.add(Field(signature, description, lifetime=Lifetime(since, until)))

    def field(
        self,
        signature: Sdl,
        *,
        description: str = "",
        single: bool = False,
        read_effect: ReadEffect | None = None,
        since: str = "",
        until: str = "",
        calls: int = 0,
        page_limit: int = 0,
    ) -> Callable[[F], F]:
        """Declare a field computed from the context, the record (except on root types) and the arguments.

        Without a ``description`` it has the first line of the function's docstring.
        """

        def declare(function: F) -> F:
            lifetime = Lifetime(since, until)
            text = description or _first_line(function)
            # Arguments that several fields share may begin before some of these.
            trimmed = trim_lifetimes(signature, lifetime.start)
            self.add(Field(trimmed, text, function, single, read_effect, lifetime, calls, page_limit))
            return function

        return declare

    def total(self, signature: Sdl, *, since: str = "") -> Callable[[F], F]:
        """Declare a field of connections, computed from the context and all rows, not only those of the page."""
        return _append_to(self.totals, signature, since)

    def connection_field(self, signature: Sdl, *, since: str = "") -> Callable[[F], F]:
        """Declare a field of connections, computed from the context and the connection."""
        return _append_to(self.of_connection, signature, since)

    def edge_field(self, signature: Sdl, *, since: str = "") -> Callable[[F], F]:
        """Declare a field of edges, computed from the context and the edge."""
        return _append_to(self.of_edge, signature, since)

    def add(self, added: Field) -> None:
        """Add a field; ValueError if a release that has it has another one with that name."""
        name = added.name
        shapes = (each.lifetime for each in self.declared if each.name == name)
        if any(shape.covers(added.lifetime.start) for shape in shapes):
            raise ValueError(f"field {name} of type {self.name} is declared twice")
        self.declared.append(added)


@frozen(eq=False)
class Interface:
    """Fields with descriptions that several types share; each type declares how it computes them.

    ``type_of`` returns the name of the type of a record, if a field returns the interface and not one of its types.
    ``totals`` are fields of its connections, as those of a type.
    """

    name: str
    description: str
    fields: Mapping[Sdl, str]
    since: str = ""
    until: str = ""
    type_of: Callable[[Any], str] | None = None
    totals: Sequence[Field] = ()

    def __attrs_post_init__(self) -> None:
        INTERFACES[self.name] = self

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the interface."""
        return Lifetime(self.since, self.until)


@frozen(eq=False)
class Union:
    """One of several types; ``type_of`` returns the name of that of a record."""

    name: str
    description: str
    types: Sequence[Type]
    type_of: Callable[[Any], str]
    since: str = ""

    def __attrs_post_init__(self) -> None:
        UNIONS[self.name] = self

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the union."""
        return Lifetime(self.since)


@frozen(eq=False)
class Input:
    """An input type: its fields in the schema definition language, one per line."""

    name: str
    description: str
    fields: Sdl
    since: str = ""
    until: str = ""

    def __attrs_post_init__(self) -> None:
        INPUTS[self.name] = self

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the input type."""
        return Lifetime(self.since, self.until)


@frozen(eq=False)
class Enumeration:
    """An enum: for each name on the wire the Python value, the description and, if not always, the lifetime."""

    name: str
    description: str
    values: Mapping[str, EnumValue]
    since: str = ""
    until: str = ""

    def __attrs_post_init__(self) -> None:
        ENUMERATIONS[self.name] = self

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the enum."""
        return Lifetime(self.since, self.until)

    def get_name(self, value: object) -> str:
        """Return the first name that stands for a Python value of the enum."""
        return next(name for name, entry in self.values.items() if entry[0] == value)


def with_lower_names(values: Mapping[str, EnumValue]) -> dict[str, EnumValue]:
    """Return the values of an order, those by time also under their first names: ``created_asc``."""
    by_time = {name: value for name, value in values.items() if name.startswith(("CREATED_", "UPDATED_"))}
    return {**values, **{name.lower(): value for name, value in by_time.items()}}


@frozen(eq=False)
class Scalar:
    """A custom scalar; ``read`` raises ValueError for invalid values."""

    name: str
    description: str
    show: Callable[[Any], Any] = str
    read: Callable[[Any], Any] = str
    since: str = ""
    until: str = ""

    def __attrs_post_init__(self) -> None:
        SCALARS[self.name] = self

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the scalar."""
        return Lifetime(self.since, self.until)


@frozen(eq=False)
class Mutation:
    """A mutation: the fields of its input and of its payload, and the function that runs it.

    ``keeps_case``: the names of its types begin with a small letter, as its own does.
    """

    name: str
    input_fields: Sdl
    payload_fields: Sdl
    call: Callable[..., Mapping[str, Any]]
    lifetime: Lifetime = ALWAYS
    keeps_case: bool = False

    @property
    def type_name(self) -> str:
        """``CreateIssue`` of ``createIssue``: the prefix of its input and payload types."""
        return self.name if self.keeps_case else self.name[0].upper() + self.name[1:]


TYPES: Final[dict[str, Type]] = {}
INTERFACES: Final[dict[str, Interface]] = {}
UNIONS: Final[dict[str, Union]] = {}
INPUTS: Final[dict[str, Input]] = {}
ENUMERATIONS: Final[dict[str, Enumeration]] = {}
SCALARS: Final[dict[str, Scalar]] = {}
MUTATIONS: Final[dict[str, Mutation]] = {}

QUERY: Final = Type("Query", "The root of all queries.")


def mutation(
    name: str, *, input_fields: Sdl, payload_fields: Sdl, since: str = "", until: str = "", keeps_case: bool = False
) -> Callable[[F], F]:
    """Declare a mutation: the function gets a `WriteContext` and the input, and returns the payload.

    Both ``input_fields`` and ``payload_fields`` are fields in the schema definition language, one per line;
    the fields that every mutation has are added.
    """

    def declare(function: F) -> F:
        MUTATIONS[name] = Mutation(name, input_fields, payload_fields, function, Lifetime(since, until), keeps_case)
        return function

    return declare


def mutation_description(declared: Mutation) -> str:
    """Return the description of a mutation."""
    return _first_line(declared.call)


def _first_line(function: Callable[..., object]) -> str:
    return (function.__doc__ or "").strip().partition("\n")[0]


# The ``U`` of ``webUrl``; of several capitals in a row the first one, and the second one if a word begins with it, as
# with the ``D`` of ``keepNDuplicated``.
_HUMP: Final = re.compile(r"(?<=[a-z0-9])[A-Z]|(?<=[a-z0-9][A-Z])[A-Z](?=[a-z])")


@lru_cache(4096)
def to_snake_case(name: str) -> str:
    """Convert ``webUrl`` to ``web_url``."""
    return _HUMP.sub(lambda match: f"_{match[0].lower()}", name)
