"""Router: from method and path to an operation, in time proportional to the length of the path."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Generic, NamedTuple, Protocol, TypeVar
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
    values: Mapping[str, str]
    allowed: tuple[str, ...] = ()


_PARAMETERS: Final = (":", "#", "*")
"""What the parts of parameters begin with; ``#`` stands for one that matches only digits."""


class _Node(Generic[T]):
    """A segment of paths. Its children are created when a request first reaches it, because most are never needed.

    ``pending`` has the routes below it, with the parts of their paths.
    """

    __slots__ = ("depth", "digits", "fixed", "methods", "pending", "rest", "text")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.fixed: dict[str, _Node[T]] = {}
        self.digits: _Node[T] | None = None
        self.text: _Node[T] | None = None
        self.rest: _Node[T] | None = None
        self.methods: dict[str, tuple[T, tuple[str, ...]]] = {}
        self.pending: list[tuple[T, Sequence[str]]] = []

    def expand(self) -> None:
        """Create the children."""
        pending, self.pending = self.pending, []
        for route, parts in pending:
            if len(parts) > self.depth:
                self._child(parts[self.depth]).pending.append((route, parts))
            elif route.method in self.methods:
                raise AmbiguousRoute(f"{route.method} {route.path}")
            else:
                names = tuple(part[1:] for part in parts if part.startswith(_PARAMETERS))
                self.methods[route.method] = (route, names)

    def _child(self, part: str) -> "_Node[T]":
        kind = part[0]
        if kind not in _PARAMETERS:
            if part not in self.fixed:
                self.fixed[part] = _Node(self.depth + 1)
            return self.fixed[part]
        name = {":": "text", "#": "digits", "*": "rest"}[kind]
        child: _Node[T] = getattr(self, name) or _Node(self.depth + 1)
        setattr(self, name, child)
        return child


class Router(Generic[T]):
    """A tree of path segments. Fixed text has precedence over digits, then any text, then the rest of a path.

    ``digits`` are the parameters that match only digits, as ``(path, name)``; ``endings`` are optional suffixes of
    paths, as ``(path, ending)``; ``dashed`` are parts before which paths may have a ``-``, as ``(path, part)``.
    """

    def __init__(
        self,
        routes: Iterable[T],
        digits: Iterable[tuple[str, str]] = (),
        endings: Iterable[tuple[str, str]] = (),
        dashed: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._root: _Node[T] = _Node(0)
        numbers = {(path, f":{name}") for path, name in digits}
        endings_by_path: dict[str, list[str]] = {}
        for path, ending in endings:
            endings_by_path.setdefault(path, [""]).append(ending)
        dashed_parts = dict(dashed)
        routes = list(routes)
        self._methods = sorted({route.method for route in routes})
        for route in routes:
            for ending in endings_by_path.get(route.path, ("",)):
                parts = _split(route.path, ending, numbers)
                self._root.pending.append((route, parts))
                if (part := dashed_parts.get(route.path)) is not None:
                    at = parts.index(part)
                    self._root.pending.append((route, [*parts[:at], "-", *parts[at:]]))

    def match(self, method: str, path: str) -> Match[T]:
        """Find the route of a request. AmbiguousRoute if two routes have its method and path.

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


def _split(path: str, ending: str, numbers: Collection[tuple[str, str]]) -> list[str]:
    parts = f"{path.strip('/')}{ending}".split("/")
    # The root has no parts.
    return [f"#{part[1:]}" if (path, part) in numbers else part for part in parts] if parts != [""] else []


def _walk(
    node: _Node[T], segments: list[str], at: int, values: list[str], method: str
) -> tuple[_Node[T], list[str]] | None:
    """Return the best node for a path that has a route for the method, with the values of its parameters."""
    if node.pending:
        node.expand()
    if at == len(segments):
        return (node, values) if method in node.methods else None
    segment = segments[at]
    last = at + 1 == len(segments)
    stem = segment[:-5] if last and segment.endswith(".json") else segment
    # Segments are decoded only after the path was split: %2F does not separate segments.
    text = unquote(stem) if "%" in stem else stem
    # ``.json`` may be a part of the fixed text, while a longer path has the text without it.
    for fixed in (text, segment) if text != segment else (text,):
        fixed_child = node.fixed.get(fixed)
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
    if rest.pending:
        rest.expand()
    # Shorter matches first: a rest before other parts takes as few segments as possible.
    has_parameter = rest.text is not None or rest.digits is not None
    for end in range(at + 1, len(segments) if rest.fixed or has_parameter else at):
        if has_parameter or segments[end] in rest.fixed:
            taken = unquote("/".join(segments[at:end]))
            match = _walk(rest, segments, end, [*values, taken], method)
            if match:
                return match
    return (rest, [*values, unquote("/".join(segments[at:]))]) if method in rest.methods else None
