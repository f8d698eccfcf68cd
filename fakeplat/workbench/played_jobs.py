"""How the jobs of a world are played, declared by the test author.

```python
fakeplat.pipelines.add(job="test:*", outcome="failed", after="30s")
fakeplat.pipelines.add(project="acme/site", job="deploy", attempts=["failed", "success"])
```

The last declaration that matches a job applies; without one it succeeds after a second.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from fakeplat.core.schema.mistakes import DocumentError
from fakeplat.core.schema.shapes import ListOf, read_document
from fakeplat.domain.ci import job_outcomes
from fakeplat.platform import Platform
from fakeplat.workbench.keywords import InvalidOption

Declaration = Mapping[str, object]


class OutcomeKeywords(TypedDict, total=False):
    """The keys of a declaration; `job_outcomes.DECLARATION` describes them."""

    project: str
    ref: str
    job: str
    outcome: str
    after: str | float
    attempts: Sequence[str]
    log: str | None
    artifacts: Mapping[str, str]
    coverage: float | None


class PlayedJobs:
    """The outcomes of the jobs of a world. ``changed`` is called with all declarations after each change."""

    def __init__(self, platform: Platform, changed: Callable[[list[Declaration]], object] | None = None) -> None:
        self._platform = platform
        self._changed = changed

    def list(self) -> list[Declaration]:
        """Return the declarations, in the order in which they were added."""
        return [job_outcomes.as_declaration(outcome) for outcome in self._platform.view.job_outcomes.all()]

    def add(self, declaration: Declaration | None = None, /, **keys: Unpack[OutcomeKeywords]) -> None:
        """Add a declaration, which comes before the present ones; InvalidOption if it is invalid."""
        parsed = parse_outcomes([{**(declaration or {}), **keys}])
        with self._platform.acting() as ctx:
            job_outcomes.add_outcomes(ctx, parsed)
        self._notify()

    def replace(self, declarations: Sequence[Declaration]) -> None:
        """Replace all declarations; InvalidOption if one is invalid."""
        parsed = parse_outcomes(declarations)
        with self._platform.acting() as ctx:
            job_outcomes.replace_outcomes(ctx, parsed)
        self._notify()

    def clear(self) -> None:
        """Remove all declarations."""
        self.replace([])

    def _notify(self) -> None:
        if self._changed is not None:
            self._changed(self.list())


def parse_outcomes(declarations: object) -> Sequence[Mapping[str, Any]]:
    """Check declarations of outcomes; InvalidOption describes what is wrong with them."""
    try:
        parsed: Sequence[Mapping[str, Any]] = read_document(ListOf(job_outcomes.DECLARATION), declarations)
    except DocumentError as error:
        raise InvalidOption(f"pipelines: {error}") from None
    return parsed
