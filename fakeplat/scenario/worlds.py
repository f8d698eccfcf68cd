"""Worlds from scenarios: each is made once per process and forked afterwards."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import orjson
from attrs import frozen

from fakeplat.core.clock import START, Clock, Kind
from fakeplat.core.kept import Kept
from fakeplat.core.limits import Limiter
from fakeplat.core.stamps import span
from fakeplat.core.state import State
from fakeplat.domain import settings, tokens, users
from fakeplat.model.instance import Instance, Setup
from fakeplat.model.world import World, WorldDraft
from fakeplat.platform import Platform
from fakeplat.policy.context import Doing
from fakeplat.scenario import sections  # noqa: F401  # registers the sections
from fakeplat.scenario.finding import Document, Reference, Scenario, find
from fakeplat.scenario.head import CLOCK, FIXED, INSTANCE, LOCKS, document_keys
from fakeplat.scenario.mistakes import JsonPath, Mistake, ScenarioError
from fakeplat.scenario.sections.users import named_after
from fakeplat.scenario.seeding import Seeding
from fakeplat.scenario.shapes import Found, Keys

ROOT: Final = "root"
_KEPT: Final = 64

Said = dict[str, Any]


@frozen
class Base:
    """A world as its scenario makes it. ``start``, ``kind`` and ``tick`` are what is said of its clock."""

    state: State
    start: str | None = None
    kind: Kind | None = None
    tick: int = 1

    def platform(self, kind: Kind | None = None, tick: int | None = None) -> Platform:
        """A platform of its own that begins here."""
        clock = Clock(kind or self.kind or "virtual", self.start, self.tick if tick is None else tick)
        return Platform(self.state, clock)


def base(
    scenario: Scenario,
    *,
    seed: int | None = None,
    instance: Mapping[str, Any] | None = None,
    start: str | None = None,
) -> Base:
    """The world that a scenario makes; what is given here beats what it says. ScenarioError if it makes none."""
    return _base(scenario, seed, orjson.dumps(instance or {}, option=orjson.OPT_SORT_KEYS), start)


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
        base(find(path, folders))
    except ScenarioError as error:
        return list(error.mistakes)
    return []


def load(platform: Platform, fragment: Reference, folders: Sequence[Path] = ()) -> None:
    """Add to a living world what a piece of a scenario says: all of it, or with a ScenarioError nothing.

    What is named and there already is changed. Nothing of it counts as having happened, so nobody is told.
    """
    documents = find(fragment, folders).documents
    said = [_read(document, fixed=FIXED) for document in documents]
    with platform.acting() as doing:
        _fill(doing, documents, said)
        doing.events.clear()


@lru_cache(_KEPT)
def _base(scenario: Scenario, seed: int | None, instance: bytes, start: str | None) -> Base:
    said = [_read(document) for document in scenario.documents]
    given = _checked(INSTANCE, orjson.loads(instance), "instance")
    chosen = _checked(CLOCK, {} if start is None else {"start": start}, "clock")
    clock = {**_merged(said, "clock"), **chosen}
    setup = Setup(
        Instance(**{**_merged(said, "instance"), **given}),
        next((number for number in (seed, *[one.get("seed") for one in reversed(said)]) if number is not None), 0),
        scenario.name,
    )
    doing = _doing(setup, clock.get("start"))
    _begin(doing)
    _fill(doing, scenario.documents, said)
    tick = clock.get("tick", 1)
    return Base(
        doing.world.frozen(), clock.get("start"), clock.get("kind"), span(tick) if isinstance(tick, str) else tick
    )


def _read(document: Document, fixed: Sequence[str] = ()) -> Said:
    """What a document says, if nothing is wrong with its form."""
    found: Found = []
    try:
        said = document_keys().read({} if document.data is None else document.data, (), found)
    except RecursionError:
        raise ScenarioError(document.located([Mistake("goes round in a circle")])) from None
    if not found:
        found.extend(Mistake(f"a living world keeps its {name}", (name,)) for name in fixed if name in said)
    if found:
        raise ScenarioError(document.located(found))
    return dict(said)


def _checked(keys: Keys, given: Said, name: str) -> Said:
    found: Found = []
    path: JsonPath = (name,)
    checked: Said = keys.read(given, path, found)
    if found:
        raise ScenarioError(found)
    return checked


def _merged(said: Sequence[Said], key: str) -> Said:
    """The maps that documents have under a key: the later one's values win."""
    return {name: value for one in said for name, value in one.get(key, {}).items()}


def _doing(setup: Setup, start: str | None) -> Doing:
    world = WorldDraft(World.nothing(setup))
    return Doing(world, clock=Clock("virtual", start or START), fragments=Kept(), limiter=Limiter())


def _begin(doing: Doing) -> None:
    """What is in every world: settings and the administrator."""
    doing.world.settings_table.add(settings.initial(doing.instance))
    given = {**named_after(ROOT), "username": ROOT, "name": "Administrator"}
    root = users.create(doing, **given, admin=True, confirmed_at=doing.instant)
    tokens.create(doing, root, value=f"{ROOT}-token")


def _fill(doing: Doing, documents: Sequence[Document], said: Sequence[Said]) -> None:
    """Do what documents say; what forbids things that may be there comes last."""
    table, given = doing.world.settings_table, _merged(said, "settings")
    table.change(doing.world.settings, **{name: value for name, value in given.items() if name not in LOCKS})
    seeding = Seeding(doing, said)
    seeding.run()
    mistakes = zip(documents, seeding.mistakes, strict=True)
    wrong = [mistake for document, found in mistakes for mistake in document.located(found)]
    if wrong:
        raise ScenarioError(wrong)
    table.change(doing.world.settings, **{name: value for name, value in given.items() if name in LOCKS})
    for purpose, count in _merged(said, "chance").items():
        doing.world.raise_to(count, "chance", purpose)
