"""What a world is made from: one set of options for the command line, the control routes and the pytest plugin."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, cast

from attrs import field, fields, frozen

from fakeplat.core.clock import Kind
from fakeplat.core.stamps import moment, span
from fakeplat.model.instance import Instance
from fakeplat.workbench.bench import Bench

STARTER: Final = "starter"
CLOCKS: Final = ("real", "virtual", "auto")
INSTANCE_KEYS: Final = tuple(key.name for key in fields(Instance))


class UnusableOption(ValueError):
    """An option that does not exist, or a value that it cannot have."""


@frozen
class Options:
    """``clock`` is a kind, or a mapping of ``kind``, ``start`` (ISO 8601) and ``tick`` (ms or a span).

    Where no kind is said the scenario's counts, and where that says none either, ``usual``.
    """

    scenario: str | Path | Mapping[str, Any] = STARTER
    seed: int | None = None
    instance: Mapping[str, Any] = field(factory=dict)
    clock: str | Mapping[str, Any] = field(factory=dict)
    usual: Kind = "virtual"
    folders: Sequence[Path] = ()

    def bench(self) -> Bench:
        """A world of its own, made as the options say."""
        from fakeplat import scenario as scenarios  # the scenario room knows the workbench's worlds

        kind, start, tick = self._clock()
        found = scenarios.find(self.scenario, self.folders)
        base = scenarios.base(found, seed=self.seed, instance=_instance(self.instance), start=start)
        platform = base.platform(kind or base.kind or self.usual, tick)
        return Bench(platform, scenario=found.name, seed=platform.view.setup.seed)

    def _clock(self) -> tuple[Kind | None, str | None, int | None]:
        given = {"kind": self.clock} if isinstance(self.clock, str) else dict(self.clock)
        refuse_unknown(given, ("kind", "start", "tick"), "clock")
        kind, start, tick = given.get("kind"), given.get("start"), given.get("tick")
        if kind not in (None, *CLOCKS):
            raise UnusableOption(f"clock: {kind!r} is none of {', '.join(CLOCKS)}")
        try:
            return cast("Kind | None", kind), start if start is None or moment(str(start)) else None, _tick(tick)
        except (ValueError, TypeError) as error:
            raise UnusableOption(f"clock: {error}") from None


def _tick(tick: object) -> int | None:
    if tick is None or (isinstance(tick, int) and not isinstance(tick, bool)):
        return tick
    return span(str(tick))


def _instance(given: Mapping[str, Any]) -> Mapping[str, Any]:
    refuse_unknown(given, INSTANCE_KEYS, "instance")
    try:
        Instance(**given)
    except (TypeError, ValueError) as error:
        raise UnusableOption(f"instance: {error.args[0] if error.args else error}") from None
    return given


def refuse_unknown(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    """Refuse a key that does not exist, and name the nearest that does."""
    for name in given:
        if name not in known:
            near = get_close_matches(str(name), known, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
            raise UnusableOption(f"{where}: no key {name!r}{hint}")
