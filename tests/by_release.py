"""Tests of what releases do differently: each asks just before and just after a release."""

from collections.abc import Mapping
from typing import Any

import pytest

from fakeplat.core.release import ByRelease, Lifetime, parse_release, profile_of


def by_release(behaviour: Lifetime | ByRelease[Any], name: str, expected: Mapping[str, object]) -> pytest.MarkDecorator:
    """Run a test in a world of each release, with what is expected there as the parameter ``name``.

    ValueError if the behaviour is the same in all of them, because then the test does not show it.
    """
    profiles = [profile_of(parse_release(release)) for release in expected]
    if isinstance(behaviour, Lifetime):
        seen: list[object] = [profile.has(behaviour) for profile in profiles]
    else:
        seen = [profile.choose(behaviour) for profile in profiles]
    if all(value == seen[0] for value in seen):
        raise ValueError(f"{behaviour} is the same in {', '.join(expected)}")
    rows = [
        pytest.param(value, id=release, marks=pytest.mark.fakeplat(version=release))
        for release, value in expected.items()
    ]
    return pytest.mark.parametrize(name, rows)
