"""Immutable views of the records of a world, for assertions: `world.project("acme/site").star_count`.

Fields have the names and shapes of the API's responses to an administrator. The records that belong to a record are
available as lists (`world.group("acme").members`), and one of them by its number or name
(`world.project("acme/site").issue(1)`). A view does not change when the world does.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

import orjson
from attrs import evolve

from fakeplat.core.clock import Clock
from fakeplat.core.operations.entity import Entity
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.people import namespaces, users
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.policy.context import ANONYMOUS, Caller, ReadContext, Services
from fakeplat.workbench.inspected.declaration import Part, Parts
from fakeplat.workbench.inspected.instance import INSTANCE_PARTS
from fakeplat.workbench.inspected.kinds import find_kind, list_parts, view_options
from fakeplat.workbench.inspected.look_up import (
    describe_closest,
    describe_known,
    name_of,
    select_records,
    singular,
)

if TYPE_CHECKING:
    from fakeplat.workbench.record_types import Group as GroupRecord
    from fakeplat.workbench.record_types import Instance
    from fakeplat.workbench.record_types import Project as ProjectRecord
    from fakeplat.workbench.record_types import User as UserRecord
else:
    Instance = object


class NoSuchRecord(LookupError):
    """No such record in the world."""


class _Parts:
    """The lists of records that belong to something, as attributes, and each of their records by its number or name."""

    def __init__(self, world_view: "WorldView", owner: object, parts: Parts, word: str) -> None:
        self._world_view = world_view
        self._owner = owner
        self._parts = parts
        self._word = word

    @property
    def names(self) -> list[str]:
        """The names of the lists and of the methods that look up one record."""
        return [*self._parts, *(singular(name) for name in self._parts)]

    def get(self, name: str) -> Any:
        """Return a list, or the method that looks up one of its records; None if there is no such name."""
        part = self._parts.get(name)
        if part is not None:
            return [RecordView(self._world_view, record, part.view) for record in self._find(part)]
        plural = next((plural for plural in self._parts if singular(plural) == name), None)
        return None if plural is None else partial(self._look_up, name, self._parts[plural])

    def _find(self, part: Part) -> Any:
        return part.find(self._world_view.world, self._owner)

    def _look_up(self, word: str, part: Part, name: int | str | None = None, **fields: object) -> "RecordView":
        """Return the record with a number (iid, or id) or a name, and with these values of fields."""
        records = self._find(part)
        candidates = records if name is None else select_records(self._world_view.world, records, name)
        views = [RecordView(self._world_view, record, part.view) for record in candidates]
        matching = [view for view in views if all(view.get(key) == value for key, value in fields.items())]
        if len(matching) == 1:
            return matching[0]
        sought = " ".join([*([] if name is None else [repr(name)]), *(f"{k}={v!r}" for k, v in fields.items())])
        if matching:
            raise NoSuchRecord(f"{self._word} has {len(matching)} records {word} {sought}; name more of their fields")
        known = [each for record in records if (each := name_of(self._world_view.world, record, name)) is not None]
        raise NoSuchRecord(f"{self._word} has no {word} {sought}{describe_known(name, known)}")


class RecordView(Mapping[str, Any]):
    """A view of a record: its fields as attributes (or items), the records that belong to it as lists."""

    __slots__ = ("_fields", "_record", "_world_view")

    def __init__(self, world_view: "WorldView", record: object, view: "type[Entity[object]] | None" = None) -> None:
        kind = find_kind(record)
        self._world_view = world_view
        self._record = record
        entity = view or (kind.view if kind else None)
        if entity is None:
            raise TypeError(f"there is no view for records of type {type(record).__name__}")
        options = view_options(record, entity)
        self._fields: dict[str, Any] = orjson.loads(world_view.context.render_fragment(entity, record, options).data)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._fields:
            return self._fields[name]
        parts = self._parts()
        value = parts.get(name)
        if value is not None:
            return value
        names = [*self._fields, *parts.names]
        raise AttributeError(f"{type(self._record).__name__} has no field {name!r}{describe_closest(name, names)}")

    def _parts(self) -> _Parts:
        record = self._record
        label = next((self._fields[name] for name in _LABELS if isinstance(self._fields.get(name), str)), "")
        word = f"{type(record).__name__} {label}".strip()
        return _Parts(self._world_view, record, list_parts(record), word)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *filter(str.isidentifier, self._fields), *self._parts().names})

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"{type(self._record).__name__}({', '.join(f'{k}={v!r}' for k, v in self._fields.items())})"


def has_revision(view: RecordView, name: str) -> bool:
    """Return whether the project of a record has a branch, a tag or a commit."""
    from fakeplat.domain.repository import commits

    world, project_id = view._world_view.world, getattr(view._record, "project_id", None)
    project = None if project_id is None else world.projects.get(project_id)
    return project is not None and commits.find_commit(world, project, name) is not None


_LABELS: Final = ("path_with_namespace", "full_path", "username", "name", "title")


class WorldView(Instance):
    """A view of all records of a world at one point in time."""

    def __init__(self, platform: Platform, origin: str = "http://localhost") -> None:
        with platform.lock:
            state, now = platform.state, platform.clock.now()
        self.world = World(state)
        # A clock of its own: fields that depend on the time keep their values when the world's clock goes on.
        clock = Clock("virtual")
        clock.set(now)
        root = users.find_by_username(self.world, "root")
        # The cache is its own, because the key of a viewer is the id: it must not mix this root with the world's.
        self.context = ReadContext(
            self.world,
            # A test may have taken root's rights away; the view shows what an administrator sees nonetheless.
            Caller(evolve(root, admin=True)) if root else ANONYMOUS,
            Services(clock),
            origin,
        )

    def user(self, username: str | int) -> "UserRecord":
        """Return a user by username or id."""
        by_id = self.world.users.get(username) if isinstance(username, int) else None
        user = by_id if isinstance(username, int) else users.find_by_username(self.world, username)
        record: UserRecord = self._require(user, "user", username)
        return record

    def group(self, full_path: str | int) -> "GroupRecord":
        """Return a group by full path or id."""
        if isinstance(full_path, int):
            namespace = self.world.namespaces.get(full_path)
        else:
            namespace = namespaces.find_by_path(self.world, full_path)
        record: GroupRecord = self._require(namespace if isinstance(namespace, Group) else None, "group", full_path)
        return record

    def project(self, full_path: str | int) -> "ProjectRecord":
        """Return a project by full path or id."""
        if isinstance(full_path, int):
            project = self.world.projects.get(full_path)
        else:
            project = namespaces.find_project_by_path(self.world, full_path)
        record: ProjectRecord = self._require(project, "project", full_path)
        return record

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        parts = self._parts()
        value = parts.get(name)
        if value is not None:
            return value
        raise AttributeError(f"a world has no field {name!r}{describe_closest(name, parts.names)}")

    def _parts(self) -> _Parts:
        return _Parts(self, None, INSTANCE_PARTS, "the world")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parts().names})

    def __repr__(self) -> str:
        world, groups = self.world, INSTANCE_PARTS["groups"].find(self.world, None)
        counts = f"{len(world.projects.all())} projects, {len(groups)} groups, {len(world.users.all())} users"
        return f"<WorldView {self.context.origin} at {to_iso(self.context.now())}: {counts}>"

    def _require(self, record: object, kind: str, name: str | int) -> Any:
        if record is None:
            matches = get_close_matches(name, self._names(kind), 1) if isinstance(name, str) else []
            raise NoSuchRecord(
                f"there is no {kind} {name!r} in this world" + (f"; did you mean {matches[0]!r}?" if matches else "")
            )
        return RecordView(self, record)

    def _names(self, kind: str) -> list[str]:
        if kind == "user":
            return [user.username for user in self.world.users.all()]
        if kind == "group":
            return [namespaces.full_path(self.world, space) for space in self.world.namespaces.all()]
        return [namespaces.project_path(self.world, project) for project in self.world.projects.all()]
