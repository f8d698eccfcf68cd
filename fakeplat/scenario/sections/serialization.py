"""Shared functions for the export of records as entries."""

import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, Final

from attrs import NOTHING, has
from attrs import fields as attrs_fields

from fakeplat.core.store.references import Subject
from fakeplat.core.store.table import Record
from fakeplat.model.projects import StoredFile
from fakeplat.model.world import World
from fakeplat.scenario.section import EntryData

MAX_CONTENT: Final = 32 * 1024 * 1024
"""The number of bytes up to which the content of a file of a package or image is exported."""
# Before each capital but the first: ``MergeRequest`` becomes ``merge_request``.
_WORD_BOUNDARY: Final = re.compile(r"(?<!^)(?=[A-Z])")


def non_default_fields(record: object, names: Iterable[str], always: Collection[str] = ()) -> EntryData:
    """Return the fields of a record that differ from their defaults, and those in ``always``."""
    kind: type = type(record)
    defaults = default_values(kind)
    # Keys that are no fields (references, aliases) are exported by the section itself.
    values = {name: getattr(record, name) for name in names if name in defaults}
    return {name: _to_plain_data(value) for name, value in values.items() if name in always or value != defaults[name]}


@cache
def default_values(kind: type) -> Mapping[str, Any]:
    """Return the default of each field of a class; ``NOTHING`` for a field without one."""
    return {field.name: _default_of(field.default) for field in attrs_fields(kind)}


def _default_of(default: object) -> object:
    factory = getattr(default, "factory", None)
    return default if factory is None else factory()


def _to_plain_data(value: object) -> object:
    if isinstance(value, tuple):
        return [_to_plain_data(item) for item in value]
    kind: type = type(value)
    if has(kind):
        return non_default_fields(value, default_values(kind))
    return dict(value) if isinstance(value, Mapping) else value


def remove_defaults(data: EntryData, **defaults: object) -> EntryData:
    """Remove the values that loading would set anyway."""
    # ``None`` can be a default, hence another marker for a key that has none.
    return {name: value for name, value in data.items() if defaults.get(name, NOTHING) != value}


def subject_of(record: Record) -> Subject:
    """Return the key of a record's notes, awards, subscriptions and events: its kind and its id."""
    return (_kind_of(type(record)), record.id)


@cache
def _kind_of(record: type) -> str:
    return _WORD_BOUNDARY.sub("_", record.__name__).lower()


def username_of(world: World, user_id: int | None) -> str | None:
    """Return the username for an id; None for no user or a deleted one."""
    user = world.users.get(user_id) if user_id is not None else None
    return user.username if user else None


def serialize_file(stored: StoredFile) -> EntryData:
    """Return the entry of a stored file, with its content in base64."""
    content = b64encode(stored.data).decode()
    return {"filename": stored.filename, "content_type": stored.content_type, "content_base64": content}
