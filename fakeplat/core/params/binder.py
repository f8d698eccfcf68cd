"""How parameters become an instance of their class.

A plan is compiled at a class's first use; what binding costs then depends on what was sent, not on what is declared.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Generic, TypeVar

from attrs import evolve

from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.vendor_names import NEUTRAL, twin_of
from fakeplat.core.params.coercion import INVALID, Failure, Refused
from fakeplat.core.params.fields import ABSENT, Field, fields_of
from fakeplat.core.params.rules import Rule
from fakeplat.core.params.types import Schema
from fakeplat.core.release import NEWEST, Release

P = TypeVar("P")
Given = Mapping[str, object]


class Binder(Generic[P]):
    """The compiled declarations of a Params class."""

    def __init__(self, cls: type[P]) -> None:
        self.cls = cls
        self.fields = tuple(fields_of(cls))
        self.rules = _rules_of(cls)
        self.defaults = {field.name: field.default for field in self.fields if field.default not in (None, ABSENT)}
        self.absent = tuple(failure for field in self.fields for failure in field.absent)
        self.has_lifetimes = any(field.lifetime for field in self.fields)
        self._by_name = {name: field for field in self.fields for name in field.names}
        self._required = frozenset(field.attribute for field in self.fields if field.required)
        self._names = {field.attribute: field.name for field in self.fields}
        self._ruled = frozenset(self._ruled_attributes())
        self._quiet = not any(rule.broken({}) for rule in self.rules)

    def _ruled_attributes(self) -> Iterator[str]:
        attributes = {field.name: field.attribute for field in self.fields}
        for name in (name for rule in self.rules for name in rule.names):
            if name not in attributes:
                raise TypeError(f"{self.cls.__name__} has a rule about {name}, which it does not declare")
            yield attributes[name]

    def bind(self, given: Given, stored: Given | None = None) -> P:
        """The parameters among those given, or all that is wrong with them in one refusal.

        ``stored`` is what an update would change: of two names of one thing the one with another value counts.
        """
        try:
            return self._read(given, stored)
        except Refused as refused:
            raise InvalidParams(*dict.fromkeys(map(str, refused.failures))) from None

    def read(self, value: object) -> P:
        """The parameters in a hash inside another's."""
        if not isinstance(value, dict):
            raise Refused.as_(INVALID)
        return self._read(value, None)

    def in_release(self, given: Given, release: Release) -> Given:
        """The parameters among those given that a release knows."""
        by_name = self._by_name
        return {name: v for name, v in given.items() if name not in by_name or by_name[name].lifetime.covers(release)}

    def unknown(self, given: Given) -> list[str]:
        """The names among those given that are not declared."""
        return [name for name in given if name not in self._by_name]

    def sent(self, given: Given) -> dict[str, object]:
        """The declared parameters among those given, as they were sent."""
        return {name: value for name, value in given.items() if name in self._by_name}

    def schema(self, release: Release = NEWEST) -> Schema:
        """All parameters that a release knows, as JSON Schema describes a hash."""
        fields = [field for field in self.fields if field.lifetime.covers(release)]
        schema: Schema = {"type": "object", "properties": {field.name: field.schema for field in fields}}
        required = [field.name for field in self.fields if field.required]
        return {**schema, "required": required} if required else schema

    @cached_property
    def _bare(self) -> P | None:
        """What no parameters at all stand for, unless they are refused."""
        return None if self._required or self._broken({}) else self._made({})

    def _read(self, given: Given, stored: Given | None) -> P:
        if not given and self._bare is not None:
            return self._bare
        values = self._quickly(given)
        return self._made(_CarefulReading(self, given, stored).values() if values is None else values)

    def _made(self, values: dict[str, object]) -> P:
        made = self.cls.__new__(self.cls)
        object.__setattr__(made, "__dict__", values)
        return made

    def _quickly(self, given: Given) -> dict[str, object] | None:
        """The values in one pass over what was given; None if anything about them needs a closer look."""
        values: dict[str, object] = {}
        by_name = self._by_name
        try:
            for name, sent in given.items():
                field = by_name.get(name)
                if field is None:
                    continue
                if field.attribute in values:
                    return None
                value = None if sent is None else field.kind.read(sent)
                if value is None:
                    value = field.of_null()
                if value is not ABSENT:
                    values[field.attribute] = value
        except Refused:
            return None
        return values if self._required <= values.keys() and not self._broken(values) else None

    def _broken(self, values: Given) -> bool:
        """Whether a rule is; most requests send nothing that one is about."""
        if self._quiet and self._ruled.isdisjoint(values):
            return False
        sent = {self._names[attribute]: value for attribute, value in values.items()}
        return any(rule.broken(sent) for rule in self.rules)


def _rules_of(cls: type) -> tuple[Rule, ...]:
    """The rules of a class, those of its bases first."""
    return tuple(rule for base in reversed(cls.__mro__) for rule in vars(base).get("rules", ()))


class _CarefulReading(Generic[P]):
    """One reading in the order of the declarations that settles names which exist twice and finds every failure."""

    def __init__(self, plan: Binder[P], given: Given, stored: Given | None) -> None:
        self.plan = plan
        self.given = given
        self.stored = stored or {}
        self.failures: list[Failure] = []
        self.sent: dict[str, object] = {}
        self.spoken: dict[str, str] = {}

    def values(self) -> dict[str, object]:
        """The values by attribute, or Refused with every failure."""
        values = {field.attribute: value for field in self.plan.fields if (value := self._take(field)) is not ABSENT}
        for rule in self.plan.rules:
            self.failures += [self._as_spoken(rule, failure) for failure in rule.broken(self.sent)]
        if self.failures:
            raise Refused(*self.failures)
        return values

    def _take(self, field: Field) -> object:
        names = [name for name in field.names if name in self.given]
        if not names:
            self.failures += field.absent
            return ABSENT
        try:
            value = self._settle(field, names)
        except Refused as refused:
            self.failures += refused.failures
            self._note(field, names[0], None)
            return ABSENT
        if value is not ABSENT:
            self._note(field, names[0], value)
        return value

    def _note(self, field: Field, name: str, value: object) -> None:
        self.spoken[field.name] = name
        self.sent[field.name] = value

    def _settle(self, field: Field, names: list[str]) -> object:
        """The value under the one name that was sent, or of two the one that differs from what is stored."""
        values = [value for name in names if (value := self._read(field, name)) is not ABSENT] or [ABSENT]
        if _differ(values):
            values = [value for value in values if value != self._stored(field)]
        if _differ(values):
            names.sort(key=lambda name: name in NEUTRAL)
            raise Refused(Failure("are mutually exclusive", tuple((name,) for name in names)))
        return values[0]

    def _read(self, field: Field, name: str) -> object:
        try:
            return field.take(self.given[name])
        except Refused as refused:
            raise Refused(*(failure.under(name) for failure in refused.failures)) from None

    def _stored(self, field: Field) -> object:
        return next((self.stored[name] for name in field.names if name in self.stored), ABSENT)

    def _as_spoken(self, rule: Rule, failure: Failure) -> Failure:
        """A rule's failure under the names that the client used: its own, or the others where it used those."""
        foreign = any(self.spoken.get(name, name) != name for name in rule.names)

        def spoken(name: str) -> str:
            return self.spoken.get(name) or (twin_of(name) if foreign else None) or name

        return evolve(failure, paths=tuple((spoken(str(path[0])),) for path in failure.paths))


def _differ(values: list[object]) -> bool:
    return len(values) > 1 and values[0] != values[1]
