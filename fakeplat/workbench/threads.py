"""Waiting for a blocking function in asynchronous code, on asyncio or trio."""

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")


def is_asyncio() -> bool:
    """Return whether the running code is on an event loop of asyncio; otherwise it is trio's."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def run_in_thread(function: Callable[[], T]) -> T:
    """Run a function on another thread, and return its result."""
    if is_asyncio():
        return await asyncio.to_thread(function)
    # No dependency: who runs on trio has it.
    trio: Any = import_module("trio")
    result: T = await trio.to_thread.run_sync(function)
    return result
