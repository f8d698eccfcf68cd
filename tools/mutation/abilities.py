"""Change the table of abilities one attribute at a time, and report the changes that no test detects.

Each mutant is tested in a process that is forked after the tests were collected. The exit status is 1 if more than
``SHARE`` of the mutants survive.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve

from fakeplat.model.people import Level
from fakeplat.policy.abilities import NOBODY, VISIBLE, Ability, Grant
from tools.mutation.running import OPTIONS, find_survivors, run_tests

SHARE: Final = 0.02
TESTS: Final = (
    "tests/policy/test_abilities.py",
    "tests/policy",
    "tests/api/test_archived.py",
    "tests/api/test_role_matrix.py",
)
LADDER: Final = (
    VISIBLE,
    Level.GUEST,
    Level.REPORTER,
    Level.DEVELOPER,
    Level.MAINTAINER,
    Level.OWNER,
    NOBODY,
)
BY_LEVEL: Final = {"project": "project_needs", "group": "group_needs"}


@dataclass(frozen=True)
class Mutant:
    """One ability with one attribute of its grant changed."""

    ability: Ability
    change: str
    grant: Grant


def mutants() -> Iterator[Mutant]:
    """Yield the mutants of the table, ability by ability."""
    for ability in Ability:
        for change, fields in (*level_changes(ability.grant), *switch_changes(ability.grant)):
            yield Mutant(ability, change, evolve(ability.grant, **fields))


def level_changes(grant: Grant) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the changes of each required level by one step up or down."""
    for kind, function_field in BY_LEVEL.items():
        level_of, level = getattr(grant, function_field), getattr(grant, kind)
        for word, step in (("up", 1), ("down", -1)):
            if level_of is not None:
                yield f"{kind} {word}", {function_field: shift_function(level_of, step)}
            elif level != NOBODY and (level, step) != (VISIBLE, -1):
                yield f"{kind} {word}", {kind: shift_level(level, step)}


def shift_function(needed: Callable[[Any], int], step: int) -> Callable[[Any], int]:
    """Return a function for the level that a record requires, changed by a step."""
    return lambda record: shift_level(needed(record), step)


def shift_level(level: int, step: int) -> int:
    """Return the level one step up or down, if there is one."""
    return LADDER[max(0, min(LADDER.index(level) + step, len(LADDER) - 1))]


def switch_changes(grant: Grant) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the changes that disable an enabled attribute, or flip ``open``.

    Changes without effect are left out: ``login`` if a role is required, ``open`` if visibility is sufficient.
    """
    by_visibility = VISIBLE in (grant.project, grant.group) or grant.open
    if grant.login and (by_visibility or grant == Grant(login=True)):
        yield "login off", {"login": False}
    for name in ("writes", "admin"):
        if getattr(grant, name):
            yield f"{name} off", {name: False}
    if grant.feature:
        yield "feature off", {"feature": "", "open": False}
    if grant.any_feature:
        yield "any_feature off", {"any_feature": ()}
    if grant.feature and grant.project not in (VISIBLE, NOBODY):
        yield "open flipped", {"open": not grant.open}


def collect() -> None:
    """Import all tests, so that forked processes need not."""
    with Path(os.devnull).open("w", encoding="utf-8") as null, redirect_stdout(null), redirect_stderr(null):
        status = pytest.main([*OPTIONS, "--collect-only", *TESTS])
    if status:
        sys.exit("the tests cannot be collected")


def run_with(mutant: Mutant | None) -> int:
    """Run the tests with a mutant in the table, or with the unchanged table."""
    if mutant is not None:
        mutant.ability.grant = mutant.grant
    return run_tests(TESTS)


def report(tested: Sequence[Mutant], surviving: Sequence[Mutant]) -> int:
    """Print the survivors; return the exit status."""
    for mutant in surviving:
        print(f"survives: {mutant.ability.value}: {mutant.change}")
    print(f"{len(surviving)} of {len(tested)} mutants survive")
    return int(len(surviving) > SHARE * len(tested))


def test_abilities(names: Sequence[str]) -> int:
    """Test all mutants, or those of the named abilities; return the exit status."""
    collect()
    if not list(find_survivors([None], run_with)):
        print("the tests fail with the unchanged table")
        return 2
    selected = [mutant for mutant in mutants() if not names or mutant.ability.value in names]
    return report(selected, list(find_survivors(selected, run_with)))
