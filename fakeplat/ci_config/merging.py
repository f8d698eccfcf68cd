"""Merging within a configuration: deep merges, ``extends`` and ``!reference``."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import define, field

from fakeplat.ci_config.documents import Reference, as_key, check_size, inspect, to_text

MOST_LEVELS: Final = 10
EDGE_STAGES: Final = (".pre", ".post")


class MergeError(ValueError):
    """A configuration cannot be merged. The message is the platform's."""


def deep_merge(base: Mapping[Any, Any], other: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a mapping with the pairs of both; mappings are merged, any other value of the second one wins."""
    merged = dict(base)
    for key, value in other.items():
        existing = merged.get(key)
        both = isinstance(existing, dict) and isinstance(value, dict)
        merged[key] = deep_merge(existing, value) if both and existing is not None else value
    return merged


def resolve_extends(document: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a document in which each job contains what it extends; MergeError if a base is missing or in a cycle."""
    extender = _Extender(document)
    return {key: extender.extend(key, ()) for key in document}


@define
class _Extender:
    _document: Mapping[Any, Any]
    _finished: dict[Any, Any] = field(factory=dict)
    _levels: dict[Any, int] = field(factory=dict)

    def extend(self, key: Any, path: Sequence[Any]) -> Any:
        """Return the value of a key merged over its bases. The path holds the keys that extend it."""
        if len(path) + self._levels.get(key, 0) > MOST_LEVELS + 1:
            raise MergeError(f"{self._get_deepest(key)}: nesting too deep in `extends`")
        if key in path:
            raise MergeError(f"{key}: circular dependency detected in `extends`")
        if key not in self._finished:
            self._finished[key] = self._merge(key, path)
        return self._finished[key]

    def _merge(self, key: Any, path: Sequence[Any]) -> Any:
        value = self._document[key]
        if not isinstance(value, dict) or "extends" not in value:
            return value
        names = _list_bases(value["extends"])
        self._check_bases(key, names)
        if len(path) > MOST_LEVELS:
            raise MergeError(f"{key}: nesting too deep in `extends`")
        merged: dict[Any, Any] = {}
        for name in names:
            merged = deep_merge(merged, self.extend(name, [*path, key]))
        self._levels[key] = 1 + max((self._levels.get(name, 0) for name in names), default=0)
        return deep_merge(merged, value)

    def _get_deepest(self, key: Any) -> Any:
        """Return the last key of the longest chain that extends another one."""
        while self._levels.get(key, 0) > 1:
            key = max(_list_bases(self._document[key]["extends"]), key=lambda name: self._levels.get(name, 0))
        return key

    def _check_bases(self, key: Any, names: Sequence[str]) -> None:
        if unknown := [name for name in names if name not in self._document]:
            raise MergeError(f"{key}: unknown keys in `extends` ({', '.join(unknown)})")
        if invalid := [name for name in names if not isinstance(self._document[name], dict)]:
            raise MergeError(f"{key}: invalid base hashes in `extends` ({', '.join(invalid)})")


def _list_bases(extends: Any) -> list[str]:
    bases = extends if isinstance(extends, list) else [] if extends is None else [extends]
    return [to_text(base) for base in bases]


def resolve_references(document: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a document with each ``!reference`` replaced by what it names; MergeError if that is impossible."""
    resolver = _Resolver(document)
    return {key: resolver.resolve(value) for key, value in document.items()}


@define
class _Resolver:
    _document: Mapping[Any, Any]
    _chain: list[str] = field(factory=list)
    _finished: dict[str, Any] = field(factory=dict)

    def resolve(self, value: Any) -> Any:
        """Return a value without references."""
        if isinstance(value, Reference):
            return self._follow(value)
        if isinstance(value, Mapping):
            return {key: self.resolve(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [item for inner in value for item in self._resolve_item(inner)]
        return value

    def _resolve_item(self, item: Any) -> Sequence[Any]:
        """Return what an item of a list becomes: a referenced list adds its items to the list."""
        resolved = self.resolve(item)
        return resolved if isinstance(item, Reference) and isinstance(resolved, list) else [resolved]

    def _follow(self, reference: Reference) -> Any:
        shown = f"!reference {inspect(reference)}"
        if shown in self._chain:
            raise MergeError(f"{shown} is part of a circular chain")
        if len(self._chain) >= MOST_LEVELS:
            raise MergeError(f"{shown} nesting too deep")
        if shown not in self._finished:
            target = self._find(reference)
            if target is None:
                raise MergeError(f"{shown} could not be found")
            self._chain.append(shown)
            self._finished[shown] = self.resolve(target)
            self._chain.pop()
            # Otherwise a few references to references would fill the memory.
            check_size(self._finished[shown])
        return self._finished[shown]

    def _find(self, reference: Reference) -> Any:
        target: Any = self._document if reference.path else None
        for key in reference.path:
            target = target.get(as_key(key)) if isinstance(target, Mapping) else None
        return target


def add_edge_stages(document: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a document whose list of stages begins with ``.pre`` and ends with ``.post``."""
    key = "stages" if "stages" in document else "types"
    stages = document.get(key)
    if not isinstance(stages, list) or not all(isinstance(stage, str) for stage in stages):
        return dict(document)
    first, last = EDGE_STAGES
    return {**document, key: [first, *(stage for stage in stages if stage not in EDGE_STAGES), last]}
