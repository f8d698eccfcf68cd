"""The declarations that a release has, selected by the directives that tell their lifetimes.

The definition of a type is parsed once, when the first release with the type needs it. The syntax tree of a release
leaves out what it lacks, and all directives.
"""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final, Literal, NamedTuple, TypeVar

from graphql import DocumentNode, parse
from graphql.language import (
    DefinitionNode,
    FieldDefinitionNode,
    InputValueDefinitionNode,
    InterfaceTypeDefinitionNode,
    Node,
    ObjectTypeDefinitionNode,
    StringValueNode,
    UnionTypeDefinitionNode,
)

from fakeplat.core.release import ALWAYS, EVERYTHING, Lifetime, Profile
from fakeplat.graphql.definitions import LIFETIME, Definition, definitions
from fakeplat.graphql.schema_builder import TYPES
from fakeplat.graphql.split_types import split_types

N = TypeVar("N", bound=Node)
D = TypeVar("D", bound=DefinitionNode)
Kind = Literal["type", "field", "argument", "input field", "enum value", "mutation"]
_DIRECTIVE: Final = re.compile(rf'@{LIFETIME}\((?:since: "([^"]*)")?(?:, )?(?:until: "([^"]*)")?\)')
# The attributes of nodes that contain nodes with names and lifetimes.
_PARTS: Final = ("fields", "values", "arguments")


class Declared(NamedTuple):
    """Something that the schema of some release has."""

    kind: Kind
    name: str
    lifetime: Lifetime
    node: Any


def _parse_definitions(profile: Profile = EVERYTHING) -> Iterator[DefinitionNode]:
    """Yield the definitions of the types that a release has, with what these have in all releases."""
    return (_parse(definition) for definition in definitions() if profile.has(definition.lifetime))


@cache
def _parse(definition: Definition) -> DefinitionNode:
    (node,) = parse(definition.text, no_location=True).definitions
    return node


def document_of(profile: Profile) -> DocumentNode:
    """Return the definitions that a release has."""
    existing = _list_existing(_parse_definitions(profile), profile)
    names = {_name(definition) for definition in existing if isinstance(definition, InterfaceTypeDefinitionNode)}
    names |= {type_.name for type_ in TYPES.values() if type_.name_in(profile) != type_.name}
    types = {_name(definition) for definition in existing}
    selected = (_select_members(_select_interfaces(definition, names), types) for definition in existing)
    return DocumentNode(definitions=tuple(split_types(selected, profile)))


@cache
def list_lifetimes() -> tuple[Lifetime, ...]:
    """Return each lifetime that something has."""
    # Read from the texts: parsing all of them takes most of the time of a first query.
    bounds = {bounds for definition in definitions() for bounds in _DIRECTIVE.findall(definition.text)}
    return tuple(sorted((Lifetime(*pair) for pair in bounds), key=str))


def list_nodes() -> Iterator[Declared]:
    """Yield everything that some release has: types, their fields, values and arguments, and mutations."""
    for definition in _parse_definitions():
        name = _name(definition)
        yield Declared("type", name, lifetime_of(definition), definition)
        for part in _parts(definition):
            part_name = f"{name}.{_name(part)}"
            yield Declared(_kind(name, part), part_name, lifetime_of(part), part)
            for argument in _parts(part):
                yield Declared("argument", f"{part_name}({_name(argument)})", lifetime_of(argument), argument)


def _kind(type_name: str, part: Node) -> Kind:
    if isinstance(part, FieldDefinitionNode):
        return "mutation" if type_name == "Mutation" else "field"
    return "input field" if isinstance(part, InputValueDefinitionNode) else "enum value"


def lifetime_of(node: Any) -> Lifetime:
    """Return the lifetime that the directive of a node tells; ValueError for another directive or argument."""
    directives = getattr(node, "directives", None)
    if not directives:
        return ALWAYS
    (directive,) = directives
    bounds = {argument.name.value: argument.value for argument in directive.arguments}
    texts = {name: value.value for name, value in bounds.items() if isinstance(value, StringValueNode)}
    if directive.name.value != LIFETIME or texts.keys() != bounds.keys() or not texts.keys() <= {"since", "until"}:
        raise ValueError(f'{_name(node)} has a directive other than @{LIFETIME}(since: "…", until: "…")')
    return Lifetime(texts.get("since", ""), texts.get("until", ""))


def _list_existing(nodes: Iterable[N], profile: Profile) -> tuple[N, ...]:
    """Return the nodes that a release has. Of several shapes of one name, the last one is the newest."""
    return tuple({_name(node): _select(node, profile) for node in nodes if profile.has(lifetime_of(node))}.values())


def _select(node: N, profile: Profile) -> N:
    """Return a node with the parts that a release has, and its lifetime in its description, not as a directive."""
    changes: dict[str, Any] = {}
    for name in _PARTS:
        parts = getattr(node, name, None)
        if parts:
            changes[name] = _list_existing(parts, profile)
    lifetime = lifetime_of(node)
    if lifetime:
        changes |= {"directives": (), "description": _describe(getattr(node, "description", None), lifetime)}
    return replace(node, **changes) if changes else node


def _describe(description: StringValueNode | None, lifetime: Lifetime) -> StringValueNode:
    text = str(lifetime).replace("<=", "at the latest ").capitalize()
    return StringValueNode(value=f"{description.value} {text}." if description else f"{text}.", block=True)


def _select_interfaces(definition: D, names: Container[str]) -> D:
    """Return a type with those of its interfaces that exist."""
    if not isinstance(definition, ObjectTypeDefinitionNode) or not definition.interfaces:
        return definition
    return replace(definition, interfaces=tuple(node for node in definition.interfaces if node.name.value in names))


def _select_members(definition: D, names: Container[str]) -> D:
    """Return a union with those of its types that exist."""
    if not isinstance(definition, UnionTypeDefinitionNode):
        return definition
    return replace(definition, types=tuple(node for node in definition.types or () if node.name.value in names))


def _parts(node: Any) -> Iterator[Any]:
    return (part for name in _PARTS for part in getattr(node, name, None) or ())


def _name(node: Any) -> str:
    return str(node.name.value)
