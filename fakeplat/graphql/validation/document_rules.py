"""Checks of a document as a whole: its operations, its fragments and the variables that they use."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphql import (
    SKIP,
    ArgumentNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    Node,
    OperationDefinitionNode,
    ValidationContext,
    ValidationRule,
    VariableDefinitionNode,
    VisitorAction,
)
from graphql.language import ObjectFieldNode, VariableNode
from graphql.type import GraphQLInputObjectType

from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.validation.paths import Path, Visited

Definition = OperationDefinitionNode | FragmentDefinitionNode
_EXECUTABLE: tuple[type[Node], ...] = (OperationDefinitionNode, FragmentDefinitionNode)


@frozen(eq=False)
class Usage:
    """A use of a variable or of a fragment: where, and in which definition."""

    node: Node
    path: Path
    owner: Definition


class DocumentRule(ValidationRule):
    """Checks what can be told only at the end of a document."""

    def __init__(self, context: ValidationContext) -> None:
        super().__init__(context)
        self._definition: Definition | None = None
        self._spreads: dict[int, dict[str, Usage]] = {}
        self._variables: dict[int, dict[str, Usage]] = {}

    def enter_operation_definition(self, node: OperationDefinitionNode, *_args: object) -> None:
        """Begin an operation."""
        self._begin(node)

    def enter_fragment_definition(self, node: FragmentDefinitionNode, *_args: object) -> None:
        """Begin a fragment."""
        self._begin(node)

    def _begin(self, node: Definition) -> None:
        self._definition = node
        self._spreads[id(node)], self._variables[id(node)] = {}, {}

    def enter_variable_definition(self, _node: VariableDefinitionNode, *_args: object) -> VisitorAction:
        """Skip the definition of a variable, which is no use of it."""
        return SKIP

    def enter_field(self, _node: FieldNode, *_args: object) -> VisitorAction:
        """Skip an unknown field: nothing in it is a use."""
        return SKIP if self.context.get_field_def() is None else None

    def enter_argument(self, _node: ArgumentNode, *_args: object) -> VisitorAction:
        """Skip an unknown argument."""
        return SKIP if self.context.get_argument() is None else None

    def enter_object_field(self, node: ObjectFieldNode, *_args: object) -> VisitorAction:
        """Skip an unknown field of an input."""
        owner: Any = self.context.get_parent_input_type()
        while hasattr(owner, "of_type"):
            owner = owner.of_type
        return SKIP if isinstance(owner, GraphQLInputObjectType) and node.name.value not in owner.fields else None

    def enter_fragment_spread(self, node: FragmentSpreadNode, *args: object) -> None:
        """Note the use of a fragment."""
        self._note(self._spreads, node.name.value, node, args)

    def enter_variable(self, node: VariableNode, *args: object) -> None:
        """Note the use of a variable."""
        self._note(self._variables, node.name.value, node, args)

    def _note(self, uses: dict[int, dict[str, Usage]], name: str, node: Node, args: Sequence[Any]) -> None:
        if self._definition is not None:
            uses[id(self._definition)][name] = Usage(node, Visited.of(node, args).path, self._definition)

    def leave_document(self, node: DocumentNode, *_args: object) -> None:
        """Check operations, fragments and variables."""
        operations = [each for each in node.definitions if isinstance(each, OperationDefinitionNode)]
        fragments = [each for each in node.definitions if isinstance(each, FragmentDefinitionNode)]
        for error in (
            *_check_kinds(node),
            *_check_operation_names(operations),
            *_check_fragment_names(fragments),
            *self._check_cycles(fragments),
            *self._check_fragments(operations, fragments),
            *self._check_variables(operations, fragments),
        ):
            self.report_error(error)

    def _check_cycles(self, fragments: list[FragmentDefinitionNode]) -> Iterator[GraphQLError]:
        for fragment in fragments:
            if fragment.name.value in self._reach(fragment, fragments):
                name = fragment.name.value
                message = f"Fragment {name} contains an infinite loop"
                yield _error(message, fragment, path=[f"fragment {name}"], code="infiniteLoop", fragmentName=name)

    def _check_fragments(
        self, operations: list[OperationDefinitionNode], fragments: list[FragmentDefinitionNode]
    ) -> Iterator[GraphQLError]:
        known, used = {fragment.name.value for fragment in fragments}, set[str]()
        for definition in (*operations, *fragments):
            for name, usage in self._spreads.get(id(definition), {}).items():
                if name not in known:
                    message = f"Fragment {name} was used, but not defined"
                    details = {"code": "useAndDefineFragment", "fragmentName": name}
                    yield _error(message, usage.node, path=usage.path, **details)
        for operation in operations:
            used |= self._reach(operation, fragments).keys()
        for fragment in fragments:
            name = fragment.name.value
            if name not in used:
                message = f"Fragment {name} was defined, but not used"
                details = {"code": "useAndDefineFragment", "fragmentName": name}
                yield _error(message, fragment, path=[f"fragment {name}"], **details)

    def _reach(
        self, definition: Definition, fragments: list[FragmentDefinitionNode]
    ) -> Mapping[str, FragmentDefinitionNode | None]:
        """Return the fragments that a definition spreads, directly or through others."""
        by_name = {fragment.name.value: fragment for fragment in fragments}
        reached: dict[str, FragmentDefinitionNode | None] = {}
        waiting: list[Definition] = [definition]
        while waiting:
            for name in self._spreads.get(id(waiting.pop()), {}):
                if name not in reached:
                    fragment = by_name.get(name)
                    reached[name] = fragment
                    waiting += [fragment] if fragment is not None else []
        return reached

    def _check_variables(
        self, operations: list[OperationDefinitionNode], fragments: list[FragmentDefinitionNode]
    ) -> Iterator[GraphQLError]:
        for operation in operations:
            uses = {**self._variables.get(id(operation), {})}
            for fragment in self._reach(operation, fragments).values():
                uses |= self._variables.get(id(fragment), {}) if fragment is not None else {}
            declared = {each.variable.name.value: each for each in operation.variable_definitions or ()}
            for name in declared:
                if name not in uses:
                    message = f"Variable ${name} is declared by {_title(operation)} but not used"
                    path = Visited(operation).path
                    yield _error(message, operation, path=path, code="variableNotUsed", variableName=name)
            for name, usage in uses.items():
                if name not in declared:
                    message = f"Variable ${name} is used by {_title(usage.owner)} but not declared"
                    yield _error(message, usage.node, path=usage.path, code="variableNotDefined", variableName=name)


def _title(definition: Definition) -> str:
    if isinstance(definition, FragmentDefinitionNode):
        return definition.name.value
    return definition.name.value if definition.name is not None else f"anonymous {definition.operation.value}"


def _check_kinds(document: DocumentNode) -> Iterator[GraphQLError]:
    others: list[Node] = [node for node in document.definitions if not isinstance(node, _EXECUTABLE)]
    if others:
        yield _error("Query cannot contain schema definitions", *others, path=[], code="queryContainsSchemaDefinitions")


def _check_operation_names(operations: list[OperationDefinitionNode]) -> Iterator[GraphQLError]:
    by_name: dict[str | None, list[OperationDefinitionNode]] = {}
    for operation in operations:
        by_name.setdefault(operation.name.value if operation.name else None, []).append(operation)
    for name, nodes in by_name.items():
        if name is None and len(operations) > 1:
            message = "Operation name is required when multiple operations are present"
            yield _error(message, *nodes, path=[], code="uniquelyNamedOperations")
        elif len(nodes) > 1:
            message = f'Operation name "{name}" must be unique'
            yield _error(message, *nodes, path=[], code="uniquelyNamedOperations", operationName=name)


def _check_fragment_names(fragments: list[FragmentDefinitionNode]) -> Iterator[GraphQLError]:
    by_name: dict[str, list[FragmentDefinitionNode]] = {}
    for fragment in fragments:
        by_name.setdefault(fragment.name.value, []).append(fragment)
    for name, nodes in by_name.items():
        if len(nodes) > 1:
            message = f'Fragment name "{name}" must be unique'
            yield _error(message, *nodes, path=[], code="fragmentNotUnique", fragmentName=name)


def _error(message: str, *nodes: Node, path: Path, **extensions: object) -> GraphQLError:
    return GraphQLError(message, [*nodes], path=path, extensions=extensions)
