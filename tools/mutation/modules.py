"""Change modules of the package, one piece of source at a time.

The tests run in processes that are forked after the libraries were imported, but before any module of the package was:
each imports the changed module in place of the one on disk.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Final

from typing_extensions import override

from tools.mutation.running import find_survivors, run_tests
from tools.mutation.selection import choose_tests
from tools.mutation.source import Mutant, list_mutants

ROOT: Final = Path(__file__).parents[2]
LIBRARIES: Final = (
    "aiohttp attrs graphql httptools httpx immutables jinja2 jsonschema markdown_it orjson pygit2 "
    "re2 requests ruamel.yaml"
).split()
SHARE: Final = 0.2
SLACK: Final = 20
"""Seconds that a run may take in addition to five times those of the unchanged module."""


def replace_source(mutant: Mutant) -> None:
    """Import the module of a mutant with the changed source from now on.

    A path hook does so for every finder of modules; the pytest plugin of the package has one of its own.
    """

    def find_in_folder(folder: str) -> FileFinder:
        if Path(folder) != mutant.path.resolve().parent:
            raise ImportError
        return FileFinder(folder, (_MutantLoader, [".py"]))

    class _MutantLoader(SourceFileLoader):
        @override
        def get_code(self, fullname: str) -> CodeType | None:
            if Path(self.path) == mutant.path.resolve():
                # Compiled here, so that no bytecode is read or written.
                return compile(mutant.source, self.path, "exec")
            return super().get_code(fullname)

    sys.path_hooks.insert(0, find_in_folder)


def test_modules(paths: Iterable[Path], sample: int | None) -> int:
    """Test the mutants of modules, print those that survive, and return the exit status."""
    paths = [path.resolve().relative_to(ROOT) for path in paths]
    given_tests = [path.as_posix() for path in paths if path.parts[0] == "tests"]
    _import_libraries()
    tested = survivors = 0
    for module in _list_modules(path for path in paths if path.parts[0] != "tests"):
        tests = given_tests or choose_tests(module, ROOT)
        mutants = list_mutants(module, sample)
        if not mutants or not tests:
            print(f"{module}: {'no test concerns it' if mutants else 'nothing to change'}")
            continue
        for survivor in find_surviving_mutants(mutants, tests):
            survivors += 1
            print(survivor, flush=True)
        tested += len(mutants)
    print(f"{survivors} of {tested} mutants survive")
    return int(survivors > SHARE * tested)


def find_surviving_mutants(mutants: Sequence[Mutant], tests: Sequence[str]) -> Iterator[Mutant]:
    """Yield the mutants of a module with which its tests pass."""
    start = time.monotonic()
    if not list(find_survivors([None], lambda _: run_tests(tests))):
        print(f"{mutants[0].path}: the tests fail with the unchanged module: {' '.join(tests)}", flush=True)
        return
    limit = SLACK + int(5 * (time.monotonic() - start))
    yield from find_survivors(mutants, lambda mutant: _run_with(mutant, tests), limit)


def _run_with(mutant: Mutant, tests: Sequence[str]) -> int:
    replace_source(mutant)
    return run_tests(tests)


def _list_modules(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.glob("**/*.py")) if path.is_dir() else (path,)


def _import_libraries() -> None:
    """Import what is the same for all mutants, so that forked processes need not."""
    for name in LIBRARIES:
        import_module(name)
    if "fakeplat" in sys.modules:
        raise RuntimeError("a module of the package is already imported, so that a mutant could not replace it")
