"""Where payloads of an endpoint have the fields of alerts. Source: docs/platform/alerts.md ('Mappings')."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypedDict

from fakeplat.core.operations.vendor_names import vendor_name_of
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.alerts.alert_payload import ENVIRONMENT, Payload
from fakeplat.model.alerts import FieldType, PathSegment, PayloadMapping
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.features import has_feature

FIELDS: Final = (
    *("title", "description", "start_time", "end_time", "service", "monitoring_tool", "hosts", "severity"),
    *("fingerprint", ENVIRONMENT),
)
"""The fields that can be mapped."""
_TIME: Final = re.compile(r"^\d{4}", re.MULTILINE)


class MappingInput(TypedDict, total=False):
    """What users say of a mapping."""

    field_name: str
    path: list[PathSegment]
    type: FieldType
    label: str | None


@frozen
class PayloadField:
    """A value in an example that can be mapped."""

    path: tuple[PathSegment, ...]
    label: str
    type: FieldType


def are_available(world: World, project: Project) -> bool:
    """Return whether endpoints of a project can have mappings, which is a paid feature."""
    return has_feature(world, "premium", project)


def read_mappings(inputs: Iterable[MappingInput]) -> tuple[PayloadMapping, ...]:
    """Return mappings; of several ones of a field the last counts."""
    by_field = {
        given["field_name"]: PayloadMapping(
            given["field_name"], tuple(given["path"]), given["type"], given.get("label")
        )
        for given in inputs
    }
    return tuple(by_field.values())


def map_payload(mappings: Iterable[PayloadMapping], payload: Payload) -> Payload:
    """Return a payload with the mapped fields that it has, under their usual names."""
    values = {mapping.field_name: _dig(payload, mapping.path) for mapping in mappings}
    mapped = {name: value for name, value in values.items() if value is not None and value is not False}
    if ENVIRONMENT in mapped:
        # Both names of this field must agree.
        mapped[str(vendor_name_of(ENVIRONMENT))] = mapped[ENVIRONMENT]
    return {**payload, **mapped}


def _dig(value: Any, path: Iterable[PathSegment]) -> Any:
    for segment in path:
        if isinstance(value, Mapping):
            value = value.get(segment)
        elif isinstance(value, list) and isinstance(segment, int) and -len(value) <= segment < len(value):
            value = value[segment]
        else:
            return None
    return value


def list_fields(example: object) -> list[PayloadField]:
    """Return the values of an example that can be mapped: texts, times and arrays, those of nested ones first."""
    if not isinstance(example, Mapping):
        return []
    typed = ((path, _type_of(value)) for path, value in _walk(example))
    return [PayloadField(path, _label(path), type_) for path, type_ in typed if type_ is not None]


def _walk(example: Mapping[str, Any]) -> Iterator[tuple[tuple[PathSegment, ...], Any]]:
    waiting: list[tuple[tuple[PathSegment, ...], Any]] = [((key,), value) for key, value in example.items()]
    while waiting:
        path, value = waiting.pop(0)
        inner: list[tuple[PathSegment, Any]] = []
        if isinstance(value, Mapping):
            inner = list(value.items())
        else:
            yield path, value
            inner = list(enumerate(value)) if isinstance(value, list) else []
        # What is inside comes next, the last one first.
        waiting[:0] = [((*path, key), each) for key, each in reversed(inner)]


def _type_of(value: object) -> FieldType | None:
    if isinstance(value, list):
        return "array"
    if isinstance(value, str):
        return "datetime" if _TIME.search(value) else "string"
    return None


def _label(path: tuple[PathSegment, ...]) -> str:
    """Return ``alerts[0]/name`` for a path."""
    first, *rest = path
    return str(first) + "".join(f"[{part}]" if isinstance(part, int) else f"/{part}" for part in rest)
