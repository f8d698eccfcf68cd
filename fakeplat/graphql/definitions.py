"""The declarations of all releases in the schema definition language; `lifetimes.py` selects those of one.

What does not always exist has a directive: ``@lifetime(since: "13.8", until: "16.0")``.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.graphql.schema_builder import (
    CONNECTION,
    EDGE,
    ENUMERATIONS,
    INPUTS,
    INTERFACES,
    MUTATIONS,
    SCALARS,
    TYPES,
    UNIONS,
    Field,
    Mutation,
    Type,
    Union,
    mutation_description,
)

LIFETIME: Final = "lifetime"
"""The name of the directive."""
_PAGING: Final = "after: String, before: String, first: Int, last: Int"


class Definition(NamedTuple):
    """The text of the definition of a type, and the lifetime of the type."""

    text: str
    lifetime: Lifetime = ALWAYS


@cache
def definitions() -> tuple[Definition, ...]:
    """Return the definition of each type."""
    return tuple(_list_definitions())


def _list_definitions() -> Iterator[Definition]:
    for scalar in SCALARS.values():
        text = f"{_description(scalar.description)}scalar {scalar.name}{_directive(scalar.lifetime)}"
        yield Definition(text, scalar.lifetime)
    for enumeration in ENUMERATIONS.values():
        values = (_enum_value(name, *value) for name, value in enumeration.values.items())
        yield _definition("enum", enumeration.name, enumeration.description, values, enumeration.lifetime)
    for input_ in INPUTS.values():
        yield _definition("input", input_.name, input_.description, [input_.fields], input_.lifetime)
    for interface in INTERFACES.values():
        shared = (_field(Field(signature, text)) for signature, text in interface.fields.items())
        yield _definition("interface", interface.name, interface.description, shared, interface.lifetime)
    for union in UNIONS.values():
        members = " | ".join(type_.name for type_ in union.types)
        text = f"{_description(union.description)}union {union.name}{_directive(union.lifetime)} = {members}"
        yield Definition(text, union.lifetime)
    for type_ in TYPES.values():
        id_field = [f"{_description('The global ID.')}id: ID!"] if type_.gid is not None else []
        head = f"{type_.name} implements {' & '.join(type_.implements)}" if type_.implements else type_.name
        yield _definition(
            "type", head, type_.description, [*id_field, *map(_field, type_.all_declared)], type_.lifetime
        )
    for name in _connection_type_names():
        yield from _connection_types(name)
    for mutation in MUTATIONS.values():
        yield from _mutation_types(mutation)
    # Relay's convention, as on the platform: one argument ``input``, and ``clientMutationId`` comes back unchanged.
    fields = (
        f"{_description(mutation_description(mutation))}{mutation.name}"
        f"(input: {mutation.type_name}Input!): {mutation.type_name}Payload{_directive(mutation.lifetime)}"
        for mutation in MUTATIONS.values()
    )
    yield _definition("type", "Mutation", "The root of all mutations.", fields)


def _definition(
    kind: str, head: str, description: str, lines: Iterable[str], lifetime: Lifetime = ALWAYS
) -> Definition:
    block = "{\n" + "\n".join(lines) + "\n}"
    return Definition(f"{_description(description)}{kind} {head}{_directive(lifetime)} {block}", lifetime)


def _directive(lifetime: Lifetime) -> str:
    bounds = (("since", lifetime.since), ("until", lifetime.until))
    arguments = ", ".join(f'{name}: "{release}"' for name, release in bounds if release)
    return f" @{LIFETIME}({arguments})" if arguments else ""


def _enum_value(name: str, _value: object, text: str, lifetime: Lifetime = ALWAYS) -> str:
    return f"{_description(text)}{name}{_directive(lifetime)}"


def _description(text: str) -> str:
    return f'"""{text}"""\n' if text else ""


def _field(declared: Field) -> str:
    return f"{_description(declared.description)}{_signature(declared)}{_directive(declared.lifetime)}"


def _signature(declared: Field) -> str:
    # Fields of connections are declared without the pagination arguments.
    if not declared.kind.endswith(CONNECTION):
        return declared.signature
    head, _, kind = declared.signature.rpartition(":")
    arguments = head.partition("(")[2].rpartition(")")[0]
    return f"{declared.name}({', '.join(filter(None, [arguments, _PAGING]))}):{kind}"


def _connection_type_names() -> list[str]:
    """Return the names of the types that fields return connections of."""
    type_names = {declared.kind for type_ in TYPES.values() for declared in type_.declared}
    return sorted(name.removesuffix(CONNECTION) for name in type_names if name.endswith(CONNECTION))


def _connection_types(name: str) -> Iterator[Definition]:
    type_ = TYPES.get(name)
    declared = type_ or INTERFACES.get(name) or UNIONS[name]
    totals = () if isinstance(declared, Union) else declared.totals
    of_connection, of_edge = (type_.of_connection, type_.of_edge) if type_ is not None else ((), ())
    lifetime = declared.connection_lifetime if isinstance(declared, Type) else declared.lifetime
    has_count = type_ is not None and type_.has_count
    count = '"""Total number of rows."""\ncount: Int!' + _directive(Lifetime(type_.count_since if type_ else ""))
    fields = [
        *([count] if has_count else []),
        *map(_field, (*totals, *of_connection)),
        f'"""The rows of the page with their cursors."""\nedges: [{name}{EDGE}]',
        f'"""The rows of the page."""\nnodes: [{name}]',
        '"""The position of the page."""\npageInfo: PageInfo!',
    ]
    text = f"A page of rows of the type {name}."
    yield _definition("type", f"{name}{CONNECTION}", text, fields, lifetime)
    edge = [
        '"""The cursor to pass as `after` or `before`."""\ncursor: String!',
        f'"""The row."""\nnode: {name}',
        *map(_field, of_edge),
    ]
    yield _definition("type", f"{name}{EDGE}", "A row and its cursor.", edge, lifetime)


def _mutation_types(mutation: Mutation) -> Iterator[Definition]:
    client_id = '"""An identifier that the client chose for this mutation."""\nclientMutationId: String'
    errors = '"""Errors that kept the mutation from being executed."""\nerrors: [String!]!'
    name, lifetime = mutation.name, mutation.lifetime
    fields = [client_id, mutation.input_fields]
    yield _definition("input", f"{mutation.type_name}Input", f"Input of {name}.", fields, lifetime)
    payload = [client_id, errors, mutation.payload_fields]
    yield _definition("type", f"{mutation.type_name}Payload", f"Payload of {name}.", payload, lifetime)
