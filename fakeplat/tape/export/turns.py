"""The order of issues and milestones of several places, where dates do not tell it.

A scenario is loaded by ``created_at``, then place by place; the key ``turn`` puts off what came later all the same.
"""

from collections.abc import Iterable
from typing import Any

Place = tuple[str, int]
"""When something was made, and the number of the place that it lies in."""


def told(placed: Iterable[tuple[int, Place]]) -> dict[int, dict[str, Any]]:
    """What is to be said of records, by their ids, given in the order in which they were made."""
    latest: dict[int, str] = {}
    said: dict[int, int] = {}
    turn, last, found = 0, ("", 0), {}
    for id_, (created_at, number) in placed:
        latest[number] = max(latest.get(number, ""), created_at)
        place = (latest[number], number)
        turn, last = turn + (place < last), place
        if said.get(number, 0) < turn:
            said[number] = turn
            found[id_] = {"turn": turn}
    return found
