"""Scenario files as data: YAML 1.2 or JSON, fast; a second time with positions where something is wrong."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from fakeplat.core.schema.mistakes import TOO_DEEP, JsonPath, Mistake
from fakeplat.scenario.errors import ScenarioError

SUFFIXES: Final = (".yaml", ".yml", ".json")
_MERGE: Final = "tag:yaml.org,2002:merge"
_KEPT: Final = 64


@lru_cache(_KEPT)
def parse(text: bytes, suffix: str) -> Any:
    """What a file says; it is shared, so nobody may change it. ScenarioError for what says nothing."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        raise ScenarioError([Mistake(f"is no UTF-8 text: {error.reason} at byte {error.start}")]) from None
    return _from_json(decoded) if suffix == ".json" else _from_yaml(decoded)


def parse_generated(text: bytes) -> Any:
    """What a generated JSON file says: nobody wrote it, so nothing is wrong with it."""
    import orjson

    return orjson.loads(text)


class _Repeated(ValueError):
    """A key stands twice in an object."""


def _from_json(text: str) -> Any:
    import json

    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ScenarioError([Mistake(f"no JSON: {error.msg}", line=error.lineno)]) from None
    except RecursionError:
        raise ScenarioError([TOO_DEEP]) from None
    except _Repeated:
        raise ScenarioError(repeated_keys(text)) from None


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Repeated
    return found


def _from_yaml(text: str) -> Any:
    from ruamel.yaml.constructor import DuplicateKeyError
    from ruamel.yaml.error import YAMLError

    try:
        return _loaded(text)
    except DuplicateKeyError:
        raise ScenarioError(repeated_keys(text)) from None
    except RecursionError:
        raise ScenarioError([TOO_DEEP]) from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ScenarioError([Mistake(f"no YAML: {problem}", line=mark.line + 1 if mark else None)]) from None


def _loaded(text: str) -> Any:
    """The C parser knows only YAML 1.1, which has no colons in the values of flow maps; then the slow one decides."""
    from ruamel.yaml.parser import ParserError
    from ruamel.yaml.scanner import ScannerError

    try:
        return _parser(pure=False).load(text)
    except (ParserError, ScannerError):
        return _parser(pure=True).load(text)


def _parser(*, pure: bool) -> Any:
    from ruamel.yaml import YAML

    parser = YAML(typ="safe", pure=pure)
    parser.Constructor = _constructor()
    return parser


@cache
def _constructor() -> Any:
    """Builds plain data; times stay text."""
    from ruamel.yaml.constructor import SafeConstructor

    class Constructor(SafeConstructor):
        """A constructor of our own, so that nobody else's changes."""

    Constructor.add_constructor("tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str)
    return Constructor


def find_lines(text: str, paths: Sequence[JsonPath]) -> list[int | None]:
    """The line of each place, or of the nearest place around it."""
    root = _composed(text)
    return [None if root is None else _line(root, path) for path in paths]


def repeated_keys(text: str) -> list[Mistake]:
    """Each key that stands twice in its map, at its second place."""
    root = _composed(text)
    return list(_repeated_below(root, ())) if root is not None else [Mistake("a key stands twice")]


@lru_cache(4)
def _composed(text: str) -> Any:
    from ruamel.yaml.error import YAMLError

    try:
        return _parser(pure=True).compose(text)
    except (YAMLError, RecursionError):
        return None


def _line(node: Any, path: JsonPath) -> int:
    line: int = node.start_mark.line + 1
    for step in path:
        mark, node = _child(node, step)
        if node is None:
            break
        line = mark.line + 1
    return line


def _child(node: Any, step: str | int) -> tuple[Any, Any]:
    """Where a step begins, and the node that it leads to."""
    if isinstance(step, int):
        inner = node.value[step] if isinstance(node.value, list) and step < len(node.value) else None
        return (inner.start_mark, inner) if inner is not None else (None, None)
    for key, value in reversed(_pairs(node)):
        if key.value == step:
            return key.start_mark, value
    merged = (_child(value, step) for key, value in _pairs(node) if key.tag == _MERGE)
    return next((found for found in merged if found[1] is not None), (None, None))


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    from ruamel.yaml.nodes import MappingNode

    return node.value if isinstance(node, MappingNode) else []


def _repeated_below(node: Any, path: JsonPath) -> Iterator[Mistake]:
    seen: set[str] = set()
    for key, value in _pairs(node):
        name = str(key.value)
        if name in seen and key.tag != _MERGE:
            yield Mistake(f"duplicate key {name!r}", (*path, name), line=key.start_mark.line + 1)
        seen.add(name)
        yield from _repeated_below(value, (*path, name))
    if not _pairs(node) and isinstance(node.value, list):
        for place, item in enumerate(node.value):
            yield from _repeated_below(item, (*path, place))
