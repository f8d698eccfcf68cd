"""Modules are imported when they are needed; nothing is missed for that."""

import ast
from collections.abc import Iterator

from fakeplat import api
from tests.architecture.sources import Module, imports, package_modules

DOMAIN = "fakeplat.domain"
CHANGES = ("append", "connect", "update", "add", "extend", "setdefault", "register")


def room(name: str) -> list[Module]:
    return [module for module in package_modules() if module.name.startswith(f"{name}.")]


def ours(module: Module) -> set[str]:
    """The names that a module imports from the package."""
    return {
        alias.asname or alias.name
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fakeplat")
        for alias in node.names
    }


def changed(node: ast.stmt) -> Iterator[ast.expr]:
    """What a statement of a module may change by being executed."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if isinstance(called, ast.Name) or (isinstance(called, ast.Attribute) and called.attr in CHANGES):
            yield called
    if isinstance(node, ast.Assign):
        yield from (target for target in node.targets if isinstance(target, ast.Subscript | ast.Attribute))
    if isinstance(node, ast.FunctionDef):
        yield from (decorator.func for decorator in node.decorator_list if isinstance(decorator, ast.Call))
    if isinstance(node, ast.For):
        yield from (found for inner in node.body for found in changed(inner))


def root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def hangs_in(module: Module) -> list[ast.expr]:
    """What a module changes in others of the package by being imported, operations apart."""
    names = ours(module)
    found = [target for node in module.tree.body for target in changed(node) if root(target) in names]
    return [target for target in found if not (isinstance(target, ast.Attribute) and target.attr == "operation")]


def test_the_table_of_promises_says_what_is_declared() -> None:
    """Each module of the API stands in lazy_routes.csv with its operations; else `make generate` is due."""
    assert sorted(tuple(row) for row in api.read_lazy_routes()) == sorted(api.build_lazy_route_rows())


def test_what_follows_other_things_is_imported_with_the_domain() -> None:
    """A module of the domain that adds to another's list or table when it is imported is named in the room's own."""
    (whole,) = [module for module in package_modules() if module.name == DOMAIN]
    imported = {entry.imported for entry in imports((whole,))}
    assert imported == {one.name for one in room(DOMAIN) if hangs_in(one)}


def test_what_is_imported_late_changes_nothing() -> None:
    """Operations apart, importing a module of the API or of the views has no effect on other modules."""
    late = [*room("fakeplat.api"), *room("fakeplat.entities")]
    assert [] == [f"{one.place}:{target.lineno}" for one in late for target in hangs_in(one)]


def test_frozen_classes_are_those_that_cost_little() -> None:
    """The package takes `frozen` from its kernel, not from attrs."""
    found = [str(one) for one in imports(package_modules()) if one.imported == "attrs.frozen"]
    assert [one for one in found if not one.startswith("fakeplat/core/store/frozen.py:")] == []
