"""The mutants of a module's source."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

OPPOSITES: Final = {ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn}
SHIFTED: Final = {ast.Lt: ast.LtE, ast.Gt: ast.GtE}
OPERATORS: Final = {
    kind: other
    for pairs in (OPPOSITES, SHIFTED)
    for old, new in pairs.items()
    for kind, other in ((old, new), (new, old))
}
NEGATABLE: Final = frozenset(kind for pair in OPPOSITES.items() for kind in pair)
"""The operators whose replacement negates the comparison."""


@dataclass(frozen=True)
class Mutant:
    """A module with one piece of its source replaced: the bytes from ``start`` to ``end``."""

    path: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    @property
    def source(self) -> bytes:
        """The changed source."""
        source = self.path.read_bytes()
        return source[: self.start] + self.new.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {' '.join(self.old.split())} → {' '.join(self.new.split())}"


def list_mutants(path: Path, sample: int | None = None) -> list[Mutant]:
    """Return the mutants of a module in the order of its lines; a sample is the same in each run."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    mutants = []
    for node, new in _Changes().list_changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        mutants.append(Mutant(path, node.lineno, start, end, source[start:end].decode(), new))
    if sample is not None and sample < len(mutants):
        mutants = Random(path.as_posix()).sample(mutants, sample)
    return sorted(mutants, key=lambda mutant: (mutant.start, mutant.end, mutant.new))


Change = tuple[ast.expr | ast.stmt, str]
"""A node and the source that replaces it."""


class _Changes(ast.NodeVisitor):
    """Collects the changes of a module. What is not executed, or only explains, is left out."""

    def __init__(self) -> None:
        self._changes: list[Change] = []
        self._returns_bool = False

    def list_changes(self, tree: ast.Module) -> list[Change]:
        self.visit(tree)
        return self._changes

    def _add(self, node: ast.expr | ast.stmt, new: str) -> None:
        self._changes.append((node, new))

    def _negate(self, condition: ast.expr) -> None:
        # The other operator of a comparison negates it already.
        if not (isinstance(condition, ast.Compare) and type(condition.ops[0]) in NEGATABLE):
            self._add(condition, _negated(condition))

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) == "TYPE_CHECKING":
            self._visit_all(node.orelse)
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for condition in node.ifs:
            self._negate(condition)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        self._add(node, f"({ast.unparse(ast.BoolOp(other, node.values))})")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        other = OPERATORS[type(node.ops[0])]()
        self._add(node, f"({ast.unparse(ast.Compare(node.left, [other, *node.ops[1:]], node.comparators))})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        match node.value:
            case bool():
                self._add(node, repr(not node.value))
            case int():
                self._add(node, repr(node.value + 1))
                self._add(node, f"({node.value - 1!r})")
            case float():
                self._add(node, repr(node.value + 1))
            case str():
                self._add(node, repr(node.value + "~"))
            case bytes():
                self._add(node, repr(node.value + b"~"))

    def visit_Expr(self, node: ast.Expr) -> None:
        called = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(called, ast.Call):
            self._add(node, "pass")
        # A text is a docstring, an ellipsis a body that is never executed.
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            if self._returns_bool and not isinstance(node.value, ast.Constant):
                self._negate(node.value)
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_function(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer, self._returns_bool = self._returns_bool, node.returns is not None and ast.unparse(node.returns) == "bool"
        arguments = node.args
        self._visit_all([*node.decorator_list, *arguments.defaults, *filter(None, arguments.kw_defaults), *node.body])
        self._returns_bool = outer

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave f-strings out: before Python 3.12 the positions of their parts are those of the whole."""

    def _visit_all(self, nodes: Sequence[ast.expr | ast.stmt]) -> None:
        for node in nodes:
            self.visit(node)


def _negated(condition: ast.expr) -> str:
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        return f"({ast.unparse(condition.operand)})"
    return f"(not ({ast.unparse(condition)}))"
