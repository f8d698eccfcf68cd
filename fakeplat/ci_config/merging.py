"""Merging within a configuration: deep merges, ``extends`` and ``!reference``."""

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import define, field

from fakeplat.ci_config.documents import Document, Reference, Scalar, YamlValue, as_key, check_size, inspect, to_text

MOST_LEVELS: Final = 10
EDGE_STAGES: Final = (".pre", ".post")


class MergeError(ValueError):
    """A configuration cannot be merged. The message is the platform's."""


def deep_merge(base: Document, other: Document) -> dict[Scalar, YamlValue]:
    """Return a mapping with the pairs of both; mappings are merged, any other value of the second one wins."""
    merged = dict(base)
    for key, value in other.items():
        existing = merged.get(key)
        if isinstance(existing, dict) and isinstance(value, dict):
            merged[key] = deep_merge(existing, value)
        else:
            merged[key] = value
    return merged


def resolve_extends(document: Document) -> dict[Scalar, YamlValue]:
    """Return a document in which each job contains what it extends; MergeError if a base is missing or in a cycle."""
    extender = _Extender(document)
    return {key: extender.extend(key, ()) for key in document}


@define
class _Extender:
    _document: Document
    _finished: dict[Scalar, YamlValue] = field(factory=dict)
    _levels: dict[Scalar, int] = field(factory=dict)

    def extend(self, key: Scalar, path: Sequence[Scalar]) -> YamlValue:
        """Return the value of a key merged over its bases. The path holds the keys that extend it."""
        if len(path) + self._levels.get(key, 0) > MOST_LEVELS + 1:
            raise MergeError(f"{self._get_deepest(key)}: nesting too deep in `extends`")
        if key in path:
            raise MergeError(f"{key}: circular dependency detected in `extends`")
        if key not in self._finished:
            self._finished[key] = self._merge(key, path)
        return self._finished[key]

    def _merge(self, key: Scalar, path: Sequence[Scalar]) -> YamlValue:
        value = self._document[key]
        if not isinstance(value, dict) or "extends" not in value:
            return value
        names = _list_bases(value["extends"])
        self._check_bases(key, names)
        if len(path) > MOST_LEVELS:
            raise MergeError(f"{key}: nesting too deep in `extends`")
        merged: dict[Scalar, YamlValue] = {}
        for name in names:
            base = self.extend(name, [*path, key])
            merged = deep_merge(merged, base) if isinstance(base, dict) else merged
        self._levels[key] = 1 + max((self._levels.get(name, 0) for name in names), default=0)
        return deep_merge(merged, value)

    def _get_deepest(self, key: Scalar) -> YamlValue:
        """Return the last key of the longest chain that extends another one."""
        while self._levels.get(key, 0) > 1:
            value = self._document[key]
            bases = _list_bases(value["extends"]) if isinstance(value, dict) else []
            key = max(bases, key=lambda name: self._levels.get(name, 0))
        return key

    def _check_bases(self, key: Scalar, names: Sequence[str]) -> None:
        if unknown := [name for name in names if name not in self._document]:
            raise MergeError(f"{key}: unknown keys in `extends` ({', '.join(unknown)})")
        if invalid := [name for name in names if not isinstance(self._document[name], dict)]:
            raise MergeError(f"{key}: invalid base hashes in `extends` ({', '.join(invalid)})")


def _list_bases(extends: YamlValue) -> list[str]:
    bases = extends if isinstance(extends, list) else [] if extends is None else [extends]
    return [to_text(base) for base in bases]


def resolve_references(document: dict[Scalar, YamlValue]) -> dict[Scalar, YamlValue]:
    """Return a document with each ``!reference`` replaced by what it names; MergeError if that is impossible."""
    resolver = _Resolver(document)
    return {key: resolver.resolve(value) for key, value in document.items()}


@define
class _Resolver:
    _document: dict[Scalar, YamlValue]
    _chain: list[str] = field(factory=list)
    _finished: dict[str, YamlValue] = field(factory=dict)

    def resolve(self, value: YamlValue) -> YamlValue:
        """Return a value without references."""
        if isinstance(value, Reference):
            return self._follow(value)
        if isinstance(value, Mapping):
            return {key: self.resolve(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [item for inner in value for item in self._resolve_item(inner)]
        return value

    def _resolve_item(self, item: YamlValue) -> Sequence[YamlValue]:
        """Return what an item of a list becomes: a referenced list adds its items to the list."""
        resolved = self.resolve(item)
        return resolved if isinstance(item, Reference) and isinstance(resolved, list) else [resolved]

    def _follow(self, reference: Reference) -> YamlValue:
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

    def _find(self, reference: Reference) -> YamlValue:
        target: YamlValue = self._document if reference.path else None
        for key in reference.path:
            target = target.get(as_key(key)) if isinstance(target, Mapping) else None
        return target


def add_edge_stages(document: Document) -> dict[Scalar, YamlValue]:
    """Return a document whose list of stages begins with ``.pre`` and ends with ``.post``."""
    key = "stages" if "stages" in document else "types"
    stages = document.get(key)
    if not isinstance(stages, list) or not all(isinstance(stage, str | list) for stage in stages):
        return dict(document)
    first, last = EDGE_STAGES
    return {**document, key: [first, *(stage for stage in stages if stage not in EDGE_STAGES), last]}
