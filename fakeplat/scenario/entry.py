"""One entry of a scenario on its way to becoming a record: what a section's `make` is given."""

from collections.abc import Callable, Collection
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.schema.mistakes import JsonPath, Mistake
from fakeplat.core.store.table import KeyTaken
from fakeplat.domain.people import namespaces
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import WorldDraft
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.section import Item, Section

if TYPE_CHECKING:
    from fakeplat.scenario.loader import Loader


Rank = tuple[int, int]


class EntryError(Exception):
    """Something is wrong with the entry that is being made."""

    def __init__(self, *mistakes: Mistake) -> None:
        super().__init__(mistakes)
        self.mistakes = mistakes


class Progress(Enum):
    """How far an entry has come."""

    WAITING = 0
    MAKING = 1
    MADE = 2
    FAILED = 3


class Entry:
    """What a scenario says of one thing.

    ``said`` holds its values, as the section's keys read them; ``parts`` names the sections that stand in it.
    """

    __slots__ = (
        "_place",
        "above",
        "document",
        "name",
        "parts",
        "progress",
        "rank",
        "said",
        "section",
        "seeding",
        "short",
        "steps",
    )

    def __init__(self, seeding: "Loader", section: Section, item: Item, above: "Entry | None", document: int) -> None:
        self.seeding = seeding
        self.section = section
        self.said = item.said
        self.steps = item.steps
        self.short = item.short
        self.above = above
        self.document = document
        self.rank = self._rank()
        self.parts: Collection[str] = ()
        self.progress = Progress.WAITING
        self.name = self._full_name()
        self._place: tuple[str, int] | None = None

    def _rank(self) -> Rank:
        """The section's rank and how deep it stands in things of that rank or a higher one."""
        above = self.above.rank if self.above else (-1, 0)
        return (self.section.rank, 0) if self.section.rank > above[0] else (above[0], above[1] + 1)

    def _full_name(self) -> str:
        own = str(self.said.get(self.section.whole) or self.said.get(self.section.named) or "")
        inside = self.above is not None and self.section.find and self.section.named in self.said
        return f"{self.above.name}/{own}" if self.above and inside else own

    @property
    def depth(self) -> int:
        """In how many things this stands, by its full path."""
        return self.name.count("/")

    # what sections ask

    @property
    def ctx(self) -> WriteContext:
        """What verbs act with."""
        return self.seeding.ctx

    @property
    def world(self) -> WorldDraft:
        """The world that is being made."""
        return self.seeding.ctx.world

    @property
    def owner(self) -> Any:
        """The record that this stands in, as it is now; None at the top."""
        return None if self.above is None else self.above.record()

    @property
    def created_at(self) -> str:
        """When this was made: as said, or now."""
        return str(self.said.get("created_at") or self.ctx.now_iso)

    @property
    def since(self) -> str:
        """When a thing was made that goes with its owner: as said, or with the owner if that is new, or now."""
        above = self.above
        if "created_at" in self.said or above is None or above.was_there:
            return self.created_at
        return str(self.owner.created_at)

    @property
    def was_there(self) -> bool:
        """Whether the record was in the world before."""
        return self._place is not None and self.seeding.was_there(*self._place)

    @property
    def folder(self) -> Path:
        """Where relative paths start."""
        return self.seeding.folder(self.document)

    def given(self, names: Collection[str]) -> dict[str, Any]:
        """What was said under some keys."""
        return {name: value for name, value in self.said.items() if name in names}

    def user(self, key: str) -> User:
        """The user that a key names."""
        return self.named_user(str(self.said[key]), key)

    def named_user(self, name: str, key: str) -> User:
        """The user with a name that stands under a key, among others perhaps."""
        return cast(User, self._named("user", name, key))

    def user_or_none(self, key: str) -> User | None:
        """The user that a key names, None where it says null or nothing."""
        return self.user(key) if self.said.get(key) is not None else None

    def group(self, key: str) -> Group:
        """The group that a key names."""
        return self.named_group(str(self.said[key]), key)

    def named_group(self, name: str, key: str) -> Group:
        """The group with a full path that stands under a key, among others perhaps."""
        return cast(Group, self._named("group", name, key))

    def project(self, key: str) -> Project:
        """The project that a key names."""
        return cast(Project, self._named("project", str(self.said[key]), key))

    def project_or_none(self, key: str) -> Project | None:
        """The project that a key names, None where it says null or nothing."""
        return self.project(key) if self.said.get(key) is not None else None

    def namespace_above(self, key: str) -> Namespace:
        """What the last part of the full path under a key lies in: a group, or a user's own namespace."""
        above, _, _ = str(self.said[key]).rpartition("/")
        if not above:
            self.wrong("needs the path of a group or user before its own", key)
        group = self.seeding.find("group", above)
        if group is not None:
            return cast(Group, group)
        user = self.seeding.find("user", above)
        if user is None or not namespaces.has_user_namespace(self.world, user):
            self.unknown("group", above, key)
        return namespaces.user_namespace(self.world, user)

    def _named(self, kind: str, name: str, key: str) -> Any:
        found = self.seeding.find(kind, name)
        return found if found is not None else self.unknown(kind, name, key)

    def unknown(self, kind: str, name: str, key: str) -> NoReturn:
        """A name that nothing has: wrong."""
        self.wrong(f"unknown {kind} {name!r}", key, self.seeding.nearest(kind, name))

    def wrong(self, text: str, key: str = "", near: str | None = None) -> NoReturn:
        """Stop making this: something is wrong with it, or with one of its keys."""
        raise EntryError(Mistake(text, self.path_of(key), near))

    def afterwards(self, act: Callable[[], Any]) -> None:
        """Do something when everything is made: what would have forbidden some of it, say."""
        self.seeding.last_acts.append((self, act))

    @property
    def path(self) -> JsonPath:
        """Where this stands in its document."""
        above = () if self.above is None else self.above.path
        return (*above, self.section.key, *self.steps)

    def path_of(self, key: str) -> JsonPath:
        """Where a key of this entry stands."""
        return (*self.path, key) if key and not self.short else self.path

    # making

    def record(self) -> Any:
        """The record, made now if it is not there yet."""
        if self.progress is Progress.MAKING:
            self.wrong("needs itself")
        if self.progress is Progress.WAITING:
            self.make()
        if self._place is None:
            raise EntryError
        table, id_ = self._place
        return getattr(self.world, table)[id_]

    def make(self) -> None:
        """Have the section make it, once; what is wrong is noted."""
        if self.progress is not Progress.WAITING:
            return
        self.progress = Progress.MAKING
        self.guarded(self._make)
        if self.progress is Progress.MAKING:
            self.progress = Progress.FAILED

    def _make(self) -> None:
        if self.above is not None:
            self.above.record()
        record = self.section.make(self)
        if record is not None:
            self._place = (self.world.table_name(record), record.id)
        self.progress = Progress.MADE

    def guarded(self, act: Callable[[], Any]) -> None:
        """Do something; what is wrong with it is noted."""
        try:
            act()
        except EntryError as wrong:
            self.seeding.note(self, wrong.mistakes)
        except Refusal as refusal:
            self.seeding.note(self, self._refused(refusal))
        except KeyTaken as taken:
            self.seeding.note(self, [Mistake(f"{taken} has already been taken", self.path)])

    def _refused(self, refusal: Refusal) -> list[Mistake]:
        payload = refusal.payload
        message = next(iter(payload.values()), None) if isinstance(payload, dict) else None
        if not isinstance(message, dict):
            texts = message if isinstance(message, list) else [message or refusal.reason]
            return [Mistake("; ".join(map(str, texts)), self.path)]
        return [self._faulty(str(field), ", ".join(map(str, texts))) for field, texts in message.items()]

    def _faulty(self, field: str, text: str) -> Mistake:
        key = field if field in self.said else field.removesuffix("_level")
        return Mistake(text, self.path_of(key)) if key in self.said else Mistake(f"{field} {text}", self.path)
