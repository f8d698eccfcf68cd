"""The options of a world, shared by the command line, the control routes and the pytest plugin."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import orjson
from attrs import field, fields

from fakeplat.core.clock import Kind, check_time
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import MAX_DURATION, from_iso, parse_duration
from fakeplat.model.instance import Instance, replace_deprecated
from fakeplat.platform import Platform
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.keywords import InvalidOption, refuse_unknown

if TYPE_CHECKING:
    from fakeplat.scenario import Scenario

STARTER: Final = "starter"
ROOT_TOKEN: Final = "root-token"
"""The token of the administrator in the built-in scenarios."""
CLOCKS: Final = ("real", "virtual", "auto")
_MAX_PORT: Final = 65535
INSTANCE_KEYS: Final = (*(key.name for key in fields(Instance) if key.init), "newer")
_TEXT_KEYS: Final = frozenset(key.name for key in fields(Instance) if key.type is str)


@frozen
class Options:
    """The options of a world.

    ``clock`` is a kind, or a mapping of ``kind``, ``start`` (ISO 8601) and ``tick`` (ms or a duration). Without a kind
    that of the scenario is used, and without one there, ``usual``. With ``explain``, every refusal carries its reason
    in a header; with ``allow_egress``, webhooks are sent to other machines too. ``faults`` and ``pipelines`` are
    declarations, see `workbench.faults` and `workbench.played_jobs`.
    """

    scenario: "str | Path | Mapping[str, Any] | Scenario" = STARTER
    seed: int | None = None
    instance: Mapping[str, object] = field(factory=dict)
    clock: str | Mapping[str, object] = field(factory=dict)
    usual: Kind = "virtual"
    folders: Sequence[Path] = ()
    explain: bool = False
    allow_egress: bool = False
    faults: Sequence[Mapping[str, object]] = ()
    pipelines: Sequence[Mapping[str, object]] = ()

    def bench(self) -> Workbench:
        """Create a world from the options."""
        from fakeplat import scenario as scenarios  # imported here because scenarios import the workbench

        _check_seed(self.seed)
        kind, start, tick = self._parse_clock()
        source = self.scenario
        scenario = source if isinstance(source, scenarios.Scenario) else scenarios.get_scenario(source, self.folders)
        base = scenarios.base_world(scenario, seed=self.seed, instance=check_instance(self.instance), start=start)
        platform = base.platform(kind or base.kind or self.usual, tick)
        platform.explains = self.explain
        self._declare_outcomes(platform)
        bench = Workbench(
            platform, scenario=scenario.name, seed=platform.view.setup.seed, allows_egress=self.allow_egress
        )
        for fault in self.faults:
            bench.interceptors.faults.add(fault)
        return bench

    def _declare_outcomes(self, platform: Platform) -> None:
        if self.pipelines:
            from fakeplat.workbench.played_jobs import PlayedJobs

            for declaration in self.pipelines:
                PlayedJobs(platform).add(declaration)

    def _parse_clock(self) -> tuple[Kind | None, str | None, int | None]:
        clock: dict[str, Any] = {"kind": self.clock} if isinstance(self.clock, str) else dict(self.clock)
        refuse_unknown(clock, ("kind", "start", "tick"), "clock")
        kind, start, tick = clock.get("kind"), clock.get("start"), clock.get("tick")
        if kind not in (None, *CLOCKS):
            raise InvalidOption(f"clock: kind must be one of {', '.join(CLOCKS)}, not {kind!r}")
        try:
            if start is not None:
                check_time(from_iso(str(start)))
            return cast("Kind | None", kind), start, _parse_tick(tick)
        except (ValueError, TypeError) as error:
            raise InvalidOption(f"clock: {error}") from None


def parse_option(name: str, text: str) -> Any:
    """Return the value of an option that is written as text: as JSON, as True or False, or else the text itself."""
    try:
        value = orjson.loads(text.lower() if text in ("True", "False") else text)
    except orjson.JSONDecodeError:
        return text
    # A text that looks like a number is meant as written: release 13.10 is not 13.1.
    return value if isinstance(value, str) or name not in _TEXT_KEYS else text


def serving_port(port: object) -> int:
    """Return the port that a world is to be served on; InvalidOption for what is none."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= _MAX_PORT:
        raise InvalidOption(f"fakeplat: port must be a number from 0 to {_MAX_PORT}, not {port!r}")
    return port


def _check_seed(seed: object) -> None:
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise InvalidOption(f"seed: {seed!r} is not a whole number")
    # Responses contain it, as JSON.
    if seed is not None and not -(2**63) <= seed < 2**64:
        raise InvalidOption("seed: the number has more than 64 bits")


def _parse_tick(tick: object) -> int | None:
    if tick is None:
        return None
    if not isinstance(tick, int) or isinstance(tick, bool):
        return parse_duration(str(tick))
    if not 0 <= tick <= MAX_DURATION:
        raise ValueError(f"tick must be between 0 and {MAX_DURATION} ms, or a duration such as 1h30m")
    return tick


def check_instance(keys: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the keys of an instance by their present names. InvalidOption if one is unknown or has a wrong value."""
    refuse_unknown(keys, INSTANCE_KEYS, "instance")
    instance = replace_deprecated(keys)
    if "newer" in instance:
        raise InvalidOption(f"instance: newer must be true or false, not {instance['newer']!r}")
    try:
        # Only validated here; the world's instance is created from the keys of the scenario, which may allow a release
        # beyond the latest, and these.
        Instance(**{"beyond": True, **instance})
    except (TypeError, ValueError) as error:
        raise InvalidOption(f"instance: {_describe_invalid(*error.args)}") from None
    return instance


def _describe_invalid(message: object, key: Any = None, allowed: Any = None, value: object = None) -> str:
    """Describe an invalid value in the words of this package; the arguments are those of the errors of attrs."""
    if key is None:
        return str(message)
    values = "true or false" if allowed is bool else f"one of {', '.join(allowed)}"
    return f"{key.name} must be {values}, not {value!r}"
