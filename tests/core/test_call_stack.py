"""Calls with space for the frames of what they call."""

import sys

import pytest

from fakeplat.core.call_stack import call_with_space

# The size of a chunk of the interpreter's stack.
CHUNK = 16 * 1024


def descend(levels: int) -> int:
    return 1 + descend(levels - 1) if levels else 0


def test_a_call_with_space_is_a_call() -> None:
    """Arguments, results and exceptions pass through a call with space as they are."""
    assert ((1, 2), {"key": 3}) == call_with_space(lambda *args, **kwargs: (args, kwargs), 1, 2, key=3)
    with pytest.raises(ZeroDivisionError):
        call_with_space(divmod, 1, 0)


def test_the_limit_of_recursion_holds_with_space() -> None:
    """Space for frames does not lift the interpreter's limit of recursion."""
    assert 100 == call_with_space(descend, 100)
    with pytest.raises(RecursionError):
        call_with_space(descend, sys.getrecursionlimit() + 1)


def test_the_frame_gets_a_chunk_of_its_own() -> None:
    """The frame fits into no chunk of the usual size, so what it calls is in a new one that is larger."""
    assert CHUNK < 8 * call_with_space.__code__.co_stacksize
