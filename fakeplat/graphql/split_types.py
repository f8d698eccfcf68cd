"""Types whose name became that of an interface: users are of the type ``UserCore``, which implements ``User``."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from graphql import parse_type, print_ast
from graphql.language import (
    DefinitionNode,
    FieldDefinitionNode,
    InterfaceTypeDefinitionNode,
    NamedTypeNode,
    NameNode,
    ObjectTypeDefinitionNode,
)

from fakeplat.core.release import Profile
from fakeplat.graphql.schema_builder import CONNECTION, TYPES


def split_types(definitions: Iterable[DefinitionNode], profile: Profile) -> Iterator[DefinitionNode]:
    """Yield the definitions with the types that a release has split; where fields have them, by their new names."""
    cores = {type_.name: type_.name_in(profile) for type_ in TYPES.values() if type_.name_in(profile) != type_.name}
    names = {f"{old}{suffix}": f"{new}{suffix}" for old, new in cores.items() for suffix in ("", CONNECTION, "Edge")}
    for definition in definitions:
        if not names or not isinstance(definition, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
            yield definition
            continue
        name = definition.name.value
        fields = tuple(_rename_field(field, names) for field in definition.fields or ())
        renamed = replace(definition, name=NameNode(value=names.get(name, name)), fields=fields)
        if name in cores:
            yield InterfaceTypeDefinitionNode(name=definition.name, description=definition.description, fields=fields)
            interface = NamedTypeNode(name=definition.name)
            renamed = replace(renamed, interfaces=(*(definition.interfaces or ()), interface))
        yield renamed


def _rename_field(field: FieldDefinitionNode, names: Mapping[str, str]) -> FieldDefinitionNode:
    """Return a field with the new name of its type, which may be within a list."""
    type_: Any = field.type
    while not isinstance(type_, NamedTypeNode):
        type_ = type_.type
    old = type_.name.value
    if old not in names:
        return field
    return replace(field, type=parse_type(print_ast(field.type).replace(old, names[old]), no_location=True))
