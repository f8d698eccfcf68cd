"""Explanations of names that a query uses, and that only other releases have. They are computed only when read."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    GraphQLEnumType,
    GraphQLInputObjectType,
    NamedTypeNode,
    TypeInfo,
    TypeInfoVisitor,
    VariableDefinitionNode,
    Visitor,
    get_named_type,
    type_from_ast,
    visit,
)
from graphql.language import EnumValueNode, ObjectFieldNode

from fakeplat.core.release import Lifetime, Profile
from fakeplat.graphql.lifetimes import list_nodes
from fakeplat.graphql.schema import schema


def explain_absent(document: DocumentNode, values: Mapping[str, object], profile: Profile, version: str) -> str:
    """Return a sentence for each name in a query or its variables that exists, but not in the release."""
    used = _UsedNames(values)
    visit(document, TypeInfoVisitor(used.types, used))
    lifetimes = _lifetimes_by_name()
    absent = {name: lifetimes[name] for name in used.names if name in lifetimes}
    return "; ".join(
        f"`{name}` exists {' and '.join(map(str, shapes))}; this world is {version}"
        for name, shapes in absent.items()
        if not any(map(profile.has, shapes))
    )


@cache
def _lifetimes_by_name() -> dict[str, list[Lifetime]]:
    """Return the lifetimes of the shapes of each name that not all releases have."""
    found: dict[str, list[Lifetime]] = {}
    for declared in list_nodes():
        if declared.lifetime:
            found.setdefault(declared.name, []).append(declared.lifetime)
    return found


class _UsedNames(Visitor):
    """Collects the names that a query uses, as they are declared: ``Project.issues(state)``."""

    def __init__(self, values: Mapping[str, object]) -> None:
        super().__init__()
        self.types = TypeInfo(schema())
        self.names: dict[str, None] = {}
        self._values = values
        self._field = ""

    def enter_field(self, node: FieldNode, *_: object) -> None:
        """Collect a field."""
        self._field = f"{self.types.get_parent_type()}.{node.name.value}"
        self._add(self._field)

    def enter_argument(self, node: ArgumentNode, *_: object) -> None:
        """Collect an argument."""
        self._add(f"{self._field}({node.name.value})")

    def enter_object_field(self, node: ObjectFieldNode, *_: object) -> None:
        """Collect a field of an input."""
        self._add(f"{get_named_type(self.types.get_parent_input_type())}.{node.name.value}")

    def enter_enum_value(self, node: EnumValueNode, *_: object) -> None:
        """Collect a value of an enum."""
        self._add(f"{get_named_type(self.types.get_input_type())}.{node.value}")

    def enter_named_type(self, node: NamedTypeNode, *_: object) -> None:
        """Collect the type of a fragment or variable."""
        self._add(node.name.value)

    def enter_variable_definition(self, node: VariableDefinitionNode, *_: object) -> None:
        """Collect the names in the value of a variable."""
        type_ = type_from_ast(schema(), node.type)
        for name in _names_in(self._values.get(node.variable.name.value), type_):
            self._add(name)

    def _add(self, name: str) -> None:
        self.names[name] = None


def _names_in(value: object, type_: Any) -> Iterator[str]:
    """Yield the names of enum values and of the fields of inputs in the value of a variable."""
    named = get_named_type(type_)
    for item in value if isinstance(value, list) else [value]:
        if isinstance(named, GraphQLEnumType):
            yield f"{named}.{item}"
        elif isinstance(named, GraphQLInputObjectType) and isinstance(item, dict):
            for key, inner in item.items():
                yield f"{named}.{key}"
                field = named.fields.get(key)
                yield from _names_in(inner, field and field.type)
