"""Pages of the logs (requests, deliveries), and the wait for the next entry: the query parameters of several routes."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final, NamedTuple, TypeVar

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import parse_duration
from fakeplat.http.control.declaration import ControlError, Key

_LONGEST_WAIT: Final = 60.0
PAGE: Final = {
    "after": Key("Number of the last entry that is already known: only later ones are listed.", "integer", 17),
    "limit": Key("At most this many: the first ones after `after`, or else the last ones.", "integer", 10),
    "wait": Key("How long to wait, if no entry matches yet, for the first one: at most 60s.", example="5s"),
}
T = TypeVar("T")
Listening = Callable[[Callable[[], object]], AbstractContextManager[None]]


class Page(NamedTuple):
    """Which of the matching entries are listed, and how many seconds to wait for the first."""

    after: int | None
    limit: int | None
    wait: float

    def select(self, entries: Sequence[T], number_of: Callable[[T], int]) -> list[T]:
        """Return the entries of the page."""
        later = [entry for entry in entries if self.after is None or number_of(entry) > self.after]
        if self.limit is None:
            return later
        return later[: self.limit] if self.after is not None else later[max(len(later) - self.limit, 0) :]


def take_page(query: dict[str, str]) -> Page:
    """Return the page that a query asks for, and remove its parameters from the query."""
    after, limit = (_parse_count(name, query.pop(name, None)) for name in ("after", "limit"))
    return Page(after, limit, _parse_wait(query.pop("wait", None)))


def _parse_count(name: str, text: str | None) -> int | None:
    number = None if text is None else parse_number(text)
    if text is not None and number is None:
        raise ControlError(400, f"{name}: {text!r} is not a number")
    return number


def _parse_wait(text: str | None) -> float:
    if text is None:
        return 0.0
    try:
        seconds = parse_duration(float(text) if text.isdecimal() else text) / 1_000
    except ValueError as error:
        raise ControlError(400, f"wait: {error}") from None
    if seconds > _LONGEST_WAIT:
        raise ControlError(400, f"wait: at most {_LONGEST_WAIT:g}s, not {text}; repeat the request instead")
    return seconds


async def wait_for(is_there: Callable[[], bool], listening: Listening, seconds: float) -> None:
    """Wait until something is there, at most some seconds; ``listening`` calls a function after each new entry."""
    if seconds == 0 or is_there():
        return
    event, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop was closed without notice
            loop.call_soon_threadsafe(event.set)

    with listening(wake), suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not is_there():
                event.clear()
                await event.wait()
