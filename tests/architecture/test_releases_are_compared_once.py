"""Only `fakeplat.core.release` compares releases; what they do differently has a name, a source and a test."""

import ast
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest

from fakeplat.core.release import Behaviour, ByRelease
from fakeplat.policy import behaviours
from tests.architecture.sources import Module, package_modules, suite_modules

COMPARING: Final = {
    "fakeplat/core/release.py",
    "fakeplat/graphql/schema_builder.py",  # it asks which of its shapes a release has
    "fakeplat/harness/release_matrix.py",  # conditions of tests, and the order of the matrix
    "fakeplat/model/instance.py",  # it reads the version
    "fakeplat/releases/difference.py",  # what changes between two releases
    "fakeplat/releases/inventory.py",  # it reads the releases that a command names
}
"""Modules that have to read or compare releases as such."""
FUNCTIONS: Final = {"parse_bound", "parse_release", "served_release"}
KINDS: Final = Behaviour | ByRelease
NAMED: Final = {name: value for name, value in vars(behaviours).items() if name.isupper() and isinstance(value, KINDS)}


def test_nothing_else_compares_releases() -> None:
    """A module asks the profile of a world; it does not compare releases by itself."""
    found = {
        f"{module.filename}:{line}"
        for module in package_modules()
        if module.filename not in COMPARING
        for line in list_comparisons(module)
    }
    assert set() == found


def test_the_modules_that_compare_releases_do_so() -> None:
    """A module on the list that no longer compares releases is taken off it."""
    compare = {module.filename for module in package_modules() if any(list_comparisons(module))}
    assert COMPARING == compare & COMPARING


def list_comparisons(module: Module) -> Iterator[int]:
    """Yield the lines that call a function for releases, ask for a lifetime's releases, or compare ``x.release``."""
    for node in (node for node in module.nodes if isinstance(node, ast.expr)):
        calls = isinstance(node, ast.Call) and is_about_releases(node.func)
        compares = isinstance(node, ast.Compare) and any(map(is_release, [node.left, *node.comparators]))
        if calls or compares:
            yield node.lineno


def is_about_releases(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr == "covers"
    return isinstance(function, ast.Name) and function.id in FUNCTIONS


def is_release(operand: ast.expr) -> bool:
    """Whether an operand is the release of an instance, a world or a profile."""
    if not (isinstance(operand, ast.Attribute) and operand.attr == "release"):
        return False
    owner = operand.value
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return name in ("instance", "profile", "world")


@pytest.mark.parametrize("name", NAMED)
def test_a_behaviour_has_a_source_and_a_test(name: str) -> None:
    """A behaviour says where the platform tells of it; the package asks for it, and a test names it."""
    assert NAMED[name].source
    assert name in names_in(package_modules())
    assert name in names_in(suite_modules())


@cache
def names_in(modules: tuple[Module, ...]) -> frozenset[str]:
    """Return the names that modules read."""
    nodes = (node for module in modules for node in module.nodes)
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
