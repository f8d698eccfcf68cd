"""Where an operation lives: the part of its path that names records, outermost first.

`PROJECT / "merge_requests/:merge_request_iid"` is a scope inside a scope. Each segment with a parameter
says how its text becomes a value and how the record is found; both decide the 400 and 404 of the path.
"""

from collections.abc import Callable
from typing import Any, Literal

from attrs import field

from fakeplat.core.store.frozen import frozen

Kind = Literal["text", "integer", "digits"]


@frozen
class Segment:
    """One step of a scope.

    ``kind``: ``integer`` refuses other text with 400, ``digits`` lets no other text match the route, ``text``
    takes anything. ``locate(cx, *outer, value)`` gives the record or raises its 404. ``word``
    stands for it in names of operations that are declared once for several scopes.
    """

    path: str
    kind: Kind = "text"
    locate: Callable[..., Any] | None = None
    word: str = ""
    parameter: str = field(init=False)

    @parameter.default
    def _its_parameter(self) -> str:
        names = [part[1:] for part in self.path.split("/") if part.startswith((":", "*"))]
        return names[0] if names else ""


@frozen
class Scope:
    """A chain of segments."""

    segments: tuple[Segment, ...] = ()

    @property
    def path(self) -> str:
        """The path of all segments, without slashes around it."""
        return "/".join(segment.path for segment in self.segments)

    @property
    def word(self) -> str:
        """The word of the innermost segment."""
        return self.segments[-1].word if self.segments else ""

    def __truediv__(self, inner: Segment) -> "Scope":
        return Scope((*self.segments, inner))


NOWHERE = Scope()
