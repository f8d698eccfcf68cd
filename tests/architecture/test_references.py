"""Every field that names another record says what happens to it when that record is deleted."""

import ast
from collections.abc import Iterator
from typing import Any, get_args

from attrs import fields, has

from fakeplat.core.store.table import TableOf
from fakeplat.model.world import World
from tests.api.full_world import FULL
from tests.architecture.sources import Module, package_modules
from tests.scenario.worlds import create_platform

SUFFIXES = ("_by", "_id", "_ids")
DELETES = ("scheduled_tasks",)
"""The tables whose records are also removed directly: work that was done is not deleted, it is over."""


def list_record_classes(table: TableOf[Any]) -> list[Any]:
    """The classes of a table's records."""
    return [table.kind, *table.kind.__subclasses__()]


def holds_ids(hint: Any) -> bool:
    """Whether a field of a type holds ids: a number, several numbers, or a kind and a number."""
    return hint is int or any(holds_ids(inner) for inner in get_args(hint))


def names_records(name: str, hint: Any) -> bool:
    """Whether a field names records: by its name, as a pair of a kind and an id, or by values inside that do."""
    inner = [cls for cls in (hint, *get_args(hint)) if has(cls)]
    pairs = [hint, *get_args(hint)]
    return (
        (name.endswith(SUFFIXES) and holds_ids(hint))
        or any(get_args(pair)[:2] == (str, int) for pair in pairs)
        or any(names_records(field.name, field.type) for cls in inner for field in fields(cls))
    )


def test_tables_have_the_class_of_their_annotation() -> None:
    """The lazily imported record class of each table is that of its annotation."""
    (source,) = [module for module in package_modules() if module.name == World.__module__]
    declared = {
        node.target.id: ast.unparse(node.annotation)
        for world in source.tree.body
        if isinstance(world, ast.ClassDef) and world.name == World.__name__
        for node in world.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assert {name: f"TableOf[{getattr(World, name).kind.__name__}]" for name in declared} == declared


def test_every_field_that_names_a_record_declares_what_happens() -> None:
    """Each field that names a record declares what happens when that record is deleted."""
    undeclared = {
        f"{table.name}.{field.name}"
        for table in World.tables
        for cls in list_record_classes(table)
        for field in fields(cls)
        if names_records(field.name, field.type)
        if field.name not in {reference.field for reference in table.references}
    }
    assert set() == undeclared


def test_references_lead_from_fields_to_tables() -> None:
    """The fields and tables of each declared reference exist."""
    tables = {table.name for table in World.tables} | {""}
    for table in World.tables:
        known = {field.name for cls in list_record_classes(table) for field in fields(cls)} | {""}
        for reference in table.references:
            assert {reference.field, reference.kind_field, *reference.also} <= known, table.name
            assert set(reference.to.values()) <= tables, table.name


def test_what_is_deleted_with_others_is_found_by_an_index() -> None:
    """Each reference that deletes or hands over records has an index."""
    assert [] == [
        f"{table.name}.{reference.field}"
        for table in World.tables
        for reference in table.references
        if reference.on_delete in ("cascade", "hand_over") and not reference.index
    ]


def test_what_is_kept_has_a_reason() -> None:
    """Each reference that is kept after a deletion declares a reason."""
    kept = [reference for table in World.tables for reference in table.references if reference.on_delete == "keep"]
    assert [] == [reference.field for reference in kept if not reference.reason]


def list_unknown_kinds(record: Any, table: TableOf[Any]) -> Iterator[str]:
    """The fields of a record that name something of a kind which no reference declares."""
    for name in {reference.field for reference in table.references}:
        declared = [reference for reference in table.references if reference.field == name]
        ids = [reference.ids(record, kind) for reference in declared for kind in reference.to]
        if getattr(record, name, None) and not any(ids):
            yield f"{table.name}.{name}: {getattr(record, name)}"


def test_every_kind_of_named_record_is_declared() -> None:
    """No record of a full world refers to a kind of record without a declaration."""
    world = create_platform(FULL).view
    rows = ((record, table) for table in World.tables for record in getattr(world, table.name).all())
    assert [] == [fault for record, table in rows for fault in list_unknown_kinds(record, table)]


def list_removals(module: Module) -> Iterator[str]:
    """The tables whose method ``remove`` is called."""
    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "remove":
            receiver = ast.unparse(node.func.value)
            if "world." in receiver or receiver == "table":
                yield receiver.rpartition(".")[2]


def test_records_are_deleted_by_one_function() -> None:
    """Only `purge` removes records from tables."""
    calls = {
        f"{module.name}: {name}"
        for module in package_modules()
        for name in list_removals(module)
        if name not in DELETES
    }
    assert {"fakeplat.domain.purging: table"} == calls
