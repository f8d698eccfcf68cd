"""What others do around a client's request: races, made on purpose.

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
class Hook:
    """Something that somebody does around the ``nth`` request of an operation, or around every one (None)."""

    when: When
    operation: str
    do: Callable[[], object]
    nth: int | None
    seen: int = 0

    def is_due(self) -> bool:
        """Count one more request, and tell whether this is the one."""
        self.seen += 1
        return self.nth is None or self.seen == self.nth


@mutable(eq=False)
class RequestHooks:
    """The acts of a world; ``changed`` is called when there are more or fewer.

    ``failures`` are the exceptions that acts raised: the test that declared them fails of them.
    """

    changed: Callable[[], None]
    failures: list[Exception] = field(factory=list)
    _acts: list[Hook] = field(factory=list)

    def add(self, when: When, operation: str, do: Callable[[], object], nth: int | None) -> None:
        """Declare an act; NoSuchOperation, or ValueError if ``nth`` is below 1."""
        if nth is not None and nth < 1:
            raise ValueError(f"nth counts from 1, not {nth}")
        self._acts.append(Hook(when, implemented_operation(operation), do, nth))
        self.changed()

    def clear(self) -> None:
        """Forget all."""
        self._acts.clear()
        self.changed()

    def __len__(self) -> int:
        return len(self._acts)

    def due(self, operation: str | None) -> list[Hook]:
        """The acts around this request. Every one of the operation counts it."""
        return [act for act in self._acts if act.operation == operation and act.is_due()]

    def perform(self, acts: list[Hook], when: When) -> None:
        """Do those that come now; what one raises does not reach the client."""
        for act in acts:
            if act.when == when:
                try:
                    act.do()
                except Exception as error:  # noqa: BLE001  # whatever it is, it is the test's to hear of
                    self.failures.append(error)
