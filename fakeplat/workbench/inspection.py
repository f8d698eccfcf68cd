"""Immutable views of the records of a world, for assertions: `world.project("acme/site").star_count`.

Fields have the names and shapes of the API's responses to an administrator. The records that belong to a record are
available as lists: `world.group("acme").members`. A view does not change when the world does.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import orjson
from attrs import evolve

from fakeplat.core.cache.entries import Cache
from fakeplat.core.clock import Clock
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.limits import RateLimiter
from fakeplat.domain.ci import variables
from fakeplat.domain.people import namespaces, users
from fakeplat.entities.ci.runners import RunnerDetails
from fakeplat.entities.ci.variables import CiVariableView
from fakeplat.entities.projects.deploy_keys import DeployKeyWithProjects
from fakeplat.entities.projects.projects import ProjectSimple
from fakeplat.model.namespaces import Group
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.policy.context import ReadContext
from fakeplat.workbench.inspected_kinds import RECORD_KINDS


class NoSuchRecord(LookupError):
    """No such record in the world."""


class RecordView(Mapping[str, Any]):
    """A view of a record: its fields as attributes (or items), the records that belong to it as lists."""

    __slots__ = ("_fields", "_record", "_world_view")

    def __init__(self, world_view: "WorldView", record: Any, view: "type[Entity[Any]] | None" = None) -> None:
        kind = RECORD_KINDS.get(type(record))
        self._world_view = world_view
        self._record = record
        entity = view or (kind.view if kind else None)
        if entity is None:
            raise TypeError(f"there is no view for records of type {type(record).__name__}")
        options = kind.options if kind and view is None else ()
        self._fields: dict[str, Any] = orjson.loads(world_view.context.render_fragment(entity, record, options).data)

    def __getattr__(self, name: str) -> Any:
        if name in self._fields:
            return self._fields[name]
        part = self._parts().get(name)
        if part is not None:
            find_parts, view = part
            return [
                RecordView(self._world_view, part_record, view)
                for part_record in find_parts(self._world_view.world, self._record)
            ]
        raise AttributeError(self._hint(name))

    def _parts(self) -> Mapping[str, Any]:
        kind = RECORD_KINDS.get(type(self._record))
        return kind.parts if kind else {}

    def _hint(self, name: str) -> str:
        names = [*self._fields, *self._parts()]
        matches = get_close_matches(name, names, 1)
        return f"{type(self._record).__name__} has no field {name!r}" + (
            f"; did you mean {matches[0]}?" if matches else ""
        )

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"{type(self._record).__name__}({', '.join(f'{k}={v!r}' for k, v in self._fields.items())})"


class WorldView:
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
            evolve(root, admin=True) if root else None,
            clock=clock,
            fragments=Cache(),
            limiter=RateLimiter(),
            origin=origin,
        )

    def user(self, username: str) -> RecordView:
        """Return a user by username."""
        return self._require(users.find_by_username(self.world, username), "user", username)

    def group(self, full_path: str) -> RecordView:
        """Return a group by full path."""
        namespace = namespaces.find_by_path(self.world, full_path)
        return self._require(namespace if isinstance(namespace, Group) else None, "group", full_path)

    def project(self, full_path: str) -> RecordView:
        """Return a project by full path."""
        return self._require(namespaces.find_project_by_path(self.world, full_path), "project", full_path)

    @property
    def users(self) -> list[RecordView]:
        """All users."""
        return [RecordView(self, user) for user in self.world.users.all()]

    @property
    def groups(self) -> list[RecordView]:
        """All groups."""
        return [
            RecordView(self, namespace) for namespace in self.world.namespaces.all() if isinstance(namespace, Group)
        ]

    @property
    def projects(self) -> list[RecordView]:
        """All projects."""
        return [RecordView(self, project) for project in self.world.projects.all()]

    @property
    def variables(self) -> list[RecordView]:
        """The CI variables of the instance."""
        return [RecordView(self, variable, CiVariableView) for variable in variables.list_variables(self.world, None)]

    @property
    def runners(self) -> list[RecordView]:
        """All runners."""
        return [RecordView(self, runner, RunnerDetails) for runner in self.world.runners.all()]

    @property
    def deploy_keys(self) -> list[RecordView]:
        """All deploy keys."""
        return [RecordView(self, key, DeployKeyWithProjects) for key in self.world.deploy_keys.all()]

    def _require(self, record: Any, kind: str, name: str) -> RecordView:
        if record is None:
            matches = get_close_matches(name, self._names(kind), 1)
            raise NoSuchRecord(
                f"there is no {kind} {name!r} in this world" + (f"; did you mean {matches[0]!r}?" if matches else "")
            )
        return RecordView(self, record)

    def _names(self, kind: str) -> list[str]:
        if kind == "user":
            return [user.username for user in self.world.users.all()]
        if kind == "group":
            return [namespaces.full_path(self.world, space) for space in self.world.namespaces.all()]
        return [ProjectSimple(project, self.context).path_with_namespace() for project in self.world.projects.all()]
