"""The keys of a scenario that describe the whole world: its instance, seed, clock and settings."""

from functools import cache
from operator import attrgetter
from typing import Final, get_args

from fakeplat.core.clock import Kind
from fakeplat.core.release import ACCEPTED_VERSIONS, VERSION_PATTERN
from fakeplat.core.schema import formats
from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import (
    BOOLEAN,
    COUNT,
    DURATION,
    INTEGER,
    SECONDS,
    TEXT,
    Choice,
    Constant,
    FormattedText,
    Integer,
    JsonSchema,
    MapOf,
    Number,
    Object,
    Shape,
    Text,
    Union,
)
from fakeplat.core.timestamps import MAX_DURATION
from fakeplat.model.instance import UPSTREAMS, Instance
from fakeplat.scenario.lazy_sections import all_sections, entry_lists, keys_of
from fakeplat.scenario.section import SCENARIO
from fakeplat.scenario.settings import SETTINGS

FORMAT: Final = 1
"""The version of the format of scenarios, which a file may name with the key ``scenario``."""

_PERIOD: Final = Union(DURATION, SECONDS)
_THROTTLE_PERIOD: Final = Union(
    FormattedText(
        "a duration of at least a second, such as 1m",
        formats.check_throttle_period,
        {"format": formats.THROTTLE_PERIOD},
    ),
    Number(minimum=1, maximum=formats.MAX_PERIOD),
)
_CLOCK_TIME: Final = FormattedText(
    "a time in the years 1000 to 8999, such as 2020-11-20T09:00:00Z",
    formats.convert_clock_time,
    {"format": formats.CLOCK_TIME},
)
_UPSTREAMS: Final = {
    "images": "Path of the project whose image repositories are those of the public hub.",
    "maven": "Address, or path on this host, of the repository that plays Maven Central.",
    "npm": "Address, or path on this host, of the registry that plays the public one of npm.",
    "pypi": "Address, or path on this host, of the index that plays that of PyPI.",
}
_KEYS: Final = fields(
    Instance,
    version=Text(ACCEPTED_VERSIONS, VERSION_PATTERN),
    wire_names=Choice("both", "neutral", "vendor"),
    throttle=Union(
        Choice(False), Object({"requests": COUNT, "period": _THROTTLE_PERIOD}, required=("requests", "period"))
    ),
    upstreams=Object(dict.fromkeys(UPSTREAMS, TEXT), descriptions=_UPSTREAMS),
    merge_check=Union(Choice("immediate"), Object({"after": _PERIOD, "polls": COUNT}, one_of=("after", "polls"))),
)
INSTANCE: Final = Object({**_KEYS, "newer": BOOLEAN})
CLOCK: Final = Object(
    {
        "kind": Choice(*get_args(Kind)),
        "start": _CLOCK_TIME,
        "tick": Union(Integer(minimum=0, maximum=MAX_DURATION), DURATION),
    }
)
_HEAD: Final[dict[str, Shape]] = {
    "$schema": TEXT,
    "scenario": Constant(FORMAT),
    "extends": TEXT,
    "instance": INSTANCE,
    "seed": INTEGER,
    "clock": CLOCK,
    "settings": SETTINGS,
    "chance": MapOf(COUNT),
}
_DESCRIPTIONS: Final = {
    "extends": "The name or path of a scenario that is loaded first; entries here update its records.",
    "scenario": "Version of the format: 1. Written by exports; files without it have this version.",
    "chance": "How many random values were drawn, by purpose; values drawn later differ from them. Written by exports.",
    "users": "People and bots. A username is enough: the token is <username>-token, the password <username>-password.",
    "groups": "Groups with their contents; at the top level also by full_path.",
    "projects": "Projects by path_with_namespace; they can also be listed in their group or user.",
}
FIXED: Final = ("extends", "instance", "seed", "clock")
"""Keys that cannot be changed after the world has started."""


class _Scenario(Object):
    """The shape of a scenario; its schema contains the definitions of all sections' entries."""

    def schema(self) -> JsonSchema:
        """Return the schema with its definitions."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "A scenario of fakeplat",
            **super().schema(),
            "$defs": {
                section.key: keys_of(section).schema() for section in sorted(all_sections(), key=attrgetter("key"))
            },
        }


@cache
def scenario_shape() -> Object:
    """Return the shape of scenarios."""
    return _Scenario(
        {**_HEAD, **entry_lists(SCENARIO)},
        ignored="x-",
        descriptions=_DESCRIPTIONS,
    )


def schema() -> JsonSchema:
    """Return the JSON Schema of scenarios (draft 2020-12), generated from the sections, with descriptions."""
    from fakeplat.scenario.descriptions import add_descriptions

    return add_descriptions(scenario_shape().schema())
