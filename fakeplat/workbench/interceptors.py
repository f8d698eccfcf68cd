"""What stands between the requests and a platform while there are faults or acts of others; else nothing does."""

from collections.abc import Callable

from attrs import field, mutable

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.platform import Platform
from fakeplat.workbench.faults import ActiveFault, Faults
from fakeplat.workbench.hooks import Hook, RequestHooks, When
from fakeplat.workbench.operation_names import operation_of


@mutable(eq=False)
class Interceptors:
    """The faults and the acts of a world. What an act asks of the platform itself meets neither."""

    platform: Platform
    faults: Faults = field(init=False)
    hooks: RequestHooks = field(init=False)
    _acting: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self.faults = Faults(self.platform, self.stand)
        self.hooks = RequestHooks(self.stand)

    def stand(self) -> None:
        """Stand between, or aside where there is nothing to do."""
        self.platform.middleware = self._between if self.faults or self.hooks else None

    def clear(self) -> None:
        """Take everything away."""
        self.faults.clear()
        self.hooks.clear()

    def close(self) -> None:
        """Take everything away for good, and with it the references back to this."""
        self.clear()
        del self.faults, self.hooks

    def _between(self, request: Request, handle: Callable[[Request], Response]) -> Response:
        if self._acting:
            return handle(request)
        operation = operation_of(request, self.platform.view)
        acts = self.hooks.due(operation)
        self._perform(acts, "before")
        response = self._struck(request, handle, operation)
        self._perform(acts, "after")
        return response

    def _perform(self, acts: list[Hook], when: When) -> None:
        self._acting = True
        try:
            self.hooks.perform(acts, when)
        finally:
            self._acting = False

    def _struck(self, request: Request, handle: Callable[[Request], Response], operation: str | None) -> Response:
        armed = self.faults.striking(request, operation)
        if armed is None:
            return handle(request)
        self.platform.fault_injection = ActiveFault(armed, self.platform.clock.now())
        try:
            return handle(request)
        finally:
            self.platform.fault_injection = None
