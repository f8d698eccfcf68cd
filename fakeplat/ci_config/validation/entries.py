"""Declared entries of a configuration, and how their mistakes are collected.

As on the platform, an entry is checked before its parts: the parts of an invalid entry are not looked at. A message
consists of the location of the entry, the attribute that is wrong (``config`` for the entry itself) and what is wrong
about it, in lower case.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from attrs import Factory, evolve

from fakeplat.ci_config.documents import YamlValue
from fakeplat.core.store.frozen import frozen

# What is wrong with a value, None if nothing is.
Check = Callable[[YamlValue], str | None]
# The mistakes of an entry, such as "config should be a hash".
Rule = Callable[[YamlValue], Iterable[str]]
# The same for a value that the rules have found to be of the right form, which the parameter's type gives.
FormRule = Callable[[Any], Iterable[str]]


@frozen
class Location:
    """The place of an entry: the keys that lead to it."""

    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ":".join(self.keys)

    def child(self, key: str) -> "Location":
        """Return the location of a part."""
        return Location((*self.keys, key))

    def message(self, text: str) -> str:
        """Return a mistake at this location as a message."""
        return f"{self} {text}".lower()


class Entry(Protocol):
    """A part of a configuration that can be checked."""

    def list_errors(self, value: YamlValue, at: Location) -> Iterator[str]:
        """Return the messages about a value."""


@frozen
class Node:
    """An entry with rules about itself, and entries for some of its keys.

    ``composed`` are rules about the entry and its parts together, checked if the entry itself is valid.
    """

    rules: Sequence[Rule] = ()
    parts: Mapping[str, Entry] = Factory(dict)
    composed: Sequence[FormRule] = ()

    def list_errors(self, value: YamlValue, at: Location) -> Iterator[str]:
        """Return the messages about a value."""
        own = [at.message(text) for rule in self.rules for text in rule(value)]
        yield from own
        if own:
            return
        yield from (at.message(text) for rule in self.composed for text in rule(value))
        yield from self._list_part_errors(value, at)

    def _list_part_errors(self, value: YamlValue, at: Location) -> Iterator[str]:
        if not isinstance(value, Mapping):
            return
        for key, entry in self.parts.items():
            # A key without a value counts as one that is not there.
            if value.get(key) is not None:
                yield from entry.list_errors(value[key], at.child(key))

    def extend(self, *rules: Rule, parts: Mapping[str, Entry]) -> "Node":
        """Return a node with more rules and parts, which come after those of this one."""
        return evolve(self, rules=[*self.rules, *rules], parts={**self.parts, **parts})


@frozen
class Choice:
    """An entry whose form depends on the value: the first one whose condition holds."""

    forms: Sequence[tuple[Callable[[YamlValue], bool], Entry]]
    otherwise: str

    def list_errors(self, value: YamlValue, at: Location) -> Iterator[str]:
        """Return the messages about a value."""
        for condition, entry in self.forms:
            if condition(value):
                yield from entry.list_errors(value, at)
                return
        yield f"{at} {self.otherwise}"


@frozen
class ListOf:
    """An entry whose value is a list of others, or one of them; each has the location ``name``."""

    name: str
    item: Entry
    rules: Sequence[Rule] = ()
    composed: Sequence[FormRule] = ()

    def list_errors(self, value: YamlValue, at: Location) -> Iterator[str]:
        """Return the messages about a value."""
        own = [at.message(text) for rule in self.rules for text in rule(value)]
        yield from own
        if own:
            return
        yield from (at.message(text) for rule in self.composed for text in rule(value))
        for item in value if isinstance(value, list) else [value]:
            if item is not None:
                yield from self.item.list_errors(item, at.child(self.name))


def config(*checks: Check) -> Rule:
    """Return a rule about the value of an entry itself."""
    return lambda value: [f"config {text}" for check in checks if (text := check(value)) is not None]


def attribute(name: str, *checks: Check, required: bool = False) -> Rule:
    """Return a rule about the value of a key, which may be missing unless it is required."""
    label: Final = name.replace("_", " ")

    def check_attribute(value: YamlValue) -> Iterable[str]:
        inner = value.get(name) if isinstance(value, Mapping) else None
        if inner is None and not required:
            return []
        return [f"{label} {text}" for check in checks if (text := check(inner)) is not None]

    return check_attribute


def when(condition: Callable[[YamlValue], bool], *rules: Rule) -> Rule:
    """Return rules that only count if a condition about the entry holds."""
    return lambda value: [text for rule in rules for text in rule(value)] if condition(value) else []
