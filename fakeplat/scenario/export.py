"""A world as a scenario: loaded again, every GET answers the same, ids apart."""

from collections.abc import Iterator
from typing import Any, Final

from attrs import fields as attrs_fields

from fakeplat.core.timestamps import to_iso
from fakeplat.domain import settings
from fakeplat.model.instance import Instance
from fakeplat.model.settings import Settings
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.scenario import sections  # noqa: F401  # registers the sections
from fakeplat.scenario.section import SCENARIO, Section, Told, sections_within

_CHANCE: Final = "chance"


def export_world(source: Platform | World, now: int | None = None) -> dict[str, Any]:
    """What a world holds, as a scenario. A platform's clock goes on where it stands, a world's at ``now`` (ms)."""
    if isinstance(source, World):
        return {**_head(source), **({} if now is None else {"clock": {"start": to_iso(now)}}), **_body(source)}
    with source.lock:
        source.catch_up()
        clock = {"start": to_iso(source.clock.now()), "tick": source.clock.tick}
        return {**_head(source.view), "clock": clock, **_body(source.view)}


def _head(world: World) -> dict[str, Any]:
    setup = world.setup
    instance = _differences(setup.instance, Instance())
    return {**({"instance": instance} if instance else {}), "seed": setup.seed}


def _body(world: World) -> dict[str, Any]:
    given = _differences(world.settings, settings.initial(world.instance))
    drawn = dict(sorted(_drawn(world)))
    head = {"settings": given, _CHANCE: drawn}
    return {**{name: value for name, value in head.items() if value}, **_told(world, SCENARIO, None)}


def _drawn(world: World) -> Iterator[tuple[str, int]]:
    """How often chance was drawn, by purpose: what is drawn later must be new."""
    for key, count in world.state.counters.items():
        if isinstance(key, tuple) and key[0] == _CHANCE:
            yield str(key[1]), count


def _differences(record: Instance | Settings, usual: Instance | Settings) -> dict[str, Any]:
    values = {field.name: getattr(record, field.name) for field in attrs_fields(type(record))}
    changed = {name: value for name, value in values.items() if value != getattr(usual, name)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in changed.items()}


def _told(world: World, kind: str, owner: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for section in sections_within(kind):
        told = section.tell(world, owner)
        if told is not None:
            entries = [{**entry, **_told(world, section.kind, record)} for record, entry in told]
            found[section.key] = entries[0] if section.single else _shortened(section, entries)
    return found


def _shortened(section: Section, entries: list[Told]) -> list[Told] | dict[str, Any]:
    """A map of names to values where the entries say nothing else."""
    pair = {section.named, section.value}
    if section.value and entries and all(entry.keys() == pair for entry in entries):
        return {entry[section.named]: entry[section.value] for entry in entries}
    return entries
