"""Immutable views of the records of a world, for assertions: `world.project("acme/site").star_count`.

Fields have the names and shapes of the API's responses to an administrator. The records that belong to a record are
available as lists: `world.group("acme").members`. A view does not change when the world does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

import orjson
from attrs import evolve

from fakeplat.core.cache.entries import Cache
from fakeplat.core.clock import Clock
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.limits import RateLimiter
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.alerts import alerts
from fakeplat.domain.merge_requests import approval_rules, merge_requests, suggestions
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.people import members, namespaces, users
from fakeplat.domain.planning import boards, labels, milestones
from fakeplat.domain.projects import services
from fakeplat.entities.alerts import AlertView, SystemNoteView
from fakeplat.entities.ci.pipelines import PipelineView
from fakeplat.entities.deployments.deployments import DeploymentView, EnvironmentDetail
from fakeplat.entities.issues.issuables import FROM_PROJECT
from fakeplat.entities.issues.issue_links import IssueLinkView
from fakeplat.entities.issues.issues import SINGLE, IssueView
from fakeplat.entities.merge_requests.approval_rules import ProjectApprovalRuleView
from fakeplat.entities.merge_requests.merge_requests import MergeRequestView
from fakeplat.entities.merge_requests.suggestions import SuggestionView
from fakeplat.entities.notes.awards import AwardView
from fakeplat.entities.notes.notes import NoteView
from fakeplat.entities.notes.todos import TodoView
from fakeplat.entities.people.events import EventView
from fakeplat.entities.people.members import MemberView
from fakeplat.entities.people.namespaces import STATISTICS, GroupView
from fakeplat.entities.people.users import UserAdminDetail
from fakeplat.entities.planning.boards import BoardView
from fakeplat.entities.planning.labels import GroupLabelView, MilestoneView
from fakeplat.entities.projects.projects import ADMINISTERED, ProjectSimple, ProjectWithAccess, StarrerView
from fakeplat.entities.projects.services import ServiceView
from fakeplat.entities.snippets import SnippetView
from fakeplat.model.alerts import Alert
from fakeplat.model.issues import Award, Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.todos import Todo
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.policy.context import ReadContext


class NoSuchRecord(LookupError):
    """No such record in the world."""


@frozen
class RecordKind:
    """How records of a kind are viewed: the entity that renders them, and the records that belong to them."""

    view: type[Entity[Any]]
    options: tuple[str, ...] = ()
    parts: Mapping[str, tuple[Callable[[World, Any], Sequence[Any]], "type[Entity[Any]] | None"]] = {}  # never written


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


def _projects_of(world: World, group: Group) -> Sequence[Project]:
    return world.projects.where("namespace", group.id)


def _subgroups_of(world: World, group: Group) -> Sequence[Any]:
    return world.namespaces.where("parent", group.id)


def _projects_of_user(world: World, user: User) -> Sequence[Project]:
    namespaces_of_user = world.namespaces.where("owner", user.id)
    return [project for namespace in namespaces_of_user for project in world.projects.where("namespace", namespace.id)]


def _notes_of(world: World, alert: Alert) -> Sequence[Note]:
    return world.notes.where("subject", (ALERT, alert.id))


def _issues_of(world: World, project: Project) -> Sequence[Issue]:
    return [world.issues[id_] for id_ in iterate_bits(world.issues.bits("facts", ("project", project.id)))]


def _merge_requests_of(world: World, project: Project) -> Sequence[MergeRequest]:
    return merge_requests.list_project_merge_requests(world, project)


def _personal_snippets_of(world: World, user: User) -> Sequence[Snippet]:
    return [snippet for snippet in world.snippets.where("author", user.id) if snippet.project_id is None]


RECORD_KINDS: Final[dict[type, RecordKind]] = {
    User: RecordKind(
        UserAdminDetail,
        parts={
            "projects": (_projects_of_user, None),
            "snippets": (_personal_snippets_of, None),
            "todos": (lambda world, user: world.todos.where("user", user.id), None),
        },
    ),
    Group: RecordKind(
        GroupView,
        parts={
            "members": (members.list_direct, MemberView),
            "projects": (_projects_of, None),
            "subgroups": (_subgroups_of, None),
            "labels": (lambda world, group: list(labels.list_own(world, group)), GroupLabelView),
            "milestones": (lambda world, group: list(milestones.list_own(world, group)), MilestoneView),
            "boards": (boards.list_boards, BoardView),
        },
    ),
    Issue: RecordKind(
        IssueView,
        (SINGLE,),
        {
            "notes": (lambda world, issue: world.notes.where("subject", ("issue", issue.id)), None),
            "award_emoji": (lambda world, issue: world.awards.where("subject", ("issue", issue.id)), None),
            "links": (lambda world, issue: world.issue_links.where("issue", issue.id), IssueLinkView),
        },
    ),
    Note: RecordKind(
        NoteView,
        parts={
            "award_emoji": (lambda world, note: world.awards.where("subject", ("note", note.id)), None),
            "suggestions": (suggestions.list_suggestions, SuggestionView),
        },
    ),
    Award: RecordKind(AwardView),
    Snippet: RecordKind(SnippetView),
    Todo: RecordKind(TodoView),
    MergeRequest: RecordKind(
        MergeRequestView,
        (FROM_PROJECT,),
        {
            "notes": (
                lambda world, merge_request: world.notes.where("subject", ("merge_request", merge_request.id)),
                None,
            ),
            "award_emoji": (
                lambda world, merge_request: world.awards.where("subject", ("merge_request", merge_request.id)),
                None,
            ),
        },
    ),
    Alert: RecordKind(AlertView, parts={"notes": (_notes_of, SystemNoteView)}),
    Project: RecordKind(
        ProjectWithAccess,
        (STATISTICS, ADMINISTERED),
        {
            "members": (members.list_direct, MemberView),
            "starrers": (lambda world, project: world.stars.where("project", project.id), StarrerView),
            "issues": (_issues_of, None),
            "merge_requests": (_merge_requests_of, None),
            "snippets": (lambda world, project: world.snippets.where("project", project.id), None),
            "alerts": (alerts.list_project_alerts, None),
            "services": (services.list_active, ServiceView),
            "labels": (lambda world, project: list(labels.list_own(world, project)), GroupLabelView),
            "milestones": (lambda world, project: list(milestones.list_own(world, project)), MilestoneView),
            "boards": (boards.list_boards, BoardView),
            "pipelines": (lambda world, project: world.pipelines.where("project", project.id), PipelineView),
            "environments": (
                lambda world, project: world.environments.where("project", project.id),
                EnvironmentDetail,
            ),
            "deployments": (lambda world, project: world.deployments.where("project", project.id), DeploymentView),
            "approval_rules": (approval_rules.list_rules, ProjectApprovalRuleView),
            "events": (lambda world, project: world.events.where("project", project.id), EventView),
        },
    ),
}
