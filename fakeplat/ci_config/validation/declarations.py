"""Declarations of the entries of a configuration, for the sum of all releases.

A keyword, value, check, rule or entry says where it stands in which releases it exists. `compile` gives the entry of
one release (`entries`), which checks configurations.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

from attrs import Factory, evolve, field

from fakeplat.ci_config.documents import YamlValue
from fakeplat.ci_config.validation.checks import no_other_keys
from fakeplat.ci_config.validation.entries import (
    Check,
    ChoiceEntry,
    Entry,
    FormRule,
    ListEntry,
    MappingEntry,
    NamedEntries,
    Rule,
)
from fakeplat.core.release import EVERYTHING, ByRelease, Lifetime, Profile
from fakeplat.core.store.frozen import frozen

T = TypeVar("T")


class NotBuiltError(ValueError):
    """A configuration uses something that its release has, and that is not built yet."""

    def __init__(self, use: str) -> None:
        super().__init__(f"{use}, which this release has and fakeplat has not built yet")


@frozen
class Keyword(Lifetime):
    """A key of a mapping, or one of the values of a key, with its releases.

    ``is_inert``: it is checked like any other, and has no effect yet. ``is_unbuilt``: a configuration that uses it is
    refused, because its pipeline would be wrong.
    """

    name: str = field(kw_only=True)
    is_inert: bool = field(default=False, kw_only=True)
    is_unbuilt: bool = field(default=False, kw_only=True)


Names: TypeAlias = Sequence[str | Keyword]


def keyword(name: str, since: str = "", until: str = "", *, inert: bool = False, unbuilt: bool = False) -> Keyword:
    """Return a key or value that not all releases have, or that has no effect yet."""
    return Keyword(since, until, name=name, is_inert=inert, is_unbuilt=unbuilt)


def as_keywords(names: Names) -> tuple[Keyword, ...]:
    """Return names as keywords; a mere text exists in all releases."""
    return tuple(Keyword(name=name) if isinstance(name, str) else name for name in names)


def select_names(keywords: Iterable[Keyword], profile: Profile) -> tuple[str, ...]:
    """Return the names of the keywords that a release has."""
    return tuple(each.name for each in keywords if profile.has(each))


@frozen
class Declared(Generic[T]):
    """A check or rule that follows from the release; ``make`` returns None if the release has none.

    ``keys`` and ``values`` are what it knows.
    """

    make: Callable[[Profile], T | None]
    keys: tuple[Keyword, ...] = ()
    values: tuple[Keyword, ...] = ()


def in_releases(lifetime: Lifetime, declared: T) -> Declared[T]:
    """Return a check or rule that only some releases have."""
    return Declared(lambda profile: declared if profile.has(lifetime) else None)


def of_release(choices: ByRelease[T]) -> Declared[T]:
    """Return a check or rule that releases changed."""
    return Declared(lambda profile: profile.choose(choices))


def allowed_keys(names: Names, text: str = "contains unknown keys") -> Declared[Check]:
    """Return a check that a mapping has no other keys than those of the release."""
    keywords = as_keywords(names)
    return Declared(lambda profile: no_other_keys(select_names(keywords, profile), text), keys=keywords)


def of_values(names: Names, make: Callable[[Collection[str]], Check]) -> Declared[Check]:
    """Return a check that is made of the values that a release has."""
    keywords = as_keywords(names)
    return Declared(lambda profile: make(select_names(keywords, profile)), values=keywords)


DeclaredCheck: TypeAlias = "Check | Declared[Check]"
DeclaredRule: TypeAlias = (
    "Rule | CheckRule | ConditionalRule | Declared[Rule] | Declared[CheckRule] | Declared[ConditionalRule]"
)


@frozen
class CheckRule:
    """A rule that is made of checks: of the entry itself, or of the value of its key ``name``.

    ``label`` is what messages call the key, if not by its name.
    """

    checks: Sequence[DeclaredCheck]
    name: str = ""
    is_required: bool = False
    label: str = ""

    def compile(self, profile: Profile, missing: Collection[str]) -> Rule | None:
        """Return the rule of a release, None if the release does not have the key."""
        if self.name in missing:
            return None
        resolved = (each.make(profile) if isinstance(each, Declared) else each for each in self.checks)
        checks = [check for check in resolved if check is not None]
        return self._check_key(checks) if self.name else _check_entry(checks)

    def _check_key(self, checks: Sequence[Check]) -> Rule:
        name, is_required = self.name, self.is_required
        label = self.label or name.removesuffix("_id").replace("_", " ")

        def check_key(value: YamlValue) -> Iterable[str]:
            inner = value.get(name) if isinstance(value, Mapping) else None
            if inner is None and not is_required:
                return []
            return [f"{label} {text}" for check in checks if (text := check(inner)) is not None]

        return check_key


def _check_entry(checks: Sequence[Check]) -> Rule:
    return lambda value: [f"config {text}" for check in checks if (text := check(value)) is not None]


@frozen
class ConditionalRule:
    """Rules that only count if a condition about the entry holds."""

    condition: Callable[[YamlValue], bool]
    rules: "Sequence[DeclaredRule]"

    def compile(self, profile: Profile, missing: Collection[str]) -> Rule:
        """Return the rule of a release."""
        condition, rules = self.condition, _compile_rules(self.rules, profile, missing)
        return lambda value: [text for rule in rules for text in rule(value)] if condition(value) else []


def config(*checks: DeclaredCheck) -> CheckRule:
    """Return a rule about the value of an entry itself."""
    return CheckRule(checks)


def attribute(name: str, *checks: DeclaredCheck, required: bool = False, label: str = "") -> CheckRule:
    """Return a rule about the value of a key, which may be missing unless it is required."""
    return CheckRule(checks, name, required, label)


def when(condition: Callable[[YamlValue], bool], *rules: DeclaredRule) -> ConditionalRule:
    """Return rules that only count if a condition about the entry holds."""
    return ConditionalRule(condition, rules)


def _compile_rules(rules: Iterable[DeclaredRule], profile: Profile, missing: Collection[str] = ()) -> list[Rule]:
    compiled = []
    for rule in rules:
        chosen = rule.make(profile) if isinstance(rule, Declared) else rule
        if isinstance(chosen, CheckRule | ConditionalRule):
            chosen = chosen.compile(profile, missing)
        if chosen is not None:
            compiled.append(chosen)
    return compiled


def _flatten_rules(rules: Iterable[DeclaredRule]) -> Iterator[CheckRule]:
    """Return the rules that are made of checks."""
    for rule in rules:
        chosen = rule.make(EVERYTHING) if isinstance(rule, Declared) else rule
        if isinstance(chosen, ConditionalRule):
            yield from _flatten_rules(chosen.rules)
        elif isinstance(chosen, CheckRule):
            yield chosen


class Declaration(Protocol):
    """The declaration of an entry."""

    def compile(self, profile: Profile) -> Entry:
        """Return the entry of a release."""

    def list_keywords(self, name: str, /) -> Iterator[tuple[str, Keyword]]:
        """Return all keys and values of the entry with their dotted names, perhaps more than once."""


Part: TypeAlias = Declaration | ByRelease[Declaration]


def compile_part(part: Part, profile: Profile) -> Entry:
    """Return the entry that a release has."""
    return (profile.choose(part) if isinstance(part, ByRelease) else part).compile(profile)


def list_keywords(part: Part, name: str) -> Iterator[tuple[str, Keyword]]:
    """Return all keys and values of an entry in all its forms with their dotted names, perhaps more than once."""
    for form in part.values.values() if isinstance(part, ByRelease) else (part,):
        yield from form.list_keywords(name)


@frozen
class Node:
    """An entry with rules about itself, and entries for some of its keys. See `entries.MappingEntry`."""

    rules: Sequence[DeclaredRule] = ()
    parts: Mapping[str, Part] = Factory(dict)
    composed: Sequence[FormRule] = ()

    def compile(self, profile: Profile) -> Entry:
        """Return the entry of a release."""
        keys = self.list_keys()
        known = {key.name: key for key in keys if profile.has(key)}
        missing = {key.name for key in keys} - known.keys()
        unbuilt = [name for name, key in known.items() if key.is_unbuilt]
        return MappingEntry(
            [*_compile_rules(self.rules, profile, missing), *([_refuse_unbuilt(unbuilt)] if unbuilt else ())],
            {name: compile_part(part, profile) for name, part in self.parts.items() if name not in missing},
            self.composed,
            frozenset(name for name, key in known.items() if key.is_inert),
        )

    def list_keys(self) -> list[Keyword]:
        """Return the keys that the entry may have in some release."""
        return [key for rule in _flatten_rules(self.rules) for check in _declared_of(rule) for key in check.keys]

    def list_keywords(self, name: str) -> Iterator[tuple[str, Keyword]]:
        """Return all keys and values of the entry with their dotted names, perhaps more than once."""
        for key in self.list_keys():
            yield f"{name}.{key.name}", key
        for rule in _flatten_rules(self.rules):
            owner = f"{name}.{rule.name}" if rule.name else name
            yield from ((f"{owner}={value.name}", value) for check in _declared_of(rule) for value in check.values)
        for part_name, part in self.parts.items():
            yield from list_keywords(part, f"{name}.{part_name}")

    def extend(self, *rules: DeclaredRule, parts: Mapping[str, Part]) -> "Node":
        """Return a node with more rules and parts, which come after those of this one."""
        return evolve(self, rules=[*self.rules, *rules], parts={**self.parts, **parts})


def _declared_of(rule: CheckRule) -> Iterator[Declared[Check]]:
    return (check for check in rule.checks if isinstance(check, Declared))


def _refuse_unbuilt(names: Collection[str]) -> Rule:
    def check_built(value: YamlValue) -> Iterable[str]:
        given = [key for key in value if key in names] if isinstance(value, Mapping) else []
        return [str(NotBuiltError(f"config uses `{key}`")) for key in given]

    return check_built


@frozen
class Choice:
    """An entry whose form depends on the value. See `entries.ChoiceEntry`."""

    forms: Sequence[tuple[Callable[[YamlValue], bool], Declaration]]
    otherwise: str
    has_place: bool = True

    def compile(self, profile: Profile) -> Entry:
        """Return the entry of a release."""
        forms = [(condition, form.compile(profile)) for condition, form in self.forms]
        return ChoiceEntry(forms, self.otherwise, self.has_place)

    def list_keywords(self, name: str) -> Iterator[tuple[str, Keyword]]:
        """Return all keys and values of the entry with their dotted names, perhaps more than once."""
        for _, form in self.forms:
            yield from form.list_keywords(name)


@frozen
class Unlisted:
    """An entry of a form that is not allowed where it stands, so that its keys are not listed, but checked."""

    entry: Declaration

    def compile(self, profile: Profile) -> Entry:
        """Return the entry of a release."""
        return self.entry.compile(profile)

    def list_keywords(self, _name: str) -> Iterator[tuple[str, Keyword]]:
        """Return nothing."""
        return iter(())


@frozen
class ListOf:
    """An entry whose value is a list of others, or one of them. See `entries.ListEntry`."""

    name: str
    item: Part
    rules: Sequence[DeclaredRule] = ()
    composed: Sequence[FormRule] = ()
    own_name: str = ""

    def compile(self, profile: Profile) -> Entry:
        """Return the entry of a release."""
        item, rules = compile_part(self.item, profile), _compile_rules(self.rules, profile)
        return ListEntry(self.name, item, rules, self.composed, self.own_name)

    def list_keywords(self, name: str) -> Iterator[tuple[str, Keyword]]:
        """Return all keys and values of the entry with their dotted names, perhaps more than once."""
        yield from list_keywords(self.item, name)


@frozen
class MapOf:
    """An entry whose value is a mapping with keys of the user's choice. See `entries.NamedEntries`."""

    item: Part
    rules: Sequence[DeclaredRule] = ()

    def compile(self, profile: Profile) -> Entry:
        """Return the entry of a release."""
        return NamedEntries(compile_part(self.item, profile), _compile_rules(self.rules, profile))

    def list_keywords(self, name: str) -> Iterator[tuple[str, Keyword]]:
        """Return all keys and values of the entry with their dotted names, perhaps more than once."""
        yield from list_keywords(self.item, f"{name}.*")
