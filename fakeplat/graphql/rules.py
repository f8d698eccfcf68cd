"""Validation rules that report unknown names in the platform's wording. Source: docs/platform/graphql.md."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from graphql import (
    ArgumentNode,
    FieldNode,
    FieldsOnCorrectTypeRule,
    GraphQLError,
    KnownArgumentNamesRule,
    Node,
    OverlappingFieldsCanBeMergedRule,
    ValuesOfCorrectTypeRule,
    VariableDefinitionNode,
    print_ast,
    specified_rules,
)
from graphql.language import EnumValueNode, ListValueNode, ObjectFieldNode, ObjectValueNode, ValueNode
from graphql.type import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    get_named_type,
)

from fakeplat.core.operations.reasons import did_you_mean
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.merging_rule import MergedFieldsRule


class UnknownFieldRule(FieldsOnCorrectTypeRule):
    """Reports unknown fields, with the fields that the type has."""

    def enter_field(self, node: FieldNode, *_args: object) -> None:
        """Check that the type has the field."""
        parent, name = self.context.get_parent_type(), node.name.value
        # Without a parent type the field is inside an unknown one, which has been reported already.
        if parent is None or self.context.get_field_def() is not None:
            return
        field_names = list(parent.fields) if isinstance(parent, GraphQLObjectType | GraphQLInterfaceType) else []
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
    """An argument of a field, or a field of an input (``kind``), with its type and its value."""

    kind: str
    owner: str
    name: str
    type: GraphQLInputType
    value: ValueNode

    def parts(self) -> "Iterator[tuple[Argument, Node]]":
        """Yield the nodes of the value, each with the innermost argument that it belongs to."""
        values: list[ValueNode] = [self.value]
        type_ = get_named_type(self.type)
        while values:
            value = values.pop()
            yield self, value
            if isinstance(value, ListValueNode):
                values += value.values
            elif isinstance(value, ObjectValueNode) and isinstance(type_, GraphQLInputObjectType):
                for node in value.fields:
                    yield self, node
                    field = type_.fields.get(node.name.value)
                    if field is not None:
                        yield from Argument("InputObject", type_.name, node.name.value, field.type, node.value).parts()


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
            self.argument = Argument("Field", _field_name(args), node.name.value, definition.type, node.value)

    def report_error(self, error: GraphQLError) -> None:
        """Report what is wrong with a value."""
        super().report_error(_reword(error, self.argument))


def _reword(error: GraphQLError, argument: Argument | None) -> GraphQLError:
    """Return the platform's error for an unknown name within an argument, and other errors as they are."""
    wrong = error.nodes[0] if error.nodes else None
    parts = argument.parts() if argument is not None else ()
    innermost = next((part for part, node in parts if node is wrong), None)
    type_ = get_named_type(innermost.type) if innermost is not None else None
    if isinstance(type_, GraphQLInputObjectType) and isinstance(wrong, ObjectFieldNode):
        return _not_accepted("InputObject", type_.name, wrong, type_.fields)
    if innermost is not None and isinstance(type_, GraphQLEnumType) and isinstance(wrong, EnumValueNode):
        return _invalid_value(innermost, type_.values)
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
    OverlappingFieldsCanBeMergedRule: MergedFieldsRule,
    ValuesOfCorrectTypeRule: ValueRule,
}
RULES: Final = [_OWN.get(rule, rule) for rule in specified_rules]
