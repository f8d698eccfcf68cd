"""Validation rules that report unknown names in the platform's wording. Source: docs/platform/graphql.md."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from attrs import evolve
from graphql import (
    ArgumentNode,
    FieldNode,
    FieldsOnCorrectTypeRule,
    GraphQLError,
    KnownArgumentNamesRule,
    ValuesOfCorrectTypeRule,
    VariableDefinitionNode,
    print_ast,
    specified_rules,
)
from graphql.language import SKIP, EnumValueNode, ListValueNode, ObjectFieldNode, ObjectValueNode, ValueNode
from graphql.type import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLObjectType,
    get_named_type,
)
from graphql.utilities.validate_input_value import validate_input_literal

from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.core.store.frozen import frozen


class UnknownFieldRule(FieldsOnCorrectTypeRule):
    """Reports unknown fields, with the fields that the type has."""

    def enter_field(self, node: FieldNode, *_args: object) -> None:
        """Check that the type has the field."""
        parent, name = self.context.get_parent_type(), node.name.value
        # Without a parent type the field is inside an unknown one, which has been reported already.
        if parent is None or self.context.get_field_def() is not None:
            return
        field_names = list(parent.fields) if isinstance(parent, GraphQLObjectType) else []
        message = f"Field '{name}' doesn't exist on type '{parent.name}'{did_you_mean(name, field_names)}"
        extensions = {
            "code": "undefinedField",
            "typeName": parent.name,
            "fieldName": name,
            "supported": sorted(field_names),
        }
        self.report_error(GraphQLError(message, node, extensions=extensions))


class UnknownArgumentRule(KnownArgumentNamesRule):
    """Reports unknown arguments of fields, with the arguments that the field has."""

    def enter_argument(self, node: ArgumentNode, *args: Any) -> None:
        """Check that the field has the argument."""
        field = self.context.get_field_def()
        # Without a definition of the field, the field itself has been reported already.
        if field is not None and self.context.get_argument() is None:
            self.report_error(_not_accepted("Field", _field_name(args), node, field.args))


@frozen
class Argument:
    """An argument of a field, or a field of an input (``kind``): its type, its value, and the part that is checked."""

    kind: str
    owner: str
    name: str
    type: GraphQLInputType
    value: ValueNode
    part: ValueNode

    def find(self, key: str | int) -> "Argument | None":
        """Return a field within the part, or the argument with an item of its list; None for any other key."""
        if isinstance(key, int):
            return evolve(self, part=self.part.values[key]) if isinstance(self.part, ListValueNode) else None
        type_ = get_named_type(self.type)
        if not isinstance(self.part, ObjectValueNode) or not isinstance(type_, GraphQLInputObjectType):
            return None
        value = next(field.value for field in self.part.fields if field.name.value == key)
        return Argument("InputObject", type_.name, key, type_.fields[key].type, value, value)


class ValueRule(ValuesOfCorrectTypeRule):
    """Reports unknown fields of inputs and unknown enum values; other values in the library's wording."""

    argument: Argument | None = None

    def enter_variable_definition(self, _node: VariableDefinitionNode, *_args: Any) -> None:
        """Forget the last argument: the default value of a variable belongs to none."""
        self.argument = None

    def enter_argument(self, node: ArgumentNode, *args: Any) -> None:
        """Remember the argument that the next value is for."""
        definition = self.context.get_argument()
        self.argument = None
        if definition is not None:
            name, value = node.name.value, node.value
            self.argument = Argument("Field", _field_name(args), name, definition.type, value, value)

    def is_valid_value_node(self, node: ValueNode, input_type: GraphQLInputType | None) -> Any:
        """Report what is wrong with a value."""

        def report(error: GraphQLError, path: list[str | int]) -> None:
            self.report_error(_reword(error, self.argument, path))

        if input_type:
            validate_input_literal(node, input_type, report, None, None, self.context.hide_suggestions)
        return SKIP


def _reword(error: GraphQLError, argument: Argument | None, path: Iterable[str | int]) -> GraphQLError:
    """Return the platform's error for an unknown name at a path within an argument, and other errors as they are."""
    for key in path:
        argument = argument and argument.find(key)
    if argument is None or not error.nodes:
        return error
    node, type_ = error.nodes[0], get_named_type(argument.type)
    if isinstance(type_, GraphQLInputObjectType) and isinstance(node, ObjectFieldNode):
        return _not_accepted("InputObject", type_.name, node, type_.fields)
    if isinstance(type_, GraphQLEnumType) and isinstance(node, EnumValueNode):
        return _invalid_value(argument, type_.values)
    return error


def _not_accepted(kind: str, owner: str, node: ArgumentNode | ObjectFieldNode, known: Iterable[str]) -> GraphQLError:
    name, names = node.name.value, sorted(known)
    message = f"{kind} '{owner}' doesn't accept argument '{name}'{did_you_mean(name, names)}"
    extensions = {
        "code": "argumentNotAccepted",
        "name": owner,
        "typeName": kind,
        "argumentName": name,
        "supported": names,
    }
    return GraphQLError(message, node, extensions=extensions)


def _invalid_value(argument: Argument, known: Iterable[str]) -> GraphQLError:
    text = f"Argument '{argument.name}' on {argument.kind} '{argument.owner}' has an invalid value"
    extensions = {
        "code": "argumentLiteralsIncompatible",
        "typeName": argument.kind,
        "argumentName": argument.name,
        "supported": sorted(known),
    }
    message = f"{text} ({print_ast(argument.value)}). Expected type '{argument.type}'."
    return GraphQLError(message, argument.value, extensions=extensions)


def _field_name(args: Sequence[Any]) -> str:
    """Return the name of the field that an argument belongs to, given what a visitor gets beside the node."""
    _key, _parent, _path, ancestors = args
    return str(ancestors[-1].name.value)


_OWN: Final = {
    FieldsOnCorrectTypeRule: UnknownFieldRule,
    KnownArgumentNamesRule: UnknownArgumentRule,
    ValuesOfCorrectTypeRule: ValueRule,
}
RULES: Final = [_OWN.get(rule, rule) for rule in specified_rules]
