"""GraphQL by release: each beginning and each end, asked just before and just after it."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from graphql import build_ast_schema, is_abstract_type, is_scalar_type, parse, print_ast, validate, validate_schema

from fakeplat.core.release import ALWAYS, PROFILES, Lifetime, Release, parse_release, profile_of
from fakeplat.graphql.lifetimes import document_of, lifetime_of, list_lifetimes, list_nodes
from fakeplat.graphql.schema import list_declared, schema, schema_text
from fakeplat.harness.fake import Fakeplat
from tests.releases.graphql_edges import (
    Edge,
    has_name,
    list_changed_names,
    list_edges,
    list_names,
    write_query,
    write_version,
)

EDGES = list(list_edges())
NAMED = [edge for edge in EDGES if edge.declared.name not in list_changed_names()]
QUERIED = [edge for edge in NAMED if edge.declared.kind not in ("type", "enum value")]
LISTED = [edge for edge in NAMED if edge.declared.kind in ("type", "enum value")]
CHANGED = [edge for edge in EDGES if edge.declared.name in list_changed_names()]
SHAPE = "name type { name kind ofType { name kind ofType { name kind ofType { name kind } } } }"

Worlds = Callable[[Release], Fakeplat]


def get_id(edge: Edge) -> str:
    return edge.id


def test_releases_are_told_apart_by_all_lifetimes() -> None:
    """The lifetimes by which releases share a schema are those of all types, fields, values and arguments."""
    assert {declared.lifetime for declared in list_nodes()} == {ALWAYS, *list_lifetimes()}


@pytest.fixture(scope="module")
def world_of(fakeplat_factory: Callable[..., Fakeplat]) -> Worlds:
    """A function that returns a world of a release."""
    return cache(lambda release: fakeplat_factory(version=write_version(release)))


def query(fake: Fakeplat, text: str) -> Any:
    return fake.as_user("root").post("/api/graphql", json={"query": text}).json()


@pytest.mark.parametrize("edge", QUERIED, ids=get_id)
def test_a_query_is_valid_on_one_side_of_an_edge(edge: Edge, world_of: Worlds) -> None:
    """A field, argument, input field or mutation is used in a release that has it, and refused in the next one."""
    text = write_query(edge.declared, profile_of(edge.with_it))
    refusing = world_of(edge.without_it)
    refused = query(refusing, text)
    reason = refusing.requests[-1].reason or ""

    assert ["data"] == [*query(world_of(edge.with_it), text)]
    assert ["errors"] == [*refused]
    names = list_names(edge.declared, profile_of(edge.with_it))
    assert any(f"`{name}` exists {edge.declared.lifetime}; " in reason for name in names)
    assert f"this world is {write_version(edge.without_it)}" in reason


@pytest.mark.parametrize("edge", LISTED, ids=get_id)
def test_a_type_is_listed_on_one_side_of_an_edge(edge: Edge, world_of: Worlds) -> None:
    """Introspection shows a type and the values of an enum in the releases that have them."""
    name, _, value = edge.declared.name.partition(".")
    text = f'{{ __type(name: "{name}") {{ enumValues {{ name }} }} }}'
    shown, hidden = (query(world_of(release), text)["data"]["__type"] for release in (edge.with_it, edge.without_it))
    if value:
        shown, hidden = ({"name": value} in type_["enumValues"] or None for type_ in (shown, hidden))

    assert shown is not None
    assert hidden is None


@pytest.mark.parametrize("edge", CHANGED, ids=get_id)
def test_a_type_changes_at_an_edge(edge: Edge, world_of: Worlds) -> None:
    """The type of a field or an argument is another one from the release on that changed it."""
    owner, _, name = edge.declared.name.partition(".")
    parts = f"fields {{ {SHAPE} args {{ {SHAPE} defaultValue }} }} inputFields {{ {SHAPE} defaultValue }}"
    text = f'{{ __type(name: "{owner}") {{ {parts} }} }}'

    def ask(release: Release) -> tuple[str, str | None]:
        type_ = query(world_of(release), text)["data"]["__type"]
        fields = type_["fields"] or type_["inputFields"]
        named = {field["name"]: field for field in fields}
        for field in fields:
            named |= {f"{field['name']}({argument['name']})": argument for argument in field.get("args", ())}
        shapes = {key: (print_shape(part["type"]), part.get("defaultValue")) for key, part in named.items()}
        # Declarations have the first name of the type of users; the first shape may begin later than its owner.
        shape, default = shapes.get(name, ("", None))
        return shape.replace("UserCore", "User"), default

    default = getattr(edge.declared.node, "default_value", None)
    declared = print_ast(edge.declared.node.type), default and print_ast(default)
    assert declared == ask(edge.with_it)
    assert declared != ask(edge.without_it)


def print_shape(type_: dict[str, Any]) -> str:
    if type_["kind"] == "NON_NULL":
        return f"{print_shape(type_['ofType'])}!"
    return f"[{print_shape(type_['ofType'])}]" if type_["kind"] == "LIST" else type_["name"]


@pytest.mark.parametrize("edge", EDGES, ids=get_id)
def test_each_lifetime_has_an_effect(edge: Edge) -> None:
    """On the side of an edge that lacks something, its owner exists: the lifetime decides, not that of the owner."""
    name = edge.declared.name
    owner = name.partition("(")[0] if "(" in name else name.partition(".")[0]

    assert has_name(name, profile_of(edge.with_it))
    assert name in list_changed_names() or not has_name(name, profile_of(edge.without_it))
    assert "." not in name or has_name(owner, profile_of(edge.without_it))


@pytest.mark.parametrize(
    "text",
    [
        'x: Int @lifetime(since: "13.8", from: "13.5")',
        "x: Int @lifetime(since: 13)",
        'x: Int @since(release: "13.8")',
    ],
)
def test_a_misspelt_directive_is_a_mistake(text: str) -> None:
    """A directive with another name, another argument or a number is refused when the schema is built."""
    node = parse(f"input X {{ {text} }}").definitions[0]
    with pytest.raises(ValueError, match="x has a directive other than"):
        lifetime_of(node.fields[0])  # type: ignore[attr-defined]  # it is the definition of an input


def test_a_directive_tells_the_beginning_and_the_end() -> None:
    """A directive has a beginning, an end or both."""
    node = parse('input X { x: Int @lifetime(since: "13.8", until: "<=16.0") }').definitions[0]

    assert Lifetime("13.8", "<=16.0") == lifetime_of(node.fields[0])  # type: ignore[attr-defined]  # as above


@pytest.mark.parametrize("release", PROFILES)
def test_the_schema_of_a_release_is_valid(release: str) -> None:
    """The GraphQL library finds no mistake in the schema of a tested release, and no directive is left in it."""
    profile = profile_of(parse_release(release))
    built = schema(profile)

    # The served schema is assumed to be valid, because checking it takes long.
    assert [] == validate_schema(build_ast_schema(document_of(profile)))
    assert "lifetime" not in {directive.name for directive in built.directives}
    assert [] == validate(built, parse("{ __schema { types { name } } }"))


@pytest.mark.parametrize("release", PROFILES)
def test_each_type_of_a_release_is_used(release: str) -> None:
    """Each type of a release, except for scalars, is that of a field or an argument, as on the platform."""
    built = schema(profile_of(parse_release(release)))
    reached, names = set(), ["Query", "Mutation"]
    while names:
        name = names.pop()
        if name in reached:
            continue
        reached.add(name)
        type_: Any = built.type_map[name]
        fields = [*getattr(type_, "fields", {}).values()]
        arguments = [argument for field in fields for argument in getattr(field, "args", {}).values()]
        names += [str(part.type).strip("[]!") for part in (*fields, *arguments)]
        names += [interface.name for interface in getattr(type_, "interfaces", ())]
        names += [possible.name for possible in built.get_possible_types(type_)] if is_abstract_type(type_) else []

    declared = {name for name, type_ in built.type_map.items() if not is_scalar_type(type_)}
    assert set() == {name for name in declared if not name.startswith("__")} - reached


def test_the_published_schema_has_no_directive() -> None:
    """The published schema has what any release has, and tells the lifetimes in descriptions."""
    text = schema_text()

    assert "@lifetime" not in text
    assert "workInProgress" in text
    assert "Since 13.12." in text


def test_everything_is_listed_once_per_shape() -> None:
    """The list of everything names types, fields, arguments, values and mutations with their lifetimes."""
    rows = list(list_declared())

    assert len(rows) == len(set(rows))
    assert {"type", "field", "argument", "input field", "enum value", "mutation"} == {kind for kind, _, _ in rows}
    assert {
        ("mutation", "Mutation.addAwardEmoji", Lifetime(until="14.0")),
        ("field", "MergeRequest.draft", Lifetime(since="13.12")),
        ("field", "Project.name", ALWAYS),
        ("argument", "Group.milestones(includeAncestors)", Lifetime(since="13.11")),
        ("input field", "UpdateNoteInput.confidential", Lifetime(until="18.0")),
        ("enum value", "UserState.banned", Lifetime(since="<=16.8")),
        ("type", "NoteableInterface", Lifetime(since="<=14.3")),
    } <= set(rows)
