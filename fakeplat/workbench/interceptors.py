"""Interceptors of requests. They are installed in a platform only while there are faults or callbacks."""

from collections.abc import Callable

from attrs import field, mutable

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.platform import Platform
from fakeplat.workbench.faults import ActiveFault, Faults
from fakeplat.workbench.operation_names import find_operation
from fakeplat.workbench.request_callbacks import RequestCallback, RequestCallbacks, When


@mutable(eq=False)
class Interceptors:
    """The faults and callbacks of a world. Requests that a callback makes itself trigger neither."""

    platform: Platform
    faults: Faults = field(init=False)
    callbacks: RequestCallbacks = field(init=False)
    _in_callback: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self.faults = Faults(self.platform, self.update_middleware)
        self.callbacks = RequestCallbacks(self.update_middleware)

    def update_middleware(self) -> None:
        """Install the interceptor in the platform, or remove it if there is nothing to do."""
        self.platform.middleware = self._intercept if self.faults or self.callbacks else None

    def clear(self) -> None:
        """Remove all faults and callbacks."""
        self.faults.clear()
        self.callbacks.clear()

    def close(self) -> None:
        """Remove everything for good, including the references back to this object."""
        self.clear()
        del self.faults, self.callbacks

    def _intercept(self, request: Request, handle: Callable[[Request], Response]) -> Response:
        # A callback that triggered callbacks of its own requests could recurse without end.
        if self._in_callback:
            return handle(request)
        operation = find_operation(request, self.platform.view)
        callbacks = self.callbacks.due(operation)
        self._run_callbacks(callbacks, "before")
        response = self._handle_with_faults(request, handle, operation)
        self._run_callbacks(callbacks, "after")
        return response

    def _run_callbacks(self, callbacks: list[RequestCallback], when: When) -> None:
        self._in_callback = True
        try:
            self.callbacks.perform(callbacks, when)
        finally:
            self._in_callback = False

    def _handle_with_faults(
        self, request: Request, handle: Callable[[Request], Response], operation: str | None
    ) -> Response:
        fault = self.faults.striking(request, operation)
        if fault is None:
            return handle(request)
        self.platform.fault_injection = ActiveFault(fault, self.platform.clock.now())
        try:
            return handle(request)
        finally:
            self.platform.fault_injection = None
