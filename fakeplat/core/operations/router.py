"""Router: from method and path to an operation, in time proportional to the length of the path."""

from collections.abc import Iterable
from typing import Generic, NamedTuple, Protocol, TypeVar
from urllib.parse import unquote


class RouteLike(Protocol):
    """A route.

    A path part `:name` matches one segment. `*name` matches one or more: all that follow if it is the last part,
    otherwise as few as possible.
    """

    @property
    def method(self) -> str:
        """The HTTP method."""

    @property
    def path(self) -> str:
        """The complete path."""


T = TypeVar("T", bound=RouteLike)


class AmbiguousRoute(ValueError):
    """Two routes have the same method and path."""


class Match(NamedTuple, Generic[T]):
    """The route and the texts of its parameters, or the methods that the path allows if there is no route."""

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
    """A tree of path segments. Fixed text has precedence over digits, then any text, then the rest of a path.

    ``digits`` are the parameters that match only digits, as ``(path, name)``; ``endings`` are optional suffixes of
    paths, as ``(path, ending)``.
    """

    def __init__(
        self, routes: Iterable[T], digits: Iterable[tuple[str, str]] = (), endings: Iterable[tuple[str, str]] = ()
    ) -> None:
        self._root: _Node[T] = _Node()
        self._digits = frozenset(digits)
        endings_by_path: dict[str, list[str]] = {}
        for path, ending in endings:
            endings_by_path.setdefault(path, [""]).append(ending)
        routes = list(routes)
        self._methods = sorted({route.method for route in routes})
        for route in routes:
            for ending in endings_by_path.get(route.path, ("",)):
                self._add(route, ending)

    def match(self, method: str, path: str) -> Match[T]:
        """Find the route of a request.

        HEAD matches the routes of GET, and a trailing ``.json`` is not part of a fixed segment or a number. If the best
        match does not have the method, the next one is tried: ``labels/promote`` is a label, except for PUT.
        """
        get_method = "GET" if method == "HEAD" else method
        segments = [segment for segment in path.split("/") if segment]
        match = _walk(self._root, segments, 0, [], get_method)
        if match is None:
            # Without a route, those of the other methods tell 405 from 404.
            return Match(None, {}, tuple(other for other in self._methods if _walk(self._root, segments, 0, [], other)))
        node, values = match
        route, names = node.methods[get_method]
        return Match(route, dict(zip(names, values, strict=True)))

    def _add(self, route: T, ending: str = "") -> None:
        node, names = self._root, []
        path = f"{route.path.strip('/')}{ending}"
        # The root has no parts.
        for part in path.split("/") if path else ():
            if part.startswith((":", "*")):
                names.append(part[1:])
            node = _get_child(node, part, (route.path, part[1:]) in self._digits)
        if route.method in node.methods:
            raise AmbiguousRoute(f"{route.method} {route.path}")
        node.methods[route.method] = (route, tuple(names))


def _get_child(node: _Node[T], part: str, digits: bool) -> _Node[T]:
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
    node: _Node[T], segments: list[str], at: int, values: list[str], method: str
) -> tuple[_Node[T], list[str]] | None:
    """Return the best node for a path that has a route for the method, with the values of its parameters."""
    if at == len(segments):
        return (node, values) if method in node.methods else None
    segment = segments[at]
    last = at + 1 == len(segments)
    stem = segment[:-5] if last and segment.endswith(".json") else segment
    # Segments are decoded only after the path was split: %2F does not separate segments.
    text = unquote(stem) if "%" in stem else stem
    fixed_child = node.fixed.get(text) or node.fixed.get(segment)
    if fixed_child is not None and (match := _walk(fixed_child, segments, at + 1, values, method)):
        return match
    if node.digits is not None and text.isascii() and text.isdigit():
        match = _walk(node.digits, segments, at + 1, [*values, text], method)
        if match:
            return match
    if node.text is not None:
        # A number loses its ``.json``, any other text keeps it: it may be the name of a file.
        value = text if text.isascii() and text.isdigit() else unquote(segment)
        match = _walk(node.text, segments, at + 1, [*values, value], method)
        if match:
            return match
    return None if node.rest is None else _walk_rest(node.rest, segments, at, values, method)


def _walk_rest(
    rest: _Node[T], segments: list[str], at: int, values: list[str], method: str
) -> tuple[_Node[T], list[str]] | None:
    # Shorter matches first: a rest before other parts takes as few segments as possible.
    has_parameter = rest.text is not None or rest.digits is not None
    for end in range(at + 1, len(segments) if rest.fixed or has_parameter else at):
        if has_parameter or segments[end] in rest.fixed:
            taken = unquote("/".join(segments[at:end]))
            match = _walk(rest, segments, end, [*values, taken], method)
            if match:
                return match
    return (rest, [*values, unquote("/".join(segments[at:]))]) if method in rest.methods else None
