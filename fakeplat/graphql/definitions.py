"""The declarations in the schema definition language."""

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from fakeplat.core.release import Lifetime, Release
from fakeplat.graphql.schema_builder import (
    CONNECTION,
    ENUMERATIONS,
    INPUTS,
    INTERFACES,
    MUTATIONS,
    SCALARS,
    TYPES,
    Enumeration,
    Field,
    Mutation,
    Type,
    mutation_description,
)

D = TypeVar("D", Type, Enumeration, Field)
_PAGING: Final = "after: String, before: String, first: Int, last: Int"


def definitions(release: Release) -> Iterator[str]:
    """Yield the definition of each type that a release has, with the fields that it has."""
    for scalar in SCALARS.values():
        yield f"{_description(scalar.description)}scalar {scalar.name}"
    for enumeration in _list_existing(ENUMERATIONS.values(), release):
        values = (f"{_description(text)}{name}" for name, (_, text) in enumeration.values.items())
        yield f"{_description(enumeration.description)}enum {enumeration.name} {_block(values)}"
    for input_ in INPUTS.values():
        yield f"{_description(input_.description)}input {input_.name} {_block([input_.fields])}"
    for interface in INTERFACES.values():
        shared = (_field(Field(signature, text)) for signature, text in interface.fields.items())
        yield f"{_description(interface.description)}interface {interface.name} {_block(shared)}"
    for type_ in _list_existing(TYPES.values(), release):
        id_field = [f"{_description('The global ID.')}id: ID!"] if type_.gid is not None else []
        head = f"{type_.name} implements {' & '.join(type_.implements)}" if type_.implements else type_.name
        lines = [*id_field, *map(_field, _list_existing(type_.fields.values(), release))]
        yield f"{_description(type_.description)}type {head} {_block(lines)}"
    for name in _connection_type_names(release):
        yield from _connection_types(name)
    for mutation in MUTATIONS.values():
        yield from _mutation_types(mutation)
    # Relay's convention, as on the platform: one argument ``input``, and ``clientMutationId`` comes back unchanged.
    fields = (
        f"{_description(mutation_description(mutation))}{mutation.name}"
        f"(input: {mutation.type_name}Input!): {mutation.type_name}Payload"
        for mutation in MUTATIONS.values()
    )
    yield f"{_description('The root of all mutations.')}type Mutation {_block(fields)}"


def exists(declared: Type | Enumeration | Field, release: Release) -> bool:
    """Return whether a release has a type or field."""
    return Lifetime(declared.since).covers(release)


def _list_existing(declared: Iterable[D], release: Release) -> list[D]:
    return [each for each in declared if exists(each, release)]


def _description(text: str) -> str:
    return f'"""{text}"""\n' if text else ""


def _block(lines: Iterable[str]) -> str:
    return "{\n" + "\n".join(lines) + "\n}"


def _field(declared: Field) -> str:
    since = f" Since {declared.since}." if declared.since else ""
    return f"{_description(declared.description + since)}{_signature(declared)}"


def _signature(declared: Field) -> str:
    # Fields of connections are declared without the pagination arguments.
    if not declared.kind.endswith(CONNECTION):
        return declared.signature
    head, _, kind = declared.signature.rpartition(":")
    arguments = head.partition("(")[2].rpartition(")")[0]
    return f"{declared.name}({', '.join(filter(None, [arguments, _PAGING]))}):{kind}"


def _connection_type_names(release: Release) -> list[str]:
    """Return the names of the types that fields return connections of."""
    type_names = {
        declared.kind for type_ in TYPES.values() for declared in _list_existing(type_.fields.values(), release)
    }
    return sorted(name.removesuffix(CONNECTION) for name in type_names if name.endswith(CONNECTION))


def _connection_types(name: str) -> Iterator[str]:
    count = ['"""Total number of rows."""\ncount: Int!'] if TYPES[name].has_count else []
    fields = [
        *count,
        f'"""The rows of the page with their cursors."""\nedges: [{name}Edge]',
        f'"""The rows of the page."""\nnodes: [{name}]',
        '"""The position of the page."""\npageInfo: PageInfo!',
    ]
    yield f"{_description(f'A page of rows of the type {name}.')}type {name}Connection {_block(fields)}"
    edge = [
        '"""The cursor to pass as `after` or `before`."""\ncursor: String!',
        f'"""The row."""\nnode: {name}',
    ]
    yield f"{_description('A row and its cursor.')}type {name}Edge {_block(edge)}"


def _mutation_types(mutation: Mutation) -> Iterator[str]:
    client_id = '"""An identifier that the client chose for this mutation."""\nclientMutationId: String'
    errors = '"""Errors that kept the mutation from being executed."""\nerrors: [String!]!'
    name = mutation.name
    fields = _block([client_id, mutation.input_fields])
    yield f"{_description(f'Input of {name}.')}input {mutation.type_name}Input {fields}"
    payload = _block([client_id, errors, mutation.payload_fields])
    yield f"{_description(f'Payload of {name}.')}type {mutation.type_name}Payload {payload}"
