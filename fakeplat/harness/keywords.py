"""The keywords of a world: those of the marker `fakeplat`, of `fakeplat_factory` and of `fakeplat.start`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, TypedDict

from fakeplat.http.origins import parse_base_url
from fakeplat.scenario import Scenario
from fakeplat.workbench.keywords import InvalidOption, refuse_unknown
from fakeplat.workbench.options import INSTANCE_KEYS, STARTER, Options, serving_port

WORLD: Final = ("scenario", "seed", "clock", "start", "tick", "base_url", "port", "listen")
BENCH: Final = ("explain", "allow_egress", "faults", "pipelines")
TEST: Final = ("strict", "lint", "replay", "bundle")


ScenarioSource: TypeAlias = str | Path | Mapping[str, Any] | Scenario


class WorldKeywords(TypedDict, total=False):
    """The keywords of `fakeplat.start`; docs/contract.md describes them."""

    scenario: ScenarioSource
    seed: int
    clock: str | Mapping[str, object]
    start: str
    tick: int | str
    base_url: str
    port: int
    listen: bool
    version: str
    beyond: bool
    tier: str
    hosted: bool
    wire_names: str
    default_branch: str
    product_name: str
    impersonation: bool
    throttle: Mapping[str, object] | bool
    merge_check: str | Mapping[str, object]
    documented: bool
    email_subject_suffix: str
    scim_token: str
    web_commits_public_key: str
    upstreams: Mapping[str, str]
    registry_limit: int
    lfs_pure_ssh_protocol: bool
    newer: bool
    explain: bool
    allow_egress: bool
    faults: Sequence[Mapping[str, object]]
    pipelines: Sequence[Mapping[str, object]]


class FixtureKeywords(WorldKeywords, total=False):
    """The keywords of the fixtures and the marker; docs/options.md describes them."""

    strict: bool
    lint: str
    replay: str | Path
    bundle: str | Path


def check_keywords(keywords: Mapping[str, object]) -> None:
    """Raise InvalidOption for a keyword that `fakeplat.start` does not have."""
    for name in TEST:
        if name in keywords:
            raise InvalidOption(f"fakeplat.start: {name!r} is an option of the fixtures only")
    refuse_unknown(keywords, [*WorldKeywords.__annotations__], "fakeplat.start")


def create_options(keywords: WorldKeywords, scenario: object = None, folders: Sequence[Path] = ()) -> Options:
    """Return the options that keywords describe. ``folders`` are searched for scenarios by their names."""
    values: Mapping[str, object] = keywords
    return Options(
        scenario=_check_scenario(keywords.get("scenario", STARTER) if scenario is None else scenario),
        seed=keywords.get("seed"),
        instance={name: values[name] for name in INSTANCE_KEYS if name in values},
        clock=_clock_options(keywords),
        usual="auto",
        folders=folders,
        explain=read_flag("explain", keywords),
        allow_egress=read_flag("allow_egress", keywords),
        faults=_check_declarations("faults", keywords),
        pipelines=_check_declarations("pipelines", keywords),
    )


def serving_keywords(keywords: Mapping[str, object]) -> dict[str, Any]:
    """Return the keywords that say how a world is served."""
    port = serving_port(keywords.get("port", 0))
    listen = read_flag("listen", keywords, default=True)
    if port and not listen:
        raise InvalidOption("fakeplat: port cannot be combined with listen=False")
    base_url = keywords.get("base_url")
    return {"base_url": None if base_url is None else parse_base_url(base_url), "port": port, "listen": listen}


def read_flag(name: str, keywords: Mapping[str, object], *, default: bool = False) -> bool:
    """Return an option that is true or false; InvalidOption for anything else."""
    value = keywords.get(name, default)
    if not isinstance(value, bool):
        raise InvalidOption(f"fakeplat: {name} must be true or false, not {value!r}")
    return value


def _check_scenario(scenario: object) -> ScenarioSource:
    if not isinstance(scenario, str | Path | Mapping | Scenario):
        raise InvalidOption(f"fakeplat: scenario must be a name, a file or a map, not {scenario!r}")
    return scenario


def _check_declarations(option: str, keywords: Mapping[str, object]) -> list[Mapping[str, object]]:
    declarations = keywords.get(option, ())
    if not isinstance(declarations, list | tuple) or not all(isinstance(each, Mapping) for each in declarations):
        raise InvalidOption(f"fakeplat: {option} must be a list of declarations")
    return list(declarations)


def _clock_options(keywords: WorldKeywords) -> dict[str, object]:
    clock = keywords.get("clock", {})
    values: Mapping[str, object] = keywords
    options = {"kind": clock} if isinstance(clock, str) else dict(clock)
    return options | {name: values[name] for name in ("start", "tick") if name in values}
