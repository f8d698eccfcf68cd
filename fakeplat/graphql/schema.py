"""The schema, made of everything that the areas declare."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    build_schema,
    lexicographic_sort_schema,
    print_schema,
)
from graphql.utilities import value_from_ast_untyped

from fakeplat.graphql import (
    alerts,
    awards,
    diffs,
    groups,
    instance,
    issuables,
    issue_changes,
    issue_lists,
    issues,
    labels,
    merge_request_changes,
    merge_request_lists,
    merge_requests,
    milestones,
    note_changes,
    notes,
    pipelines,
    projects,
    scalars,
    todos,
    users,
)
from fakeplat.graphql import operation_mode as modes
from fakeplat.graphql.definitions import definitions
from fakeplat.graphql.name_cases import to_snake_case
from fakeplat.graphql.resolvers import Resolver, mutates, resolver_of, shows, shows_global_id
from fakeplat.graphql.schema_builder import ENUMERATIONS, MUTATIONS, SCALARS, TYPES, Enumeration, Scalar

AREAS: Final = (
    alerts,
    awards,
    diffs,
    groups,
    instance,
    issuables,
    issue_changes,
    issue_lists,
    issues,
    labels,
    merge_request_changes,
    merge_request_lists,
    merge_requests,
    milestones,
    modes,
    note_changes,
    notes,
    pipelines,
    projects,
    scalars,
    todos,
    users,
)
"""Importing an area declares its types; this is the list of them."""


@cache
def schema() -> GraphQLSchema:
    """The schema, made at the first request."""
    made = build_schema("\n".join(definitions()), assume_valid=True)
    for found in made.type_map.values():
        _speak(found)
    for type_ in TYPES.values():
        _resolve(made, type_.name, {name: resolver_of(type_, one) for name, one in type_.fields.items()})
        if type_.gid is not None:
            _resolve(made, type_.name, {"id": shows_global_id(type_)})
    _resolve(made, "Mutation", {name: mutates(mutation) for name, mutation in MUTATIONS.items()})
    return made


def schema_text() -> str:
    """The schema in its definition language, everything by name."""
    return print_schema(lexicographic_sort_schema(schema())) + "\n"


def _resolve(made: GraphQLSchema, name: str, resolvers: Mapping[str, Resolver]) -> None:
    found = made.type_map[name]
    if isinstance(found, GraphQLObjectType):
        for field_name, resolver in resolvers.items():
            found.fields[field_name].resolve = resolver


def _speak(found: GraphQLNamedType) -> None:
    """Give fields and arguments their names inside, enums their meanings, scalars their forms."""
    if isinstance(found, GraphQLObjectType) and not found.name.startswith("__"):
        for name, one in found.fields.items():
            one.resolve = shows(to_snake_case(name))
            for argument_name, argument in one.args.items():
                argument.out_name = to_snake_case(argument_name)
    elif isinstance(found, GraphQLInputObjectType):
        for name, part in found.fields.items():
            part.out_name = to_snake_case(name)
    elif isinstance(found, GraphQLEnumType) and found.name in ENUMERATIONS:
        _mean(found, ENUMERATIONS[found.name])
    elif isinstance(found, GraphQLScalarType) and found.name in SCALARS:
        _form(found, SCALARS[found.name])


def _mean(found: GraphQLEnumType, declared: Enumeration) -> None:
    for word, (meaning, _) in declared.values.items():
        found.values[word].value = meaning
    found.__dict__.pop("_value_lookup", None)


def _form(found: GraphQLScalarType, declared: Scalar) -> None:
    def read(value: Any) -> Any:
        try:
            return declared.read(value)
        except (ValueError, OverflowError) as wrong:
            raise GraphQLError(f"{value!r} is no {declared.name}: {wrong}") from None

    found.coerce_output_value = declared.show
    found.coerce_input_value = read
    found.coerce_input_literal = lambda node: read(value_from_ast_untyped(node))
