"""Finding scenarios by name, by path or as data, together with the scenarios that they extend."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import orjson
from attrs import field

from fakeplat.core.schema.mistakes import Mistake, nearest_name
from fakeplat.core.store.frozen import frozen
from fakeplat.scenario.errors import ScenarioError
from fakeplat.scenario.parsing import SUFFIXES, find_lines, parse, parse_generated

Reference = str | Path | Mapping[str, Any]

INLINE: Final = "inline"
_SCHEMA: Final = Path(__file__).with_name("schema.json")
# In YAML and in JSON, before any other key of its line.
_SCHEMA_LINE: Final = re.compile(r"""^(\s*"?\$schema"?:\s*"?)[^\s",]+("?,?)""", re.MULTILINE)
_GENERATED_FIRST: Final = (".json", ".yaml", ".yml")
_CACHED_NAMES: Final = 64


@frozen
class Document:
    """One scenario file, or a mapping passed by a test."""

    text: bytes
    data: Any = field(eq=False)
    file: Path | None = None

    def located(self, mistakes: Sequence[Mistake]) -> list[Mistake]:
        """Return the mistakes with their file and line, sorted by line."""
        if self.file is None or not mistakes:
            return list(mistakes)
        # Lines are found by a second, slow parse of the file, which only happens for files with mistakes.
        missing = [mistake for mistake in mistakes if mistake.line is None and mistake.path]
        known = dict(zip(missing, find_lines(self.text.decode(), [mistake.path for mistake in missing]), strict=True))
        located = [
            m._replace(file=str(self.file), line=m.line if m.line is not None else known.get(m)) for m in mistakes
        ]
        return sorted(located, key=lambda mistake: mistake.line or 0)


@frozen
class Scenario:
    """A scenario: its own document, preceded by those that it extends."""

    name: str
    documents: tuple[Document, ...]

    @property
    def data(self) -> Any:
        """The content of the scenario's own document."""
        return self.documents[-1].data

    @property
    def origin(self) -> Path | None:
        """The file of the scenario's own document."""
        return self.documents[-1].file


@cache
def builtin_folder() -> Path:
    """Return the folder of the built-in scenarios: in the package, or beside it in an editable install."""
    inside = Path(__file__).parent / "builtin"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "scenarios"


def list_names(folders: Sequence[Path] = ()) -> list[str]:
    """Return the names of all scenarios in the folders and of the built-in ones, sorted."""
    files = (file for folder in (*folders, builtin_folder()) if folder.is_dir() for file in folder.iterdir())
    return sorted({file.stem for file in files if file.suffix in SUFFIXES})


def get_scenario(reference: Reference, folders: Sequence[Path] = ()) -> Scenario:
    """Return the scenario with a name (in the folders, then built in), at a path, or with the given data.

    A relative path is looked up in the folders first. ScenarioError if there is no scenario or it cannot be read.
    """
    if isinstance(reference, Mapping):
        document = _parse_inline(reference)
        return Scenario(INLINE, (*_read_extended(document, folders, ()), document))
    file = _resolve_file(reference, folders, ())
    document = _read_document(file)
    return Scenario(file.stem, (*_read_extended(document, (file.parent, *folders), (file,)), document))


def read_source(reference: str | Path) -> str:
    """Return the text of a scenario's file as somebody wrote it, with a ``$schema`` that can be found from anywhere.

    ScenarioError if there is no such scenario or it cannot be read.
    """
    file = _resolve_file(reference, (), ())
    # The JSON of a built-in scenario is generated from its YAML.
    written = next((each for each in map(file.with_suffix, (".yaml", ".yml")) if each.is_file()), file)
    text = _read_document(written).text.decode("utf-8")
    return _SCHEMA_LINE.sub(lambda match: f"{match[1]}{_SCHEMA.as_uri()}{match[2]}", text, count=1)


