"""Worlds from scenarios: each is made once per process and forked afterwards."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import orjson

from fakeplat.core.bulk import no_collection
from fakeplat.core.cache.kept import Kept
from fakeplat.core.clock import START, Clock, Kind
from fakeplat.core.operations.limits import Limiter
from fakeplat.core.stamps import span
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.state import State
from fakeplat.domain import settings
from fakeplat.domain.people import tokens, users
from fakeplat.model.instance import Instance, Setup
from fakeplat.model.world import World, WorldDraft
from fakeplat.platform import Platform
from fakeplat.policy.context import Doing
from fakeplat.scenario.finding import Scenario, find
from fakeplat.scenario.head import CLOCK, INSTANCE
from fakeplat.scenario.loading import Said, fill, merged, read, read_part
from fakeplat.scenario.mistakes import Mistake, ScenarioError
from fakeplat.scenario.sections.users import ROOT, named_after

_KEPT: Final = 64


@frozen
class Base:
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


def base(
    scenario: Scenario,
    *,
    seed: int | None = None,
    instance: Mapping[str, Any] | None = None,
    start: str | None = None,
) -> Base:
    """The world that a scenario makes; what is given here beats what it says. ScenarioError if it makes none."""
    return _base(scenario, seed, orjson.dumps(instance or {}, default=str, option=orjson.OPT_SORT_KEYS), start)


def platform(
    scenario: Scenario,
    *,
    seed: int | None = None,
    instance: Mapping[str, Any] | None = None,
    kind: Kind | None = None,
    start: str | None = None,
    tick: int | None = None,
) -> Platform:
    """A platform with a scenario's world; what is given here beats what it says."""
    return base(scenario, seed=seed, instance=instance, start=start).platform(kind, tick)


def check(path: Path, folders: Sequence[Path] = ()) -> list[Mistake]:
    """All that is wrong with a scenario file."""
    try:
        _made(find(path, folders), None, b"{}", None, thorough=True)
    except ScenarioError as error:
        return list(error.mistakes)
    return []


@lru_cache(_KEPT)
def _base(scenario: Scenario, seed: int | None, instance: bytes, start: str | None) -> Base:
    return _made(scenario, seed, instance, start)


def _made(scenario: Scenario, seed: int | None, instance: bytes, start: str | None, *, thorough: bool = False) -> Base:
    said = [read(document) for document in scenario.documents]
    clock = {**merged(said, "clock"), **read_part(CLOCK, {} if start is None else {"start": start}, "clock")}
    given = {**merged(said, "instance"), **read_part(INSTANCE, orjson.loads(instance), "instance")}
    setup = Setup(Instance(**given), _last("seed", said, 0) if seed is None else seed, scenario.name)
    doing = _beginning(setup, clock.get("start", START))
    with no_collection():  # the world stays
        fill(doing, scenario.documents, said, thorough=thorough)
    return Base(doing.world.frozen(), clock.get("start"), clock.get("kind"), _ms(clock.get("tick", 1)))


def _last(key: str, said: Sequence[Said], otherwise: int) -> int:
    return next((int(one[key]) for one in reversed(said) if key in one), otherwise)


def _ms(tick: int | str) -> int:
    return span(tick) if isinstance(tick, str) else tick


def _beginning(setup: Setup, start: str) -> Doing:
    """What is in every world: settings and the administrator."""
    world = WorldDraft(World.nothing(setup))
    doing = Doing(world, clock=Clock("virtual", start), fragments=Kept(), limiter=Limiter())
    world.settings_table.add(settings.initial(setup.instance))
    given = {**named_after(ROOT), "username": ROOT, "name": "Administrator"}
    root = users.create(doing, **given, admin=True, confirmed_at=doing.instant)
    tokens.create(doing, root, value=f"{ROOT}-token")
    return doing
