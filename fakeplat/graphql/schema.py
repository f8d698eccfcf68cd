"""The GraphQL schema, built from the declarations of all areas."""

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

from fakeplat.core.params.lenient_dates import parse_date, parse_datetime
from fakeplat.core.release import LATEST_RELEASE, Release, parse_release
from fakeplat.graphql import (
    alerts,
    deployments,
    instance,
    operation_mode,
    packages,
    projects,
    registry,
    releases,
    repository,
)
from fakeplat.graphql.ci import jobs, pipeline_changes, pipelines
from fakeplat.graphql.definitions import definitions, exists
from fakeplat.graphql.issues import issuables, issue_changes, issue_lists, issues
from fakeplat.graphql.merge_requests import diffs, merge_request_changes, merge_request_lists, merge_requests
from fakeplat.graphql.notes import awards, note_changes, notes, todos
from fakeplat.graphql.people import groups, users
from fakeplat.graphql.planning import labels, milestones
from fakeplat.graphql.resolvers import (
    Resolver,
    attribute_resolver,
    field_resolver,
    global_id_resolver,
    mutation_resolver,
)
from fakeplat.graphql.schema_builder import ENUMERATIONS, MUTATIONS, SCALARS, TYPES, Enumeration, Scalar, to_snake_case

AREAS: Final = (
    alerts,
    awards,
    repository,
    diffs,
    deployments,
    groups,
    instance,
    issuables,
    issue_changes,
    issue_lists,
    issues,
    jobs,
    labels,
    merge_request_changes,
    merge_request_lists,
    merge_requests,
    milestones,
    operation_mode,
    packages,
    note_changes,
    notes,
    pipeline_changes,
    pipelines,
    projects,
    registry,
    releases,
    todos,
    users,
)
"""The modules that declare types, fields and mutations when they are imported."""


def schema(release: Release = LATEST_RELEASE) -> GraphQLSchema:
    """Return the schema of a release, which is built at the first request."""
    return _build_schema(_latest_change(release))


@cache
def _latest_change(release: Release) -> Release:
    """Return the release that changed the schema last; releases with the same schema share it."""
    fields = (declared for type_ in TYPES.values() for declared in type_.fields.values())
    starts = {*(type_.since for type_ in TYPES.values()), *(declared.since for declared in fields)}
    changes = [parse_release(start) for start in starts if start]
    return max((change for change in changes if change <= release), default=(0, 0))


@cache
def _build_schema(release: Release) -> GraphQLSchema:
    # A test validates the schema; at run time that would only delay the first request.
    built = build_schema("\n".join(definitions(release)), assume_valid=True)
    # This comes first, because the resolvers of the declared fields replace the default ones that it sets.
    for named_type in built.type_map.values():
        _bind_python_names(named_type)
    for type_ in (type_ for type_ in TYPES.values() if exists(type_, release)):
        fields = {name: declared for name, declared in type_.fields.items() if exists(declared, release)}
        _set_resolvers(built, type_.name, {name: field_resolver(type_, declared) for name, declared in fields.items()})
        if type_.gid is not None:
            _set_resolvers(built, type_.name, {"id": global_id_resolver(type_)})
    _set_resolvers(built, "Mutation", {name: mutation_resolver(mutation) for name, mutation in MUTATIONS.items()})
    return built


def schema_text() -> str:
    """Return the schema of all releases in the schema definition language, sorted by name."""
    return print_schema(lexicographic_sort_schema(schema())) + "\n"


def _set_resolvers(built: GraphQLSchema, type_name: str, resolvers: Mapping[str, Resolver]) -> None:
    object_type = built.type_map[type_name]
    if isinstance(object_type, GraphQLObjectType):
        for field_name, resolver in resolvers.items():
            object_type.fields[field_name].resolve = resolver


def _bind_python_names(named_type: GraphQLNamedType) -> None:
    """Map names on the wire to Python names, enum values to Python values, and scalars to their conversions."""
    # The types for introspection (``__Type``) bring their own resolvers.
    if isinstance(named_type, GraphQLObjectType) and not named_type.name.startswith("__"):
        for name, output_field in named_type.fields.items():
            output_field.resolve = attribute_resolver(to_snake_case(name))
            for argument_name, argument in output_field.args.items():
                argument.out_name = to_snake_case(argument_name)
    elif isinstance(named_type, GraphQLInputObjectType):
        for name, input_field in named_type.fields.items():
            input_field.out_name = to_snake_case(name)
    elif isinstance(named_type, GraphQLEnumType) and named_type.name in ENUMERATIONS:
        _set_enum_values(named_type, ENUMERATIONS[named_type.name])
    elif isinstance(named_type, GraphQLScalarType) and named_type.name in SCALARS:
        _set_conversions(named_type, SCALARS[named_type.name])


def _set_enum_values(enum: GraphQLEnumType, declared: Enumeration) -> None:
    for name, (value, _) in declared.values.items():
        enum.values[name].value = value
    # The library caches the lookup by Python value; it may have been filled with the names as values.
    enum.__dict__.pop("_value_lookup", None)


def _set_conversions(scalar: GraphQLScalarType, declared: Scalar) -> None:
    def read(value: object) -> Any:
        try:
            return declared.read(value)
        except (ValueError, OverflowError) as error:
            raise GraphQLError(f"{value!r} is not a valid {declared.name}: {error}") from None

    scalar.coerce_output_value = declared.show
    scalar.coerce_input_value = read
    # A literal in the query text is first converted to the Python value that a variable would have.
    scalar.coerce_input_literal = lambda node: read(value_from_ast_untyped(node))


def _whole_seconds(timestamp: object) -> str:
    """Truncate a timestamp to whole seconds; return a date as it is."""
    text = str(timestamp)
    # The first 19 characters of ``2020-01-02T03:04:05.678Z`` are all but the fraction.
    return f"{text[:19]}Z" if "T" in text else text


def _unchanged(value: object) -> Any:
    return value


Scalar("Time", "A timestamp in ISO 8601 format.", _whole_seconds, lambda value: parse_datetime(str(value)))
Scalar("ISO8601Date", "A date in ISO 8601 format.", str, lambda value: parse_date(str(value)))
Scalar("JSON", "Any JSON value.", _unchanged, _unchanged)
