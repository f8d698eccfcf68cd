import ast
from collections.abc import Iterator

from tests.architecture.sources import Module, suite_modules

FEWEST_WORDS = 5


def list_tests_without_fact(module: Module) -> Iterator[str]:
    functions = (node for node in module.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    for function in functions:
        if function.name.startswith("test_") and len((ast.get_docstring(function) or "").split()) < FEWEST_WORDS:
            yield f"{module.filename}:{function.lineno} {function.name}"


def test_every_test_states_the_fact_that_it_holds() -> None:
    """The docstring of each test has at least five words."""
    assert [] == [name for module in suite_modules() for name in list_tests_without_fact(module)]
