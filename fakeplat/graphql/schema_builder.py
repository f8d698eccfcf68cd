"""How types, fields and mutations are declared; `schema.py` makes one schema of all that was.

```python
PROJECT = Type("Project", "A project.", gid="Project")

PROJECT.attributes({"name: String!": "Its name."})

@PROJECT.field("starCount: Int!")
def star_count(cx: Context, project: Project) -> int:
    '''How many users starred it.'''
```

A field is declared by its signature in the schema definition language; its docstring is its description. Arguments
reach the function in snake case. An area adds its fields to another's type from its own module. A type
``XConnection`` need not be declared: such a field takes the paging arguments, and its function gives all rows.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from attrs import field

from fakeplat.core.store.frozen import frozen
from fakeplat.policy.context import ReadContext, WriteContext

F = TypeVar("F", bound=Callable[..., Any])
Sdl = str
Wakes = Callable[[ReadContext, Any], Callable[[WriteContext], None] | None]

CONNECTION: Final = "Connection"
"""How the name of a page of rows ends."""


@frozen
class Field:
    """A field of a type. ``call`` gives its value; None: the attribute of the record that has its name in snake case.

    ``one``: it looks up a single record, whose next step comes first under the auto clock. ``wakes``: what showing
    that record sets going.
    """

    signature: Sdl
    description: str
    call: Callable[..., Any] | None = None
    one: bool = False
    wakes: Wakes | None = None

    @property
    def name(self) -> str:
        """``issues`` of ``issues(iid: String): IssueConnection``."""
        return self.signature.partition(":")[0].partition("(")[0].strip()

    @property
    def kind(self) -> Sdl:
        """``Issue`` of ``issue(iid: String): Issue!``."""
        return self.signature.rpartition(":")[2].strip().rstrip("!")


@frozen(eq=False)
class Type:
    """An object type. ``gid`` is the word for its records in global ids, or what finds it for a record.

    ``counts``: its connection says how many there are. ``implements`` are the names of its interfaces, whose fields it
    declares too.
    """

    name: str
    description: str
    gid: str | Callable[[Any], str] | None = None
    counts: bool = False
    implements: tuple[str, ...] = ()
    fields: dict[str, Field] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if self.name in TYPES:
            raise ValueError(f"two types are named {self.name}")
        TYPES[self.name] = self

    def attributes(self, signatures: Mapping[Sdl, str]) -> None:
        """Fields that show attributes of the record as they are, with their descriptions."""
        for signature, description in signatures.items():
            self.add(Field(signature, description))

    def field(self, signature: Sdl, *, one: bool = False, wakes: Wakes | None = None) -> Callable[[F], F]:
        """A field that a function works out of the context, the record (but for root types) and the arguments."""

        def declare(function: F) -> F:
            self.add(Field(signature, _first_line(function), function, one, wakes))
            return function

        return declare

    def add(self, declared: Field) -> None:
        """Take a field in; two of a name are a mistake of the declarations."""
        if declared.name in self.fields:
            raise ValueError(f"{self.name} has two fields {declared.name}")
        self.fields[declared.name] = declared


@frozen(eq=False)
class Interface:
    """Fields (with their descriptions) that several types have; each says itself where their values come from."""

    name: str
    description: str
    fields: Mapping[Sdl, str]

    def __attrs_post_init__(self) -> None:
        INTERFACES[self.name] = self


@frozen(eq=False)
class Input:
    """What an argument is made of: its fields in the schema definition language, one per line."""

    name: str
    description: str
    fields: Sdl

    def __attrs_post_init__(self) -> None:
        INPUTS[self.name] = self


@frozen(eq=False)
class Enumeration:
    """An enum: what each word on the wire means inside, with its description."""

    name: str
    description: str
    values: Mapping[str, tuple[Any, str]]

    def __attrs_post_init__(self) -> None:
        ENUMERATIONS[self.name] = self


@frozen(eq=False)
class Scalar:
    """A scalar of the platform's own; ``read`` raises ValueError for what is none."""

    name: str
    description: str
    show: Callable[[Any], Any] = str
    read: Callable[[Any], Any] = str

    def __attrs_post_init__(self) -> None:
        SCALARS[self.name] = self


@frozen(eq=False)
class Mutation:
    """A mutation: the fields of its input and of its payload, and the verb."""

    name: str
    takes: Sdl
    gives: Sdl
    call: Callable[..., Mapping[str, Any]]

    @property
    def type_name(self) -> str:
        """``CreateIssue`` of ``createIssue``: what its input and payload are named after."""
        return self.name[0].upper() + self.name[1:]


TYPES: Final[dict[str, Type]] = {}
INTERFACES: Final[dict[str, Interface]] = {}
INPUTS: Final[dict[str, Input]] = {}
ENUMERATIONS: Final[dict[str, Enumeration]] = {}
SCALARS: Final[dict[str, Scalar]] = {}
MUTATIONS: Final[dict[str, Mutation]] = {}

QUERY: Final = Type("Query", "What can be asked.")


def mutation(name: str, *, takes: Sdl, gives: Sdl) -> Callable[[F], F]:
    """A mutation: the function is given a `WriteContext` and the input, and gives the payload.

    Both ``takes`` and ``gives`` are fields in the schema definition language, one per line; what every mutation has
    is added.
    """

    def declare(function: F) -> F:
        MUTATIONS[name] = Mutation(name, takes, gives, function)
        return function

    return declare


def description_of(declared: Mutation) -> str:
    """What a mutation says of itself."""
    return _first_line(declared.call)


def _first_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").strip().partition("\n")[0]
