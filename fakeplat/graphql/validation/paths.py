"""Positions of nodes in a document, as errors of validation show them: ``["query", "project", "fullPath"]``."""

from collections.abc import Sequence
from typing import Any

from graphql import (
    ArgumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    ListValueNode,
    Node,
    OperationDefinitionNode,
    print_ast,
)
from graphql.language import ObjectFieldNode, ObjectValueNode

from fakeplat.core.store.frozen import frozen

Path = list[str | int]


@frozen(eq=False)
class Visited:
    """A node that a visitor is at, with the nodes around it, outermost first."""

    node: Any
    ancestors: Sequence[Node] = ()

    @classmethod
    def of(cls, node: Node, args: Sequence[Any]) -> "Visited":
        """Return a node that a visitor is at; ``args`` are the other arguments of the visitor."""
        _key, parent, _path, ancestors = args
        # The library does not count the parent among the ancestors, and has lists of nodes among them.
        return cls(node, [each for each in (*ancestors, parent) if isinstance(each, Node)])

    @property
    def parent(self) -> Any:
        """The node around this one."""
        return self.ancestors[-1]

    @property
    def path(self) -> Path:
        """The path of the node; one that has no name of its own has that of the node around it."""
        nodes = [*self.ancestors, self.node]
        path: Path = []
        for around, node in zip([None, *nodes], nodes, strict=False):
            path += _segments(node, around)
        return path


def _segments(node: Node, around: Node | None) -> Path:
    if isinstance(node, OperationDefinitionNode):
        kind = node.operation.value
        return [f"{kind} {node.name.value}" if node.name else kind]
    if isinstance(node, FragmentDefinitionNode):
        return [f"fragment {node.name.value}"]
    if isinstance(node, FieldNode):
        return [(node.alias or node.name).value]
    if isinstance(node, InlineFragmentNode):
        return [f"... on {print_ast(node.type_condition)}" if node.type_condition else "..."]
    if isinstance(node, FragmentSpreadNode):
        return [f"... {node.name.value}"]
    if isinstance(node, ArgumentNode | ObjectFieldNode):
        return [node.name.value]
    if isinstance(node, ObjectValueNode) and isinstance(around, ListValueNode):
        return [list(around.values).index(node)]
    return []
