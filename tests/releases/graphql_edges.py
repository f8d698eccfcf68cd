"""Queries that use one thing of the GraphQL schema, and the releases around its beginning and end."""

from collections import Counter, deque
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    is_composite_type,
    is_required_argument,
    is_required_input_field,
)

from fakeplat.core.release import Lifetime, Profile, Release
from fakeplat.graphql.lifetimes import Declared, list_nodes
from fakeplat.graphql.schema import schema
from fakeplat.graphql.schema_builder import TYPES
from tests.releases.edges import LAST_MINORS

# The models of scalars that are not called like them; of an interface one of its models.
_MODELS: Final = {
    "AwardableID": "Issue",
    "CiPipelineID": "Ci::Pipeline",
    "CiRunnerID": "Ci::Runner",
    "ContainerRepositoryID": "ContainerRepository",
    "MergeRequestsExternalStatusCheckID": "MergeRequests::ExternalStatusCheck",
    "NoteableID": "Issue",
    "PackagesPackageID": "Packages::Package",
    "TodoableID": "Issue",
    "UsersSavedReplyID": "Users::SavedReply",
}
_IN_PAYLOADS = {"UserPreferences"}
"""Types that at first only payloads of mutations have."""
_VALUES: Final = {"ISO8601Date": '"2020-01-01"', "Int": "1", "Boolean": "true", "Time": '"2020-01-01"'}


class Edge(NamedTuple):
    """The beginning or the end of something: the first release with it or without it, and the one before."""

    declared: Declared
    word: str
    at: Release

    @property
    def before(self) -> Release:
        """The release before."""
        major, minor = self.at
        return (major, minor - 1) if minor else (major - 1, LAST_MINORS[major - 1])

    @property
    def with_it(self) -> Release:
        """The release next to the edge that has the thing."""
        return self.at if self.word == "since" else self.before

    @property
    def without_it(self) -> Release:
        """The release next to the edge that lacks the thing."""
        return self.before if self.word == "since" else self.at

    @property
    def id(self) -> str:
        """``MergeRequest.draft-since-13.12``."""
        return f"{self.declared.name}-{self.word}-{self.at[0]}.{self.at[1]}"


def list_edges() -> Iterator[Edge]:
    """Yield the beginning and the end of everything that has one."""
    for declared in list_nodes():
        lifetime: Lifetime = declared.lifetime
        if lifetime.since:
            yield Edge(declared, "since", lifetime.start)
        if lifetime.until:
            yield Edge(declared, "until", lifetime.end)


@cache
def list_changed_names() -> frozenset[str]:
    """Return the names that have several shapes, and therefore exist on both sides of an edge."""
    shapes = Counter(declared.name for declared in list_nodes())
    return frozenset(name for name, count in shapes.items() if count > 1)


def write_version(release: Release) -> str:
    """Return a release as the text of a version."""
    return f"{release[0]}.{release[1]}"


def rename_split(type_name: str, profile: Profile) -> str:
    """Return the name that a release has for the connections of a type whose name became that of an interface."""
    for suffix in ("Connection", "Edge"):
        type_ = TYPES.get(type_name.removesuffix(suffix)) if type_name.endswith(suffix) else None
        if type_ is not None:
            return f"{type_.name_in(profile)}{suffix}"
    return type_name


def has_name(name: str, profile: Profile) -> bool:
    """Return whether the schema of a release has a type, a field, a value or an argument."""
    type_name, _, rest = name.partition(".")
    type_name = rename_split(type_name, profile)
    part_name, _, argument_name = rest.rstrip(")").partition("(")
    type_: Any = schema(profile).type_map.get(type_name)
    if type_ is None or not rest:
        return type_ is not None
    part = (type_.values if isinstance(type_, GraphQLEnumType) else type_.fields).get(part_name)
    return part is not None and (not argument_name or argument_name in part.args)


def list_names(declared: Declared, profile: Profile) -> list[str]:
    """Return the names by which queries use something: its own, and for interfaces those of the types with them."""
    type_name, _, rest = declared.name.partition(".")
    built = schema(profile)
    type_ = built.type_map.get(type_name)
    objects = built.get_implementations(type_).objects if isinstance(type_, GraphQLInterfaceType) else ()
    return [declared.name, *(f"{each.name}.{rest}" for each in objects)]


