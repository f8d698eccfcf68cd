"""What sections share when they tell what a world holds, in the words that they read."""

import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, Final

from attrs import NOTHING
from attrs import fields as attrs_fields

from fakeplat.model.projects import StoredFile
from fakeplat.model.world import World

_WORD: Final = re.compile(r"(?<!^)(?=[A-Z])")


def non_default_fields(record: Any, names: Iterable[str], always: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a record that are not what they would be if nothing were said; some in any case."""
    kind: Any = type(record)
    defaults = _defaults(kind)
    values = {name: getattr(record, name) for name in names if name in defaults}
    return {name: _plain(value) for name, value in values.items() if name in always or value != defaults[name]}


@cache
def _defaults(kind: Any) -> Mapping[str, Any]:
    return {field.name: field.default for field in attrs_fields(kind)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def remove_defaults(told_: dict[str, Any], **expected: Any) -> dict[str, Any]:
    """What is told, but for values that loading would give anyway."""
    return {name: value for name, value in told_.items() if expected.get(name, NOTHING) != value}


def subject_of(record: Any) -> tuple[str, int]:
    """Under what notes, awards, subscriptions and events of a record stand: the word for its kind, and its id."""
    return (_WORD.sub("_", type(record).__name__).lower(), record.id)


def username_of(world: World, user_id: int | None) -> str | None:
    """The name of a user, None for nobody and for one who is gone."""
    user = world.users.get(user_id) if user_id is not None else None
    return user.username if user else None


def serialize_file(stored: StoredFile) -> dict[str, Any]:
    """A file with its content."""
    content = b64encode(stored.data).decode()
    return {"filename": stored.filename, "content_type": stored.content_type, "content_base64": content}
