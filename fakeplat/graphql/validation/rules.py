"""The validation rules, with the checks, wording and extensions of the platform's library.

The extension `supported` is a choice of fakeplat. Source: docs/platform/graphql.md ('Errors of validation').
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from graphql import (
    SKIP,
    ArgumentNode,
    DirectiveNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    Node,
    OperationDefinitionNode,
    ValidationContext,
    ValidationRule,
    VariableDefinitionNode,
    VisitorAction,
    get_named_type,
    is_composite_type,
    is_input_type,
    is_leaf_type,
)
from graphql.language import ListValueNode, ObjectFieldNode, ObjectValueNode, VariableNode
from graphql.type import (
    GraphQLArgument,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLUnionType,
    is_required_argument,
    is_required_input_field,
)
from graphql.utilities import do_types_overlap, type_from_ast

from fakeplat.graphql.validation.document_rules import DocumentRule
from fakeplat.graphql.validation.input_values import find_literal_problem, print_literal
from fakeplat.graphql.validation.merged_fields import MergedFieldsRule
from fakeplat.graphql.validation.paths import Path, Visited
from fakeplat.graphql.validation.spelling import suggest
from fakeplat.graphql.validation.variable_usages import explain_mismatch, list_variables

SUGGESTS: Final = "suggests"
"""The extension of a schema whose release suggests names for misspelt ones."""
_COMPOSITE: Final = "must be Union, Interface or Object"


class NodeRule(ValidationRule):
    """Checks each operation, fragment, field and argument; what is within an unknown field or argument is skipped."""

    def __init__(self, context: ValidationContext) -> None:
        super().__init__(context)
        self._paths: list[Path] = []
        self._variables: dict[str, VariableDefinitionNode] = {}

    def _report(
        self, message: str, visited: Visited, *nodes: Node, path: Path | None = None, **extensions: object
    ) -> None:
        where = visited.path if path is None else path
        self._paths.append(where)
        self.report_error(GraphQLError(message, [*nodes] or [visited.node], path=where, extensions=extensions))

    def _suggest(self, name: str, known: Iterable[str]) -> str:
        return suggest(name, known) if self.context.schema.extensions.get(SUGGESTS) else ""

    # Operations and variables

    def enter_operation_definition(self, node: OperationDefinitionNode, *args: object) -> VisitorAction:
        """Remember the variables of an operation, and check that each has a name of its own."""
        if self.context.schema.get_root_type(node.operation) is None:
            kind = {"query": "queries"}.get(node.operation.value, f"{node.operation.value}s")
            code = f"missing{node.operation.value.title()}Configuration"
            self._report(f"Schema is not configured for {kind}", Visited.of(node, args), code=code)
            return SKIP
        self._variables = {}
        by_name: dict[str, list[VariableDefinitionNode]] = {}
        for definition in node.variable_definitions or ():
            by_name.setdefault(definition.variable.name.value, []).append(definition)
            self._variables[definition.variable.name.value] = definition
        for name, nodes in by_name.items():
            if len(nodes) > 1:
                message = f'There can only be one variable named "{name}"'
                visited = Visited.of(node, args)
                self._report(message, visited, *nodes, code="variableNotUnique", variableName=name)
        return None

    def enter_variable_definition(self, node: VariableDefinitionNode, *args: object) -> None:
        """Check that the type of a variable is known and one for input, and that its default value has it."""
        name, visited = node.variable.name.value, Visited.of(node, args)
        named = get_innermost_name(node.type)
        type_: Any = self.context.schema.type_map.get(named)
        details: dict[str, Any] = {"code": "variableRequiresValidType", "typeName": named, "variableName": name}
        if type_ is None:
            types = self.context.schema.type_map
            known = [name for name, other in types.items() if is_input_type(other)]
            message = f"{named} isn't a defined input type (on ${name}){self._suggest(named, known)}"
            self._report(message, visited, **details)
        elif not is_input_type(type_):
            self._report(f"{named} isn't a valid input type (on ${name})", visited, **details)
        elif node.default_value is not None:
            expected: Any = type_from_ast(self.context.schema, node.type)
            problem = find_literal_problem(node.default_value, expected)
            if problem is not None:
                message = problem.explanation or f"Default value for ${name} doesn't match type {expected}"
                code = "defaultValueInvalidType"
                self._report(message, visited, code=code, variableName=name, typeName=str(expected))

    # Fragments

    def enter_fragment_definition(self, node: FragmentDefinitionNode, *args: object) -> VisitorAction:
        """Check the type of a fragment."""
        return self._check_condition(node, Visited.of(node, args))

    def enter_inline_fragment(self, node: InlineFragmentNode, *args: object) -> VisitorAction:
        """Check the type of a fragment, and that it can be one of the type around it."""
        if node.type_condition is None:
            return None
        visited = Visited.of(node, args)
        action = self._check_condition(node, visited)
        if action is None:
            self._check_overlap(visited, self.context.get_parent_type(), self.context.get_type(), "")
        return action

    def _check_condition(self, node: InlineFragmentNode | FragmentDefinitionNode, visited: Visited) -> VisitorAction:
        if node.type_condition is None:
            return None
        name = node.type_condition.name.value
        type_ = self.context.schema.type_map.get(name)
        if type_ is None:
            known = [other.name for other in self.context.schema.type_map.values() if _has_fields(other)]
            message = f"No such type {name}, so it can't be a fragment condition{self._suggest(name, known)}"
            self._report(message, visited, code="undefinedType", typeName=name)
            return SKIP
        if not is_composite_type(type_):
            message = f"Invalid fragment on type {name} ({_COMPOSITE})"
            self._report(message, visited, code="fragmentOnNonCompositeType", typeName=name)
            return SKIP
        return None

    def enter_fragment_spread(self, node: FragmentSpreadNode, *args: object) -> None:
        """Check that a fragment can be of the type that it is spread in."""
        fragment = self.context.get_fragment(node.name.value)
        if fragment is not None:
            inner = self.context.schema.type_map.get(fragment.type_condition.name.value)
            self._check_overlap(Visited.of(node, args), self.context.get_parent_type(), inner, f" {node.name.value}")

    def _check_overlap(self, visited: Visited, outer: Any, inner: Any, name: str) -> None:
        if not is_composite_type(outer) or not is_composite_type(inner):
            return
        if not do_types_overlap(self.context.schema, outer, inner):
            self._report(
                f"Fragment{name} on {inner.name} can't be spread inside {outer.name}",
                visited,
                code="cannotSpreadFragment",
                typeName=inner.name,
                fragmentName=name or "unknown",
                parentName=outer.name,
            )

    # Fields

    def enter_field(self, node: FieldNode, *args: object) -> VisitorAction:
        """Check that the type has the field, its selection, and that its arguments are there once."""
        parent, name, visited = self.context.get_parent_type(), node.name.value, Visited.of(node, args)
        definition = self.context.get_field_def()
        if parent is None:
            return SKIP
        if definition is None and isinstance(parent, GraphQLUnionType):
            message = f"Selections can't be made directly on unions (see selections on {parent.name})"
            # The selection comes between the field that shows the union and this one.
            self._report(message, visited, visited.ancestors[-2], code="selectionMismatch", nodeName=parent.name)
            return SKIP
        if definition is None:
            known = list(parent.fields) if isinstance(parent, GraphQLObjectType | GraphQLInterfaceType) else []
            details: dict[str, Any] = {"code": "undefinedField", "typeName": parent.name, "fieldName": name}
            message = f"Field '{name}' doesn't exist on type '{parent.name}'{self._suggest(name, known)}"
            self._report(message, visited, **details, supported=sorted(known))
            return SKIP
        if not self._check_selection(node, get_named_type(definition.type), visited):
            return SKIP
        self._check_arguments(node, definition.args, visited)
        return None

    def _check_selection(self, node: FieldNode, type_: Any, visited: Visited) -> bool:
        title = f"field '{node.name.value}'"
        if is_leaf_type(type_):
            if node.selection_set is None:
                return True
            kind = "enum" if hasattr(type_, "values") else "scalar"
            chosen = ", ".join(f'"{text}"' for text in map(_selection_title, node.selection_set.selections))
            message = (
                f"Selections can't be made on {kind}s ({title} returns {type_.name} but has selections [{chosen}])"
            )
        elif node.selection_set is not None:
            return True
        else:
            hint = f"Did you mean '{node.name.value} {{ ... }}'?"
            message = f"Field must have selections ({title} returns {type_.name} but has no selections. {hint})"
        self._report(message, visited, code="selectionMismatch", nodeName=title, typeName=type_.name)
        return False

    def _check_arguments(
        self, node: FieldNode | DirectiveNode, arguments: dict[str, GraphQLArgument], visited: Visited
    ) -> None:
        given = [argument.name.value for argument in node.arguments or ()]
        missing = [name for name, argument in arguments.items() if is_required_argument(argument) and name not in given]
        if missing:
            kind, names = "Field" if isinstance(node, FieldNode) else "Directive", ", ".join(missing)
            name = node.name.value
            message = f"{kind} '{name}' is missing required arguments: {names}"
            details: dict[str, Any] = {
                "code": "missingRequiredArguments",
                "className": kind,
                "name": name,
                "arguments": names,
            }
            self._report(message, visited, **details)
        for name in dict.fromkeys(name for name in given if given.count(name) > 1):
            nodes = [argument for argument in node.arguments or () if argument.name.value == name]
            message = f'There can be only one argument named "{name}"'
            self._report(message, visited, *nodes, code="argumentNotUnique", name=name)

    def enter_directive(self, node: DirectiveNode, *args: object) -> VisitorAction:
        """Check that a directive is known, and its arguments."""
        visited, name = Visited.of(node, args), node.name.value
        directive = self.context.get_directive()
        if directive is None:
            known = [each.name for each in self.context.schema.directives]
            message = f"Directive @{name} is not defined{self._suggest(name, known)}"
            self._report(message, visited, code="undefinedDirective", directiveName=name)
            return SKIP
        self._check_arguments(node, directive.args, visited)
        return None

    # Arguments, and fields of inputs, which the library treats alike

    def enter_argument(self, node: ArgumentNode, *args: object) -> VisitorAction:
        """Check that a field has the argument, and the types of variables in it."""
        parent, field = Visited.of(node, args).parent, self.context.get_field_def()
        directive = self.context.get_directive()
        owner = directive if isinstance(parent, DirectiveNode) else field
        if owner is None:
            return None
        kind = "Directive" if isinstance(parent, DirectiveNode) else "Field"
        name = (getattr(parent, "alias", None) or parent.name).value
        return self._enter_value(node, kind, name, owner.args, args)

    def leave_argument(self, node: ArgumentNode, *args: object) -> None:
        """Check the value of an argument, unless something within it was reported."""
        parent, argument = Visited.of(node, args).parent, self.context.get_argument()
        kind = "Directive" if isinstance(parent, DirectiveNode) else "Field"
        name = (getattr(parent, "alias", None) or parent.name).value
        self._check_literal(node, kind, name, argument, args)

    def enter_object_field(self, node: ObjectFieldNode, *args: object) -> VisitorAction:
        """Check that an input has the field, and the types of variables in it."""
        owner = get_named_type(self.context.get_parent_input_type())
        if not isinstance(owner, GraphQLInputObjectType):
            return None
        return self._enter_value(node, "InputObject", owner.name, owner.fields, args)

    def leave_object_field(self, node: ObjectFieldNode, *args: object) -> None:
        """Check the value of a field of an input, unless something within it was reported."""
        owner = get_named_type(self.context.get_parent_input_type())
        if isinstance(owner, GraphQLInputObjectType):
            self._check_literal(node, "InputObject", owner.name, owner.fields.get(node.name.value), args)

    def enter_object_value(self, node: ObjectValueNode, *args: object) -> None:
        """Check that an input has what it requires, and each field once."""
        visited, type_ = Visited.of(node, args), get_named_type(self.context.get_input_type())
        if not isinstance(type_, GraphQLInputObjectType):
            return
        given = [field.name.value for field in node.fields]
        # The library checks inputs in lists only as values of their arguments.
        for name, field in type_.fields.items() if not isinstance(visited.parent, ListValueNode) else ():
            if is_required_input_field(field) and name not in given:
                self._report(
                    f"Argument '{name}' on InputObject '{type_.name}' is required. Expected type {field.type}",
                    visited,
                    path=[*visited.path, name],
                    code="missingRequiredInputObjectAttribute",
                    argumentName=name,
                    argumentType=str(field.type),
                    inputObjectType=type_.name,
                )
        for name in dict.fromkeys(name for name in given if given.count(name) > 1):
            nodes = [field for field in node.fields if field.name.value == name]
            message = f'There can be only one input field named "{name}"'
            self._report(message, visited, *nodes, code="inputFieldNotUnique", name=name)

    def _enter_value(
        self,
        node: ArgumentNode | ObjectFieldNode,
        kind: str,
        owner: str,
        known: dict[str, Any],
        args: Sequence[Any],
    ) -> VisitorAction:
        name = node.name.value
        if name not in known:
            self._report(
                f"{kind} '{owner}' doesn't accept argument '{name}'{self._suggest(name, known)}",
                Visited.of(node, args),
                code="argumentNotAccepted",
                name=owner,
                typeName=kind,
                argumentName=name,
                supported=sorted(known),
            )
            return SKIP
        for variable, depth in list_variables(node.value):
            self._check_usage(node, variable, depth, known[name], args)
        return None

    def _check_usage(
        self,
        node: ArgumentNode | ObjectFieldNode,
        variable: VariableNode,
        depth: int,
        argument: GraphQLArgument | GraphQLInputField,
        args: Sequence[Any],
    ) -> None:
        definition = self._variables.get(variable.name.value)
        type_: Any = type_from_ast(self.context.schema, definition.type) if definition is not None else None
        if definition is None or type_ is None:
            return
        if definition.default_value is not None and not isinstance(type_, GraphQLNonNull):
            type_ = GraphQLNonNull(type_)
        for _ in range(depth):
            type_ = GraphQLNonNull(GraphQLList(type_))
        expected: Any = argument.type
        if isinstance(expected, GraphQLNonNull) and not _is_required(argument):
            expected = expected.of_type
        wrong = explain_mismatch(type_, expected)
        if wrong:
            name = variable.name.value
            self._report(
                f"{wrong} on variable ${name} and argument {node.name.value} ({type_} / {argument.type})",
                Visited.of(node, args),
                code="variableMismatch",
                variableName=name,
                typeName=str(type_),
                argumentName=node.name.value,
                errorMessage=wrong,
            )

    def _check_literal(
        self,
        node: ArgumentNode | ObjectFieldNode,
        kind: str,
        owner: str,
        argument: GraphQLArgument | GraphQLInputField | None,
        args: Sequence[Any],
    ) -> None:
        visited = Visited.of(node, args)
        path = visited.path
        if argument is None or isinstance(node.value, VariableNode):
            return
        if any(reported[: len(path)] == path for reported in self._paths):
            return
        problem = find_literal_problem(node.value, argument.type)
        if problem is None:
            return
        code = "argumentLiteralsIncompatible"
        if problem.has_message:
            self._report(problem.explanation, visited, visited.parent, code=code, typeName="CoercionError")
            return
        text = f"Argument '{node.name.value}' on {kind} '{owner}' has an invalid value ({print_literal(node.value)})"
        details: dict[str, Any] = {
            "code": code,
            "typeName": kind,
            "argumentName": node.name.value,
        }
        values = getattr(get_named_type(argument.type), "values", None)
        supported = {"supported": sorted(values)} if values else {}
        self._report(f"{text}. Expected type '{argument.type}'.", visited, visited.parent, **details, **supported)


def get_innermost_name(node: Any) -> str:
    """Return the name of a type in a query text without lists and exclamation marks."""
    while hasattr(node, "type"):
        node = node.type
    return str(node.name.value)


def _has_fields(type_: object) -> bool:
    return isinstance(type_, GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType)


def _selection_title(node: Any) -> str:
    if not isinstance(node, InlineFragmentNode):
        return str(node.name.value)
    return f"... on {node.type_condition.name.value} {{ ... }}" if node.type_condition is not None else "..."


def _is_required(argument: GraphQLArgument | GraphQLInputField) -> bool:
    if isinstance(argument, GraphQLArgument):
        return is_required_argument(argument)
    return is_required_input_field(argument)


RULES: Final = (NodeRule, MergedFieldsRule, DocumentRule)
