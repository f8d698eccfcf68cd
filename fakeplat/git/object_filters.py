"""Filters of partial clones: which trees and blobs a fetch leaves out (`git clone --filter`)."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from fakeplat.git.errors import BadRequest
from fakeplat.git.objects import Objects
from fakeplat.git.reachability import peel_tags
from fakeplat.git.records import SUBMODULE, Kind

_UNITS: Final = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
# So many digits always fit into 64 bits.
_MAX_DIGITS: Final = 18
_KINDS: Final = {kind.word: kind for kind in Kind}


class ObjectFilter(NamedTuple):
    """What a fetch sends: None stands for no limit.

    ``blob_size``: blobs below this size. ``tree_depth``: trees and blobs above this depth, where the tree of a commit
    has the depth 0. ``kind``: objects of one kind.
    """

    blob_size: int | None = None
    tree_depth: int | None = None
    kind: Kind | None = None


def parse_filter(specification: str) -> tuple[ObjectFilter, ...]:
    """Parse a filter specification; ``combine:`` has several parts. BadRequest for an invalid or unsupported one."""
    name, _, value = specification.partition(":")
    if name == "combine" and value:
        return tuple(part for text in value.split("+") for part in parse_filter(unquote(text)))
    return (_parse_part(specification),)


def _parse_part(specification: str) -> ObjectFilter:
    match specification.split(":", 1):
        case ["blob", "none"]:
            return ObjectFilter(blob_size=0)
        case ["blob", limit] if limit.startswith("limit=") and (size := _parse_size(limit[6:])) is not None:
            return ObjectFilter(blob_size=size)
        case ["tree", depth] if (levels := _parse_size(depth, units={})) is not None:
            return ObjectFilter(tree_depth=levels)
        case ["object", kind] if kind.startswith("type=") and kind[5:] in _KINDS:
            return ObjectFilter(kind=_KINDS[kind[5:]])
    raise BadRequest(f"invalid filter-spec '{specification}'")


def _parse_size(text: str, units: dict[str, int] = _UNITS) -> int | None:
    unit = units.get(text[-1:].lower(), 1)
    digits = text[:-1] if unit > 1 else text
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS
    return int(digits) * unit if is_number else None


def filter_objects(
    objects: Objects, shas: Sequence[str], wants: Iterable[str], filters: Iterable[ObjectFilter]
) -> list[str]:
    """Return the objects that pass all filters, and those that the client asked for by their hashes."""
    chains = (peel_tags(objects, sha) for sha in wants)
    explicit, kept = frozenset(sha for tags, target in chains for sha in (*tags, target)), list(shas)
    for one in filters:
        kept = _apply(objects, kept, explicit, one)
    return kept


def _apply(objects: Objects, shas: list[str], explicit: frozenset[str], one: ObjectFilter) -> list[str]:
    near = _list_near(objects, shas, explicit, one.tree_depth) if one.tree_depth is not None else None

    def passes(sha: str) -> bool:
        stored = objects.get(sha)
        if one.kind is not None and stored.kind is not one.kind:
            return False
        if one.blob_size is not None and stored.kind is Kind.BLOB and len(stored.content) >= one.blob_size:
            return False
        return near is None or stored.kind not in (Kind.TREE, Kind.BLOB) or sha in near

    return [sha for sha in shas if sha in explicit or passes(sha)]


def _list_near(objects: Objects, shas: Iterable[str], explicit: Iterable[str], depth: int) -> set[str]:
    """Return the trees and blobs above a depth, counted from the trees of commits and from trees asked for."""
    roots = [objects.commit(sha).tree for sha in shas if objects.get(sha).kind is Kind.COMMIT]
    roots += [sha for sha in explicit if objects.get(sha).kind is Kind.TREE]
    near: set[str] = set()
    level = dict.fromkeys(roots)
    # Breadth first: an object at several depths counts with the smallest, at which it is met first.
    for _ in range(depth):
        level = {sha: None for sha in level if sha not in near}
        if not level:
            break
        near.update(level)
        trees = [sha for sha in level if objects.get(sha).kind is Kind.TREE]
        entries = (entry for tree in trees for entry in objects.tree(tree).values())
        level = dict.fromkeys(entry.sha for entry in entries if entry.mode != SUBMODULE)
    return near
