"""Export of a world as a scenario. In a world loaded from it, every GET has the same response, except for ids."""

from collections.abc import Iterator
from typing import Any, Final

from fakeplat.core.timestamps import to_iso
from fakeplat.domain.registry.container_repositories import path_of
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.scenario.lazy_sections import sections_within
from fakeplat.scenario.section import SCENARIO, EntryData, Section
from fakeplat.scenario.sections.serialization import MAX_CONTENT
from fakeplat.scenario.settings import export_settings
from fakeplat.scenario.world_keys import FORMAT

_CHANCE: Final = "chance"
LEFT_OUT: Final = "x-left-out"
"""The key of an export that names what it does not contain."""


def export_world(source: Platform | World, now: int | None = None) -> dict[str, Any]:
    """Return a world as a scenario. The clock starts at the time of the platform, or at ``now`` (ms) for a world."""
    if isinstance(source, World):
        return {
            **_serialize_setup(source),
            **({} if now is None else {"clock": {"start": to_iso(now)}}),
            **_serialize_records(source),
        }
    with source.lock:
        # Tasks that are due run first, because scheduled tasks are not part of a scenario.
        source.catch_up()
        clock = {"start": to_iso(source.clock.now()), "tick": source.clock.tick}
        return {**_serialize_setup(source.view), "clock": clock, **_serialize_records(source.view)}


def _serialize_setup(world: World) -> dict[str, Any]:
    setup = world.setup
    instance = setup.instance.list_changes()
    return {"scenario": FORMAT, **({"instance": instance} if instance else {}), "seed": setup.seed}


def _serialize_records(world: World) -> dict[str, Any]:
    counters = dict(sorted(_random_counters(world)))
    head = {"settings": export_settings(world), _CHANCE: counters}
    records = {**{name: value for name, value in head.items() if value}, **_export_sections(world, SCENARIO, None)}
    left_out = sorted(_list_left_out(world))
    return {**records, LEFT_OUT: left_out} if left_out else records


def _list_left_out(world: World) -> Iterator[str]:
    """Yield which contents are too large for a scenario."""
    limit = f"{MAX_CONTENT >> 20} MiB at most"
    for file in world.package_files:
        if file.size > MAX_CONTENT and any(file.content):
            package = world.packages[file.package_id]
            yield f"the content of {file.file_name} of the package {package.name}: {file.size} bytes, {limit}"
    repositories = {blob.repository_id for blob in world.image_blobs if len(blob.content) > MAX_CONTENT}
    for id_ in repositories:
        path = path_of(world, world.container_repositories[id_])
        yield f"the images of {path}: a layer has more than {MAX_CONTENT >> 20} MiB"


def _random_counters(world: World) -> Iterator[tuple[str, int]]:
    """Yield how many random values were drawn, by purpose, so that a loaded world continues with new ones."""
    for key, count in world.state.counters.items():
        if isinstance(key, tuple) and key[0] == _CHANCE:
            yield str(key[1]), count


def _export_sections(world: World, kind: str, owner: object) -> dict[str, Any]:
    sections_data: dict[str, Any] = {}
    for lazy_section in sections_within(kind).values():
        section = lazy_section.load()
        exported = section.export(world, owner)
        if exported is not None:
            entries = [{**entry, **_export_sections(world, section.kind, record)} for record, entry in exported]
            # A section with a single entry exports a list with just this one.
            sections_data[section.key] = entries[0] if section.single else _shorten(section, entries)
    return sections_data


def _shorten(section: Section, entries: list[EntryData]) -> list[EntryData] | dict[str, Any]:
    """Return a map of names to values if the entries contain nothing else."""
    pair = {section.name_key, section.value_key}
    if section.value_key and entries and all(entry.keys() == pair for entry in entries):
        return {entry[section.name_key]: entry[section.value_key] for entry in entries}
    return entries
