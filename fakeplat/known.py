"""The package's own table of all operations that the platform is known to have, built here or not."""

import csv
from functools import cache
from importlib.resources import files

from attrs import frozen

from fakeplat.core.errors import NotBuilt, NotFound, Refusal, RouteNotFound
from fakeplat.core.operation import OPERATIONS
from fakeplat.core.router import Router
from fakeplat.model.instance import Instance


@frozen
class Known:
    """One known operation. ``since``: empty, or ``newer`` than 13.5; ``tier``: empty, premium or ultimate."""

    name: str
    method: str
    path: str
    since: str
    tier: str
    section: str


@cache
def known() -> tuple[Known, ...]:
    """The whole table, in the order of the file."""
    text = files("fakeplat.api").joinpath("known.csv").read_text("utf-8")
    return tuple(Known(**row) for row in csv.DictReader(text.splitlines()))


@cache
def _router() -> Router[Known]:
    return Router(known())


def refusal(instance: Instance, method: str, path: str) -> Refusal | None:
    """Why an operation that is known, but not among the declared ones, is not there; None for an unknown one.

    Newer than the release: 404; above the tier: 404; else: not built yet.
    """
    found = _router().match(method, path).route
    if found is None or found.name in OPERATIONS:
        return None
    if found.since == "newer" and not instance.newer:
        return RouteNotFound(reason=f"{found.name} came after the release; instance.newer is off")
    if not instance.has(found.tier):
        return NotFound(reason=f"{found.name} is part of the tier {found.tier}")
    return NotBuilt(found.name)


def methods(path: str) -> tuple[str, ...]:
    """The methods that a path is known to have, but for those that are built: these match as they were declared."""
    found = ((method, _router().match(method, path).route) for method in _router().match("", path).allowed)
    return tuple(method for method, route in found if route is not None and route.name not in OPERATIONS)
