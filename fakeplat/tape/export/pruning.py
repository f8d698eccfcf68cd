"""Pruning of an exported scenario to what can be loaded.

A real server may have records that fakeplat's rules reject, and references to records that were not observed.
"""

from collections import Counter
from typing import Any, Final

from fakeplat.core.json_types import JsonObject
from fakeplat.core.schema.mistakes import JsonPath
from fakeplat.scenario import Mistake, ScenarioError, base_world, get_scenario
from fakeplat.tape.export.scenario_builder import BuiltScenario

_MAX_ROUNDS: Final = 50


def prune(built: BuiltScenario) -> BuiltScenario:
    """Remove and count the entries that cannot be loaded. Raises ScenarioError if the scenario still cannot be."""
    scenario, left_out = built.scenario, Counter(built.left_out)
    # Removing an entry may break references to it, hence the rounds.
    for _ in range(_MAX_ROUNDS):
        mistakes = _get_mistakes(scenario)
        if not mistakes:
            break
        left_out.update(f"{_dotted_keys(mistake.path)}: {mistake.text}" for mistake in mistakes)
        for path in sorted({mistake.path for mistake in mistakes}, key=_removal_key, reverse=True):
            _remove(scenario, path)
    else:
        # Raise the remaining mistakes.
        base_world(get_scenario(scenario))
    return BuiltScenario(scenario, left_out)


def _get_mistakes(scenario: JsonObject) -> tuple[Mistake, ...]:
    try:
        base_world(get_scenario(scenario))
    except ScenarioError as error:
        # A mistake without a path concerns the whole document, so there is no entry to remove.
        if not all(mistake.path for mistake in error.mistakes):
            raise
        return error.mistakes
    return ()


def _removal_key(path: JsonPath) -> tuple[tuple[bool, int, str], ...]:
    """Sort key to remove the later entries of a list first, so that the indexes of the others stay valid."""
    return tuple((isinstance(step, int), step if isinstance(step, int) else 0, str(step)) for step in path)


def _remove(value: Any, path: JsonPath) -> None:
    """Remove the value at a path, if it is still there."""
    for step in path[:-1]:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(value, dict):
        value.pop(path[-1], None)
    elif isinstance(value, list) and isinstance(path[-1], int) and path[-1] < len(value):
        del value[path[-1]]


def _dotted_keys(path: JsonPath) -> str:
    return ".".join(str(step) for step in path if isinstance(step, str))
