"""The look-up of records by their numbers and names, and the hints for names that do not exist."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final, TypeVar

from fakeplat.model.world import World
from fakeplat.workbench.inspected.kinds import RECORD_KINDS

T = TypeVar("T")

_NUMBERS: Final = ("iid", "id")
_NAMES: Final = ("name", "title", "tag_name", "username", "slug", "path", "key", "url", "file_name", "description")
_OWNERS: Final = {"Project": "project", "Group": "group", "User": "user"}
_MAX_LISTED: Final = 10


def singular(name: str) -> str:
    """Return the name under which one record of a list is looked up: ``branch`` for ``branches``."""
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-2] if name.endswith(("ches", "uses")) else name.removesuffix("s")


def select_records(world: World, records: Sequence[T], name: int | str) -> list[T]:
    """Return the records with a number or name: of the first kind of number or name that one of them has."""
    if isinstance(name, str):
        of_user = [record for record in records if _username(world, record) == name]
        if of_user:
            return of_user
    for attribute in _NAMES if isinstance(name, str) else _NUMBERS:
        matching = [record for record in records if getattr(record, attribute, None) == name]
        if matching:
            return matching
    return []


def _username(world: World, record: object) -> str | None:
    """Return the name of the user whom a membership, star or approval belongs to."""
    user_id = getattr(record, "user_id", None)
    user = None if user_id is None or hasattr(record, "name") else world.users.get(user_id)
    return user.username if user else None


def name_of(world: World, record: object, like: object) -> int | str | None:
    """Return the number or the name of a record that would have found it."""
    attributes = _NUMBERS if isinstance(like, int) else _NAMES
    names = (getattr(record, attribute, None) for attribute in attributes)
    own: int | str | None = next((name for name in names if name is not None), None)
    return own if isinstance(like, int) else _username(world, record) or own


def describe_known(name: object, known: list[int | str]) -> str:
    """Return the closest of the names that exist, or the first of them."""
    if not known:
        return "; there are none"
    matches = get_close_matches(name, list(map(str, known)), 1) if isinstance(name, str) else []
    if matches:
        return f"; did you mean {matches[0]!r}?"
    listed = ", ".join(map(repr, known[:_MAX_LISTED]))
    return f"; there are {listed}{' …' if len(known) > _MAX_LISTED else ''}"


def describe_closest(name: str, names: list[str]) -> str:
    """Return the closest of the names, or whose records have the name."""
    matches = get_close_matches(name, names, 1)
    owners = [
        f"world.{method}(…).{name}"
        for kind, method in _OWNERS.items()
        if name in (parts := RECORD_KINDS[kind].parts) or name in map(singular, parts)
    ]
    if owners:
        return f"; there is {' and '.join(owners)}"
    return f"; did you mean {matches[0]}?" if matches else ""
