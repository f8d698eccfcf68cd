"""Worlds from scenarios: each is made once per process and forked afterwards."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import orjson

from fakeplat.core.cache.entries import Cache
from fakeplat.core.clock import START, Clock, Kind
from fakeplat.core.gc_pause import gc_paused
from fakeplat.core.operations.limits import RateLimiter
from fakeplat.core.schema.mistakes import Mistake
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.state import State
from fakeplat.core.timestamps import parse_duration
from fakeplat.domain import settings
from fakeplat.domain.people import tokens, users
from fakeplat.model.instance import Instance, Setup
from fakeplat.model.world import World, WorldDraft
from fakeplat.platform import Platform
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.documents import Scenario, find_scenario
from fakeplat.scenario.errors import ScenarioError
from fakeplat.scenario.loading import Said, fill, merge_maps, read, read_part
from fakeplat.scenario.sections.users import ROOT, named_after
from fakeplat.scenario.world_keys import CLOCK, INSTANCE

_KEPT: Final = 64


@frozen
class BaseWorld:
    """A world as its scenario makes it. ``start``, ``kind`` and ``tick`` (ms) are what is said of its clock."""

    state: State
    start: str | None = None
    kind: Kind | None = None
    tick: int = 1

    def platform(self, kind: Kind | None = None, tick: int | None = None) -> Platform:
        """A platform of its own that begins here."""
        clock = Clock(kind or self.kind or "virtual", self.start, self.tick if tick is None else tick)
        state = self.state
        return Platform(State(state.roots, state.counters, state.setup.for_one_world()), clock)


def base_world(
    scenario: Scenario,
    *,
    seed: int | None = None,
    instance: Mapping[str, Any] | None = None,
    start: str | None = None,
) -> BaseWorld:
    """The world that a scenario makes; what is given here beats what it says. ScenarioError if it makes none."""
    return _base(scenario, seed, orjson.dumps(instance or {}, default=str, option=orjson.OPT_SORT_KEYS), start)


def create_platform(
    scenario: Scenario,
    *,
    seed: int | None = None,
    instance: Mapping[str, Any] | None = None,
    kind: Kind | None = None,
    start: str | None = None,
    tick: int | None = None,
) -> Platform:
    """A platform with a scenario's world; what is given here beats what it says."""
    return base_world(scenario, seed=seed, instance=instance, start=start).platform(kind, tick)


def check_file(path: Path, folders: Sequence[Path] = ()) -> list[Mistake]:
    """All that is wrong with a scenario file."""
    try:
        _made(find_scenario(path, folders), None, b"{}", None, thorough=True)
    except ScenarioError as error:
        return list(error.mistakes)
    return []


@lru_cache(_KEPT)
def _base(scenario: Scenario, seed: int | None, instance: bytes, start: str | None) -> BaseWorld:
    return _made(scenario, seed, instance, start)


def _made(
    scenario: Scenario, seed: int | None, instance: bytes, start: str | None, *, thorough: bool = False
) -> BaseWorld:
    said = [read(document) for document in scenario.documents]
    clock = {**merge_maps(said, "clock"), **read_part(CLOCK, {} if start is None else {"start": start}, "clock")}
    given = {**merge_maps(said, "instance"), **read_part(INSTANCE, orjson.loads(instance), "instance")}
    setup = Setup(Instance(**given), _last("seed", said, 0) if seed is None else seed, scenario.name)
    doing = _beginning(setup, clock.get("start", START))
    with gc_paused():  # the world stays
        fill(doing, scenario.documents, said, thorough=thorough)
    return BaseWorld(doing.world.frozen(), clock.get("start"), clock.get("kind"), _ms(clock.get("tick", 1)))


def _last(key: str, said: Sequence[Said], otherwise: int) -> int:
    return next((int(one[key]) for one in reversed(said) if key in one), otherwise)


def _ms(tick: int | str) -> int:
    return parse_duration(tick) if isinstance(tick, str) else tick


def _beginning(setup: Setup, start: str) -> WriteContext:
    """What is in every world: settings and the administrator."""
    world = WorldDraft(World.nothing(setup))
    doing = WriteContext(world, clock=Clock("virtual", start), fragments=Cache(), limiter=RateLimiter())
    world.settings_table.add(settings.initial(setup.instance))
    given = {**named_after(ROOT), "username": ROOT, "name": "Administrator"}
    root = users.create(doing, **given, admin=True, confirmed_at=doing.now_iso)
    tokens.create(doing, root, value=f"{ROOT}-token")
    return doing
