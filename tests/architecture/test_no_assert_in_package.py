import ast

from tests.architecture.sources import package_modules


def test_the_package_has_no_assert() -> None:
    """The package has no assert statement, because pytest would rewrite it and `python -O` would drop it."""
    asserts = [
        f"{module.filename}:{node.lineno}"
        for module in package_modules()
        for node in module.nodes
        if isinstance(node, ast.Assert)
    ]

    assert [] == asserts
