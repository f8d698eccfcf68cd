"""Entries of a configuration of one release, and how their mistakes are collected.

As on the platform, an entry is checked before its parts: the parts of an invalid entry are not looked at. A message
consists of the location of the entry, the attribute that is wrong (``config`` for the entry itself) and what is wrong
about it, in lower case.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

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

    def list_inert(self, value: YamlValue, at: Location) -> Iterator[Location]:
        """Return the places of the keywords of a valid value that have no effect yet."""


@frozen
class MappingEntry:
    """An entry with rules about itself, and entries for some of its keys.

    ``composed`` are rules about the entry and its parts together, checked if the entry itself is valid. ``inert`` are
    the keys without effect.
    """

    rules: Sequence[Rule]
    parts: Mapping[str, Entry]
    composed: Sequence[FormRule]
    inert: Collection[str]

    def list_errors(self, value: YamlValue, at: Location) -> Iterator[str]:
        """Return the messages about a value."""
        own = [at.message(text) for rule in self.rules for text in rule(value)]
        yield from own
        if own:
            return
        yield from (at.message(text) for rule in self.composed for text in rule(value))
        for key, entry, inner in self._list_given(value):
            yield from entry.list_errors(inner, at.child(key))

    def list_inert(self, value: YamlValue, at: Location) -> Iterator[Location]:
        """Return the places of the keywords of a valid value that have no effect yet."""
        if isinstance(value, Mapping):
            yield from (at.child(key) for key in value if isinstance(key, str) and key in self.inert)
        for key, entry, inner in self._list_given(value):
            yield from entry.list_inert(inner, at.child(key))

    def _list_given(self, value: YamlValue) -> Iterator[tuple[str, Entry, YamlValue]]:
        if not isinstance(value, Mapping):
            return
        for key, entry in self.parts.items():
            # A key without a value counts as one that is not there.
            if value.get(key) is not None:
                yield key, entry, value[key]


@frozen
class ChoiceEntry:
    """An entry whose form depends on the value: the first one whose condition holds.

    ``has_place``: the message about a value without a form names the place.
    """

    forms: Sequence[tuple[Callable[[YamlValue], bool], Entry]]
    otherwise: str
    has_place: bool = True

    def list_errors(self, value: YamlValue, at: Location) -> Iterator[str]:
        """Return the messages about a value."""
        for condition, entry in self.forms:
            if condition(value):
                yield from entry.list_errors(value, at)
                return
        yield f"{at} {self.otherwise}" if self.has_place else self.otherwise

    def list_inert(self, value: YamlValue, at: Location) -> Iterator[Location]:
        """Return the places of the keywords of a valid value that have no effect yet."""
        for condition, entry in self.forms:
            if condition(value):
                yield from entry.list_inert(value, at)
                return


@frozen
class ListEntry:
    """An entry whose value is a list of others, or one of them; each has the location ``name``.

    ``own_name`` takes the place of the key in messages about the list, and ``name`` in those about its items.
    """

    name: str
    item: Entry
    rules: Sequence[Rule]
    composed: Sequence[FormRule]
    own_name: str = ""

    def list_errors(self, value: YamlValue, at: Location) -> Iterator[str]:
        """Return the messages about a value."""
        if self.own_name:
            above = Location(at.keys[:-1])
            at, own_place = above, above.child(self.own_name)
        else:
            own_place = at
        own = [own_place.message(text) for rule in self.rules for text in rule(value)]
        yield from own
        if own:
            return
        yield from (own_place.message(text) for rule in self.composed for text in rule(value))
        for item in self._list_items(value):
            yield from self.item.list_errors(item, at.child(self.name))

    def list_inert(self, value: YamlValue, at: Location) -> Iterator[Location]:
        """Return the places of the keywords of a valid value that have no effect yet."""
        for item in self._list_items(value):
            yield from self.item.list_inert(item, at)

    def _list_items(self, value: YamlValue) -> Iterator[YamlValue]:
        """Yield the items of a list, and those of the lists in it."""
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, list):
                waiting.extend(reversed(item))
            elif item is not None:
                yield item


@frozen
class NamedEntries:
    """An entry whose value is a mapping with keys of the user's choice, all of one form."""

    item: Entry
    rules: Sequence[Rule]

    def list_errors(self, value: YamlValue, at: Location) -> Iterator[str]:
        """Return the messages about a value."""
        own = [at.message(text) for rule in self.rules for text in rule(value)]
        yield from own
        if own or not isinstance(value, Mapping):
            return
        for key, inner in value.items():
            yield from self.item.list_errors(inner, at.child(str(key)))

    def list_inert(self, value: YamlValue, at: Location) -> Iterator[Location]:
        """Return the places of the keywords of a valid value that have no effect yet."""
        for key, inner in value.items() if isinstance(value, Mapping) else ():
            yield from self.item.list_inert(inner, at.child(str(key)))
