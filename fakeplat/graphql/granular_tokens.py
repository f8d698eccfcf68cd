"""What fine-grained tokens may see and change with GraphQL.

``granular_permissions.csv`` has the permissions of types and mutations. A type without a row is hidden from such
tokens, and a mutation without one refuses them; a row without permissions is open to them.
Source: docs/platform/fine-grained-tokens.md.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from attrs import evolve
from graphql import (
    GraphQLError,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    GraphQLUnionType,
    default_type_resolver,
    get_named_type,
    get_nullable_type,
)

from fakeplat.core.operations.errors import InsufficientGranularScope, NotFound, Refusal
from fakeplat.core.release import Lifetime, Profile
from fakeplat.graphql.context import GraphqlContext
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.record_containers import find_container, find_named_container
from fakeplat.graphql.resolvers import Resolver, mutation_resolver
from fakeplat.graphql.schema import build_schema
from fakeplat.graphql.schema_builder import CONNECTION, MUTATIONS, Mutation
from fakeplat.model.projects import Container
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.granular_scopes import Boundary, authorize_token, check_enabled

TABLE: Final = Path(__file__).with_name("granular_permissions.csv")
Info = GraphQLResolveInfo[GraphqlContext]
_EDGE: Final = "Edge"
_UNCHECKED: Final = ("Query", "Mutation", "PageInfo")
_UNCHECKED_SUFFIXES: Final = (CONNECTION, _EDGE, "Payload")
# Types without an ability of their own: the items of a list that a token must not see become null. Those of other
# types are left out.
_WITHOUT_ABILITY: Final = frozenset(
    {
        "CiBuildNeed",
        "CiConfigGroup",
        "CiConfigInclude",
        "CiConfigJob",
        "CiConfigNeed",
        "CiConfigStage",
        "CiConfigVariable",
        "CiGroup",
        "CiMinutesProjectMonthlyUsage",
        "CodeQualityDegradation",
        "CodequalityReportsComparerReportDegradation",
        "CustomFieldSelectOption",
        "DeploymentApproval",
        "DeploymentTag",
        "Diff",
        "DiffStats",
        "MergeRequestMergeabilityCheck",
        "NestedEnvironment",
        "ProtectedEnvironment",
        "ProtectedEnvironmentApprovalRule",
        "ProtectedEnvironmentApprovalRuleForSummary",
        "ProtectedEnvironmentDeployAccessLevel",
        "RepositoryLanguage",
        "TestCase",
        "TestSuiteSummary",
        "TreeEntry",
        "WorkItemStatus",
        "WorkItemTypeCountsByState",
        "WorkItemTypeDepthLimitReachedByType",
    }
)


class Requirement(NamedTuple):
    """What a type or a mutation needs: all ``permissions``, within a boundary of one of the kinds in ``access``.

    Permissions are written as in refusals (``Work Item: Read``). Whoever has the ability ``public`` without signing in
    needs none of them in a public project or group.
    """

    access: tuple[str, ...]
    permissions: tuple[str, ...]
    public: str
    lifetime: Lifetime


@cache
def list_requirements() -> Mapping[tuple[str, str], Requirement]:
    """Return the requirements by kind (``type`` or ``mutation``) and name."""
    with TABLE.open(encoding="utf-8") as file:
        return {(row["kind"], row["name"]): _parse_requirement(row) for row in csv.DictReader(file)}


def _parse_requirement(row: Mapping[str, str]) -> Requirement:
    permissions = tuple(filter(None, row["permissions"].split("; ")))
    return Requirement(tuple(row["access"].split()), permissions, row["public"], Lifetime(row["since"]))


def _find_requirement(profile: Profile, kind: str, name: str) -> Requirement | None:
    requirement = list_requirements().get((kind, name))
    return requirement if requirement is not None and profile.has(requirement.lifetime) else None


def granular_schema(profile: Profile) -> GraphQLSchema:
    """Return the schema of a release whose resolvers ask what the fine-grained token of the request may do."""
    found: GraphQLSchema | None = profile.compiled.get(granular_schema)
    if found is None:
        found = profile.compiled[granular_schema] = build_schema(profile)
        for named_type in found.type_map.values():
            if isinstance(named_type, GraphQLObjectType) and not named_type.name.startswith("__"):
                _guard_fields(named_type, profile)
    return found


def _guard_fields(object_type: GraphQLObjectType, profile: Profile) -> None:
    for name, field in object_type.fields.items():
        if object_type.name == "Mutation":
            field.resolve = mutation_resolver(_guard_mutation(MUTATIONS[name], profile))
        elif (guard := _guard_of(field)) is not None:
            field.resolve = _guard_field(guard, field.resolve)


# What is shown


class Guard(NamedTuple):
    """What a field shows: records of ``shown``, maybe an interface or a union; ``is_edge``: edges with such records."""

    field: GraphQLField
    shown: GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType
    is_edge: bool = False

    @property
    def list_type(self) -> GraphQLList[Any] | None:
        """The type of the list that the field returns, None if it returns one record."""
        nullable = get_nullable_type(self.field.type)
        return nullable if isinstance(nullable, GraphQLList) else None

    def leaves_out(self, info: Info) -> bool:
        """Return whether hidden items of the list are left out, and do not become null."""
        if isinstance(self.shown, GraphQLInterfaceType | GraphQLUnionType):
            return False
        is_declared = _find_requirement(_profile_of(info), "type", self.shown.name) is not None
        is_page = info.parent_type.name.endswith(CONNECTION)
        return self.shown.name not in _WITHOUT_ABILITY or (is_page and is_declared)


def _guard_of(field: GraphQLField) -> Guard | None:
    shown: object = get_named_type(field.type)
    is_edge = isinstance(shown, GraphQLObjectType) and shown.name.endswith(_EDGE)
    if is_edge and isinstance(shown, GraphQLObjectType):
        shown = get_named_type(shown.fields["node"].type)
    if not isinstance(shown, GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType):
        return None
    is_unchecked = shown.name in _UNCHECKED or shown.name.endswith(_UNCHECKED_SUFFIXES)
    return None if is_unchecked else Guard(field, shown, is_edge)


def _guard_field(guard: Guard, resolve: Resolver) -> Resolver:
    def resolve_visible(source: object, info: Info, /, **arguments: object) -> Any:
        value = resolve(source, info, **arguments)
        if value is None:
            return None
        if guard.list_type is not None:
            return _show_list(guard, info, source, guard.list_type, value)
        if _is_visible(guard, info, source, value):
            return value
        if isinstance(guard.field.type, GraphQLNonNull):
            raise GraphQLError(f"Cannot return null for non-nullable field {info.parent_type.name}.{info.field_name}")
        return None

    return resolve_visible


def _show_list(
    guard: Guard, info: Info, source: object, list_type: GraphQLList[Any], items: Sequence[Any]
) -> list[Any]:
    visible = [_is_visible(guard, info, source, item.node if guard.is_edge else item) for item in items]
    if all(visible) or guard.leaves_out(info):
        return [item for item, is_visible in zip(items, visible, strict=True) if is_visible]
    if isinstance(list_type.of_type, GraphQLNonNull):
        # The library of the platform names the type two levels below that of the field.
        is_required = isinstance(guard.field.type, GraphQLNonNull)
        element = list_type.of_type if is_required else list_type.of_type.of_type
        where = f"{info.parent_type.name}.{info.field_name}"
        raise GraphQLError(f"Cannot return null for non-nullable element of type '{element}' for {where}")
    # An edge stays, and its node is hidden by its own resolver.
    return [item if is_visible or guard.is_edge else None for item, is_visible in zip(items, visible, strict=True)]


def _is_visible(guard: Guard, info: Info, source: object, record: object) -> bool:
    shown = guard.shown
    name = _name_of_type(shown, info, record)
    requirement = _find_requirement(_profile_of(info), "type", name)
    if requirement is not None and not requirement.permissions:
        return True
    ctx: ReadContext = info.context.ctx
    # Some records, such as the languages of a project, are those of the record that shows them.
    container = find_container(ctx.world, record) or find_container(ctx.world, source)
    try:
        if requirement is None:
            raise NotFound(reason="the type has no permissions for fine-grained tokens")
        _authorize(ctx, requirement, container)
    except Refusal as refusal:
        _note_hidden(info.context, name, refusal)
        return False
    return True


def _name_of_type(
    shown: GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType, info: Info, record: object
) -> str:
    if isinstance(shown, GraphQLObjectType):
        return shown.name
    return str((shown.resolve_type or default_type_resolver)(record, info, shown))


def _note_hidden(graphql_context: GraphqlContext, name: str, refusal: Refusal) -> None:
    """Tell the journal why records of a type are hidden, once for each reason."""
    failure = f"records of the type {name} are hidden: {refusal.reason}"
    if failure not in graphql_context.failures:
        graphql_context.failures.append(failure)


def _profile_of(info: Info) -> Profile:
    profile: Profile = info.context.ctx.profile
    return profile


# What is changed


def _guard_mutation(mutation: Mutation, profile: Profile) -> Mutation:
    requirement = _find_requirement(profile, "mutation", mutation.name)

    def change(ctx: WriteContext, **arguments: object) -> Mapping[str, Any]:
        _authorize_mutation(ctx, mutation.name, requirement, arguments)
        return mutation.call(ctx, **arguments)

    return evolve(mutation, call=change)


def _authorize_mutation(
    ctx: ReadContext, name: str, requirement: Requirement | None, arguments: Mapping[str, object]
) -> None:
    if requirement is None:
        raise ResourceNotAvailable(f"{name} has no permissions for fine-grained tokens")
    try:
        _authorize(ctx, requirement, find_named_container(ctx.world, arguments))
    except InsufficientGranularScope as refusal:
        raise GraphQLError(cast(Mapping[str, str], refusal.payload)["error_description"]) from None
    except NotFound:
        raise GraphQLError("404 Not Found") from None


def _authorize(ctx: ReadContext, requirement: Requirement, container: Container | None) -> None:
    """Refuse the fine-grained token of the request if it lacks permissions; 404 without a boundary of these kinds."""
    token = ctx.token
    if token is None:
        return
    check_enabled(ctx, token)
    boundaries = list(_list_boundaries(requirement, container))
    if not boundaries:
        raise NotFound(reason="there is no project or group in which the token could have permissions")
    if not _is_open(ctx, requirement, boundaries[0]):
        authorize_token(ctx, token, boundaries, requirement.permissions)


def _list_boundaries(requirement: Requirement, container: Container | None) -> Iterator[Boundary]:
    """Yield the boundary of a project or group, or those that are neither if that is of another kind."""
    boundary = None if container is None else Boundary.of(container)
    if boundary is not None and boundary.kind in requirement.access:
        yield boundary
        return
    if "user" in requirement.access:
        yield Boundary("user")
    if "instance" in requirement.access:
        yield Boundary("instance")


def _is_open(ctx: ReadContext, requirement: Requirement, boundary: Boundary) -> bool:
    """Return whether anonymous callers have the ability of a requirement in a public project or group."""
    container = boundary.container
    if container is None or container.visibility != "public" or not requirement.public:
        return False
    return can(ctx.as_anonymous(), _list_abilities()[requirement.public], container)


@cache
def _list_abilities() -> Mapping[str, Ability]:
    return {ability.value: ability for ability in Ability}
