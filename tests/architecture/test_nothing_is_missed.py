"""Modules are imported when they are needed; nothing is missed for that."""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module

import pytest

from fakeplat import api
from fakeplat.domain import scheduled_tasks, signals
from fakeplat.domain.quick_actions import quick_actions
from fakeplat.pipeline import routing
from tests.architecture.sources import Module, list_imports, package_modules

DOMAIN = "fakeplat.domain"
SIGNALS = {
    name: value
    for name, value in vars(signals).items()
    if isinstance(value, signals.Signal | signals.RecordSignal | signals.ChangeSignal)
}
CHANGES = ("append", "connect", "update", "add", "extend", "setdefault", "register")


def list_modules_below(name: str) -> list[Module]:
    return [module for module in package_modules() if module.name.startswith(f"{name}.")]


def list_package_names(module: Module) -> set[str]:
    """The names that a module imports from the package."""
    return {
        alias.asname or alias.name
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fakeplat")
        for alias in node.names
    }


def list_changed_expressions(node: ast.stmt) -> Iterator[ast.expr]:
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
        yield from (target for inner in node.body for target in list_changed_expressions(inner))


def find_root_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def list_registered_modules(
    signal: signals.Signal[...] | signals.RecordSignal | signals.ChangeSignal,
) -> tuple[str, ...]:
    return (signal.module,) if isinstance(signal, signals.Signal) else signal.modules


def list_changes_on_import(module: Module) -> list[ast.expr]:
    """What a module changes in others of the package by being imported, operations apart."""
    names = list_package_names(module)
    targets = [
        target
        for node in module.tree.body
        for target in list_changed_expressions(node)
        if find_root_name(target) in names
    ]
    return [target for target in targets if not (isinstance(target, ast.Attribute) and target.attr == "operation")]


def test_the_table_of_promises_says_what_is_declared() -> None:
    """lazy_routes.csv lists each API module with its operations; if it does not, run `make generate`."""
    assert sorted(tuple(row) for row in api.read_lazy_routes()) == sorted(
        [*api.build_lazy_route_rows(), *(api.build_row("", route) for route in routing.find_taken_routes())]
    )


def test_what_registers_something_when_imported_is_named_where_it_is_needed() -> None:
    """Each module that registers task handlers, quick actions or receivers is in a list of modules to import."""
    named = {f"{DOMAIN}.{name}" for name in scheduled_tasks.MODULES}
    named |= {f"{DOMAIN}.quick_actions.{name}" for name in quick_actions.MODULES}
    named |= {
        f"{DOMAIN}.receivers.{module}" for signal in SIGNALS.values() for module in list_registered_modules(signal)
    }
    # Whoever needs the integrations imports their catalogue, which imports the later ones.
    named |= {f"{DOMAIN}.integrations.{name}" for name in ("catalog", "later_integrations")}
    assert named == {module.name for module in list_modules_below(DOMAIN) if list_changes_on_import(module)}


@pytest.mark.parametrize("name", SIGNALS)
def test_the_receivers_of_each_signal_are_connected_by_its_module(name: str) -> None:
    """Each receiver module of a signal connects a receiver to that signal."""
    for module_name in list_registered_modules(SIGNALS[name]):
        module = import_module(f"{DOMAIN}.receivers.{module_name}")
        connected = [node.value for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.Expr)]
        assert f"signals.{name}.connect" in {ast.unparse(call.func) for call in connected if isinstance(call, ast.Call)}


def test_what_is_imported_late_changes_nothing() -> None:
    """Importing a module of the API or the views changes nothing but the declared operations."""
    late = [*list_modules_below("fakeplat.api"), *list_modules_below("fakeplat.entities")]
    assert [] == [f"{module.filename}:{target.lineno}" for module in late for target in list_changes_on_import(module)]


def test_frozen_classes_are_those_that_cost_little() -> None:
    """The package takes `frozen` from its own kernel, not from attrs."""
    uses = [str(import_) for import_ in list_imports(package_modules()) if import_.imported == "attrs.frozen"]
    assert [use for use in uses if not use.startswith("fakeplat/core/store/frozen.py:")] == []
