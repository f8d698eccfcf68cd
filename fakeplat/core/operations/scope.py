"""Scopes of operations: the part of a path that names records, outermost first.

`PROJECT / "merge_requests/:merge_request_iid"` is a scope inside a scope. A segment with a parameter declares how
its text is converted (400 for invalid ones) and how the record is located (404 if it does not exist).
"""

from collections.abc import Callable
from typing import Any, Literal

from attrs import field

from fakeplat.core.store.frozen import frozen

Kind = Literal["text", "integer", "digits"]


@frozen
class Segment:
    """A segment of a scope.

    ``kind``: ``integer`` refuses other text with 400, ``digits`` makes the route match digits only, ``text`` accepts
    anything. ``locate(ctx, *outer, value)`` returns the record or raises its 404; of a segment with several parameters,
    the value is the tuple of their texts. ``word`` names the segment in operations that are declared once for several
    scopes. ``tier`` is the one that all operations on the record need.
    """

    path: str
    kind: Kind = "text"
    locate: Callable[..., Any] | None = None
    word: str = ""
    tier: str = ""
    parameters: tuple[str, ...] = field(init=False)
    parameter: str = field(init=False)
    """The first parameter, or an empty text."""

    @parameters.default
    def _list_parameters(self) -> tuple[str, ...]:
        return tuple(part[1:] for part in self.path.split("/") if part.startswith((":", "*")))

    @parameter.default
    def _get_first(self) -> str:
        return self.parameters[0] if self.parameters else ""


@frozen
class Scope:
    """A chain of segments."""

    segments: tuple[Segment, ...] = ()

    @property
    def path(self) -> str:
        """The path of all segments, without surrounding slashes."""
        return "/".join(segment.path for segment in self.segments)

    @property
    def word(self) -> str:
        """The word of the innermost segment."""
        return self.segments[-1].word if self.segments else ""

    @property
    def tier(self) -> str:
        """The tier of the innermost segment that has one."""
        return next((segment.tier for segment in reversed(self.segments) if segment.tier), "")

    def __truediv__(self, inner: Segment) -> "Scope":
        return Scope((*self.segments, inner))


NO_SCOPE = Scope()
