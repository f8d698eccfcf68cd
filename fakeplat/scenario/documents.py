"""Scenarios by name, path or as data, with all that they build on."""

from collections.abc import Iterator, Mapping, Sequence
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
_GENERATED_FIRST: Final = (".json", ".yaml", ".yml")


@frozen
class Document:
    """One file, or a mapping that a test wrote."""

    text: bytes
    data: Any = field(eq=False)
    file: Path | None = None

    def located(self, mistakes: Sequence[Mistake]) -> list[Mistake]:
        """The mistakes with file and line, from top to bottom."""
        if self.file is None or not mistakes:
            return list(mistakes)
        missing = [mistake for mistake in mistakes if mistake.line is None and mistake.path]
        known = dict(zip(missing, find_lines(self.text.decode(), [mistake.path for mistake in missing]), strict=True))
        placed = [
            m._replace(file=str(self.file), line=m.line if m.line is not None else known.get(m)) for m in mistakes
        ]
        return sorted(placed, key=lambda mistake: mistake.line or 0)


@frozen
class Scenario:
    """A scenario: its own document, after those that it extends."""

    name: str
    documents: tuple[Document, ...]

    @property
    def data(self) -> Any:
        """What its own document says."""
        return self.documents[-1].data

    @property
    def origin(self) -> Path | None:
        """The file of its own document."""
        return self.documents[-1].file


def builtin_folder() -> Path:
    """The folder of the built-in scenarios: in the package, or beside it in an editable install."""
    inside = Path(__file__).parent / "builtin"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "scenarios"


def list_names(folders: Sequence[Path] = ()) -> list[str]:
    """The names of all scenarios in some folders, and of the built-in ones."""
    found = (file for folder in (*folders, builtin_folder()) if folder.is_dir() for file in folder.iterdir())
    return sorted({file.stem for file in found if file.suffix in SUFFIXES})


def find_scenario(reference: Reference, folders: Sequence[Path] = ()) -> Scenario:
    """The scenario with a name (in the folders, then built in), at a path, or that says some data.

    A relative path is looked for in the folders first. ScenarioError if there is none, or none that can be read.
    """
    if isinstance(reference, Mapping):
        document = _inline(reference)
        return Scenario(INLINE, (*_extended(document, folders, ()), document))
    file = _file(reference, folders, ())
    document = _read(file)
    return Scenario(file.stem, (*_extended(document, (file.parent, *folders), (file,)), document))


def _extended(document: Document, folders: Sequence[Path], above: tuple[Path, ...]) -> tuple[Document, ...]:
    """What a document builds on, the first one first."""
    wanted = document.data.get("extends") if isinstance(document.data, Mapping) else None
    if not isinstance(wanted, str):
        return ()
    try:
        file = _file(wanted, folders, above)
    except ScenarioError as error:
        raise ScenarioError(document.located([m._replace(path=("extends",)) for m in error.mistakes])) from None
    found = _read(file)
    return (*_extended(found, (file.parent, *folders), (*above, file)), found)


def _inline(data: Mapping[str, Any]) -> Document:
    """Data as JSON would carry it."""
    try:
        text = orjson.dumps(data)
    except TypeError as error:
        raise ScenarioError([Mistake(f"cannot be said in JSON: {error}")]) from None
    return Document(text, orjson.loads(text))


def _read(file: Path) -> Document:
    try:
        text = file.read_bytes()
    except OSError as error:
        raise ScenarioError([Mistake(f"cannot be read: {error.strerror}", file=str(file))]) from None
    if file.suffix == ".json" and file.parent == builtin_folder():
        return Document(text, parse_generated(text), file)
    try:
        return Document(text, parse(text, file.suffix), file)
    except ScenarioError as error:
        raise ScenarioError([mistake._replace(file=str(file)) for mistake in error.mistakes]) from None


def _file(reference: str | Path, folders: Sequence[Path], above: tuple[Path, ...]) -> Path:
    """The file that is meant; those that build on it (``above``) are not."""
    waiting = [file.resolve() for file in above]
    existing = [candidate for candidate in _candidates(reference, folders) if candidate.is_file()]
    for candidate in existing:
        if candidate.resolve() not in waiting:
            return candidate
    if existing and waiting:
        circle = waiting[waiting.index(existing[0].resolve()) :]
        raise ScenarioError([Mistake(f"extends itself: {' → '.join(file.name for file in [*circle, circle[0]])}")])
    if _is_path(reference):
        raise ScenarioError([Mistake("no such file", file=str(reference))])
    raise ScenarioError(
        [Mistake(f"no scenario is named {str(reference)!r}", nearest=nearest_name(reference, list_names(folders)))]
    )


def _is_path(reference: str | Path) -> bool:
    return isinstance(reference, Path) or "/" in reference or Path(reference).suffix in SUFFIXES


def _candidates(reference: str | Path, folders: Sequence[Path]) -> Iterator[Path]:
    if _is_path(reference):
        yield from (folder / reference for folder in folders)
        yield Path(reference)
        return
    for folder in folders:
        yield from (folder / f"{reference}{suffix}" for suffix in SUFFIXES)
    yield from (builtin_folder() / f"{reference}{suffix}" for suffix in _GENERATED_FIRST)
