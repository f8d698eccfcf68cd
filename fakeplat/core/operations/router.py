"""From method and path to an operation, at the cost of the path's length."""

from collections.abc import Iterable
from typing import Generic, NamedTuple, Protocol, TypeVar
from urllib.parse import unquote


class Routed(Protocol):
    """What a router can lead to.

    A path part `:name` takes one segment. `*name` takes one or more: as the last part all that follow, before others as
    few as leave what these take.
    """

    @property
    def method(self) -> str:
        """The HTTP method."""

    @property
    def path(self) -> str:
        """The whole path."""


T = TypeVar("T", bound=Routed)


class AmbiguousRoute(ValueError):
    """Two routes take the same paths."""


class Match(NamedTuple, Generic[T]):
    """The route and the texts of its parameters, or else the methods that the path does have."""

    route: T | None
    values: dict[str, str]
    allowed: tuple[str, ...] = ()


class _Node(Generic[T]):
    __slots__ = ("digits", "fixed", "methods", "rest", "text")

    def __init__(self) -> None:
        self.fixed: dict[str, _Node[T]] = {}
        self.digits: _Node[T] | None = None
        self.text: _Node[T] | None = None
        self.rest: _Node[T] | None = None
        self.methods: dict[str, tuple[T, tuple[str, ...]]] = {}


class Router(Generic[T]):
    """A tree of path segments. Fixed text beats digits, digits beat any text, any text beats the rest of a path.

    ``digits`` names the parameters that only digits match, as ``(path, name)``; ``endings`` says what may stand right
    behind a path, as ``(path, ending)``.
    """

    def __init__(
        self, routes: Iterable[T], digits: Iterable[tuple[str, str]] = (), endings: Iterable[tuple[str, str]] = ()
    ) -> None:
        self._root: _Node[T] = _Node()
        self._digits = frozenset(digits)
        ends: dict[str, list[str]] = {}
        for path, ending in endings:
            ends.setdefault(path, [""]).append(ending)
        for route in routes:
            for ending in ends.get(route.path, ("",)):
                self._add(route, ending)

    def match(self, method: str, path: str) -> Match[T]:
        """Find the route.

        HEAD goes where GET goes, and a trailing ``.json`` is no part of a fixed segment or number. Where the closest
        path does not have the method, the next one that does is taken: ``labels/promote`` is a label but to PUT.
        """
        wanted = "GET" if method == "HEAD" else method
        segments = [segment for segment in path.split("/") if segment]
        found = _walk(self._root, segments, 0, [], wanted) if wanted else None
        if found is None:
            other = _walk(self._root, segments, 0, [])
            return Match(None, {}, tuple(sorted(other[0].methods)) if other else ())
        node, values = found
        route, names = node.methods[wanted]
        return Match(route, dict(zip(names, values, strict=True)))

    def _add(self, route: T, ending: str = "") -> None:
        node, names = self._root, []
        for part in f"{route.path.strip('/')}{ending}".split("/"):
            if part.startswith((":", "*")):
                names.append(part[1:])
            node = _child(node, part, (route.path, part[1:]) in self._digits)
        if route.method in node.methods:
            raise AmbiguousRoute(f"{route.method} {route.path}")
        node.methods[route.method] = (route, tuple(names))


def _child(node: _Node[T], part: str, digits: bool) -> _Node[T]:
    if part.startswith("*"):
        node.rest = node.rest or _Node()
        return node.rest
    if not part.startswith(":"):
        return node.fixed.setdefault(part, _Node())
    if digits:
        node.digits = node.digits or _Node()
        return node.digits
    node.text = node.text or _Node()
    return node.text


def _walk(
    node: _Node[T], segments: list[str], at: int, values: list[str], method: str = ""
) -> tuple[_Node[T], list[str]] | None:
    """The closest node for a path that has a route for the method, or for any if there is none given."""
    if at == len(segments):
        return (node, values) if _takes(node, method) else None
    segment = segments[at]
    last = at + 1 == len(segments)
    plain = segment[:-5] if last and segment.endswith(".json") else segment
    text = unquote(plain) if "%" in plain else plain
    fixed = node.fixed.get(text) or node.fixed.get(segment)
    if fixed is not None and (found := _walk(fixed, segments, at + 1, values, method)):
        return found
    if node.digits is not None and text.isascii() and text.isdigit():
        found = _walk(node.digits, segments, at + 1, [*values, text], method)
        if found:
            return found
    if node.text is not None:
        own = text if text.isascii() and text.isdigit() else unquote(segment)
        found = _walk(node.text, segments, at + 1, [*values, own], method)
        if found:
            return found
    return None if node.rest is None else _walk_rest(node.rest, segments, at, values, method)


def _takes(node: _Node[T], method: str) -> bool:
    return method in node.methods if method else bool(node.methods)


def _walk_rest(
    rest: _Node[T], segments: list[str], at: int, values: list[str], method: str
) -> tuple[_Node[T], list[str]] | None:
    has_parameter = rest.text is not None or rest.digits is not None
    for end in range(at + 1, len(segments) if rest.fixed or has_parameter else at):
        if has_parameter or segments[end] in rest.fixed:
            taken = unquote("/".join(segments[at:end]))
            found = _walk(rest, segments, end, [*values, taken], method)
            if found:
                return found
    return (rest, [*values, unquote("/".join(segments[at:]))]) if _takes(rest, method) else None
