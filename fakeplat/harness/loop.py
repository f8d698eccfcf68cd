"""An event loop on its own thread, so that synchronous tests can use servers."""

import asyncio
import logging
from collections.abc import Coroutine
from socket import socket
from threading import Thread
from typing import Final, TypeVar

T = TypeVar("T")

log: Final = logging.getLogger("fakeplat")
_PATIENCE: Final = 5.0
"""How long the end of a test waits for its server, in seconds."""
_BLOCKED_PATIENCE: Final = 0.1
"""How long it waits after that was too short once."""


class LoopThread:
    """An event loop that runs on its own thread until `close`."""

    def __init__(self) -> None:
        # Where sockets are forbidden, this fails, before a loop half exists that could not be closed.
        socket().close()
        self.loop = asyncio.new_event_loop()
        self._is_blocked = False
        # A daemon: a thread that was not closed does not keep the process from ending.
        self._thread = Thread(target=self.loop.run_forever, name="fakeplat", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[object, None, T]) -> T:
        """Run a coroutine on the loop and return its result."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def finish(self, coroutine: Coroutine[object, None, object]) -> bool:
        """Run a coroutine on the loop; return False if it does not end soon, as when something blocks the loop."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        try:
            future.result(_BLOCKED_PATIENCE if self._is_blocked else _PATIENCE)
        except TimeoutError:
            self._is_blocked = True
            log.warning("fakeplat: a server did not stop in time; its thread is left behind")
            return False
        self._is_blocked = False
        return True

    def submit(self, coroutine: Coroutine[object, None, object]) -> None:
        """Run a coroutine on the loop without waiting for it, from any thread; what it raises is logged."""
        asyncio.run_coroutine_threadsafe(coroutine, self.loop).add_done_callback(lambda future: future.result())

    def close(self) -> None:
        """Cancel the remaining tasks, then stop the loop and its thread; a thread that is blocked is left behind."""
        if not self.finish(_cancel_tasks()):
            return
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _cancel_tasks() -> None:
    # This coroutine is a task as well; cancelling it would end the wait below.
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