def _read_extended(document: Document, folders: Sequence[Path], extending: tuple[Path, ...]) -> tuple[Document, ...]:
    """Return the documents that a document extends, the innermost first."""
    reference = document.data.get("extends") if isinstance(document.data, Mapping) else None
    if not isinstance(reference, str):
        return ()
    try:
        file = _resolve_file(reference, folders, extending)
    except ScenarioError as error:
        raise ScenarioError(document.located([m._replace(path=("extends",)) for m in error.mistakes])) from None
    base = _read_document(file)
    return (*_read_extended(base, (file.parent, *folders), (*extending, file)), base)


def _parse_inline(data: Mapping[str, object]) -> Document:
    """Convert data to a document by way of JSON, as if it came from a file."""
    try:
        text = orjson.dumps(data)
    except TypeError as error:
        raise ScenarioError([Mistake(f"cannot be represented as JSON: {error}")]) from None
    return Document(text, orjson.loads(text))


@cache
def _read_generated(file: Path) -> Document:
    # These files are generated and tested, so they need no checks.
    text = file.read_bytes()
    return Document(text, parse_generated(text), file)


def _read_document(file: Path) -> Document:
    if file.suffix == ".json" and file.parent == builtin_folder():
        return _read_generated(file)
    try:
        text = file.read_bytes()
    except OSError as error:
        raise ScenarioError([Mistake(f"cannot be read: {error.strerror}", file=str(file))]) from None
    try:
        return Document(text, parse(text, file.suffix), file)
    except ScenarioError as error:
        raise ScenarioError([mistake._replace(file=str(file)) for mistake in error.mistakes]) from None


def _resolve_file(reference: str | Path, folders: Sequence[Path], extending: tuple[Path, ...]) -> Path:
    """Return the file for a reference, except for the files that extend it (``extending``)."""
    excluded = [file.resolve() for file in extending]
    existing = []
    for candidate in filter(_is_file, _candidates(reference, folders)):
        # A scenario may extend one with its own name in a later folder, for example the built-in `starter`.
        if not excluded or candidate.resolve() not in excluded:
            return _check_suffix(candidate)
        existing.append(candidate)
    if existing:
        cycle = excluded[excluded.index(existing[0].resolve()) :]
        raise ScenarioError([Mistake(f"extends itself: {' → '.join(file.name for file in [*cycle, cycle[0]])}")])
    if _is_path(reference):
        raise ScenarioError([Mistake(describe_missing(reference), file=str(reference))])
    names = list_names(folders)
    nearest, text = nearest_name(reference, names), f"there is no scenario {str(reference)!r}"
    raise ScenarioError([Mistake(text if nearest else f"{text}; there are {', '.join(names)}", nearest=nearest)])


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # for example, a name that is too long
        return False


def _check_suffix(file: Path) -> Path:
    # Errors quote what they are about, and whoever may name a file to a server must not read others than scenarios.
    if file.suffix not in SUFFIXES:
        raise ScenarioError([Mistake(f"is no scenario: its name must end in {', '.join(SUFFIXES)}", file=str(file))])
    return file


def describe_missing(path: str | Path) -> str:
    """Say why a path is not one of a file."""
    try:
        return "is a folder, not a file" if Path(path).is_dir() else "no such file"
    except OSError as error:
        return str(error.strerror)


# Most tests name the same few scenarios, and to put a path together takes longer than to look for the file.
@lru_cache(_CACHED_NAMES)
def _is_path(reference: str | Path) -> bool:
    return isinstance(reference, Path) or "/" in reference or Path(reference).suffix in SUFFIXES


def _candidates(reference: str | Path, folders: Sequence[Path]) -> Iterator[Path]:
    if _is_path(reference):
        yield from (folder / reference for folder in folders)
        yield Path(reference)
        return
    for folder in folders:
        yield from (folder / f"{reference}{suffix}" for suffix in SUFFIXES)
    yield from _builtin_candidates(str(reference))


@lru_cache(_CACHED_NAMES)
def _builtin_candidates(name: str) -> tuple[Path, ...]:
    return tuple(builtin_folder() / f"{name}{suffix}" for suffix in _GENERATED_FIRST)
