"""The syntax trees of the package's and the tests' modules, parsed once."""

import ast
import gc
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from attrs import frozen
from typing_extensions import override

ROOT = Path(__file__).parents[2]


@frozen(eq=False)
class Module:
    """A module; ``nodes`` are all of its tree, as `ast.walk` yields them, which is slower than all else."""

    path: Path
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    @property
    def filename(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def name(self) -> str:
        return self.filename.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class Import(NamedTuple):
    importer: Module
    line: int
    imported: str

    @override
    def __str__(self) -> str:
        return f"{self.importer.filename}:{self.line} imports {self.imported}"


@cache
def package_modules() -> tuple[Module, ...]:
    return _parse([*ROOT.glob("fakeplat/**/*.py"), *ROOT.glob("conftest_plugin.py")])


@cache
def suite_modules() -> tuple[Module, ...]:
    return _parse(ROOT.glob("tests/**/*.py"))


def list_imports(modules: tuple[Module, ...]) -> Iterator[Import]:
    """Yield all imports: at the top, in functions, under TYPE_CHECKING."""
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for imported in list_imported_names(node):
                    yield Import(module, node.lineno, imported)


def list_imported_names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names]


def find_cycle(graph: Mapping[str, Collection[str]]) -> list[str]:
    """Return the names along a cycle of imports; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _parse(paths: Iterable[Path]) -> tuple[Module, ...]:
    trees = {path: ast.parse(path.read_text("utf-8"), str(path)) for path in sorted(paths)}
    modules = tuple(Module(path, tree, tuple(ast.walk(tree))) for path, tree in trees.items())
    # Millions of nodes, which each garbage collection of the tests that follow would visit.
    gc.freeze()
    return modules
