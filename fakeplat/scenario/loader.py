"""The loader of scenarios: creates the records of entries in the order of their ranks, or earlier if needed.

A reference creates the record that it names if that does not exist yet, so a scenario may list records in any order.
Entries of one list are created in the order of the list. Lists of one rank are merged by ``turn``, then by
``created_at``, then by the order of the sections, finally by the order in the document. Entries within an entry of the
same or a higher rank come after all of these.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from fakeplat.core.schema.mistakes import Mistake, nearest_name
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.entry import Entry, Progress, Rank
from fakeplat.scenario.lazy_sections import positions, section_of_kind, sections_within
from fakeplat.scenario.section import SCENARIO, Item, Section

Order = tuple[int, Rank, int, str, int, int]
_PROGRESS: Final[ContextVar[Callable[[str], None]]] = ContextVar("progress")


@contextmanager
def showing_progress(show: Callable[[str], None]) -> Iterator[None]:
    """Have a function called with each step of the worlds that are loaded meanwhile, as far as they are large."""
    token = _PROGRESS.set(show)
    try:
        yield
    finally:
        _PROGRESS.reset(token)


def report_progress(step: str) -> None:
    """Show a step to whoever waits for the world."""
    show = _PROGRESS.get(None)
    if show is not None:
        show(step)


def _list_sections(values: Mapping[str, object], kind: str) -> list[Section]:
    """Return the sections in an entry of a kind, in the order of the document."""
    known = sections_within(kind)
    return [known[key].load() for key in values if key in known]


class Loader:
    """Creates the records of some documents in a world, one document after the other.

    ``files`` are the files of the documents, ``mistakes`` the mistakes of each document. With ``thorough``, mistakes
    are also found that would otherwise be noticed only when a record is read.
    """

    def __init__(
        self,
        ctx: WriteContext,
        documents: Sequence[dict[str, Any]],
        files: Sequence[Path | None],
        *,
        thorough: bool = False,
    ) -> None:
        self.ctx = ctx
        self.thorough = thorough
        self._files = files
        # A snapshot, because records of the world that is being filled cannot tell when they were created.
        self._world_before = World(ctx.world.state)
        self.deferred: list[tuple[Entry, Callable[[], Any]]] = []
        self.mistakes: list[list[Mistake]] = [[] for _ in documents]
        self._entries: list[tuple[Order, Entry]] = []
        self._named_entries: dict[tuple[str, str], Entry] = {}
        self._identities: set[tuple[object, ...]] = set()
        for number, values in enumerate(documents):
            for section in _list_sections(values, SCENARIO):
                self._add_entries(section, values[section.key], None, number, ctx.now_iso)

    def _add_entries(
        self, section: Section, items: Iterable[Item], parent: Entry | None, document: int, default_created_at: str
    ) -> None:
        turn, latest = 0, ""
        for item in items:
            # An entry never comes before those above it in its list, so turn and date are the highest so far.
            turn = max(turn, item.values.get("turn", 0))
            created_at = item.values.get("created_at") or default_created_at
            latest = max(latest, created_at)
            # A section gets only its own keys; the entries within it become entries of their own.
            subsections = {part: item.values.pop(part.key) for part in _list_sections(item.values, section.kind)}
            entry = Entry(self, section, item, parent, document)
            entry.subsections = {part.key for part in subsections}
            order = (document, entry.rank, turn, latest, positions()[section.key, section.within], len(self._entries))
            self._entries.append((order, entry))
            self._register(entry)
            for subsection, subitems in subsections.items():
                self._add_entries(subsection, subitems, entry, document, created_at)

    def _register(self, entry: Entry) -> None:
        section = entry.section
        kind, name = section.kind if section.find else "", entry.name if section.case_sensitive else entry.name.lower()
        if not name:
            return
        # Names of records that can be looked up are global; others only need to be unique within their parent entry.
        identity = (entry.document, section.key, None if kind else id(entry.parent), name)
        if identity in self._identities:
            self.add_mistakes(entry, [Mistake(f"{entry.name!r} is listed twice", entry.path)])
        self._identities.add(identity)
        if kind:
            # Of several documents with the same name, the first has the entry for it; the others update its record.
            self._named_entries.setdefault((kind, name), entry)

    def run(self) -> None:
        """Create all valid records, collect the mistakes of the others, then run the deferred actions."""
        for _, entry in sorted(self._entries, key=lambda pair: pair[0]):
            entry.create()
        # The innermost first: restricting a group can forbid what is still to be done to the projects in it.
        for entry, action in sorted(self.deferred, key=lambda pair: -pair[0].depth):
            entry.run_guarded(action)

    def find(self, kind: str, name: str) -> Any:
        """Return the record of a kind with a name, from the documents or the world; None if there is none."""
        entry = self._named_entries.get((kind, name.lower()))
        # While an entry is being created, its name refers to the existing record that it updates.
        if entry is not None and entry.progress is not Progress.CREATING:
            return entry.record()
        look_up = section_of_kind(kind).find
        return look_up(self.ctx.world, name) if look_up else None

    def folder(self, document: int) -> Path:
        """Return the folder that a document's relative paths refer to; the current folder for data without a file."""
        file = self._files[document]
        return Path() if file is None else file.parent

    def existed_before(self, table: str, id_: int) -> bool:
        """Whether a record existed before the documents were loaded."""
        return getattr(self._world_before, table).get(id_) is not None

    def suggest_name(self, kind: str, name: str) -> str | None:
        """Return the name of a record of a kind that is most similar to a misspelled name."""
        section = section_of_kind(kind)
        existing = (
            data[section.identity_key or section.name_key] for _, data in section.export(self.ctx.world, None) or ()
        )
        return nearest_name(
            name,
            [*existing, *(entry.name for (entry_kind, _), entry in self._named_entries.items() if entry_kind == kind)],
        )

    def add_mistakes(self, entry: Entry, mistakes: Iterable[Mistake]) -> None:
        """Collect mistakes of an entry."""
        self.mistakes[entry.document].extend(mistakes)
