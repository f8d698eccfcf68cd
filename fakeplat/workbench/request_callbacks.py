"""Callbacks that run before or after a client's request, to provoke races.

```python
fakeplat.before("update_issue", lambda world: world.as_user("ada").delete("projects/acme%2Fsite/issues/1"))
```
"""

from collections.abc import Callable
from typing import Literal

from attrs import field, mutable

from fakeplat.workbench.operation_names import implemented_operation

When = Literal["before", "after"]


@mutable(eq=False)
class RequestCallback:
    """A callback around the ``nth`` request of an operation, or around every one (None)."""

    when: When
    operation: str
    do: Callable[[], object]
    nth: int | None
    request_count: int = 0

    def is_due(self) -> bool:
        """Count a request, and return whether the callback runs for it."""
        self.request_count += 1
        return self.nth is None or self.request_count == self.nth


@mutable(eq=False)
class RequestCallbacks:
    """The callbacks of a world; ``changed`` is called after every addition and removal.

    ``failures`` are the exceptions that callbacks raised; the test that added them fails with the first of them.
    """

    changed: Callable[[], None]
    failures: list[BaseException] = field(factory=list)
    _callbacks: list[RequestCallback] = field(factory=list)

    def add(self, when: When, operation: str, do: Callable[[], object], nth: int | None) -> None:
        """Add a callback; NoSuchOperation for an unknown operation, ValueError if ``nth`` is below 1."""
        if nth is not None and nth < 1:
            raise ValueError(f"nth counts from 1, not {nth}")
        self._callbacks.append(RequestCallback(when, implemented_operation(operation), do, nth))
        self.changed()

    def clear(self) -> None:
        """Remove all callbacks."""
        self._callbacks.clear()
        self.changed()

    def __len__(self) -> int:
        return len(self._callbacks)

    def due(self, operation: str | None) -> list[RequestCallback]:
        """Return the callbacks that run for this request. Every callback of the operation counts it."""
        return [callback for callback in self._callbacks if callback.operation == operation and callback.is_due()]

    def perform(self, callback: RequestCallback) -> None:
        """Run a callback; an exception is recorded and does not reach the client."""
        try:
            callback.do()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # whatever it is (`pytest.fail` too), the test reports it
            self.failures.append(error)
