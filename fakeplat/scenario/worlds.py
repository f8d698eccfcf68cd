"""Worlds from scenarios. The world of a scenario is created once per process and then shared copy-on-write."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import orjson

from fakeplat.core.clock import START, Clock, Kind
from fakeplat.core.gc_pause import gc_paused
from fakeplat.core.schema.mistakes import Mistake
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.state import State
from fakeplat.core.timestamps import parse_duration
from fakeplat.domain import settings
from fakeplat.domain.people import tokens, users
from fakeplat.model.instance import Instance, Setup, replace_deprecated
from fakeplat.model.world import World, WorldDraft
from fakeplat.platform import Platform
from fakeplat.policy.context import ANONYMOUS, Services, WriteContext
from fakeplat.scenario.documents import Document, Scenario, get_scenario
from fakeplat.scenario.errors import ScenarioError
from fakeplat.scenario.loading import ScenarioData, fill, merge_maps, read, read_part
from fakeplat.scenario.sections.people.users import ROOT, default_identity
from fakeplat.scenario.world_keys import CLOCK, INSTANCE

_CACHED_WORLDS: Final = 64


@frozen
class BaseWorld:
    """The initial world of a scenario. ``start``, ``kind`` and ``tick`` (ms) are the settings of its clock."""

    state: State
    start: str | None = None
    kind: Kind | None = None
    tick: int = 1

    def platform(self, kind: Kind | None = None, tick: int | None = None) -> Platform:
        """Create a platform with its own copy of this world."""
        clock = Clock(kind or self.kind or "virtual", self.start, self.tick if tick is None else tick)
        state = self.state
        # Unlike roots and counters, the store of git objects grows in place, so each platform gets its own.
        return Platform(State(state.roots, state.counters, state.setup.with_own_store()), clock)


def base_world(
    scenario: Scenario,
    *,
    seed: int | None = None,
    instance: Mapping[str, object] | None = None,
    start: str | None = None,
) -> BaseWorld:
    """Return the world of a scenario; the arguments override its keys. ScenarioError if the scenario is invalid."""
    # The arguments of a cached function must be hashable, hence the instance as JSON.
    return _base(scenario, seed, orjson.dumps(instance or {}, default=str, option=orjson.OPT_SORT_KEYS), start)


def create_platform(
    scenario: Scenario,
    *,
    seed: int | None = None,
    instance: Mapping[str, object] | None = None,
    kind: Kind | None = None,
    start: str | None = None,
    tick: int | None = None,
) -> Platform:
    """Create a platform with the world of a scenario; the arguments override its keys."""
    return base_world(scenario, seed=seed, instance=instance, start=start).platform(kind, tick)


def check_file(path: Path, folders: Sequence[Path] = ()) -> list[Mistake]:
    """Return all mistakes in a scenario file."""
    try:
        check_scenario(get_scenario(path, folders))
    except ScenarioError as error:
        return list(error.mistakes)
    return []


def check_scenario(scenario: Scenario, instance: Mapping[str, object] | None = None) -> BaseWorld:
    """Return the world of a scenario, whose keys ``instance`` overrides; ScenarioError with all its mistakes."""
    # Past the cache, because a thorough check is slower and its world is not kept.
    return _create_base_world(scenario, None, orjson.dumps(instance or {}), None, thorough=True)


@lru_cache(_CACHED_WORLDS)
def _base(scenario: Scenario, seed: int | None, instance: bytes, start: str | None) -> BaseWorld:
    return _create_base_world(scenario, seed, instance, start)


def _create_base_world(
    scenario: Scenario, seed: int | None, instance: bytes, start: str | None, *, thorough: bool = False
) -> BaseWorld:
    with gc_paused():  # its records, and the modules that create them, live as long as the process
        return _create(scenario, seed, instance, start, thorough=thorough)


def _create(scenario: Scenario, seed: int | None, instance: bytes, start: str | None, *, thorough: bool) -> BaseWorld:
    contents = [read(document) for document in scenario.documents]
    clock = {**merge_maps(contents, "clock"), **read_part(CLOCK, {} if start is None else {"start": start}, "clock")}
    given = read_part(INSTANCE, orjson.loads(instance), "instance")
    setup = Setup(
        _create_instance(scenario.documents, contents, given),
        _last_value("seed", contents, 0) if seed is None else seed,
        scenario.name,
    )
    ctx = _create_initial_records(setup, clock.get("start", START))
    fill(ctx, scenario.documents, contents, thorough=thorough)
    state = ctx.world.frozen()
    for root in state.roots:
        root.share()
    return BaseWorld(state, clock.get("start"), clock.get("kind"), _tick_ms(clock.get("tick", 1)))


def _create_instance(
    documents: Sequence[Document], contents: Sequence[ScenarioData], given: Mapping[str, object]
) -> Instance:
    """Return the instance that documents and the keys given beside them describe; later keys override earlier ones."""
    keys: dict[str, Any] = {}
    origin: Document | None = None
    for document, content in zip(documents, contents, strict=True):
        where = "instance" if document.file is None else f"{document.file}: instance"
        keys |= replace_deprecated(content.get("instance", {}), where)
        origin = document if "version" in content.get("instance", {}) else origin
    try:
        return Instance(**{**keys, **replace_deprecated(given)})
    except ValueError as error:
        # Whether a release is too late depends on another key, which may be elsewhere.
        mistakes = [Mistake(str(error), ("instance", "version"))]
        raise ScenarioError(mistakes if origin is None or "version" in given else origin.located(mistakes)) from None


def _last_value(key: str, contents: Sequence[ScenarioData], default: int) -> int:
    return next((int(content[key]) for content in reversed(contents) if key in content), default)


def _tick_ms(tick: int | str) -> int:
    return parse_duration(tick) if isinstance(tick, str) else tick


def _create_initial_records(setup: Setup, start: str) -> WriteContext:
    """Create the records that every world has: the settings, the administrator and a paid tier's licence."""
    world = WorldDraft(World.empty_state(setup))
    ctx = WriteContext(world, ANONYMOUS, Services(Clock("virtual", start)))
    world.settings_table.add(settings.initial(setup.instance))
    credentials: dict[str, Any] = {**default_identity(ROOT), "username": ROOT, "name": "Administrator"}
    root = users.create(ctx, **credentials, admin=True, confirmed_at=ctx.now_iso)
    tokens.create(ctx, root, value=f"{ROOT}-token")
    if setup.instance.has("premium"):
        from fakeplat.domain.instance import licenses

        licenses.add_initial(ctx)
    return ctx
