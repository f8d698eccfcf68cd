"""What changes between two releases: what ends, begins, is renamed, has another default or behaves differently."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, Literal

from fakeplat.core.release import Release, parse_bound
from fakeplat.core.store.frozen import frozen
from fakeplat.releases.inventory import Item

Verb = Literal["ends", "is renamed", "has another default", "behaves differently", "begins"]


@frozen
class Change:
    """A change of something in a release, written as it was declared: ``<=16.3`` is only a bound."""

    verb: Verb
    release: str
    item: Item
    detail: str = ""

    @property
    def document(self) -> dict[str, Any]:
        """The change as JSON."""
        item = self.item
        return {
            "change": self.verb,
            "release": self.release,
            "kind": item.kind,
            "name": item.name,
            "detail": self.detail,
            "operations": list(item.operations),
            "served": item.is_built,
            "source": item.source,
        }


def list_changes(
    items: Iterable[Item], before: Release, after: Release, is_used: Callable[[Item], bool] = lambda _: True
) -> list[Change]:
    """Return the changes after one release and up to another, by release; those that may break a client come first."""
    changes = (change for item in items for change in _changes_of(item))
    between = (change for change in changes if before < parse_bound(change.release) <= after)
    return sorted((change for change in between if is_used(change.item)), key=_order_of)


def _order_of(change: Change) -> tuple[int, Release, str, str]:
    verbs = Verb.__args__  # type: ignore[attr-defined]  # what Literal has at run time
    return verbs.index(change.verb), parse_bound(change.release), change.item.kind, change.item.name


def _changes_of(item: Item) -> Iterator[Change]:
    lifetime, is_behaviour = item.lifetime, item.kind == "behaviour"
    if lifetime.since:
        yield Change("behaves differently" if is_behaviour else "begins", lifetime.since, item)
    if lifetime.until:
        yield Change("behaves differently" if is_behaviour else "ends", lifetime.until, item)
    if item.renamed:
        yield Change("is renamed", item.renamed.since, item, f"it was {item.renamed.name}")
        if item.renamed.until:
            yield Change("ends", item.renamed.until, item, f"its earlier name {item.renamed.name}")
    if item.defaults:
        values = list(item.defaults.values.items())
        for (_, old), (release, new) in pairwise(values):
            yield Change("has another default", release, item, f"{old!r} becomes {new!r}")


def format_changes(changes: Iterable[Change]) -> str:
    """Return the changes as text: a heading for each kind of change, and a line for each change."""
    lines: list[str] = []
    verb = ""
    for change in changes:
        if change.verb != verb:
            verb = change.verb
            lines += [*([""] if lines else []), f"{verb}:"]
        lines.append(f"  {_describe(change)}")
    return "\n".join(lines) or "nothing changes"


def _describe(change: Change) -> str:
    item = change.item
    detail = change.detail or item.source
    unbuilt = "" if item.is_built else " (fakeplat does not serve it)"
    return f"{change.release:7} {item.kind:9} {item.name}{unbuilt}{f': {detail}' if detail else ''}"
