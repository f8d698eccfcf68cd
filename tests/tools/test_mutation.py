"""Mutants of modules: which there are, and whether the tests of a module detect them."""

from pathlib import Path
from textwrap import dedent

import pytest

from tests.architecture.sources import ROOT
from tools.mutation import selection
from tools.mutation.modules import find_surviving_mutants
from tools.mutation.source import list_mutants


def list_changes(folder: Path, source: str, sample: int | None = None) -> list[tuple[str, str]]:
    path = folder / "module.py"
    path.write_text(dedent(source), "utf-8")
    return [(mutant.old, mutant.new) for mutant in list_mutants(path, sample)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if ready: run = other", [("ready", "(not (ready))")]),
        ("while not ready: other = run", [("not ready", "(ready)")]),
        ("x = a if b else c", [("b", "(not (b))")]),
        ("x = [a for a in b if c]", [("c", "(not (c))")]),
        ("x = a and b", [("a and b", "(a or b)")]),
        ("x = a or b or c", [("a or b or c", "(a and b and c)")]),
        ("x = a < b", [("a < b", "(a <= b)")]),
        ("x = a >= b", [("a >= b", "(a > b)")]),
        ("if a == b: x = c", [("a == b", "(a != b)")]),
        ("x = a is not b", [("a is not b", "(a is b)")]),
        ("x = a in b", [("a in b", "(a not in b)")]),
        ("x = 5", [("5", "(4)"), ("5", "6")]),
        ("x = True", [("True", "False")]),
        ("x = 'é', b", [("'é'", "'é~'")]),
        ("x = b'a'", [("b'a'", "b'a~'")]),
        ("run(a)", [("run(a)", "pass")]),
        ("async def f(): await run(a)", [("await run(a)", "pass")]),
        ("def f() -> bool: return run(a)", [("run(a)", "(not (run(a)))")]),
        ("def f() -> int: return run(a)", []),
    ],
)
def test_changes_of_a_module(tmp_path: Path, source: str, expected: list[tuple[str, str]]) -> None:
    """Conditions, operators, constants, calls and returned truth values are changed, each in each way."""
    assert expected == list_changes(tmp_path, source)


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring."""',
        "def f(x: 'Text') -> 'Text': ...",
        "x: Literal['a']",
        "x = f'{a}b'",
        "if TYPE_CHECKING:\n    run(a)",
        "class A:\n    x: int\n    'What x is.'",
    ],
)
def test_what_is_not_executed_is_not_changed(tmp_path: Path, source: str) -> None:
    """Docstrings, annotations and imports for type checkers have no mutants; f-strings have none either."""
    assert [] == list_changes(tmp_path, source)


def test_a_mutant_replaces_one_piece_of_the_source(tmp_path: Path) -> None:
    """The rest of the source is unchanged, also after characters of several bytes."""
    path = tmp_path / "module.py"
    path.write_text("x = 'é'\nif a and (b or\n        c): x = 1\n", "utf-8")
    mutant = next(mutant for mutant in list_mutants(path) if mutant.old.startswith("a and"))
    assert f"{path}:2: a and (b or c) → (a or (b or c))" == str(mutant)
    assert "x = 'é'\nif (a or (b or c)): x = 1\n" == mutant.source.decode()


def test_a_sample_is_the_same_in_each_run(tmp_path: Path) -> None:
    """A sample depends on the name of the file only, and has the order of the lines."""
    source = "\n".join(f"x = {number}" for number in range(100))
    sample = list_changes(tmp_path, source, 5)
    assert (5, sample) == (len(sample), list_changes(tmp_path, source, 5))
    assert sample == sorted(sample, key=lambda change: int(change[0]))


@pytest.mark.parametrize(
    ("module", "first"),
    [
        ("fakeplat/git/blame.py", "tests/git/test_blame.py"),
        ("fakeplat/domain/merge_requests/merging.py", "tests/api/test_merge_request_merging.py"),
        ("fakeplat/tape/formats/har.py", "tests/tape/test_har.py"),
    ],
)
def test_tests_are_chosen_by_name_and_imports(module: str, first: str) -> None:
    """The tests of a module are those with its words in their path, and those that import it."""
    chosen = selection.choose_tests(Path(module), ROOT)
    assert first in chosen
    assert len(chosen) <= selection.LIMIT


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_mutant_survives_if_no_test_detects_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Tests run with the changed module: a change that they check is detected, another one survives."""
    tmp_path.joinpath("limits_module.py").write_text("LOW = 1\nHIGH = 8\n", "utf-8")
    tmp_path.joinpath("test_limits.py").write_text(
        "from limits_module import LOW\n\n\ndef test_low():\n    assert 1 == LOW\n", "utf-8"
    )
    tmp_path.joinpath("pytest.ini").write_text(
        "[pytest]\npythonpath = .\naddopts = --rootdir .\nasyncio_default_fixture_loop_scope = function\n", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    mutants = list_mutants(tmp_path / "limits_module.py")
    survivors = list(find_surviving_mutants(mutants, ["test_limits.py"]))
    assert ["(7)", "9"] == sorted(mutant.new for mutant in survivors)
