"""The tables of what the platform is known to have and fakeplat does not: well formed, and without what is declared."""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from fakeplat.catalog.unbuilt import (
    unbuilt_fields,
    unbuilt_graphql,
    unbuilt_operations,
    unbuilt_parameters,
    unbuilt_variables,
)
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.params.params import binder_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci.known_names import list_known_names
from fakeplat.graphql.schema import list_declared, schema
from fakeplat.graphql.schema_builder import TYPES
from tests.architecture.sources import ROOT, package_modules

TABLES = ROOT / "fakeplat/releases/unbuilt"
VERBS = set(
    "accept activate add advertise append apply approve archive authorize ban block cancel check cherry clone "
    "collect compare complete confirm create deactivate decline delete deny disable dismiss download enable erase "
    "export follow fork get import ingest introspect keep lint list lock mark merge move patch pause play "
    "promote protect publish put query rebase receive refresh register reject render reorder repair replace "
    "request resend reset resolve restore resume retry revert revoke rotate search send set share skip star start "
    "stop subscribe sync take test track transfer trigger unapprove unarchive unban unblock unfollow unlock "
    "unprotect unpublish unregister unshare unstar unsubscribe update upload verify".split()
)
COLUMNS = {
    "operations": ["name", "method", "path", "tier", "section"],
    "parameters": ["operation", "parameter"],
    "fields": ["view", "field"],
    "graphql": ["name"],
    "ci": ["name"],
}
"""The columns of each table before those that all of them have."""
OF_ALL = ["since", "until", "source", "sure"]


