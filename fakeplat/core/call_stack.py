"""Space for the frames of deep calls.

CPython keeps the frames of Python functions in chunks of 16 KiB. A chunk is mapped by the call that does not fit into
the last one, and unmapped when that call returns. A loop whose calls happen to cross the end of a chunk thus pays for
two system calls each time: depending on how deep it is called, it can take three times as long.
"""

from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# In slots of 8 bytes. A chunk is a power of two times 16 KiB: for this frame 256 KiB, so half of it is left for others.
_RESERVED: Final = 16_384


def call_with_space(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function whose calls are deep, so that their frames are in one chunk."""
    return function(*args, **kwargs)


# The frame is so large that it gets a chunk of its own. Only the pages that calls really use take memory.
call_with_space.__code__ = call_with_space.__code__.replace(co_stacksize=_RESERVED)
