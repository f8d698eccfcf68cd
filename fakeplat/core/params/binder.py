"""Binding of parameters to an instance of their class.

A binder is compiled on a class's first use. The cost of binding depends on what was sent, not on what is declared.
"""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from attrs import evolve
from propcache.api import cached_property

from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.vendor_names import NEUTRAL, twin_of
from fakeplat.core.params.coercion import INVALID, Failure, Refused
from fakeplat.core.params.fields import ABSENT, Field, fields_of
from fakeplat.core.params.rules import Rule
from fakeplat.core.params.types import Schema
from fakeplat.core.release import EVERYTHING, Profile

P = TypeVar("P")
RawParams = Mapping[str, object]


class Binder(Generic[P]):
    """The compiled declarations of a Params class in a release."""

    def __init__(self, cls: type[P], profile: Profile = EVERYTHING) -> None:
        self.cls = cls
        self.fields = tuple(fields_of(cls, profile))
        self.rules = self._list_rules(profile)
        self.defaults = {field.name: field.default for field in self.fields if field.default not in (None, ABSENT)}
        self.absent = tuple(failure for field in self.fields for failure in field.absent)
        self._by_name = {name: field for field in self.fields for name in field.names}
        self._required = frozenset(field.attribute for field in self.fields if field.required)
        self._names = {field.attribute: field.name for field in self.fields}
        self._attributes_in_rules = frozenset(self._find_attributes_in_rules())
        self._empty_satisfies_rules = not any(rule.find_failures({}) for rule in self.rules)

    def _list_rules(self, profile: Profile) -> tuple[Rule, ...]:
        """Return the rules, those of the bases first, about the parameters that the release has."""
        declared_rules = [rule for base in reversed(self.cls.__mro__) for rule in vars(base).get("rules", ())]
        rules = [rule for rule in declared_rules if profile.has(rule.lifetime)]
        if not rules:
            return ()
        declared = {field.attribute: field.name for field in fields_of(self.cls, EVERYTHING)}
        known = {declared[field.attribute]: field.name for field in self.fields}
        for name in (name for rule in rules for name in rule.names if name not in declared.values()):
            raise TypeError(f"{self.cls.__name__} has a rule about {name}, which it does not declare")
        return tuple(rule.named(known) for rule in rules if not known.keys().isdisjoint(rule.names))

    def _find_attributes_in_rules(self) -> Iterator[str]:
        attributes = {field.name: field.attribute for field in self.fields}
        return (attributes[name] for rule in self.rules for name in rule.names)

    def bind(self, params: RawParams, stored: RawParams | None = None) -> P:
        """Return the parameters. InvalidParams lists all their errors.

        ``stored`` are the present values for an update. If a parameter was sent under both of its names, the one that
        differs from the present value counts.
        """
        try:
            return self._read(params, stored, at_root=True)
        except Refused as error:
            # Grape, too, reports each message only once.
            raise InvalidParams(*dict.fromkeys(map(str, error.failures))) from None

    def read(self, value: object) -> P:
        """Read the parameters from a nested hash."""
        if not isinstance(value, dict):
            raise Refused.with_text(INVALID)
        return self._read(value, None, at_root=False)

    def unknown(self, params: RawParams) -> list[str]:
        """Return the names of parameters that are not declared."""
        return [name for name in params if name not in self._by_name]

    def sent(self, params: RawParams) -> dict[str, object]:
        """Return the declared parameters, as they were sent."""
        return {name: value for name, value in params.items() if name in self._by_name}

    def schema(self) -> Schema:
        """Return the JSON Schema of a hash with all parameters."""
        schema: Schema = {"type": "object", "properties": {field.name: field.schema for field in self.fields}}
        required = [field.name for field in self.fields if field.required]
        return {**schema, "required": required} if required else schema

    @cached_property
    def _instance_without_params(self) -> P | None:
        """The shared instance without parameters; None if the class requires some."""
        return None if self._required or self._violates_rule({}) else self._create({})

    def _read(self, params: RawParams, stored: RawParams | None, *, at_root: bool) -> P:
        if not params and self._instance_without_params is not None:
            return self._instance_without_params
        values = self._read_fast(params)
        if values is None:
            values = _CarefulReading(self, params, stored, at_root=at_root).values()
        return self._create(values)

    def _create(self, values: dict[str, object]) -> P:
        # Defaults are attributes of the class; the instance gets only what was sent, past its own ban on assignments.
        instance = self.cls.__new__(self.cls)
        object.__setattr__(instance, "__dict__", values)
        return instance

    def _read_fast(self, params: RawParams) -> dict[str, object] | None:
        """Return the values in one pass over the parameters, or None if `_CarefulReading` is needed.

        That is the case for errors (which it reports completely) and for parameters sent under both of their names.
        """
        values: dict[str, object] = {}
        by_name = self._by_name
        try:
            for name, raw in params.items():
                field = by_name.get(name)
                if field is None:
                    continue
                # The parameter was also sent under its other name.
                if field.attribute in values:
                    return None
                value = None if raw is None else field.kind.read(raw)
                if value is None:
                    value = field.read_null()
                if value is not ABSENT:
                    values[field.attribute] = value
        except Refused:
            return None
        return values if self._required <= values.keys() and not self._violates_rule(values) else None

    def _violates_rule(self, values: RawParams) -> bool:
        """Return whether the values violate a rule."""
        # Most requests send no parameter that is part of a rule.
        if self._empty_satisfies_rules and self._attributes_in_rules.isdisjoint(values):
            return False
        sent = {self._names[attribute]: value for attribute, value in values.items()}
        return any(rule.find_failures(sent) for rule in self.rules)


