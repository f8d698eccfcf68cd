"""How records are named where a person reads of them: by what the API calls them, and not by id.

A kind of record whose natural key has a form of its own (``acme/site#3``) has a row here. Any other is named by what it
belongs to and its own name: ``acme/site: production``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.core.store.scheduler import ScheduledTask
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.alerts import Alert
from fakeplat.model.environments import Environment
from fakeplat.model.events import Event
from fakeplat.model.issues import Award, Issue, Subscription
from fakeplat.model.labels import Label, LabelPriority, Milestone
from fakeplat.model.namespaces import Group, UserNamespace
from fakeplat.model.notes import Note
from fakeplat.model.projects import CustomAttribute, Member, Project, Share, Star, StoredFile
from fakeplat.model.repositories import Repository
from fakeplat.model.resource_events import LabelEvent, MilestoneEvent, StateEvent, WeightEvent
from fakeplat.model.services import Service
from fakeplat.model.settings import Settings
from fakeplat.model.snippets import Snippet
from fakeplat.model.todos import Todo
from fakeplat.model.user_agents import UserAgentDetail
from fakeplat.model.users import Identity, Token, User
from fakeplat.model.world import World

HIDDEN: Final = (ScheduledTask, Event, LabelEvent, MilestoneEvent, StateEvent, UserAgentDetail, WeightEvent)
"""Kinds of records that nobody means to read of: what is still to be done, and what only says that another changed."""


def is_hidden(record: object) -> bool:
    """Whether a record only says that another changed: system notes do too."""
    return isinstance(record, Note) and record.system


_OWN: Final = ("iid", "slug", "name", "title", "key", "id")
_TABLES: Final = {"group": "namespaces", "namespace": "namespaces", "settings": "settings_table"}
_PEOPLE: Final = (
    "assignee author closed_by created_by creator marked_for_deletion_by merge_user merged_by "
    "mirror_user owner resolved_by user"
).split()
_REFERENCES: Final = {
    **dict.fromkeys(_PEOPLE, "users"),
    "project": "projects",
    "forked_from": "projects",
    "file_template_project": "projects",
    "namespace": "namespaces",
    "parent": "namespaces",
    "group": "namespaces",
    "milestone": "milestones",
    "label": "labels",
    "moved_to": "issues",
    "closes": "issues",
    "protected_branch": "protected_branches",
    "issue": "issues",
    "environment": "environments",
}
Key = Callable[[World, Any], str]


def section_of(record: object) -> str:
    """Under which word records like this one are told: the table's, but that groups are ``groups``."""
    if isinstance(record, Group):
        return "groups"
    return "settings" if isinstance(record, Settings) else World.table_name(record)


def natural_key(world: World, record: Any) -> str:
    """A record's natural key: ``acme/site``, ``acme/site#3``, ``ada``."""
    return _KEYS.get(type(record), _by_name)(world, record)


def natural_key_at(world: World, kind: str, id_: int) -> str:
    """The natural key of the record of a kind (or table) with an id; its number if it is not there."""
    table = getattr(world, _TABLES.get(kind, kind if kind.endswith("s") else f"{kind}s"), None)
    record = table.get(id_) if table is not None else None
    return f"{kind} {id_}" if record is None else natural_key(world, record)


def field_label(name: str) -> str:
    """A record's field as it is told: ``closed_by`` for ``closed_by_id``, ``labels`` for ``label_ids``."""
    return f"{name.removesuffix('_ids').removesuffix('s')}s" if name.endswith("_ids") else name.removesuffix("_id")


def readable_value(world: World, name: str, value: Any) -> Any:
    """The value of a record's field, with natural keys for ids and sizes for bytes."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int):
        return natural_key_at(world, *value)
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, Mapping):
        return dict(value)
    word = name.removesuffix("_ids").removesuffix("_id")
    if isinstance(value, tuple):
        return [readable_value(world, word, one) for one in value]
    refers = word in _REFERENCES and isinstance(value, int)
    return natural_key_at(world, _REFERENCES[word], value) if refers else value


def _by_name(world: World, record: Any) -> str:
    own = next(getattr(record, name) for name in _OWN if hasattr(record, name))
    if hasattr(record, "project_id"):
        return f"{natural_key_at(world, 'project', record.project_id)}: {own}"
    subject = getattr(record, "subject", None)
    return f"{natural_key_at(world, *subject)}: {own}" if subject else f"{World.table_name(record)} {own}"


def _source(world: World, record: Any) -> str:
    return natural_key_at(world, *record.source)


def _noted(world: World, kind: str, id_: int, sha: str = "") -> str:
    return f"{natural_key_at(world, 'project', id_)}@{sha[:8]}" if sha else natural_key_at(world, kind, id_)


def _snippet(world: World, snippet: Snippet) -> str:
    owner = ("user", snippet.author_id) if snippet.project_id is None else ("project", snippet.project_id)
    return f"{natural_key_at(world, *owner)}${snippet.title}"


def _person(world: World, record: Any) -> str:
    return natural_key_at(world, "user", record.user_id)


_KEYS: Final[Mapping[type, Key]] = {
    Settings: lambda _, settings: "settings",
    User: lambda _, user: str(user.username),
    Identity: lambda world, one: f"{_person(world, one)}: {one.provider} {one.extern_uid}",
    Token: lambda world, token: f"{_person(world, token)}: {token.kind} {token.name or token.id}",
    UserNamespace: full_path,
    Group: full_path,
    Project: project_path,
    Member: lambda world, member: f"{_source(world, member)}: {_person(world, member)}",
    Share: lambda world, share: f"{_source(world, share)}: {natural_key_at(world, 'group', share.group_id)}",
    Star: lambda world, star: f"{natural_key_at(world, 'project', star.project_id)}: {_person(world, star)}",
    CustomAttribute: lambda world, one: f"{natural_key_at(world, *one.subject)}: {one.key}",
    StoredFile: lambda world, file: f"{natural_key_at(world, *file.owner)}: {file.secret}/{file.filename}",
    Label: lambda world, label: f"{_source(world, label)}~{label.title}",
    LabelPriority: lambda world, one: (
        f"{natural_key_at(world, 'project', one.project_id)}: {natural_key_at(world, 'label', one.label_id)}"
    ),
    Milestone: lambda world, milestone: f"{_source(world, milestone)}%{milestone.title}",
    Issue: lambda world, issue: f"{natural_key_at(world, 'project', issue.project_id)}#{issue.iid}",
    Award: lambda world, award: f"{natural_key_at(world, *award.subject)}: {award.name} by {_person(world, award)}",
    Subscription: lambda world, one: f"{natural_key_at(world, *one.subject)}: {_person(world, one)}",
    Todo: lambda world, todo: f"{_person(world, todo)}: {todo.action} {natural_key_at(world, *todo.subject)}",
    Note: lambda world, note: f"{_noted(world, *note.subject)}: {note.body}",
    Service: lambda world, service: f"{natural_key_at(world, 'project', service.project_id)}: {service.slug}",
    Snippet: _snippet,
    Repository: lambda world, one: natural_key_at(world, "project", one.project_id),
    Environment: lambda world, one: f"{natural_key_at(world, 'project', one.project_id)}: {one.name}",
    Alert: lambda world, alert: f"{natural_key_at(world, 'project', alert.project_id)}^alert#{alert.iid}",
}
