"""The validation rule for fields with one name in the answer.

Like the platform's library, and unlike the specification, it accepts fields whose types differ: a client may select
``value`` of several types of one interface. Source: docs/platform/graphql.md.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, product
from typing import Any, Final

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLCompositeType,
    GraphQLError,
    InlineFragmentNode,
    SelectionSetNode,
    ValidationContext,
    ValidationRule,
    VisitorAction,
    get_named_type,
    is_composite_type,
    print_ast,
)
from graphql.type import GraphQLInterfaceType, GraphQLObjectType
from graphql.utilities import do_types_overlap, type_from_ast

from fakeplat.core.store.frozen import frozen

_TYPENAME: Final = "__typename"
_MOST_CONFLICTS: Final = 100


@frozen
class SelectedField:
    """A selected field, its type if that has fields, and the types of the fragments around it."""

    node: FieldNode
    type: GraphQLCompositeType | None
    fragments: Sequence[GraphQLCompositeType]

    @property
    def key(self) -> str:
        """The name in the answer."""
        return (self.node.alias or self.node.name).value


Conflicts = dict[tuple[str, str], dict[int, tuple[FieldNode, str]]]
"""For each kind of conflict and name in the answer the nodes, each with what it asks for."""


class MergedFieldsRule(ValidationRule):
    """Reports fields with one name in the answer that are different fields, or have different arguments."""

    def __init__(self, context: ValidationContext) -> None:
        super().__init__(context)
        self._compared: set[tuple[int, int]] = set()
        self._count = 0

    def enter_selection_set(self, node: SelectionSetNode, *_args: Any) -> VisitorAction:
        """Compare the fields of a selection with each other, and with those of its fragments."""
        parent, conflicts = self.context.get_parent_type(), Conflicts()
        if is_composite_type(parent):
            self._compare(_list_pairs(self._fields(node, parent)), conflicts)
        for (kind, key), nodes in conflicts.items():
            asked = " or ".join(text for _, text in nodes.values())
            message = f"Field '{key}' has {'an' if kind == 'argument' else 'a'} {kind} conflict: {asked}?"
            extensions = {"code": "fieldConflict", "fieldName": key, "conflicts": asked}
            self.report_error(GraphQLError(message, [one for one, _ in nodes.values()], extensions=extensions))
        return None

    def _fields(
        self,
        selection: SelectionSetNode,
        parent: GraphQLCompositeType,
        fragments: tuple[GraphQLCompositeType, ...] = (),
        seen: set[str] | None = None,
    ) -> Iterator[SelectedField]:
        seen = set() if seen is None else seen
        for node in selection.selections:
            if isinstance(node, FieldNode):
                yield from self._field(node, parent, fragments)
                continue
            inner = self._fragment(node, seen)
            if inner is not None:
                type_ = type_from_ast(self.context.schema, inner[0]) if inner[0] is not None else parent
                if is_composite_type(type_):
                    yield from self._fields(inner[1], type_, (*fragments, type_), seen)

    def _field(
        self, node: FieldNode, parent: GraphQLCompositeType, fragments: tuple[GraphQLCompositeType, ...]
    ) -> Iterator[SelectedField]:
        fields = parent.fields if isinstance(parent, GraphQLObjectType | GraphQLInterfaceType) else {}
        definition = fields.get(node.name.value)
        # Unknown fields are reported by another rule.
        if definition is not None or node.name.value == _TYPENAME:
            type_ = get_named_type(definition.type) if definition is not None else None
            yield SelectedField(node, type_ if is_composite_type(type_) else None, fragments)

    def _fragment(self, node: Any, seen: set[str]) -> tuple[Any, SelectionSetNode] | None:
        if isinstance(node, InlineFragmentNode):
            return node.type_condition, node.selection_set
        if not isinstance(node, FragmentSpreadNode) or node.name.value in seen:
            return None
        seen.add(node.name.value)
        fragment = self.context.get_fragment(node.name.value)
        return None if fragment is None else (fragment.type_condition, fragment.selection_set)

    def _compare(
        self, pairs: Iterator[tuple[SelectedField, SelectedField]], conflicts: Conflicts, *, are_exclusive: bool = False
    ) -> None:
        for one, other in pairs:
            if self._count >= _MOST_CONFLICTS:
                return
            if one.key != other.key or one.node is other.node:
                continue
            # Fields of types that no record has at once never meet in an answer.
            exclusive = are_exclusive or self._are_exclusive(one, other)
            if not exclusive:
                self._count += _note_conflicts(one, other, conflicts)
            if self._is_new(one, other) and one.type is not None and other.type is not None:
                inner = product(_list_different(self._inner(one)), _list_different(self._inner(other)))
                self._compare(inner, conflicts, are_exclusive=exclusive)

    def _is_new(self, one: SelectedField, other: SelectedField) -> bool:
        pair = (id(one.node), id(other.node))
        is_new = pair not in self._compared
        self._compared.add(pair)
        return is_new

    def _inner(self, field: SelectedField) -> Iterator[SelectedField]:
        selection = field.node.selection_set
        if selection is not None and field.type is not None:
            yield from self._fields(selection, field.type, (field.type,))

    def _are_exclusive(self, one: SelectedField, other: SelectedField) -> bool:
        return any(
            not do_types_overlap(self.context.schema, this, that)
            for this, that in product(one.fragments, other.fragments)
        )


def _list_different(fields: Iterable[SelectedField]) -> list[SelectedField]:
    """Return fields without those that equal two others; what a query repeats a thousand times is compared once."""
    alike: dict[object, list[SelectedField]] = {}
    for field in fields:
        signature = (field.key, field.node.name.value, *sorted(_list_arguments(field.node)), *map(id, field.fragments))
        alike.setdefault(signature, []).append(field)
    return [field for group in alike.values() for field in group[:2]]


def _list_pairs(fields: Iterable[SelectedField]) -> Iterator[tuple[SelectedField, SelectedField]]:
    by_key: dict[str, list[SelectedField]] = {}
    for field in _list_different(fields):
        by_key.setdefault(field.key, []).append(field)
    return chain.from_iterable(combinations(group, 2) for group in by_key.values())


def _note_conflicts(one: SelectedField, other: SelectedField, conflicts: Conflicts) -> int:
    """Note how two fields differ; return in how many ways."""
    count = 0
    if one.node.name.value != other.node.name.value:
        _note("field", one, one.node.name.value, conflicts)
        _note("field", other, other.node.name.value, conflicts)
        count += 1
    these, those = _list_arguments(one.node), _list_arguments(other.node)
    if sorted(these) != sorted(those):
        _note("argument", one, f"{{{', '.join(these)}}}", conflicts)
        _note("argument", other, f"{{{', '.join(those)}}}", conflicts)
        count += 1
    return count


def _note(kind: str, field: SelectedField, text: str, conflicts: Conflicts) -> None:
    conflicts.setdefault((kind, field.key), {}).setdefault(id(field.node), (field.node, text))


def _list_arguments(node: FieldNode) -> list[str]:
    """Return the arguments as the platform's library prints them: each value as the text that was sent."""
    return [f"{argument.name.value}:{json.dumps(print_ast(argument.value))}" for argument in node.arguments or ()]
