"""Making what scenarios say: entries in the order of their ranks, each when it is needed at the latest.

A reference makes what it names if that is still to come, so a scenario may name things in any order. Entries of
one list are made in the order of the list; lists of one rank are merged by ``turn``, then by ``created_at``, then
by the order of the sections, at last by that of the document. What stands in something of the same or a higher rank
comes after all of that.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fakeplat.core.schema.mistakes import Mistake, nearest_name
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.entry import Entry, Progress, Rank
from fakeplat.scenario.section import SCENARIO, Item, Section, all_sections, section_of_kind, sections_within

Order = tuple[int, Rank, int, str, int, int]


def _sections_in(said: Mapping[str, Any], kind: str) -> list[Section]:
    """The sections that an entry of a kind has, as they follow each other in the document."""
    known = {section.key: section for section in sections_within(kind)}
    return [known[key] for key in said if key in known]


class Loader:
    """Fills a world with what some documents say, one after the other.

    ``files`` are where the documents stand, ``mistakes`` those of each document. ``thorough``: what would only be
    noticed when somebody reads it is looked at, too.
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
        self._before = World(ctx.world.state)
        self.last_acts: list[tuple[Entry, Callable[[], Any]]] = []
        self.mistakes: list[list[Mistake]] = [[] for _ in documents]
        self._entries: list[tuple[Order, Entry]] = []
        self._named: dict[tuple[str, str], Entry] = {}
        self._seen: set[tuple[object, ...]] = set()
        self._places = {section: place for place, section in enumerate(all_sections())}
        for number, said in enumerate(documents):
            for section in _sections_in(said, SCENARIO):
                self._plan(section, said[section.key], None, number, ctx.now_iso)

    def _plan(self, section: Section, items: Iterable[Item], above: Entry | None, document: int, usual: str) -> None:
        turn, latest = 0, ""
        for item in items:
            turn = max(turn, item.said.get("turn", 0))
            created_at = item.said.get("created_at") or usual
            latest = max(latest, created_at)
            parts = {part: item.said.pop(part.key) for part in _sections_in(item.said, section.kind)}
            entry = Entry(self, section, item, above, document)
            entry.parts = {part.key for part in parts}
            order = (document, entry.rank, turn, latest, self._places[section], len(self._entries))
            self._entries.append((order, entry))
            self._register(entry)
            for part, inner in parts.items():
                self._plan(part, inner, entry, document, created_at)

    def _register(self, entry: Entry) -> None:
        section = entry.section
        kind, name = section.kind if section.find else "", entry.name if section.cased else entry.name.lower()
        if not name:
            return
        identity = (entry.document, section.key, None if kind else id(entry.above), name)
        if identity in self._seen:
            self.note(entry, [Mistake(f"{entry.name!r} stands here twice", entry.path)])
        self._seen.add(identity)
        if kind:
            self._named.setdefault((kind, name), entry)

    def run(self) -> None:
        """Make everything that can be made, and note what is wrong with the rest; last acts come inside out."""
        for _, entry in sorted(self._entries, key=lambda pair: pair[0]):
            entry.make()
        for entry, act in sorted(self.last_acts, key=lambda pair: -pair[0].depth):
            entry.guarded(act)

    def find(self, kind: str, name: str) -> Any:
        """The record of a kind with a name, among what was said and what is there; None if there is none."""
        entry = self._named.get((kind, name.lower()))
        if entry is not None and entry.progress is not Progress.MAKING:
            return entry.record()
        look_up = section_of_kind(kind).find
        return look_up(self.ctx.world, name) if look_up else None

    def folder(self, document: int) -> Path:
        """The folder from which a document's relative paths start; the current one for data that are in no file."""
        file = self._files[document]
        return Path() if file is None else file.parent

    def was_there(self, table: str, id_: int) -> bool:
        """Whether the world had a record before all this."""
        return getattr(self._before, table).get(id_) is not None

    def nearest(self, kind: str, name: str) -> str | None:
        """The name of a kind that looks most like a name."""
        section = section_of_kind(kind)
        there = (told[section.whole or section.named] for _, told in section.tell(self.ctx.world, None) or ())
        return nearest_name(name, [*there, *(entry.name for (of, _), entry in self._named.items() if of == kind)])

    def note(self, entry: Entry, mistakes: Iterable[Mistake]) -> None:
        """Take down what is wrong with an entry."""
        self.mistakes[entry.document].extend(mistakes)
