"""Access levels and visibility, with the platform's numbers and names."""

from enum import IntEnum
from typing import Final, Literal

Visibility = Literal["private", "internal", "public"]
FeatureLevel = Literal["disabled", "private", "enabled", "public"]

VISIBILITY_RANK: Final = {"private": 0, "internal": 10, "public": 20}


class Level(IntEnum):
    """Access levels of members, ascending."""

    NONE = 0
    MINIMAL = 5
    GUEST = 10
    REPORTER = 20
    DEVELOPER = 30
    MAINTAINER = 40
    OWNER = 50


LEVEL_NAMES: Final = {level.name.lower(): level for level in Level}


def rank(visibility: str) -> int:
    """Return the rank of a visibility; a greater one is more open."""
    return VISIBILITY_RANK[visibility]
