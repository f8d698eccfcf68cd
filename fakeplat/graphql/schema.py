"""The GraphQL schema, built from the declarations of all areas."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    build_ast_schema,
    lexicographic_sort_schema,
    print_schema,
)
from graphql.utilities import value_from_ast_untyped

from fakeplat.core.params.lenient_dates import parse_date, parse_datetime
from fakeplat.core.release import EVERYTHING, Lifetime, Profile
from fakeplat.core.timestamps import cut_milliseconds
from fakeplat.graphql import (
    administered,
    alert_integrations,
    alert_mappings,
    alerts,
    blob_viewers,
    branch_rule_checks,
    branch_rules,
    catalog,
    cleanup_policies,
    cluster_agents,
    commit_details,
    commit_references,
    commit_signatures,
    current_license,
    custom_attributes,
    custom_emoji,
    dependency_proxy,
    dependency_proxy_packages,
    file_editors,
    forks,
    image_rules,
    instance,
    operation_mode,
    package_cleanup,
    package_dependencies,
    package_details,
    package_file_metadata,
    package_metadata,
    package_rules,
    package_settings,
    package_versions,
    packages,
    page_deployments,
    page_settings,
    path_locks,
    permissions,
    project_details,
    project_lists,
    project_pages,
    projects,
    registry,
    release_changes,
    releases,
    repository,
    repository_files,
    repository_refs,
    snippet_changes,
    snippets,
    squash_options,
    target_branch_rules,
    terraform,
    timeline_events,
    timelogs,
    topics,
    upload_changes,
    webhooks,
    wikis,
)
from fakeplat.graphql.ci import (
    all_jobs,
    artifact_changes,
    code_quality,
    configurations,
    job_changes,
    job_fields,
    job_relations,
    job_token_scope,
    job_token_scope_changes,
    jobs,
    lint,
    minutes,
    pipeline_changes,
    pipeline_creation,
    pipeline_details,
    pipeline_inputs,
    pipeline_schedules,
    pipelines,
    project_subscriptions,
    runner_changes,
    runner_lists,
    runner_setup,
    runners,
    settings,
    test_reports,
    triggers,
    variables,
)
from fakeplat.graphql.connections import Connection
from fakeplat.graphql.context import GraphqlContext
from fakeplat.graphql.customer_relations import contacts, issue_contacts, organizations
from fakeplat.graphql.deployments import deployments, environment_changes, environments, protections
from fakeplat.graphql.ids import read_global_id
from fakeplat.graphql.issues import (
    board_epics,
    description_templates,
    epic_boards,
    epic_changes,
    epic_events,
    epic_tree_changes,
    epics,
    issuables,
    issue_alerts,
    issue_boards,
    issue_bulk,
    issue_changes,
    issue_details,
    issue_lists,
    issues,
    namespace_sidebar,
    resource_links,
    test_cases,
    work_item_bulk,
    work_item_changes,
    work_item_details,
    work_item_development,
    work_item_links,
    work_item_lists,
    work_item_preferences,
    work_item_tasks,
    work_item_types,
    work_item_widgets,
    work_items,
)
from fakeplat.graphql.lifetimes import Kind, document_of, list_lifetimes, list_nodes
from fakeplat.graphql.merge_requests import (
    approval_states,
    diffs,
    merge_request_changes,
    merge_request_lists,
    merge_requests,
    merge_states,
    merge_trains,
    review_changes,
    reviewers,
)
from fakeplat.graphql.notes import awards, note_changes, note_fields, notes, todos
from fakeplat.graphql.people import (
    achievements,
    callouts,
    group_changes,
    group_contributions,
    group_lists,
    groups,
    member_changes,
    member_details,
    member_role_changes,
    member_roles,
    members,
    namespace_commit_emails,
    namespace_details,
    organization,
    pending_members,
    personal_access_tokens,
    repository_sizes,
    saved_replies,
    shared_replies,
    source_users,
    storage_statistics,
    user_lists,
    user_preferences,
    users,
    visits,
)
from fakeplat.graphql.planning import (
    boards,
    custom_fields,
    iteration_changes,
    iterations,
    labels,
    milestones,
    timebox_reports,
)
from fakeplat.graphql.resolvers import (
    Resolver,
    attribute_resolver,
    field_resolver,
    global_id_resolver,
    mutation_resolver,
)
from fakeplat.graphql.schema_builder import (
    CONNECTION,
    EDGE,
    ENUMERATIONS,
    INTERFACES,
    MUTATIONS,
    SCALARS,
    TYPES,
    UNIONS,
    Enumeration,
    Field,
    Interface,
    Scalar,
    Type,
    Union,
    to_snake_case,
)
from fakeplat.graphql.validation.input_values import CoercionError
from fakeplat.graphql.validation.rules import SUGGESTS
from fakeplat.policy.behaviours import GRAPHQL_SUGGESTS_NAMES

AREAS: Final = (
    administered,
    alert_integrations,
    alert_mappings,
    alerts,
    all_jobs,
    approval_states,
    artifact_changes,
    achievements,
    awards,
    blob_viewers,
    boards,
    callouts,
    code_quality,
    catalog,
    branch_rule_checks,
    branch_rules,
    cleanup_policies,
    cluster_agents,
    commit_details,
    commit_references,
    commit_signatures,
    configurations,
    contacts,
    current_license,
    custom_attributes,
    custom_emoji,
    custom_fields,
    repository,
    repository_sizes,
    repository_files,
    repository_refs,
    diffs,
    dependency_proxy,
    dependency_proxy_packages,
    deployments,
    environment_changes,
    environments,
    board_epics,
    description_templates,
    epic_boards,
    epic_changes,
    epic_events,
    epic_tree_changes,
    epics,
    file_editors,
    forks,
    group_changes,
    group_contributions,
    group_lists,
    groups,
    image_rules,
    instance,
    issuables,
    issue_alerts,
    issue_boards,
    issue_bulk,
    issue_changes,
    issue_contacts,
    issue_details,
    issue_lists,
    issues,
    iteration_changes,
    iterations,
    job_changes,
    job_fields,
    job_relations,
    job_token_scope,
    job_token_scope_changes,
    jobs,
    labels,
    lint,
    merge_request_changes,
    merge_request_lists,
    member_changes,
    members,
    member_details,
    member_role_changes,
    member_roles,
    organization,
    merge_states,
    merge_trains,
    merge_requests,
    milestones,
    namespace_commit_emails,
    namespace_details,
    namespace_sidebar,
    minutes,
    operation_mode,
    organizations,
    package_cleanup,
    package_dependencies,
    package_details,
    package_file_metadata,
    package_metadata,
    package_rules,
    package_settings,
    package_versions,
    packages,
    page_deployments,
    page_settings,
    path_locks,
    pending_members,
    permissions,
    personal_access_tokens,
    project_details,
    note_changes,
    note_fields,
    notes,
    pipeline_changes,
    pipeline_creation,
    pipeline_details,
    pipeline_inputs,
    pipeline_schedules,
    pipelines,
    project_lists,
    project_pages,
    project_subscriptions,
    projects,
    protections,
    registry,
    release_changes,
    releases,
    resource_links,
    review_changes,
    reviewers,
    runner_changes,
    runner_lists,
    runner_setup,
    runners,
    saved_replies,
    settings,
    shared_replies,
    snippet_changes,
    snippets,
    source_users,
    squash_options,
    storage_statistics,
    target_branch_rules,
    terraform,
    test_cases,
    test_reports,
    timebox_reports,
    timeline_events,
    timelogs,
    topics,
    upload_changes,
    todos,
    triggers,
    user_lists,
    user_preferences,
    users,
    visits,
    variables,
    webhooks,
    work_item_bulk,
    work_item_changes,
    work_item_links,
    work_item_details,
    work_item_development,
    work_item_lists,
    work_item_preferences,
    work_item_tasks,
    work_item_types,
    work_item_widgets,
    work_items,
    wikis,
)
"""The modules that declare types, fields and mutations when they are imported."""


_HEAD: Final = """\
# What any release has: a description tells since when, or until when, if not always.
# A field that changed its type is shown as in the newest release. The type of users is called UserCore since 13.11,
# and User is an interface with the same fields.
"""
# Releases with the same content share a schema, which is found by what they have of the things that not all have.
_SCHEMAS: Final[dict[tuple[object, ...], GraphQLSchema]] = {}


def schema(profile: Profile = EVERYTHING) -> GraphQLSchema:
    """Return the schema of a release, which is built at the first request."""
    found = profile.compiled.get(schema)
    if found is None:
        names = (type_.name_in(profile) for type_ in TYPES.values() if type_.core_name)
        content = (*map(profile.has, list_lifetimes()), profile.has(GRAPHQL_SUGGESTS_NAMES), *names)
        found = _SCHEMAS.get(content) or _SCHEMAS.setdefault(content, build_schema(profile))
        profile.compiled[schema] = found
    return found


def list_declared() -> Iterator[tuple[Kind, str, Lifetime]]:
    """Yield everything that some release has: its kind, its name such as ``Project.issues(state)``, its lifetime."""
    # The shapes of a field repeat its arguments.
    yield from dict.fromkeys((kind, name, lifetime) for kind, name, lifetime, _ in list_nodes())
    yield from (("type", type_.core_name, Lifetime(type_.split_since)) for type_ in TYPES.values() if type_.core_name)


def build_schema(profile: Profile) -> GraphQLSchema:
    """Return a new schema of a release, with its resolvers."""
    # A test validates the schema; at run time that would only delay the first request.
    built = build_ast_schema(document_of(profile), assume_valid=True)
    built.extensions = {SUGGESTS: profile.has(GRAPHQL_SUGGESTS_NAMES)}
    # This comes first, because the resolvers of the declared fields replace the default ones that it sets.
    for named_type in built.type_map.values():
        _bind_python_names(named_type)
    for type_ in (type_ for type_ in TYPES.values() if profile.has(type_.lifetime)):
        resolvers = {name: field_resolver(type_, declared) for name, declared in type_.fields(profile).items()}
        _set_resolvers(built, type_.name_in(profile), resolvers)
        _set_total_resolvers(built, profile, type_.name_in(profile), type_.totals)
        _set_page_resolvers(built, profile, type_)
        if type_.gid is not None:
            _set_resolvers(built, type_.name_in(profile), {"id": global_id_resolver(type_)})
    mutations = (mutation for mutation in MUTATIONS.values() if profile.has(mutation.lifetime))
    for union in UNIONS.values():
        _set_type_resolver(built, union)
    for interface in INTERFACES.values():
        _set_type_resolver(built, interface)
        _set_total_resolvers(built, profile, interface.name, interface.totals)
    _set_resolvers(built, "Mutation", {mutation.name: mutation_resolver(mutation) for mutation in mutations})
    return built


def schema_text() -> str:
    """Return the schema of all releases in the schema definition language, sorted by name, after a comment on it."""
    return f"{_HEAD}\n{print_schema(lexicographic_sort_schema(schema()))}\n"


def _set_total_resolvers(built: GraphQLSchema, profile: Profile, name: str, totals: Iterable[Field]) -> None:
    resolvers = {total.name: _total_resolver(total) for total in totals if profile.has(total.lifetime)}
    _set_resolvers(built, f"{name}{CONNECTION}", resolvers)


def _set_page_resolvers(built: GraphQLSchema, profile: Profile, type_: Type) -> None:
    for suffix, fields in ((CONNECTION, type_.of_connection), (EDGE, type_.of_edge)):
        resolvers = {each.name: field_resolver(type_, each) for each in fields if profile.has(each.lifetime)}
        _set_resolvers(built, f"{type_.name_in(profile)}{suffix}", resolvers)


def _total_resolver(total: Field) -> Resolver:
    call = total.call

    def resolve(connection: Connection, info: GraphQLResolveInfo[GraphqlContext], **arguments: object) -> Any:
        return call(info.context.ctx, connection.rows, **arguments) if call is not None else None

    return resolve


def _set_resolvers(built: GraphQLSchema, type_name: str, resolvers: Mapping[str, Resolver]) -> None:
    object_type = built.type_map.get(type_name)
    if isinstance(object_type, GraphQLObjectType):
        for field_name, resolver in resolvers.items():
            object_type.fields[field_name].resolve = resolver


def _set_type_resolver(built: GraphQLSchema, declared: Interface | Union) -> None:
    """Tell the library how to find the type of a record, where a field returns an interface or a union."""
    abstract_type, type_of = built.type_map.get(declared.name), declared.type_of
    if isinstance(abstract_type, GraphQLInterfaceType | GraphQLUnionType) and type_of is not None:
        abstract_type.resolve_type = lambda record, _info, _type: type_of(record)


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
    for name, value in enum.values.items():
        value.value = declared.values[name][0]
    # The library caches the lookup by Python value; it may have been filled with the names as values.
    enum.__dict__.pop("_value_lookup", None)


def _set_conversions(scalar: GraphQLScalarType, declared: Scalar) -> None:
    def read(value: object) -> Any:
        try:
            # Scalars without a conversion of their own are global ids.
            return read_global_id(declared.name, value) if _is_global_id(declared) else declared.read(value)
        except (ValueError, OverflowError) as error:
            raise CoercionError(str(error)) from None

    scalar.coerce_output_value = declared.show
    scalar.coerce_input_value = read
    # A literal in the query text is first converted to the Python value that a variable would have.
    scalar.coerce_input_literal = lambda node: read(value_from_ast_untyped(node))


def _is_global_id(declared: Scalar) -> bool:
    return declared.name.endswith("ID") and declared.read is str


def _read_time(value: object) -> str:
    text = str(value)
    try:
        return parse_datetime(text)
    except (ValueError, OverflowError):
        # The messages are those of Ruby's parser.
        has_digits = any(map(str.isdigit, text))
        raise ValueError(
            "argument out of range" if has_digits else f"no time information in {json.dumps(text)}"
        ) from None


def _read_date(value: object) -> str:
    try:
        return parse_date(str(value))
    except (ValueError, OverflowError):
        raise GraphQLError(f"{value!r} is not a date") from None


def _whole_seconds(timestamp: object) -> str:
    """Truncate a timestamp to whole seconds; return a date as it is."""
    text = str(timestamp)
    # The first 19 characters of ``2020-01-02T03:04:05.678Z`` are all but the fraction.
    return cut_milliseconds(text) if "T" in text else text


def _unchanged(value: object) -> Any:
    return value


Scalar("Time", "A timestamp in ISO 8601 format.", _whole_seconds, _read_time)
Scalar("ISO8601Date", "A date in ISO 8601 format.", str, _read_date)
Scalar("JSON", "Any JSON value.", _unchanged, _unchanged)
