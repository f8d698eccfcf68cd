"""Entries of scenarios: the argument of a section's `create` function."""

from collections.abc import Callable, Collection
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.schema.mistakes import JsonPath, Mistake
from fakeplat.core.store.table import KeyTaken
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Group, Namespace, User
from fakeplat.model.projects import Project
from fakeplat.model.world import WorldDraft
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.section import Item, Section

if TYPE_CHECKING:
    from fakeplat.scenario.loader import Loader


Rank = tuple[int, int]


class EntryError(Exception):
    """The entry that is being created is invalid."""

    def __init__(self, *mistakes: Mistake) -> None:
        super().__init__(mistakes)
        self.mistakes = mistakes


class Progress(Enum):
    """The state of an entry."""

    WAITING = 0
    CREATING = 1
    CREATED = 2
    FAILED = 3


class Entry:
    """The entry of one record in a scenario.

    ``values`` are those of its keys, as the section parsed them; ``subsections`` are the keys of the sections in it.
    """

    __slots__ = (
        "_record_key",
        "document",
        "is_short",
        "loader",
        "name",
        "parent",
        "progress",
        "rank",
        "section",
        "steps",
        "subsections",
        "values",
    )

    def __init__(self, loader: "Loader", section: Section, item: Item, parent: "Entry | None", document: int) -> None:
        self.loader = loader
        self.section = section
        self.values = item.values
        self.steps = item.steps
        self.is_short = item.is_short
        self.parent = parent
        self.document = document
        self.rank = self._rank()
        self.subsections: Collection[str] = ()
        self.progress = Progress.WAITING
        self.name = self._full_name()
        self._record_key: tuple[str, int] | None = None

    def _rank(self) -> Rank:
        """Return the section's rank, and how deep the entry is nested in entries of the same or a higher rank."""
        parent_rank = self.parent.rank if self.parent else (-1, 0)
        return (self.section.rank, 0) if self.section.rank > parent_rank[0] else (parent_rank[0], parent_rank[1] + 1)

    def _full_name(self) -> str:
        name = str(self.values.get(self.section.identity_key) or self.values.get(self.section.name_key) or "")
        is_nested = self.parent is not None and self.section.find and self.section.name_key in self.values
        return f"{self.parent.name}/{name}" if self.parent and is_nested else name

    @property
    def depth(self) -> int:
        """The number of groups and users above the record, by its full path."""
        return self.name.count("/")

    # For sections

    @property
    def ctx(self) -> WriteContext:
        """The context for domain functions."""
        return self.loader.ctx

    @property
    def world(self) -> WorldDraft:
        """The world that is being filled."""
        return self.loader.ctx.world

    @property
    def owner(self) -> Any:
        """The current record of the entry around this one; None at the top level."""
        return None if self.parent is None else self.parent.record()

    @property
    def created_at(self) -> str:
        """The entry's ``created_at``, or the current time."""
        return str(self.values.get("created_at") or self.ctx.now_iso)

    @property
    def since(self) -> str:
        """The entry's ``created_at``, or that of its owner if the owner is new, or the current time."""
        parent = self.parent
        if "created_at" in self.values or parent is None or parent.existed_before:
            return self.created_at
        return str(self.owner.created_at)

    @property
    def existed_before(self) -> bool:
        """Whether the record existed before the scenario was loaded."""
        return self._record_key is not None and self.loader.existed_before(*self._record_key)

    @property
    def folder(self) -> Path:
        """The folder that relative paths refer to."""
        return self.loader.folder(self.document)

    def select(self, names: Collection[str]) -> dict[str, Any]:
        """Return the entry's values for some keys."""
        return {name: value for name, value in self.values.items() if name in names}

    def user(self, key: str) -> User:
        """Return the user named by a key."""
        return self.get_user(str(self.values[key]), key)

    def get_user(self, name: str, key: str) -> User:
        """Return the user with a name; ``key`` is the entry's key that contains it, for errors."""
        return cast(User, self._get_named("user", name, key))

    def user_or_none(self, key: str) -> User | None:
        """Return the user named by a key, None if the key is null or missing."""
        return self.user(key) if self.values.get(key) is not None else None

    def group(self, key: str) -> Group:
        """Return the group named by a key."""
        return self.get_group(str(self.values[key]), key)

    def get_group(self, name: str, key: str) -> Group:
        """Return the group with a full path; ``key`` is the entry's key that contains it, for errors."""
        return cast(Group, self._get_named("group", name, key))

    def project(self, key: str) -> Project:
        """Return the project named by a key."""
        return self.get_project(str(self.values[key]), key)

    def get_project(self, name: str, key: str) -> Project:
        """Return the project with a full path; ``key`` is the entry's key that contains it, for errors."""
        return cast(Project, self._get_named("project", name, key))

    def project_or_none(self, key: str) -> Project | None:
        """Return the project named by a key, None if the key is null or missing."""
        return self.project(key) if self.values.get(key) is not None else None

    def parent_namespace(self, key: str) -> Namespace:
        """Return the namespace (a group, or a user's own) that contains the last part of the full path under a key."""
        parent, _, _ = str(self.values[key]).rpartition("/")
        if not parent:
            self.fail("must start with the path of a group or user", key)
        group = self.loader.find("group", parent)
        if group is not None:
            return cast(Group, group)
        user = self.loader.find("user", parent)
        namespace = namespaces.find_user_namespace(self.world, user) if user is not None else None
        return namespace if namespace is not None else self.fail_unknown("group", parent, key)

    def _get_named(self, kind: str, name: str, key: str) -> Any:
        record = self.loader.find(kind, name)
        return record if record is not None else self.fail_unknown(kind, name, key)

    def fail_unknown(self, kind: str, name: str, key: str) -> NoReturn:
        """Stop creating this record because a key refers to an unknown name."""
        self.fail(f"unknown {kind} {name!r}", key, self.loader.suggest_name(kind, name))

    def fail(self, text: str, key: str = "", nearest: str | None = None) -> NoReturn:
        """Stop creating this record because the entry, or one of its keys, is invalid."""
        raise EntryError(Mistake(text, self.path_of(key), nearest))

    def defer(self, action: Callable[[], object]) -> None:
        """Run an action after all entries are created, for example one that would have forbidden some of them."""
        self.loader.deferred.append((self, action))

    @property
    def path(self) -> JsonPath:
        """The path of this entry in its document."""
        parent_path = () if self.parent is None else self.parent.path
        return (*parent_path, self.section.key, *self.steps)

    def path_of(self, key: str) -> JsonPath:
        """Return the path of a key of this entry."""
        return (*self.path, key) if key and not self.is_short else self.path

    # Creating

    def record(self) -> Any:
        """Return the record, creating it first if necessary."""
        # A reference creates the record that it names, so a cycle of references comes back to an unfinished entry.
        if self.progress is Progress.CREATING:
            self.fail("contains a circular reference")
        if self.progress is Progress.WAITING:
            self.create()
        if self._record_key is None:
            raise EntryError
        table, id_ = self._record_key
        return getattr(self.world, table)[id_]

    def create(self) -> None:
        """Let the section create the record, once; mistakes are collected."""
        if self.progress is not Progress.WAITING:
            return
        self.progress = Progress.CREATING
        self.run_guarded(self._create_record)
        if self.progress is Progress.CREATING:
            self.progress = Progress.FAILED

    def _create_record(self) -> None:
        if self.parent is not None:
            self.parent.record()
        record = self.section.create(self)
        if record is not None:
            self._record_key = (self.world.table_name(record), record.id)
        self.progress = Progress.CREATED

    def run_guarded(self, action: Callable[[], object]) -> None:
        """Run an action; its errors are collected as mistakes of this entry."""
        try:
            action()
        except EntryError as error:
            self.loader.add_mistakes(self, error.mistakes)
        except Refusal as refusal:
            self.loader.add_mistakes(self, self._refusal_mistakes(refusal))
        except KeyTaken as taken:
            self.loader.add_mistakes(self, [Mistake(f"{taken} has already been taken", self.path)])

    def _refusal_mistakes(self, refusal: Refusal) -> list[Mistake]:
        payload = refusal.payload
        message = next(iter(payload.values()), None) if isinstance(payload, dict) else None
        if not isinstance(message, dict):
            texts = message if isinstance(message, list) else [message or refusal.reason]
            return [Mistake("; ".join(map(str, texts)), self.path)]
        return [self._field_mistake(str(field), ", ".join(map(str, texts))) for field, texts in message.items()]

    def _field_mistake(self, field: str, text: str) -> Mistake:
        # Validation errors name the attribute of the platform, which can differ from the key of the scenario.
        key = field if field in self.values else field.removesuffix("_level")
        return Mistake(text, self.path_of(key)) if key in self.values else Mistake(f"{field} {text}", self.path)
