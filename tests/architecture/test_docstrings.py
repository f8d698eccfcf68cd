import ast
from collections.abc import Iterator

from tests.architecture.sources import Module, suite_modules


def list_tests_without_docstring(module: Module) -> Iterator[str]:
    functions = (node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    for function in functions:
        if function.name.startswith("test_") and not ast.get_docstring(function):
            yield f"{module.filename}:{function.lineno} {function.name}"


def test_every_test_states_the_fact_that_it_holds() -> None:
    """Each test function has a docstring."""
    assert [] == [silent for module in suite_modules() for silent in list_tests_without_docstring(module)]
