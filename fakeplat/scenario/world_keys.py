"""The keys of a scenario that are about the whole world: its instance, seed, clock and settings."""

from typing import Any, Final, get_args

from fakeplat.core.clock import Kind
from fakeplat.model.instance import Instance
from fakeplat.model.levels import Visibility
from fakeplat.model.settings import Settings
from fakeplat.scenario.section import SCENARIO, Listing, sections_within
from fakeplat.scenario.shapes import (
    COUNT,
    SPAN,
    TEXT,
    TIME,
    WHOLE,
    Choice,
    Either,
    Keys,
    ListOf,
    MapOf,
    Number,
    Shape,
    fields,
)

_PERIOD: Final = Either(SPAN, Number(least=0))
INSTANCE: Final = Keys(
    fields(
        Instance,
        wire_names=Choice("both", "neutral", "vendor"),
        throttle=Either(Choice(False), Keys({"requests": COUNT, "period": _PERIOD}, needs=("requests", "period"))),
        merge_check=Either(Choice("immediate"), Keys({"after": _PERIOD, "polls": COUNT}, one_of=("after", "polls"))),
    )
)
CLOCK: Final = Keys({"kind": Choice(*get_args(Kind)), "start": TIME, "tick": Either(COUNT, SPAN)})
SETTINGS: Final = Keys(
    fields(Settings, without=("id",), restricted_visibility_levels=ListOf(Choice(*get_args(Visibility))))
)
_HEAD: Final[dict[str, Shape]] = {
    "$schema": TEXT,
    "extends": TEXT,
    "instance": INSTANCE,
    "seed": WHOLE,
    "clock": CLOCK,
    "settings": SETTINGS,
    "chance": MapOf(COUNT),
}
_ABOUT: Final = {
    "extends": "The name or path of a scenario that is made first; what is named again here is changed.",
    "chance": "How often chance was drawn, by purpose: what is drawn later is new.",
    "users": "People and bots. A name is enough: the token is <username>-token, the password <username>-password.",
    "groups": "Groups, with what is in them; at the top also by full_path.",
    "projects": "Projects by path_with_namespace; they may stand in their group or user as well.",
}
FIXED: Final = ("extends", "instance", "seed", "clock")
"""What a world cannot take up once it lives."""

UNLOCKED: Final[dict[str, Any]] = {"restricted_visibility_levels": (), "minimum_password_length": 0}
"""Settings that forbid what may have been there before them, as they are until everything is made."""


def document_keys() -> Keys:
    """All keys of a scenario."""
    return Keys({**_HEAD, **{section.key: Listing(section) for section in sections_within(SCENARIO)}}, about=_ABOUT)
