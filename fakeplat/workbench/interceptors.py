"""Interceptors of requests. They are installed in a platform only while there are faults or callbacks."""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from threading import Thread, get_ident
from typing import Any

from attrs import field, mutable

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.platform import Platform
from fakeplat.workbench.faults import ActiveFault, Faults
from fakeplat.workbench.operation_names import find_operation
from fakeplat.workbench.request_callbacks import RequestCallback, RequestCallbacks, When

Handle = Callable[[Request], Response]
Steps = Generator[Callable[[], None], None, Response]
"""The handling of a request: it yields the callbacks, which run without the platform's lock."""


@mutable(eq=False)
class Interceptors:
    """The faults and callbacks of a world. Requests that a callback makes itself trigger neither.

    ``exempt_requests`` are the numbers of these.
    """

    platform: Platform
    exempt_requests: list[int] = field(factory=list, init=False)
    faults: Faults = field(init=False)
    callbacks: RequestCallbacks = field(init=False)
    _callback_threads: list[int] = field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        self.faults = Faults(self.platform, self.update_middleware)
        self.callbacks = RequestCallbacks(self.update_middleware)

    def update_middleware(self) -> None:
        """Install the interceptor in the platform, or remove it if there is nothing to do."""
        self.platform.middleware = self if self.faults or self.callbacks else None

    def clear(self) -> None:
        """Remove all faults and callbacks."""
        self.faults.reset()
        self.callbacks.clear()
        self.exempt_requests.clear()

    def close(self) -> None:
        """Remove everything for good, including the references back to this object."""
        self.clear()
        del self.faults, self.callbacks

    def handle(self, request: Request, handle: Handle) -> Response:
        """Handle a request, and run its callbacks on the thread of the caller."""
        # A callback that triggered callbacks of its own requests could recurse without end.
        if get_ident() in self._callback_threads:
            return self._handle_exempt(request, handle)
        steps = self._intercept(request, handle)
        while True:
            try:
                callback = next(steps)
            except StopIteration as end:
                return _result(end)
            callback()

    def handle_on_loop(self, request: Request, handle: Handle) -> Response | Coroutine[Any, Any, Response]:
        """Handle a request on an event loop; its callbacks run on threads, so that they can use any client."""
        # Who sent a request over the network is not known: while a callback runs, it is taken for the sender.
        if self._callback_threads:
            return self._handle_exempt(request, handle)
        steps = self._intercept(request, handle)
        try:
            callback = next(steps)
        except StopIteration as end:
            return _result(end)
        return _run_on_threads(callback, steps)

    def _handle_exempt(self, request: Request, handle: Handle) -> Response:
        with self.platform.lock:
            response = handle(request)
            self.exempt_requests.append(self.platform.request_count)
            return response

    def _intercept(self, request: Request, handle: Handle) -> Steps:
        operation = find_operation(request, self.platform.view)
        with self.platform.lock:
            callbacks = self.callbacks.due(operation)
        yield from self._steps(callbacks, "before")
        response = self._handle_with_faults(request, handle, operation)
        yield from self._steps(callbacks, "after")
        return response

    def _steps(self, callbacks: list[RequestCallback], when: When) -> Generator[Callable[[], None], None, None]:
        for callback in callbacks:
            if callback.when == when:
                yield partial(self._run, callback)

    def _run(self, callback: RequestCallback) -> None:
        thread = get_ident()
        self._callback_threads.append(thread)
        try:
            self.callbacks.perform(callback)
        finally:
            self._callback_threads.remove(thread)

    def _handle_with_faults(self, request: Request, handle: Handle, operation: str | None) -> Response:
        with self.platform.lock:
            fault = self.faults.striking(request, operation)
            if fault is None:
                return handle(request)
            self.platform.fault_injection = ActiveFault(fault, self.platform.clock.now())
            try:
                return handle(request)
            finally:
                self.platform.fault_injection = None


async def _run_on_threads(callback: Callable[[], None], steps: Steps) -> Response:
    while True:
        await _run_on_thread(callback)
        try:
            callback = next(steps)
        except StopIteration as end:
            return _result(end)


async def _run_on_thread(callback: Callable[[], None]) -> None:
    loop, finished = asyncio.get_running_loop(), asyncio.Event()

    def run() -> None:
        try:
            callback()
        finally:
            loop.call_soon_threadsafe(finished.set)

    # A daemon: unlike a thread of the loop's pool, a callback that never returns does not keep the process from ending.
    Thread(target=run, name="fakeplat callback", daemon=True).start()
    await finished.wait()


def _result(end: StopIteration) -> Response:
    response: Response = end.value
    return response