def write_query(declared: Declared, profile: Profile) -> str:
    """Return a query that uses something, but executes nothing: its only field is skipped."""
    name, built = declared.name, schema(profile)
    if declared.kind in ("type", "enum value"):
        return f'{{ __type(name: "{name.partition(".")[0]}") {{ name enumValues {{ name }} }} }}'
    type_name, _, rest = name.partition(".")
    type_name = rename_split(type_name, profile)
    field_name, _, argument_name = rest.rstrip(")").partition("(")
    if declared.kind == "input field":
        return _write_input(built, type_name, field_name)
    if type_name == "Mutation":
        return f"mutation {{ {_write_field(built, 'Mutation', field_name, '', '{ __typename }')} }}"
    selection = _write_field(built, type_name, field_name, argument_name)
    root = "Mutation" if type_name.endswith("Payload") or type_name in _IN_PAYLOADS else "Query"
    for parent, field in reversed(_get_path(built, root, type_name)):
        selection = _write_field(built, parent, field, "", f"{{ {selection} }}")
    return f"{root.lower()} {{ {selection} }}"


def _get_path(built: GraphQLSchema, root: str, type_name: str) -> list[tuple[str, str]]:
    """Return the fields that lead to a type or, of an interface that no field returns, to one that implements it."""
    type_ = built.type_map[type_name]
    objects = built.get_implementations(type_).objects if isinstance(type_, GraphQLInterfaceType) else ()
    for goal in (type_name, *(each.name for each in objects)):
        # The journal explains what is within a field of several shapes by the newest of these.
        for avoided in (list_changed_names(), frozenset[str]()):
            path = _find_path(built, root, goal, avoided)
            if path is not None:
                return path
    raise AssertionError(f"nothing leads to {type_name}")


def _write_field(built: GraphQLSchema, parent: str, name: str, argument: str = "", selection: str = "") -> str:
    if name.startswith("... on "):
        return f"{name} {selection}"
    field = _get_fields(built, parent)[name]
    names = [key for key, value in field.args.items() if is_required_argument(value) or key == argument]
    given = ", ".join(f"{key}: {_write_value(field.args[key].type)}" for key in names)
    leaf = "{ __typename }" if is_composite_type(get_named_type(field.type)) else ""
    skipped = "@skip(if: true)" if parent in ("Query", "Mutation") else ""
    return f"{name}{f'({given})' if given else ''} {skipped} {selection or leaf}"


def _write_input(built: GraphQLSchema, type_name: str, field_name: str) -> str:
    """Return a mutation whose input has the field, directly or in inputs within it."""
    for name, mutation in _get_fields(built, "Mutation").items():
        input_type: Any = get_named_type(mutation.args["input"].type)
        outer = _find_way(input_type, type_name, depth=2)
        if outer is not None:
            value = _write_value(input_type, {type_name: field_name, **outer})
            return f"mutation {{ {name}(input: {value}) @skip(if: true) {{ __typename }} }}"
    return _write_filter(built, type_name, field_name)


def _find_way(input_type: GraphQLInputObjectType, type_name: str, depth: int) -> dict[str, str] | None:
    """Return the fields that lead from an input to another one, by the names of the inputs; None if none do."""
    if input_type.name == type_name:
        return {}
    for name, field in input_type.fields.items() if depth else ():
        inner = get_named_type(field.type)
        way = _find_way(inner, type_name, depth - 1) if isinstance(inner, GraphQLInputObjectType) else None
        if way is not None:
            return {input_type.name: name, **way}
    return None


def _write_filter(built: GraphQLSchema, type_name: str, field_name: str) -> str:
    """Return a query in which an argument of a field of a project or a group has the field of an input."""
    for owner in ("project", "group"):
        for name, field in _get_fields(built, owner.title()).items():
            for key, argument in field.args.items():
                if get_named_type(argument.type).name == type_name:
                    value = _write_value(argument.type, {type_name: field_name})
                    selection = f"{name}({key}: {value}) {{ __typename }}"
                    return f'query {{ {owner}(fullPath: "1") @skip(if: true) {{ {selection} }} }}'
    return _write_deep_filter(built, type_name, field_name)


