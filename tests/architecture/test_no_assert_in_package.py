import ast

from tests.architecture.sources import package_modules


def test_the_package_has_no_assert() -> None:
    """pytest would rewrite an assert of a plugin, and `python -O` would drop it: the package raises instead."""
    asserts = [
        f"{module.filename}:{node.lineno}"
        for module in package_modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Assert)
    ]

    assert [] == asserts
