"""The view of the application settings, which follows their declarations. Source: docs/platform/settings.md."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, cast

from fakeplat.core import durations
from fakeplat.core.operations.entity import Entity, Field, json_type
from fakeplat.core.operations.vendor_names import NEUTRAL
from fakeplat.core.release import ALWAYS
from fakeplat.domain import settings
from fakeplat.model.setting_rules import Composite, Lines, Setting, declared_settings
from fakeplat.model.settings import Settings

Condition = Callable[[Entity[Any]], bool]
_UNITS: Final = (
    ("y", durations.YEAR),
    ("mo", durations.MONTH),
    ("d", durations.DAY),
    ("h", durations.HOUR),
    ("m", durations.MINUTE),
    ("s", 1),
)


def _fields() -> Iterator[tuple[str, Field]]:
    yield "id", Field(lambda view: view.record.id, int, None, ALWAYS)
    for setting in declared_settings().values():
        if not (setting.is_local or setting.is_secret):
            yield from _fields_of(setting)


def _fields_of(setting: Setting) -> Iterator[tuple[str, Field]]:
    condition = _condition(setting)
    lines: Lines | None = setting.find(Lines)
    if not (lines and lines.only):
        for name, lifetime in setting.names.items():
            # A view has the neutral names, to which rendering adds those of the vendor.
            yield NEUTRAL.get(name, name), Field(_reader(setting), json_type(setting.kind), condition, lifetime)
    for name, lifetime in setting.names_as_text.items():
        yield name, Field(_lines_reader(setting.name), str | None, condition, lifetime)


def _condition(setting: Setting) -> Condition | None:
    return (lambda view: setting.is_in(view.ctx.instance)) if setting.tier else None


def _reader(setting: Setting) -> Callable[[Any], Any]:
    name = setting.name
    if name in _SPECIAL:
        return _SPECIAL[name]
    composite: Composite | None = setting.find(Composite)
    if composite:
        return partial(_read_composite, name, composite.members)
    return _ids_reader(setting) if setting.identifies else lambda view: getattr(view.record, name)


def _read_composite(name: str, members: Mapping[str, str], view: Entity[Settings]) -> dict[str, Any]:
    changed = view.record.changed
    own: Mapping[str, Any] = getattr(view.record, name)
    return {**own, **{key: changed[member] for key, member in members.items() if member in changed}}


def _ids_reader(setting: Setting) -> Callable[[Any], Any]:
    def read(view: Entity[Settings]) -> Any:
        ids = settings.existing_ids(view.ctx.world, setting.identifies, getattr(view.record, setting.name))
        return ids if setting.is_list else next(iter(ids), None)

    return read


def _lines_reader(name: str) -> Callable[[Any], str | None]:
    def read(view: Entity[Settings]) -> str | None:
        values = getattr(view.record, name)
        return None if values is None else "\n".join(values)

    return read


def _archiving(view: Entity[Settings]) -> str | None:
    seconds = durations.parse_seconds(view.record.archive_builds_in_human_readable)
    return None if seconds is None else format_short(seconds)


def format_short(seconds: int) -> str:
    """Return a duration with abbreviated units: ``1mo 15d``."""
    parts = []
    for unit, length in _UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts)


def _commit_email_hostname(view: Entity[Settings]) -> str:
    return settings.commit_email_hostname(view.ctx)


def _default_branch_protection(view: Entity[Settings]) -> Mapping[str, Any]:
    return settings.default_branch_protection(view.record)


_SPECIAL: Final[dict[str, Callable[[Any], Any]]] = {
    "archive_builds_in_human_readable": _archiving,
    "commit_email_hostname": _commit_email_hostname,
    "default_branch_protection_defaults": _default_branch_protection,
}

SettingsView: Final = cast(
    type[Entity[Settings]],
    type("SettingsView", (Entity,), {"__doc__": "The application settings, for administrators.", **dict(_fields())}),
)
