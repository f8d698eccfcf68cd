"""Interceptors of requests. They are installed in a platform only while there are faults or hooks."""

from collections.abc import Callable

from attrs import field, mutable

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.platform import Platform
from fakeplat.workbench.faults import ActiveFault, Faults
from fakeplat.workbench.hooks import Hook, RequestHooks, When
from fakeplat.workbench.operation_names import find_operation


@mutable(eq=False)
class Interceptors:
    """The faults and hooks of a world. Requests that a hook makes itself trigger neither."""

    platform: Platform
    faults: Faults = field(init=False)
    hooks: RequestHooks = field(init=False)
    _in_hook: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self.faults = Faults(self.platform, self.update_middleware)
        self.hooks = RequestHooks(self.update_middleware)

    def update_middleware(self) -> None:
        """Install the interceptor in the platform, or remove it if there is nothing to do."""
        self.platform.middleware = self._intercept if self.faults or self.hooks else None

    def clear(self) -> None:
        """Remove all faults and hooks."""
        self.faults.clear()
        self.hooks.clear()

    def close(self) -> None:
        """Remove everything for good, including the references back to this object."""
        self.clear()
        del self.faults, self.hooks

    def _intercept(self, request: Request, handle: Callable[[Request], Response]) -> Response:
        # A hook that triggered hooks of its own requests could recurse without end.
        if self._in_hook:
            return handle(request)
        operation = find_operation(request, self.platform.view)
        hooks = self.hooks.due(operation)
        self._run_hooks(hooks, "before")
        response = self._handle_with_faults(request, handle, operation)
        self._run_hooks(hooks, "after")
        return response

    def _run_hooks(self, hooks: list[Hook], when: When) -> None:
        self._in_hook = True
        try:
            self.hooks.perform(hooks, when)
        finally:
            self._in_hook = False

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
