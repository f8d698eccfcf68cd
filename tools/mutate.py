"""Weakens the table of abilities one attribute at a time, and reports which changes no test notices.

Each mutant is tested in a process that is forked after the tests were collected once. Run by hand: ``make mutate``.
Exit status 1 where more than ``SHARE`` of the mutants survive.
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

from fakeplat.model.levels import Level
from fakeplat.policy.abilities import NOBODY, VISIBLE, Ability, Grant

SHARE: Final = 0.02
TESTS: Final = (
    "tests/policy/test_abilities.py",
    "tests/policy",
    "tests/api/test_archived.py",
    "tests/api/test_role_matrix.py",
)
OPTIONS: Final = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
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
    """Every mutant of the table, ability by ability."""
    for ability in Ability:
        for change, fields in (*level_changes(ability.grant), *switch_changes(ability.grant)):
            yield Mutant(ability, change, evolve(ability.grant, **fields))


def level_changes(grant: Grant) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each level that is granted, one step up and one step down."""
    for kind, needs in BY_LEVEL.items():
        needed, level = getattr(grant, needs), getattr(grant, kind)
        for word, step in (("up", 1), ("down", -1)):
            if needed is not None:
                yield f"{kind} {word}", {needs: stepped(needed, step)}
            elif level != NOBODY and (level, step) != (VISIBLE, -1):
                yield f"{kind} {word}", {kind: moved(level, step)}


def stepped(needed: Callable[[Any], int], step: int) -> Callable[[Any], int]:
    """The level that a record asks for, moved by a step."""
    return lambda record: moved(needed(record), step)


def moved(level: int, step: int) -> int:
    """The level one step up or down, as far as there is one."""
    return LADDER[max(0, min(LADDER.index(level) + step, len(LADDER) - 1))]


def switch_changes(grant: Grant) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each switch that is on, turned off; ``open`` either way.

    Left out is what changes nothing: ``login`` where a role is asked for, ``open`` where seeing is enough.
    """
    seen = VISIBLE in (grant.project, grant.group) or grant.open
    if grant.login and (seen or grant == Grant(login=True)):
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
    """Import all tests, so that forked processes find them imported."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        status = pytest.main([*OPTIONS, "--collect-only", *TESTS])
    if status:
        sys.exit("the tests cannot be collected")


def find_survivors(chosen: Sequence[Mutant | None]) -> Iterator[Mutant | None]:
    """The mutants, or None for the table as it is, with which all tests pass; some are tested at a time."""
    running: dict[int, Mutant | None] = {}
    waiting = list(chosen)
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            mutant = waiting.pop(0)
            running[start(mutant)] = mutant
        child, status = os.wait()
        mutant = running.pop(child)
        if status == 0:
            yield mutant


def start(mutant: Mutant | None) -> int:
    """Run the tests in a forked process, with the mutant in the table; return the process's id."""
    child = os.fork()
    if child == 0:
        silence()
        if mutant is not None:
            mutant.ability.grant = mutant.grant
        os._exit(int(pytest.main([*OPTIONS, *TESTS])))
    return child


def silence() -> None:
    """Send what this process prints nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def report(tested: Sequence[Mutant], surviving: Sequence[Mutant]) -> int:
    """Print the survivors; the exit status."""
    for mutant in surviving:
        print(f"survives: {mutant.ability.value}: {mutant.change}")
    print(f"{len(surviving)} of {len(tested)} mutants survive")
    return int(len(surviving) > SHARE * len(tested))


def main(words: Sequence[str]) -> int:
    """Test all mutants, or those of the abilities that are named."""
    collect()
    if not list(find_survivors([None])):
        print("the tests fail as they are")
        return 2
    chosen = [mutant for mutant in mutants() if not words or mutant.ability.value in words]
    return report(chosen, [mutant for mutant in find_survivors(chosen) if mutant is not None])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
