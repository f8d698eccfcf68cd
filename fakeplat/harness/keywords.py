"""The keywords of a world: those of the marker `fakeplat`, of `fakeplat_factory` and of `fakeplat.start`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypedDict

from fakeplat.scenario import Scenario
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.options import INSTANCE_KEYS, STARTER, Options

WORLD: Final = ("scenario", "seed", "clock", "start", "tick", "base_url", "port", "listen")
BENCH: Final = ("explain", "allow_egress", "faults", "pipelines")


class WorldKeywords(TypedDict, total=False):
    """The keywords of `fakeplat.start`; docs/contract.md describes them."""

    scenario: str | Path | Mapping[str, Any] | Scenario
    seed: int
    clock: str | Mapping[str, Any]
    start: str
    tick: int | str
    base_url: str
    port: int
    listen: bool
    version: str
    tier: str
    hosted: bool
    wire_names: str
    default_branch: str
    product_name: str
    impersonation: bool
    throttle: Mapping[str, Any]
    merge_check: str
    newer: bool
    documented: bool
    explain: bool
    allow_egress: bool
    faults: Sequence[Mapping[str, Any]]
    pipelines: Sequence[Mapping[str, Any]]


def create_options(keywords: Mapping[str, Any], scenario: Any = None, folders: Sequence[Path] = ()) -> Options:
    """Return the options that keywords describe. ``folders`` are searched for scenarios by their names."""
    return Options(
        scenario=keywords.get("scenario", STARTER) if scenario is None else scenario,
        seed=keywords.get("seed"),
        instance={name: keywords[name] for name in INSTANCE_KEYS if name in keywords},
        clock=_clock_options(keywords),
        usual="auto",
        folders=folders,
        explain=bool(keywords.get("explain")),
        allow_egress=bool(keywords.get("allow_egress")),
        faults=_check_declarations("faults", keywords),
        pipelines=_check_declarations("pipelines", keywords),
    )


def serving_keywords(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords that say how a world is served."""
    return {name: keywords[name] for name in ("base_url", "port", "listen") if name in keywords}


def _check_declarations(option: str, keywords: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    declarations = keywords.get(option, ())
    if not isinstance(declarations, list | tuple) or not all(isinstance(each, Mapping) for each in declarations):
        raise InvalidOption(f"fakeplat: {option} must be a list of declarations")
    return list(declarations)


def _clock_options(keywords: Mapping[str, Any]) -> dict[str, Any]:
    clock = keywords.get("clock", {})
    options = {"kind": clock} if isinstance(clock, str) else dict(clock)
    return options | {name: keywords[name] for name in ("start", "tick") if name in keywords}
