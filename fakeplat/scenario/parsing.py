"""Parsing of scenario files (YAML 1.2 or JSON). The fast parsers keep no positions; errors need a second pass."""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

import orjson

from fakeplat.core.schema.mistakes import TOO_DEEP, JsonPath, Mistake
from fakeplat.scenario.errors import ScenarioError

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

SUFFIXES: Final = (".yaml", ".yml", ".json")
_MERGE: Final = "tag:yaml.org,2002:merge"
_CACHED_FILES: Final = 64
_MAX_DIGITS: Final = 20
_MAX_DEPTH: Final = 500
_OPENER: Final = re.compile(r"[\[{]|[-?](?=[ \t]+[-?])")
"""What opens a collection within a line. Collections that begin on lines of their own need ever longer lines."""
_OUT_OF_RANGE: Final = "a number is out of range: whole numbers have 64 bits, others are finite"


@lru_cache(_CACHED_FILES)
def parse(text: bytes, suffix: str) -> Any:
    """Return the content of a file, cached and therefore not to be changed; ScenarioError if it is invalid."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        raise ScenarioError([Mistake(f"is not UTF-8 text: {error.reason} at byte {error.start}")]) from None
    return _from_json(decoded) if suffix == ".json" else _from_yaml(decoded)


def parse_generated(text: bytes) -> Any:
    """Return the content of a generated JSON file, without the checks for handwritten files."""
    return orjson.loads(text)


class _DuplicateKey(ValueError):
    """A key occurs twice in an object."""


def _from_json(text: str) -> Any:
    import json

    try:
        return json.loads(
            text,
            object_pairs_hook=_build_object,
            parse_int=_parse_int,
            parse_float=_parse_float,
            parse_constant=_parse_float,
        )
    except _NumberOutOfRange as error:
        line = text.count("\n", 0, text.find(str(error))) + 1
        raise ScenarioError([Mistake(_OUT_OF_RANGE, line=line)]) from None
    except json.JSONDecodeError as error:
        raise ScenarioError([Mistake(f"invalid JSON: {error.msg}", line=error.lineno)]) from None
    except RecursionError:
        raise ScenarioError([TOO_DEEP]) from None
    except _DuplicateKey:
        raise ScenarioError(repeated_keys(text)) from None


def _build_object(pairs: Sequence[tuple[str, object]]) -> dict[str, Any]:
    result = dict(pairs)
    # JSON allows duplicate keys and the last one wins, which hides mistakes in handwritten files.
    if len(result) < len(pairs):
        raise _DuplicateKey
    return result


class _NumberOutOfRange(ValueError):
    """A number that JSON responses cannot contain; its text is the error's."""


def _parse_int(text: str) -> int:
    # Python refuses to convert very long texts, as that is slow.
    if len(text) > _MAX_DIGITS or not -(2**63) <= (number := int(text)) < 2**64:
        raise _NumberOutOfRange(text)
    return number


def _parse_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _NumberOutOfRange(text)
    return number


def _from_yaml(text: str) -> Any:
    from ruamel.yaml.constructor import DuplicateKeyError
    from ruamel.yaml.error import YAMLError

    try:
        document = _load_yaml(text)
        _keep_version_as_written(document, text)
        return document
    except DuplicateKeyError:
        raise ScenarioError(repeated_keys(text)) from None
    except RecursionError:
        raise ScenarioError([TOO_DEEP]) from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ScenarioError([Mistake(f"invalid YAML: {problem}", line=mark.line + 1 if mark else None)]) from None


def _keep_version_as_written(document: object, text: str) -> None:
    """Replace a release that YAML reads as a number by its text: 13.10 is not 13.1."""
    instance = document.get("instance") if isinstance(document, dict) else None
    if not isinstance(instance, dict):
        return
    version = instance.get("version")
    if isinstance(version, int | float) and not isinstance(version, bool):
        _, node = _child(_child(_compose(text), "instance")[1], "version")
        instance["version"] = version if node is None else node.value


def _load_yaml(text: str) -> Any:
    # The C parser implements YAML 1.1, which allows no colons in the values of flow maps. What it rejects is parsed
    # again by the slow parser for YAML 1.2.
    from ruamel.yaml.parser import ParserError
    from ruamel.yaml.scanner import ScannerError

    try:
        _check_depth(text)
        return _parser(pure=False).load(text)
    except (ParserError, ScannerError):
        return _parser(pure=True).load(text)


