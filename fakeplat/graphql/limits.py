"""How large a query may be, how deep, how complex, how often it may come back to the same field.

A plain field counts 1, a field with others inside 1 and what these count, a page of rows a hundredth more per row.
Source: docs/platform/external.md ('GraphQL limits').
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
)

from fakeplat.graphql.connections import page_size
from fakeplat.model.users import User

LARGEST_TEXT: Final = 10_000
TOO_LARGE: Final = "Query too large"
_MOST_OFTEN: Final = 2
_MOST_VISITED: Final = 5_000
_DEEPEST: Final = 100
_NOT_COUNTED: Final = frozenset(("node", "edges", "nodes", "ofType"))
_INTROSPECTION: Final = "__"
_ROWS: Final = frozenset(("nodes", "edges"))


class Limits(NamedTuple):
    """What somebody may ask for at once."""

    complexity: int
    depth: int


def limits_of(user: User | None) -> Limits:
    """Nobody may ask for less than somebody, an administrator for most."""
    if user is None:
        return Limits(200, 15)
    return Limits(300 if user.admin else 250, 20)


def too_complex(found: int, most: int) -> GraphQLError:
    """The error for a complexity."""
    return GraphQLError(f"Query has complexity of {found}, which exceeds max complexity of {most}")


def too_deep(found: int, most: int) -> GraphQLError:
    """The error for a depth."""
    return GraphQLError(f"Query has depth of {found}, which exceeds max depth of {most}")


class Size(NamedTuple):
    """How complex and how deep an operation is, and which fields come back too often in one branch."""

    complexity: int
    depth: int
    recurring: tuple[str, ...]

    def errors(self, limits: Limits) -> Iterator[GraphQLError]:
        """What is too much for somebody; the complexity is judged over all operations of a request."""
        if self.depth > limits.depth:
            yield too_deep(self.depth, limits.depth)
        if self.recurring:
            names = ", ".join(f'"{name}"' for name in self.recurring)
            yield GraphQLError(
                f"Recursive query - too many of fields '[{names}]' detected in single branch of the query"
            )


class Measure:
    """Measures one operation of a valid document, with the values of its variables."""

    def __init__(self, nodes: DocumentNode, variables: Mapping[str, Any]) -> None:
        found = nodes.definitions
        self._fragments = {node.name.value: node for node in found if isinstance(node, FragmentDefinitionNode)}
        self._variables = variables
        self._recurring: dict[str, None] = {}
        self._visited = 0

    def of(self, operation: OperationDefinitionNode) -> Size:
        """How large an operation is; asking for the schema counts nothing, but must not come back too often."""
        complexity = depth = 0
        for node in self._fields(operation.selection_set):
            found = self._field(node, Counter(), 1)
            if not node.name.value.startswith(_INTROSPECTION):
                complexity, depth = complexity + found[0], max(depth, found[1])
        return Size(self._visited if self._visited > _MOST_VISITED else complexity, depth, tuple(self._recurring))

    def _field(self, node: FieldNode, branch: "Counter[str]", level: int) -> tuple[int, int]:
        """The complexity and the depth of a field; not of what is far beyond every limit."""
        self._visited += 1
        if node.selection_set is None or self._visited > _MOST_VISITED or level > _DEEPEST:
            return 1, 1
        name = node.name.value
        branch = branch if name in _NOT_COUNTED else branch + Counter((name,))
        if branch[name] > _MOST_OFTEN:
            self._recurring[name] = None
        inner = list(self._fields(node.selection_set))
        measured = [self._field(child, branch, level + 1) for child in inner]
        complexity = 1 + sum(found[0] for found in measured)
        if any(child.name.value in _ROWS for child in inner):
            complexity += complexity * self._rows(node) // 100
        return complexity, 1 + max((found[1] for found in measured), default=0)

    def _fields(self, selected: SelectionSetNode, known: set[str] | None = None) -> Iterator[FieldNode]:
        """The fields of a selection; a fragment that is spread in it twice counts once."""
        known = set() if known is None else known
        for node in selected.selections:
            if isinstance(node, FieldNode):
                yield node
            elif isinstance(node, InlineFragmentNode):
                yield from self._fields(node.selection_set, known)
            elif isinstance(node, FragmentSpreadNode) and node.name.value not in known:
                known.add(node.name.value)
                yield from self._fields(self._fragments[node.name.value].selection_set, known)

    def _rows(self, node: FieldNode) -> int:
        asked = [argument for argument in node.arguments or () if argument.name.value in ("first", "last")]
        return min((page_size(self._number(argument.value)) for argument in asked), default=page_size(None))

    def _number(self, value: object) -> int | None:
        if isinstance(value, VariableNode):
            given = self._variables.get(value.name.value)
            return given if isinstance(given, int) else None
        return int(value.value[:9]) if isinstance(value, IntValueNode) else None