class _CarefulReading(Generic[P]):
    """Reads parameters in the order of declaration, resolves those with two names, and collects every failure."""

    def __init__(self, binder: Binder[P], params: RawParams, stored: RawParams | None, *, at_root: bool) -> None:
        self.plan = binder
        self.params = params
        self.at_root = at_root
        self.stored = stored or {}
        self.failures: list[Failure] = []
        self.sent: dict[str, object] = {}
        self.sent_names: dict[str, str] = {}

    def values(self) -> dict[str, object]:
        """Return the values by attribute. Refused lists every failure."""
        values = {field.attribute: value for field in self.plan.fields if (value := self._take(field)) is not ABSENT}
        for rule in self.plan.rules:
            self.failures += [self._with_sent_names(rule, failure) for failure in rule.find_failures(self.sent)]
        if self.failures:
            raise Refused(*self.failures)
        return values

    def _take(self, field: Field) -> object:
        names = [name for name in field.names if name in self.params]
        if not names:
            self.failures += field.absent_at_root if self.at_root else field.absent
            return ABSENT
        try:
            value = self._resolve_names(field, names)
        except Refused as error:
            self.failures += error.failures
            # For rules, an invalid parameter was sent nonetheless, so it is not reported as missing as well.
            self._note(field, names[0], None)
            return ABSENT
        if value is not ABSENT:
            self._note(field, names[0], value)
        return value

    def _note(self, field: Field, name: str, value: object) -> None:
        self.sent_names[field.name] = name
        self.sent[field.name] = value

    def _resolve_names(self, field: Field, names: list[str]) -> object:
        """Return the value under the name that was sent; of two names, the one that differs from the stored value."""
        # Clients that send back a whole record send both names, the unchanged one with the old value.
        values = [value for name in names if (value := self._read(field, name)) is not ABSENT] or [ABSENT]
        if _differ(values):
            values = [value for value in values if value != self._stored_value(field)]
        if _differ(values):
            # The neutral name comes first, in whatever order the client sent the two.
            names.sort(key=lambda name: name in NEUTRAL)
            raise Refused(Failure("are mutually exclusive", tuple((name,) for name in names)))
        return values[0]

    def _read(self, field: Field, name: str) -> object:
        try:
            return field.read_value(self.params[name])
        except Refused as error:
            raise Refused(*(failure.with_prefix(name) for failure in error.failures)) from None

    def _stored_value(self, field: Field) -> object:
        return next((self.stored[name] for name in field.names if name in self.stored), ABSENT)

    def _with_sent_names(self, rule: Rule, failure: Failure) -> Failure:
        """Return a rule's failure with the names that the client used."""
        # If the client used the other name of a parameter, those that it did not send are also given their other name.
        uses_other_name = any(self.sent_names.get(name, name) != name for name in rule.names)

        def sent_name(name: str) -> str:
            return self.sent_names.get(name) or (twin_of(name) if uses_other_name else None) or name

        return evolve(failure, paths=tuple((sent_name(str(path[0])),) for path in failure.paths))


def _differ(values: list[object]) -> bool:
    return len(values) > 1 and values[0] != values[1]