def _check_depth(text: str) -> None:
    """Raise RecursionError if a text is nested too deeply: the C parser would overflow the stack of the process."""
    if sum(map(text.count, "[{-?")) <= _MAX_DEPTH or len(_OPENER.findall(text)) <= _MAX_DEPTH:
        return
    from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent

    depth = 0
    for event in _parser(pure=False).parse(text):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise RecursionError


def _parser(*, pure: bool) -> Any:
    from ruamel.yaml import YAML

    parser = YAML(typ="safe", pure=pure)
    parser.Constructor = _constructor()
    return parser


@cache
def _constructor() -> Any:
    """Return a constructor of plain data that leaves timestamps as text."""
    from ruamel.yaml.constructor import ConstructorError, SafeConstructor

    class Constructor(SafeConstructor):
        """A subclass, because constructors are registered on the class, which other users of the library share."""

        def construct_number(self, node: Any) -> float:
            is_int = node.tag.endswith("int")
            try:
                number: float = (self.construct_yaml_int if is_int else self.construct_yaml_float)(node)
            except ValueError:  # Python refuses to convert very long texts, as that is slow
                number = math.inf
            if not -(2**63) <= number < 2**64 if is_int else not math.isfinite(number):
                raise ConstructorError(problem=_OUT_OF_RANGE, problem_mark=node.start_mark)
            return number

    for kind in ("int", "float"):
        Constructor.add_constructor(f"tag:yaml.org,2002:{kind}", Constructor.construct_number)
    # Timestamps stay text as in JSON, so that both formats are validated by the same shapes.
    Constructor.add_constructor("tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str)
    return Constructor


def find_lines(text: str, paths: Sequence[JsonPath]) -> list[int | None]:
    """Return the line of each path, or of the closest parent that exists."""
    root = _compose(text)
    return [None if root is None else _line(root, path) for path in paths]


def repeated_keys(text: str) -> list[Mistake]:
    """Return a mistake for each key that occurs twice in its map, at the second occurrence."""
    root = _compose(text)
    return list(_find_duplicates(root, ())) if root is not None else [Mistake("a key occurs twice")]


@lru_cache(4)
def _compose(text: str) -> Any:
    from ruamel.yaml.error import YAMLError

    try:
        return _parser(pure=True).compose(text)
    except (YAMLError, RecursionError):
        return None


def _line(node: "Node", path: JsonPath) -> int:
    line: int = node.start_mark.line + 1
    # Stops at the deepest node that exists: for a missing key that is the map that should contain it.
    for step in path:
        mark, child = _child(node, step)
        if child is None:
            break
        line, node = mark.line + 1, child
    return line


def _child(node: "Node", step: str | int) -> tuple[Any, Any]:
    """Return the position of a step of a path, and the node that it leads to."""
    if isinstance(step, int):
        child = node.value[step] if isinstance(node.value, list) and step < len(node.value) else None
        return (child.start_mark, child) if child is not None else (None, None)
    # Of duplicate keys the last one counts; keys of the map itself take precedence over merged ones (`<<`).
    for key, value in reversed(_pairs(node)):
        if key.value == step:
            return key.start_mark, value
    merged = (_child(value, step) for key, value in _pairs(node) if key.tag == _MERGE)
    return next((pair for pair in merged if pair[1] is not None), (None, None))


def _pairs(node: object) -> list[tuple[Any, Any]]:
    from ruamel.yaml.nodes import MappingNode

    return node.value if isinstance(node, MappingNode) else []


def _find_duplicates(node: "Node", path: JsonPath) -> Iterator[Mistake]:
    names: set[str] = set()
    for key, value in _pairs(node):
        name = str(key.value)
        # A map may be merged with several others, each under its own ``<<``.
        if name in names and key.tag != _MERGE:
            yield Mistake(f"duplicate key {name!r}", (*path, name), line=key.start_mark.line + 1)
        names.add(name)
        yield from _find_duplicates(value, (*path, name))
    if not _pairs(node) and isinstance(node.value, list):
        for index, item in enumerate(node.value):
            yield from _find_duplicates(item, (*path, index))
