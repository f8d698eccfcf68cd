"""Whether a variable may be used where it is, by its type and the expected one."""

from collections.abc import Iterator
from typing import Any

from graphql import get_named_type
from graphql.language import ListValueNode, ValueNode, VariableNode
from graphql.type import GraphQLList, GraphQLNonNull


def list_variables(node: ValueNode) -> Iterator[tuple[VariableNode, int]]:
    """Yield the variables that are a value or the items of a list, with the depth of the list."""
    if isinstance(node, VariableNode):
        yield node, 0
    elif isinstance(node, ListValueNode):
        depth = _depth(node)
        yield from ((item, depth) for item in node.values if isinstance(item, VariableNode))


def _depth(node: ValueNode) -> int:
    return 1 + max(map(_depth, node.values), default=0) if isinstance(node, ListValueNode) else 0


def explain_mismatch(type_: Any, expected: Any) -> str:
    """Return what is wrong with the type of a variable, or an empty text."""
    if get_named_type(type_) is not get_named_type(expected):
        return "Type mismatch"
    if _count_lists(type_) != _count_lists(expected):
        return "List dimension mismatch"
    return "" if _is_null_allowed(type_, expected) else "Nullability mismatch"


def _count_lists(type_: Any) -> int:
    if isinstance(type_, GraphQLList):
        return 1 + _count_lists(type_.of_type)
    return _count_lists(type_.of_type) if isinstance(type_, GraphQLNonNull) else 0


def _is_null_allowed(type_: Any, expected: Any) -> bool:
    if isinstance(expected, GraphQLNonNull) and not isinstance(type_, GraphQLNonNull):
        return False
    if not hasattr(expected, "of_type") or not hasattr(type_, "of_type"):
        return True
    if isinstance(type_, GraphQLNonNull) and not isinstance(expected, GraphQLNonNull):
        type_ = type_.of_type
    return _is_null_allowed(type_.of_type, expected.of_type)
