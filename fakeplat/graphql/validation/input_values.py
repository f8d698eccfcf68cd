"""Checks of values against input types: of variables, and of literals in a query text.

Source: docs/platform/graphql.md ('Errors of validation').
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError, GraphQLSchema, OperationDefinitionNode, VariableDefinitionNode, print_ast
from graphql.language import (
    EnumValueNode,
    FloatValueNode,
    IntValueNode,
    ListValueNode,
    NullValueNode,
    ObjectValueNode,
    ValueNode,
    VariableNode,
)
from graphql.type import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    is_input_type,
    is_required_input_field,
)
from graphql.utilities import type_from_ast, value_from_ast_untyped

from fakeplat.core.store.frozen import frozen

_INT_LIMIT: Final = 2**31
_MAX_DIGITS: Final = 400
_NULL: Final = "Expected value to not be null"
Path = tuple[str | int, ...]


class CoercionError(GraphQLError):
    """A value that a scalar refuses with a message of its own."""


@frozen
class Problem:
    """What is wrong with a value, at a path within it. ``has_message``: the scalar has a message of its own."""

    explanation: str
    path: Path = ()
    has_message: bool = False

    def below(self, key: str | int) -> "Problem":
        """Return the problem as seen from the value that contains this one."""
        return Problem(self.explanation, (key, *self.path), self.has_message)

    @property
    def json(self) -> dict[str, Any]:
        """The problem as an extension of an error shows it."""
        message = {"message": self.explanation} if self.has_message else {}
        return {"path": list(self.path), "explanation": self.explanation, **message}


# Variables


def check_variables(
    schema: GraphQLSchema, operation: OperationDefinitionNode, values: Mapping[str, Any]
) -> Iterator[GraphQLError]:
    """Yield an error for each variable of an operation with an invalid value."""
    for definition in operation.variable_definitions or ():
        type_ = type_from_ast(schema, definition.type)
        if not is_input_type(type_):
            continue
        name = definition.variable.name.value
        if name not in values and definition.default_value is not None:
            continue
        value = values.get(name)
        problems = [*_list_problems(value, type_)]
        if problems:
            yield _variable_error(definition, type_, value, problems)


def _variable_error(
    definition: VariableDefinitionNode, type_: GraphQLInputType, value: object, problems: Sequence[Problem]
) -> GraphQLError:
    where = [f"{'.'.join(map(str, each.path))} ({each.explanation})" for each in problems if each.path]
    message = f"Variable ${definition.variable.name.value} of type {type_} was provided invalid value"
    return GraphQLError(
        f"{message} for {', '.join(where)}" if where else message,
        definition,
        extensions={"value": value, "problems": [each.json for each in problems]},
    )


def _list_problems(value: Any, type_: GraphQLInputType) -> Iterator[Problem]:
    if isinstance(type_, GraphQLNonNull):
        if value is None:
            yield Problem(_NULL)
        type_ = type_.of_type
    if value is None:
        return
    if isinstance(type_, GraphQLList):
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            yield from (problem.below(index) for problem in _list_problems(item, type_.of_type))
    elif isinstance(type_, GraphQLInputObjectType):
        yield from _list_problems_of_object(value, type_)
    else:
        problem = _find_leaf_problem(value, type_)
        yield from () if problem is None else (problem,)


def _list_problems_of_object(value: object, type_: GraphQLInputObjectType) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        yield Problem(f"Expected {json.dumps(value, ensure_ascii=False)} to be a key-value object.")
        return
    for name, item in value.items():
        field = type_.fields.get(name)
        if field is None:
            yield Problem(f"Field is not defined on {type_.name}", (name,))
        else:
            yield from (problem.below(name) for problem in _list_problems(item, field.type))
    for name, field in type_.fields.items():
        if name not in value and is_required_input_field(field):
            yield Problem(_NULL, (name,))


def _find_leaf_problem(value: object, type_: GraphQLInputType) -> Problem | None:
    if isinstance(type_, GraphQLScalarType):
        return _find_value_problem(value, type_)
    values = type_.values if isinstance(type_, GraphQLEnumType) else {}
    if isinstance(value, str) and value in values:
        return None
    return Problem(f"Expected {serialize(value)} to be one of: {', '.join(values)}")


def _find_value_problem(value: object, type_: GraphQLScalarType) -> Problem | None:
    accepts = _BUILT_IN.get(type_.name)
    if accepts is not None:
        return None if accepts(value) else _not_coerced(value, type_)
    try:
        type_.coerce_input_value(value)
    except CoercionError as error:
        return Problem(error.message, has_message=True)
    except GraphQLError:
        return _not_coerced(value, type_)
    return None


def _not_coerced(value: object, type_: GraphQLScalarType) -> Problem:
    return Problem(f"Could not coerce value {serialize(value)} to {type_.name}")


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -_INT_LIMIT <= value < _INT_LIMIT


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_BUILT_IN: Final[Mapping[str, Callable[[object], bool]]] = {
    "Int": _is_int,
    "Float": _is_number,
    "String": lambda value: isinstance(value, str),
    "Boolean": lambda value: isinstance(value, bool),
    "ID": lambda value: isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)),
}


def serialize(value: object) -> str:
    """Return a value as the library prints it in messages: JSON, with names of fields without quotes."""
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{name}:{serialize(item)}' for name, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(map(serialize, value))}]"
    return json.dumps(value, ensure_ascii=False)


# Literals

_INVALID: Final = Problem("")
"""A problem that the library explains by the expected type."""


def find_literal_problem(node: ValueNode, type_: GraphQLInputType | None) -> Problem | None:
    """Return the first problem of a literal, or None; variables within it are checked elsewhere."""
    if type_ is None:
        return _INVALID
    if isinstance(node, NullValueNode):
        return _INVALID if isinstance(type_, GraphQLNonNull) else None
    if isinstance(type_, GraphQLNonNull):
        return find_literal_problem(node, type_.of_type)
    if isinstance(type_, GraphQLList):
        items = node.values if isinstance(node, ListValueNode) else (node,)
        return _first(find_literal_problem(item, type_.of_type) for item in items)
    if isinstance(node, VariableNode):
        return None
    if isinstance(type_, GraphQLEnumType):
        return None if isinstance(node, EnumValueNode) and node.value in type_.values else _INVALID
    if isinstance(type_, GraphQLInputObjectType):
        return _find_object_problem(node, type_) if isinstance(node, ObjectValueNode) else _INVALID
    return _find_scalar_problem(node, type_)


def _find_object_problem(node: ObjectValueNode, type_: GraphQLInputObjectType) -> Problem | None:
    given = {field.name.value for field in node.fields}
    if any(name not in given and is_required_input_field(field) for name, field in type_.fields.items()):
        return _INVALID
    types = {name: field.type for name, field in type_.fields.items()}
    return _first(find_literal_problem(field.value, types.get(field.name.value)) for field in node.fields)


def _find_scalar_problem(node: ValueNode, type_: Any) -> Problem | None:
    if _has_variable(node):
        return _INVALID
    if isinstance(node, EnumValueNode) and type_.name in _BUILT_IN:
        return _INVALID
    if isinstance(node, IntValueNode):
        # Python parses no number of thousands of digits, and far fewer are too many for every type.
        value: Any = int(node.value[:_MAX_DIGITS])
    elif isinstance(node, FloatValueNode):
        value = float(node.value)
    else:
        value = value_from_ast_untyped(node)
    problem = _find_value_problem(value, type_)
    return problem if problem is None or problem.has_message else _INVALID


def _has_variable(node: ValueNode) -> bool:
    if isinstance(node, ListValueNode):
        return any(map(_has_variable, node.values))
    if isinstance(node, ObjectValueNode):
        return any(_has_variable(field.value) for field in node.fields)
    return isinstance(node, VariableNode)


def _first(problems: Iterator[Problem | None]) -> Problem | None:
    return next((problem for problem in problems if problem is not None), None)


def print_literal(node: ValueNode) -> str:
    """Return a literal as the library prints it: like the text of a query, without spaces within braces."""
    if isinstance(node, ListValueNode):
        return f"[{', '.join(map(print_literal, node.values))}]"
    if isinstance(node, ObjectValueNode):
        return f"{{{', '.join(f'{field.name.value}: {print_literal(field.value)}' for field in node.fields)}}}"
    return print_ast(node)
