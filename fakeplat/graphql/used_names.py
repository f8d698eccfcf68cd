"""The names of the schema that a document uses, as they are declared: ``Project.issues(state)``."""

from collections.abc import Iterator, Mapping
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

from fakeplat.graphql.schema import schema


class UsedNames(Visitor):
    """Collects the names that a document and the values of its variables use, in the schema of all releases.

    ``names`` are fields, arguments, fields of inputs, enum values, and the types of fragments and variables; ``types``
    are those whose fields are used.
    """

    def __init__(self, document: DocumentNode, values: Mapping[str, object]) -> None:
        super().__init__()
        # Dictionaries keep the order of the document.
        self.names: dict[str, None] = {}
        self.types: dict[str, None] = {}
        self._info = TypeInfo(schema())
        self._values = values
        self._field = ""
        visit(document, TypeInfoVisitor(self._info, self))

    def enter_field(self, node: FieldNode, *_: object) -> None:
        """Collect a field."""
        parent = self._info.get_parent_type()
        self._field = f"{parent}.{node.name.value}"
        # What is within an unknown field is unknown, too.
        if parent is not None:
            self.types[parent.name] = None
            self.names[self._field] = None

    def enter_argument(self, node: ArgumentNode, *_: object) -> None:
        """Collect an argument; those of a field come before the fields within it."""
        self.names[f"{self._field}({node.name.value})"] = None

    def enter_object_field(self, node: ObjectFieldNode, *_: object) -> None:
        """Collect a field of an input."""
        self.names[f"{get_named_type(self._info.get_parent_input_type())}.{node.name.value}"] = None

    def enter_enum_value(self, node: EnumValueNode, *_: object) -> None:
        """Collect a value of an enum."""
        self.names[f"{get_named_type(self._info.get_input_type())}.{node.value}"] = None

    def enter_named_type(self, node: NamedTypeNode, *_: object) -> None:
        """Collect the type of a fragment or variable."""
        self.names[node.name.value] = None

    def enter_variable_definition(self, node: VariableDefinitionNode, *_: object) -> None:
        """Collect the names in the value of a variable."""
        type_ = type_from_ast(schema(), node.type)
        self.names.update(dict.fromkeys(_names_in(self._values.get(node.variable.name.value), type_)))


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
