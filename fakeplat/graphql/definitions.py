"""All declarations in the schema definition language."""

from collections.abc import Iterable, Iterator
from typing import Final

from fakeplat.graphql.schema_builder import (
    CONNECTION,
    ENUMERATIONS,
    INPUTS,
    INTERFACES,
    MUTATIONS,
    SCALARS,
    TYPES,
    Field,
    Mutation,
    description_of,
)

_PAGING: Final = "after: String, before: String, first: Int, last: Int"


def definitions() -> Iterator[str]:
    """Each definition."""
    for scalar in SCALARS.values():
        yield f"{_described(scalar.description)}scalar {scalar.name}"
    for enumeration in ENUMERATIONS.values():
        words = (f"{_described(text)}{word}" for word, (_, text) in enumeration.values.items())
        yield f"{_described(enumeration.description)}enum {enumeration.name} {_block(words)}"
    for input_ in INPUTS.values():
        yield f"{_described(input_.description)}input {input_.name} {_block([input_.fields])}"
    for interface in INTERFACES.values():
        shared = (_field(Field(signature, text)) for signature, text in interface.fields.items())
        yield f"{_described(interface.description)}interface {interface.name} {_block(shared)}"
    for type_ in TYPES.values():
        own = [f"{_described('The global id.')}id: ID!"] if type_.gid is not None else []
        head = f"{type_.name} implements {' & '.join(type_.implements)}" if type_.implements else type_.name
        yield f"{_described(type_.description)}type {head} {_block([*own, *map(_field, type_.fields.values())])}"
    for name in _connected():
        yield from _connection(name)
    for mutation in MUTATIONS.values():
        yield from _mutation(mutation)
    fields = (
        f"{_described(description_of(one))}{one.name}(input: {one.type_name}Input!): {one.type_name}Payload"
        for one in MUTATIONS.values()
    )
    yield f"{_described('What can be changed.')}type Mutation {_block(fields)}"


def _described(text: str) -> str:
    return f'"""{text}"""\n' if text else ""


def _block(lines: Iterable[str]) -> str:
    return "{\n" + "\n".join(lines) + "\n}"


def _field(declared: Field) -> str:
    return f"{_described(declared.description)}{_signature(declared)}"


def _signature(declared: Field) -> str:
    if not declared.kind.endswith(CONNECTION):
        return declared.signature
    head, _, kind = declared.signature.rpartition(":")
    own = head.partition("(")[2].rpartition(")")[0]
    return f"{declared.name}({', '.join(filter(None, [own, _PAGING]))}):{kind}"


def _connected() -> list[str]:
    """The types that some field gives pages of."""
    kinds = {one.kind for type_ in TYPES.values() for one in type_.fields.values()}
    return sorted(kind.removesuffix(CONNECTION) for kind in kinds if kind.endswith(CONNECTION))


def _connection(name: str) -> Iterator[str]:
    count = ['"""How many rows there are in all."""\ncount: Int!'] if TYPES[name].counts else []
    fields = [
        *count,
        f'"""The rows with their cursors."""\nedges: [{name}Edge]',
        f'"""The rows."""\nnodes: [{name}]',
        '"""Where the page stands."""\npageInfo: PageInfo!',
    ]
    yield f"{_described(f'A page of rows of the type {name}.')}type {name}Connection {_block(fields)}"
    edge = [
        '"""What a page after or before the row is asked with."""\ncursor: String!',
        f'"""The row."""\nnode: {name}',
    ]
    yield f"{_described('A row with its cursor.')}type {name}Edge {_block(edge)}"


def _mutation(mutation: Mutation) -> Iterator[str]:
    client = '"""What the client calls this mutation."""\nclientMutationId: String'
    errors = '"""Why it was refused; empty if it was done."""\nerrors: [String!]!'
    name = mutation.name
    yield f"{_described(f'What {name} takes.')}input {mutation.type_name}Input {_block([client, mutation.takes])}"
    payload = _block([client, errors, mutation.gives])
    yield f"{_described(f'What {name} gives.')}type {mutation.type_name}Payload {payload}"
