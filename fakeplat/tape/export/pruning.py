"""A scenario that was put together from observations, cut back to what makes a world.

A real server holds things that this one's rules refuse, and references to things that nobody showed.
"""

from collections import Counter
from typing import Any, Final

from fakeplat.core.schema.mistakes import JsonPath
from fakeplat.scenario import Mistake, ScenarioError, base_world, find_scenario
from fakeplat.tape.export.scenario_builder import BuiltScenario

_MOST_ROUNDS: Final = 50


def prune(composed: BuiltScenario) -> BuiltScenario:
    """The scenario without what cannot be loaded, which is counted; ScenarioError if that is all of it."""
    said, left_out = composed.said, Counter(composed.left_out)
    for _ in range(_MOST_ROUNDS):
        mistakes = _mistakes(said)
        if not mistakes:
            break
        left_out.update(f"{_word(mistake.path)}: {mistake.text}" for mistake in mistakes)
        for path in sorted({mistake.path for mistake in mistakes}, key=_last_first, reverse=True):
            _remove(said, path)
    else:
        base_world(find_scenario(said))
    return BuiltScenario(said, left_out)


def _mistakes(said: dict[str, Any]) -> tuple[Mistake, ...]:
    try:
        base_world(find_scenario(said))
    except ScenarioError as error:
        if not all(mistake.path for mistake in error.mistakes):
            raise
        return error.mistakes
    return ()


def _last_first(path: JsonPath) -> tuple[tuple[bool, int, str], ...]:
    """Later entries of a list go first, so that the places of the others stay."""
    return tuple((isinstance(step, int), step if isinstance(step, int) else 0, str(step)) for step in path)


def _remove(said: Any, path: JsonPath) -> None:
    """Take out what stands at a path, if it is still there."""
    for step in path[:-1]:
        try:
            said = said[step]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(said, dict):
        said.pop(path[-1], None)
    elif isinstance(said, list) and isinstance(path[-1], int) and path[-1] < len(said):
        del said[path[-1]]


def _word(path: JsonPath) -> str:
    return ".".join(str(step) for step in path if isinstance(step, str))