def _write_deep_filter(built: GraphQLSchema, type_name: str, field_name: str) -> str:
    """Return a query in which an argument of a field of any other type has the field of an input."""
    wanted = {type_name: field_name}
    for owner, type_ in built.type_map.items():
        for name, field in type_.fields.items() if isinstance(type_, GraphQLObjectType) else ():
            taken = [key for key, value in field.args.items() if get_named_type(value.type).name == type_name]
            if taken:
                names = [key for key, value in field.args.items() if key in taken or is_required_argument(value)]
                given = ", ".join(f"{key}: {_write_value(field.args[key].type, wanted)}" for key in names)
                skipped = "@skip(if: true)" if owner == "Query" else ""
                selection = f"{name}({given}) {skipped} {{ __typename }}"
                for parent, outer in reversed(_get_path(built, "Query", owner)):
                    selection = _write_field(built, parent, outer, "", f"{{ {selection} }}")
                return f"query {{ {selection} }}"
    return _write_inner_filter(built, type_name, field_name)


def _write_inner_filter(built: GraphQLSchema, type_name: str, field_name: str) -> str:
    """Return a query in which an argument of a field has an input within which is the field of an input."""
    for owner, type_ in built.type_map.items():
        for name, field in type_.fields.items() if isinstance(type_, GraphQLObjectType) else ():
            for key, argument in field.args.items():
                input_type: Any = get_named_type(argument.type)
                is_input = isinstance(input_type, GraphQLInputObjectType)
                outer = _find_input_field(input_type, type_name) if is_input and owner != "Mutation" else None
                if outer is not None:
                    wanted = {type_name: field_name, input_type.name: outer}
                    names = [each for each, value in field.args.items() if each == key or is_required_argument(value)]
                    given = ", ".join(f"{each}: {_write_value(field.args[each].type, wanted)}" for each in names)
                    skipped = "@skip(if: true)" if owner == "Query" else ""
                    selection = f"{name}({given}) {skipped} {{ __typename }}"
                    for parent, above in reversed(_get_path(built, "Query", owner)):
                        selection = _write_field(built, parent, above, "", f"{{ {selection} }}")
                    return f"query {{ {selection} }}"
    raise AssertionError(f"nothing takes {type_name}")


def _find_input_field(input_type: GraphQLInputObjectType, type_name: str) -> str | None:
    fields = input_type.fields.items()
    return next((name for name, field in fields if get_named_type(field.type).name == type_name), None)


def _write_value(type_: GraphQLInputType, wanted: dict[str, str] | None = None) -> str:
    named = get_named_type(type_)
    if isinstance(named, GraphQLInputObjectType):
        name = (wanted or {}).get(named.name)
        fields = {key: field for key, field in named.fields.items() if is_required_input_field(field) or key == name}
        return f"{{{', '.join(f'{key}: {_write_value(field.type, wanted)}' for key, field in fields.items())}}}"
    if isinstance(named, GraphQLEnumType):
        return str(next(iter(named.values)))
    if named.name.endswith("ID") and named.name != "ID":
        return f'"gid://gitlab/{_MODELS.get(named.name, named.name[:-2])}/1"'
    return _VALUES.get(named.name, '"1"')


def _find_path(built: GraphQLSchema, start: str, goal: str, avoided: frozenset[str]) -> list[tuple[str, str]] | None:
    """Return the fields that lead from a type to another one, each with the type that has it; None if none do."""
    paths: dict[str, list[tuple[str, str]]] = {start: []}
    queue = deque([start])
    while goal not in paths:
        if not queue:
            return None
        parent = queue.popleft()
        if isinstance(abstract := built.type_map[parent], GraphQLInterfaceType | GraphQLUnionType):
            possible = [type_.name for type_ in built.get_possible_types(abstract) if type_.name not in paths]
            paths |= {name: [*paths[parent], (parent, f"... on {name}")] for name in possible}
            queue.extend(possible)
            continue
        for name, field in _get_fields(built, parent).items():
            child = get_named_type(field.type).name
            if (
                f"{parent}.{name}" not in avoided
                and child not in paths
                and isinstance(built.type_map[child], GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType)
            ):
                paths[child] = [*paths[parent], (parent, name)]
                queue.append(child)
    return paths[goal]


def _get_fields(built: GraphQLSchema, type_name: str) -> dict[str, Any]:
    type_: Any = built.type_map[type_name]
    return dict(type_.fields)
