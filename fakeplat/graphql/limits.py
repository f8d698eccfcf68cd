"""Limits of the size, depth, complexity and recursion of queries.

The complexity of a field is 1 plus that of its subfields; a connection adds one percent per row of the page.
Source: docs/platform/external.md ('GraphQL limits').
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from graphql import (
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
from fakeplat.graphql.documents import Document
from fakeplat.model.people import User

MAX_QUERY_LENGTH: Final = 10_000
TOO_LARGE: Final = "Query too large"
_MAX_RECURRENCES: Final = 2
# Both bounds are far above the limits of every caller, so whatever is cut off here is refused anyway.
_MAX_VISITED: Final = 5_000
_MAX_DEPTH: Final = 100
# These only lead from a connection to its rows, or from a type to the one it wraps, so they may recur.
_CONNECTION_FIELDS: Final = frozenset(("node", "edges", "nodes", "ofType"))
_CACHE_SIZE: Final = 500
_INTROSPECTION: Final = "__"
_ROWS: Final = frozenset(("nodes", "edges"))


class Limits(NamedTuple):
    """The limits of a caller."""

    complexity: int
    depth: int


def limits_of(user: User | None) -> Limits:
    """Return the limits of an anonymous caller, a user or an administrator."""
    if user is None:
        return Limits(200, 15)
    return Limits(300 if user.admin else 250, 20)


def complexity_error(complexity: int, limit: int) -> GraphQLError:
    """Return the error for a complexity above the limit."""
    return GraphQLError(f"Query has complexity of {complexity}, which exceeds max complexity of {limit}")


def depth_error(depth: int, limit: int) -> GraphQLError:
    """Return the error for a depth above the limit."""
    return GraphQLError(f"Query has depth of {depth}, which exceeds max depth of {limit}")


class Size(NamedTuple):
    """Complexity and depth of an operation, and the fields that recur too often in one branch."""

    complexity: int
    depth: int
    recurring: tuple[str, ...]

    def errors(self, limits: Limits) -> Iterator[GraphQLError]:
        """Yield errors for depth and recursion; the complexity is limited over all operations of a request."""
        if self.depth > limits.depth:
            yield depth_error(self.depth, limits.depth)
        if self.recurring:
            names = ", ".join(f'"{name}"' for name in self.recurring)
            yield GraphQLError(
                f"Recursive query - too many of fields '[{names}]' detected in single branch of the query"
            )


def measure(document: Document, at: int, variables: Mapping[str, object]) -> Size:
    """Measure the operation at an index of a valid document, with the values of its variables."""
    # The only values that matter are sizes of pages. The library has not checked the types yet: they can be anything.
    return _measure(document, at, frozenset((name, size) for name, size in variables.items() if isinstance(size, int)))


@lru_cache(_CACHE_SIZE)
def _measure(document: Document, at: int, numbers: frozenset[tuple[str, int]]) -> Size:
    return _Measure(document, dict(numbers)).of(document.operations[at])


class _Measure:
    """Measures operations of a valid document with the values of its variables."""

    def __init__(self, document: Document, variables: Mapping[str, int]) -> None:
        definitions = document.nodes.definitions if document.nodes else ()
        self._fragments = {node.name.value: node for node in definitions if isinstance(node, FragmentDefinitionNode)}
        self._variables = variables
        self._recurring: dict[str, None] = {}
        self._visited = 0

    def of(self, operation: OperationDefinitionNode) -> Size:
        """Measure an operation; introspection has no complexity, but its recursion is limited."""
        complexity = depth = 0
        for node in self._iterate_fields(operation.selection_set):
            field_complexity, field_depth = self._measure_field(node, Counter(), 1)
            if not node.name.value.startswith(_INTROSPECTION):
                complexity, depth = complexity + field_complexity, max(depth, field_depth)
        # If counting has stopped early, the sum is too low, but the number of visited fields exceeds every limit.
        return Size(self._visited if self._visited > _MAX_VISITED else complexity, depth, tuple(self._recurring))

    def _measure_field(self, node: FieldNode, branch: "Counter[str]", level: int) -> tuple[int, int]:
        """Return complexity and depth of a field, without descending far beyond every limit."""
        # Fragments that spread each other multiply the fields exponentially, so counting has to stop somewhere.
        self._visited += 1
        if node.selection_set is None or self._visited > _MAX_VISITED or level > _MAX_DEPTH:
            return 1, 1
        name = node.name.value
        # Added to a copy, because siblings belong to different branches.
        branch = branch if name in _CONNECTION_FIELDS else branch + Counter((name,))
        if branch[name] > _MAX_RECURRENCES:
            self._recurring[name] = None
        children = list(self._iterate_fields(node.selection_set))
        measured = [self._measure_field(child, branch, level + 1) for child in children]
        complexity = 1 + sum(child_complexity for child_complexity, _ in measured)
        # Only rows are expensive: a connection of which a query selects just ``pageInfo`` costs no more than a record.
        if any(child.name.value in _ROWS for child in children):
            complexity += complexity * self._page_size(node) // 100
        return complexity, 1 + max((child_depth for _, child_depth in measured), default=0)

    def _iterate_fields(self, selected: SelectionSetNode, spread: set[str] | None = None) -> Iterator[FieldNode]:
        """Yield the fields of a selection; a fragment spread twice in it counts once."""
        spread = set() if spread is None else spread
        for node in selected.selections:
            if isinstance(node, FieldNode):
                yield node
            elif isinstance(node, InlineFragmentNode):
                yield from self._iterate_fields(node.selection_set, spread)
            elif isinstance(node, FragmentSpreadNode) and node.name.value not in spread:
                spread.add(node.name.value)
                yield from self._iterate_fields(self._fragments[node.name.value].selection_set, spread)

    def _page_size(self, node: FieldNode) -> int:
        sizes = [argument for argument in node.arguments or () if argument.name.value in ("first", "last")]
        # A connection refuses ``first`` together with ``last``, so it does not matter much which of them is measured.
        return min((page_size(self._int_value(argument.value)) for argument in sizes), default=page_size(None))

    def _int_value(self, value: object) -> int | None:
        if isinstance(value, VariableNode):
            return self._variables.get(value.name.value)
        # Nine digits are beyond the largest page already; a longer literal could take long to convert.
        return int(value.value[:9]) if isinstance(value, IntValueNode) else None
