"""What a scenario names that the release of its world lacks: records, keys of their entries, values and settings.

A section is in the releases that have an operation for its records. A key is in those that show it as a field of the
records, or read it as a parameter for them.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.params.fields import Declaration, declarations_of
from fakeplat.core.release import ALWAYS, Lifetime, Profile, RenamedFrom, profile_of
from fakeplat.core.schema.mistakes import JsonPath, Mistake
from fakeplat.model.instance import Instance
from fakeplat.model.setting_rules import declared_settings
from fakeplat.scenario import Scenario
from fakeplat.scenario.lazy_sections import sections_within
from fakeplat.scenario.section import SCENARIO, Section

_SCOPES: Final = {"project": "/projects/:", "group": "/groups/:"}


def list_lacking(scenario: Scenario, instance: Instance) -> list[Mistake]:
    """Return what the documents of a scenario name and the release of an instance lacks, with files and lines."""
    profile = profile_of(instance.release)
    return [
        mistake
        for document in scenario.documents
        for mistake in document.located([*_Check(profile, instance.version).walk(document.data, SCENARIO, ())])
    ]


class _Check(NamedTuple):
    """A walk through the entries of a document."""

    profile: Profile
    version: str

    def walk(self, values: Mapping[str, Any], kind: str, path: JsonPath) -> Iterator[Mistake]:
        """Yield what is lacking in an entry of a kind, or in the document."""
        if kind == SCENARIO:
            yield from self._check_settings(values.get("settings") or {})
        known = sections_within(kind)
        for key in values.keys() & known.keys():
            yield from self._check_section(known[key].load(), kind, values[key], (*path, key))

    def _check_settings(self, values: Mapping[str, object]) -> Iterator[Mistake]:
        lifetimes = _lifetimes_of_settings()
        for key in values:
            yield from self._check(key, [lifetimes.get(key, ALWAYS)], ("settings", key))

    def _check_section(self, section: Section, owner: str, entries: object, path: JsonPath) -> Iterator[Mistake]:
        operations = _list_operations(section.record, _SCOPES.get(owner, ""))
        missing = [*self._check(section.key, [each.lifetime for each in operations], path)]
        if missing:
            yield from missing
            return
        shown, read = _lifetimes_of_fields(section.record), _declared_parameters(section.record)
        for entry, step in _list_entries(section, entries):
            for key, value in entry.items():
                lifetimes = shown.get(key) or [declared.lifetime for declared in read.get(key, ())]
                yield from self._check(key, lifetimes, (*path, *step, key))
                yield from self._check_value(key, value, read.get(key, ()), (*path, *step, key))
            yield from self.walk(entry, section.kind, (*path, *step))

    def _check_value(
        self, key: str, value: object, parameters: Iterable[Declaration], path: JsonPath
    ) -> Iterator[Mistake]:
        of_value = [[each for each in declared.of_values if value in each.values] for declared in parameters]
        if all(of_value):
            yield from self._check(f"{key}={value}", [each for found in of_value for each in found], path)

    def _check(self, name: str, lifetimes: list[Lifetime], path: JsonPath) -> Iterator[Mistake]:
        """Yield what is lacking if none of some lifetimes has the release."""
        if lifetimes and not any(map(self.profile.has, lifetimes)):
            lifetime = min(lifetimes, key=lambda each: (each.start, -each.end[0], -each.end[1]))
            yield Mistake(f"{name} exists {lifetime}; this world is {self.version}", path)


def _list_entries(section: Section, entries: object) -> Iterator[tuple[Mapping[str, Any], JsonPath]]:
    """Yield the entries of a section that are maps, each with its path below the section's key."""
    if section.single and isinstance(entries, Mapping):
        yield entries, ()
    elif isinstance(entries, list):
        yield from ((entry, (index,)) for index, entry in enumerate(entries) if isinstance(entry, Mapping))


@cache
def _list_operations(record: type | None, scope: str) -> tuple[Operation, ...]:
    """Return the operations that show records, of a scope if some are."""
    OPERATIONS.load_all()
    found = [each for each in OPERATIONS if any(view.record_class is record for view in each.views)] if record else []
    return tuple([each for each in found if scope in each.path] or found)


@cache
def _lifetimes_of_fields(record: type | None) -> Mapping[str, list[Lifetime]]:
    lifetimes: dict[str, list[Lifetime]] = {}
    for operation in _list_operations(record, ""):
        for view in operation.views:
            if view.record_class is record:
                for name, field in view.fields.items():
                    lifetimes.setdefault(name, []).append(field.lifetime)
    return lifetimes


@cache
def _declared_parameters(record: type | None) -> Mapping[str, list[Declaration]]:
    parameters: dict[str, list[Declaration]] = {}
    for operation in _list_operations(record, ""):
        if operation.method in ("POST", "PUT"):
            for declared in declarations_of(operation.params):
                parameters.setdefault(declared.name, []).append(declared)
    return parameters


@cache
def _lifetimes_of_settings() -> Mapping[str, Lifetime]:
    lifetimes = {setting.scenario_key: setting.lifetime for setting in declared_settings().values()}
    for setting in declared_settings().values():
        if (renamed := setting.find(RenamedFrom)) is not None:
            lifetimes |= renamed.lifetimes(setting.scenario_key)
    return lifetimes
