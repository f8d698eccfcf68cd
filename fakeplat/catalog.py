"""The package's own table of all operations that the platform is known to have, built here or not."""

import csv
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Final

from fakeplat.core.operations.errors import Forbidden, NotFound, OperationNotImplemented, Refusal, RouteNotFound
from fakeplat.core.operations.operation import OPERATIONS, PREFIX
from fakeplat.core.operations.router import Router
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.model.instance import Instance

_API: Final = Path(__file__).parent / "api"
_NEAR: Final = 3
_FORBIDDEN_BELOW_TIER: Final = frozenset(
    "list_epics create_epic get_epic update_epic delete_epic list_epic_issues add_epic_issue".split()
)
"""What the paid edition forbids where the feature is not licensed, while it finds no other paid operation there."""


@frozen
class KnownOperation:
    """One known operation. ``since``: the release it came with (empty: 13.5 or before; ``newer``: an unknown later
    one). ``tier``: empty, premium or ultimate.
    """

    name: str
    method: str
    path: str
    since: str
    tier: str
    section: str


@cache
def known() -> tuple[KnownOperation, ...]:
    """The whole table, in the order of the file."""
    text = (_API / "known.csv").read_text("utf-8")
    return tuple(KnownOperation(**row) for row in csv.DictReader(text.splitlines()))


@cache
def _router() -> Router[KnownOperation]:
    return Router(known())


def refusal(instance: Instance, method: str, path: str) -> Refusal | None:
    """Why an operation that is known, but not among the declared ones, is not there; None for an unknown one.

    Newer than the release: 404; above the tier: 404, of epics 403; else: not built yet.
    """
    found = _router().match(method, path).route
    if found is None or found.name in OPERATIONS:
        return None
    lifetime = Lifetime(found.since)
    if not lifetime.covers(instance.release):
        return RouteNotFound(reason=not_in_release(found.name, lifetime, instance))
    if not instance.has(found.tier):
        refused = Forbidden if found.name in _FORBIDDEN_BELOW_TIER else NotFound
        return refused(reason=f"{found.name} is part of the tier {found.tier}")
    return OperationNotImplemented(found.name)


def not_in_release(name: str, lifetime: Lifetime, instance: Instance) -> str:
    """Why an operation does not exist, in words."""
    return f"{name} exists {lifetime}; this is {instance.version} (instance.version, instance.newer)"


def no_path(method: str, path: str) -> str:
    """Why a path leads nowhere, in words: what was probably meant, and which operations are near."""
    if path.startswith(f"{PREFIX}{PREFIX}/"):
        return f"no operation has the path {path}: the prefix {PREFIX} stands in it twice"
    encoded = _with_encoded_place(method, path)
    hint = f"; a full path is one segment of a URL: {encoded}" if encoded else ""
    return f"no operation has the path {path}; nearest: {', '.join(_nearest(method, path))}{hint}"


def _with_encoded_place(method: str, path: str) -> str | None:
    """The path with the slashes of a project's or group's full path encoded, if that leads somewhere."""
    head, parts = path.split("/")[:4], path.split("/")[4:]
    if head[-1:] not in (["projects"], ["groups"]) or not parts or parts[0].isdigit():
        return None
    for end in range(len(parts), 1, -1):
        tried = "/".join([*head, "%2F".join(parts[:end]), *parts[end:]])
        route = _router().match(method, tried).route
        if route is not None and route.path.count("/") == tried.count("/") and (end < len(parts) or len(parts) == 2):
            return tried
    return None


def _nearest(method: str, path: str) -> list[str]:
    """The operations whose paths are most like one, the same method first among equals."""
    segments = path.split("/")
    ranked = sorted(known(), key=lambda one: (-_likeness(segments, one.path.split("/")), one.method != method))
    return [f"{one.method} {one.path}" for one in ranked[:_NEAR]]


def _likeness(segments: list[str], template: list[str]) -> float:
    """How like a path is to a template whose parameters stand for whatever the path has there."""
    from difflib import SequenceMatcher

    pairs = zip_longest(segments, template, fillvalue="")
    parts = [1.0 if ours and part[:1] == ":" else SequenceMatcher(None, ours, part).ratio() for ours, part in pairs]
    return sum(parts) / len(parts)


def methods(path: str) -> tuple[str, ...]:
    """The methods that a path is known to have, but for those that are built: these match as they were declared."""
    found = ((method, _router().match(method, path).route) for method in _router().match("", path).allowed)
    return tuple(method for method, route in found if route is not None and route.name not in OPERATIONS)