def read_rows(table: str) -> list[dict[str, str]]:
    with (TABLES / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def list_repeated(things: Iterable[object]) -> list[object]:
    return [thing for thing, times in Counter(things).items() if times > 1]


def anonymize_parameters(path: str) -> str:
    """What a router sees of a path: the names of its parameters do not tell two paths apart."""
    return re.sub(r"(?<=/)([:*])[a-z_0-9]+", r"\1", path)


def test_every_table_is_known() -> None:
    """The folder has the tables of this test and no other."""
    assert sorted(COLUMNS) == sorted(file.stem for file in TABLES.iterdir())


@pytest.mark.parametrize("table", COLUMNS)
def test_columns_are_those_that_the_package_reads(table: str) -> None:
    """Each row of a table names the thing, its releases, their source, and how sure they are."""
    rows = read_rows(table)
    assert [[*COLUMNS[table], *OF_ALL]] * len(rows) == [list(row) for row in rows]


@pytest.mark.parametrize("table", COLUMNS)
def test_releases_are_from_13_5_on(table: str) -> None:
    """A row begins after 13.5 or existed then, and ends after it began."""
    release = r"|(<=)?(13\.([5-9]|1[0-2])|1[4-9]\.\d+)"
    for row in read_rows(table):
        assert [True, True] == [bool(re.fullmatch(release, row[bound])) for bound in ("since", "until")], row
        lifetime = Lifetime(row["since"], row["until"])
        assert lifetime.start < lifetime.end, row


@pytest.mark.parametrize("table", COLUMNS)
def test_doubtful_rows_say_so(table: str) -> None:
    """A row of which only the latest possible release is known is a bound, or doubtful."""
    rows = read_rows(table)
    assert {"yes", "bound", "doubtful"} >= {row["sure"] for row in rows}
    assert [] == [row for row in rows if "<=" in row["since"] + row["until"] and row["sure"] == "yes"]


@pytest.mark.parametrize("table", COLUMNS)
def test_sources_are_public(table: str) -> None:
    """A source is a page, a document or a client that everybody can look up."""
    private = re.compile(r"|.*(/work|/tmp|\.csv|spec/releases|memory).*")
    assert [] == [row for row in read_rows(table) if private.fullmatch(row["source"])]


@pytest.mark.parametrize("table", ["parameters", "fields", "graphql", "ci"])
def test_rows_are_sorted_and_unique(table: str) -> None:
    """Each parameter, field, name of GraphQL and variable has one row; the rows are sorted."""
    names = [tuple(row[column] for column in COLUMNS[table]) for row in read_rows(table)]
    assert sorted(set(names)) == names


def test_what_is_declared_is_no_unbuilt_parameter() -> None:
    """A parameter that its operation declares has no row any more, nor has one of an operation that is not built."""
    for row in unbuilt_parameters():
        assert row.operation in OPERATIONS, row
        declared = {name for field in binder_of(OPERATIONS[row.operation].params).fields for name in field.names}
        assert row.parameter not in declared, row


@cache
def index_views() -> dict[str, type[Entity[Any]]]:
    views = [view for operation in OPERATIONS for view in operation.views]
    return {base.__name__: base for view in views for base in view.__mro__ if issubclass(base, Entity)}


def test_what_is_declared_is_no_unbuilt_field() -> None:
    """A field that its view or a base of it shows has no row any more."""
    rows = {(row.view, row.field) for row in unbuilt_fields()}
    for row in unbuilt_fields():
        view = index_views()[row.view]
        assert row.field not in view.fields, row
        assert [] == [base.__name__ for base in view.__mro__[1:] if (base.__name__, row.field) in rows], row


def test_what_is_declared_is_no_unbuilt_name_of_graphql() -> None:
    """What the GraphQL schema of some release has has no row any more, also under the later name of a type."""
    declared = {name for _, name, _ in list_declared()} | set(schema().type_map)
    cores = {f"{type_.name}.": f"{type_.core_name}." for type_ in TYPES.values() if type_.core_name}
    declared |= {name.replace(old, new, 1) for name in declared for old, new in cores.items() if name.startswith(old)}
    assert [] == [row.name for row in unbuilt_graphql() if row.name in declared]


def test_what_is_declared_is_no_unbuilt_variable() -> None:
    """A predefined variable that jobs of some release have has no row any more."""
    declared = {known.name for known in list_known_names() if known.kind == "variable"}
    sources = "".join(module.path.read_text("utf-8") for module in package_modules() if ".ci" in module.name)
    names = [row.name for row in unbuilt_variables()]
    assert [] == [name for name in names if name in declared or f'"{name}"' in sources]


def test_names_are_unique() -> None:
    """Each operation has a name of its own, built or not."""
    assert [] == list_repeated([row["name"] for row in read_rows("operations")] + [each.name for each in OPERATIONS])


def test_names_are_a_verb_and_a_noun() -> None:
    """Each operation name is a known verb and at least one more word, in lower case."""
    pattern = re.compile(rf"({'|'.join(sorted(VERBS))})(_[a-z0-9]+)+")
    names = [*(row["name"] for row in read_rows("operations")), *(operation.name for operation in OPERATIONS)]
    assert [] == [name for name in names if not pattern.fullmatch(name)]
    assert set() == VERBS - {name.split("_")[0] for name in names}


def test_methods_are_those_that_can_be_declared() -> None:
    """The methods in the table are GET, POST, PUT, PATCH and DELETE, without HEAD."""
    assert {"GET", "POST", "PUT", "PATCH", "DELETE"} == {row["method"] for row in read_rows("operations")}


def test_paths_are_whole_and_normal() -> None:
    """A path starts at the root of an API and has no trailing slash, no query and no optional part."""
    pattern = re.compile(r"/api(/[:*]?[A-Za-z0-9_.@$()-]+)+")
    assert [] == [row["path"] for row in read_rows("operations") if not pattern.fullmatch(row["path"])]


def test_no_two_operations_take_the_same_requests() -> None:
    """No two operations have the same method and the same shape of path; what is built has no row any more."""
    rows = [(row["method"], anonymize_parameters(row["path"])) for row in read_rows("operations")]
    built = [(operation.method, anonymize_parameters(operation.path)) for operation in OPERATIONS]
    assert [] == list_repeated([*rows, *built])


def test_tiers_are_known_words() -> None:
    """An operation is of every tier, or of premium or ultimate."""
    assert {"", "premium", "ultimate"} == {row["tier"] for row in read_rows("operations")}


def test_operations_are_sorted() -> None:
    """The operations are sorted by section, path and method."""
    order = [(row["section"], row["path"], row["method"]) for row in read_rows("operations")]
    assert sorted(order) == order


def test_every_section_has_a_name() -> None:
    """Each operation in the table has a section."""
    assert [] == [row["name"] for row in read_rows("operations") if not row["section"]]


LEFT_OUT = {
    "Background work": 1,
    "Duo": 34,
    "Geo": 32,
    "ML models": 31,
    "Upload authorization": 32,
    "VS Code": 10,
    "Virtual registries": 47,
    "Vulnerabilities": 25,
}


def test_what_will_not_be_built_is_named() -> None:
    """Eight sections are left out for good; no other operation says so."""
    assert LEFT_OUT == Counter(operation.section for operation in unbuilt_operations() if operation.left_out)
