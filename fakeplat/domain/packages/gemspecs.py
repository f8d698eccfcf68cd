"""What gems say of themselves: the specification in the archive, and its text in Ruby.

Source: docs/platform/packages.md (RubyGems).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from fakeplat.domain.packages.packed_files import UnreadableFile, find_in_tar, read_gzip

_MAX_METADATA: Final = 4 * 1024 * 1024
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)
_VERSION: Final = re.compile(r"[0-9]+(?:\.[0-9a-zA-Z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?", re.ASCII)
# The date of a gem is a time, which configurations cannot have.
_DATE: Final = re.compile(r"^date: *(\d{4}-\d\d-\d\d)?.*$", re.MULTILINE)
_NO_DATE: Final = date(1980, 1, 2)
"""The date of gems that are built for comparison."""
_TEXTS: Final = ("email", "homepage", "description", "summary")
_LISTS: Final = ("require_paths", "authors", "bindir", "executables", "licenses", "extensions")


class Dependency(NamedTuple):
    """A gem that another one needs; ``requirements`` are pairs of an operator and a version."""

    name: str
    requirements: Sequence[str]
    is_runtime: bool


class Gemspec(NamedTuple):
    """The specification of a gem."""

    name: str
    version: str
    fields: Mapping[str, Any]
    dependencies: Sequence[Dependency]
    date: date = _NO_DATE


def read(content: bytes) -> Gemspec:
    """Return the specification of a gem; UnreadableFile if the file is no gem, or lacks a valid name or version."""
    from fakeplat.ci_config import documents

    packed = find_in_tar(content, "/metadata.gz", _MAX_METADATA)
    if packed is None:
        raise UnreadableFile("metadata.gz not found")
    try:
        written = read_gzip(packed).decode()
        text, day = _DATE.sub("", written), _read_date(written)
        document: Mapping[Any, Any] = documents.parse_mapping(text, has_references=False)
    except ValueError as error:
        raise UnreadableFile(f"the metadata cannot be read: {error}") from None
    name, version = str(document.get("name") or ""), _read_version(document.get("version"))
    if not _NAME.fullmatch(name) or not _VERSION.fullmatch(version):
        raise UnreadableFile(f"{name} {version} is no name and version of a gem")
    fields = {str(key): value for key, value in document.items() if key not in ("name", "version", "dependencies")}
    return Gemspec(name, version, fields, tuple(_list_dependencies(document.get("dependencies"))), day)


def _read_date(text: str) -> date:
    match = _DATE.search(text)
    return date.fromisoformat(match[1]) if match and match[1] else _NO_DATE


def _read_version(value: object) -> str:
    return str(value.get("version", "")) if isinstance(value, Mapping) else ""


def _list_dependencies(rows: object) -> Iterator[Dependency]:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping):
            is_runtime = str(row.get("type")).removeprefix(":") != "development"
            yield Dependency(str(row.get("name")), _read_requirements(row.get("requirement")), is_runtime)


def _read_requirements(value: object) -> Sequence[str]:
    pairs = value.get("requirements") if isinstance(value, Mapping) else None
    texts = [f"{pair[0]} {_read_version(pair[1])}" for pair in pairs or () if isinstance(pair, list) and len(pair) > 1]
    return tuple(sorted(texts))


def to_ruby(spec: Gemspec) -> str:
    """Return the specification as a program in Ruby, as gems are installed with it."""
    lines = [
        "# -*- encoding: utf-8 -*-",
        f"# stub: {spec.name} {spec.version} ruby {_join(spec.fields.get('require_paths'))}".rstrip(),
        "",
        "Gem::Specification.new do |s|",
        f"  s.name = {_quote(spec.name)}.freeze",
        f"  s.version = {_quote(spec.version)}",
        "",
        *(f"  s.{name} = {_literal(value)}" for name, value in _list_fields(spec)),
        *_declare_dependencies(spec.dependencies),
        "end",
    ]
    return "\n".join(lines) + "\n"


def _join(value: object) -> str:
    return "\0".join(map(str, value)) if isinstance(value, list) else ""


def _list_fields(spec: Gemspec) -> Iterator[tuple[str, Any]]:
    for name in (*_LISTS, *_TEXTS):
        value = spec.fields.get(name)
        if value and not (name == "bindir" and value == "bin"):
            yield name, value


def _literal(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(f'{_quote(str(item))}.freeze' for item in value)}]"
    return f"{_quote(str(value))}.freeze"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("#", "\\#").replace("\n", "\\n")
    return f'"{escaped}"'


def _declare_dependencies(dependencies: Sequence[Dependency]) -> Iterator[str]:
    if dependencies:
        yield ""
    for dependency in dependencies:
        kind = "runtime" if dependency.is_runtime else "development"
        requirements = ", ".join(map(_quote, dependency.requirements))
        yield f"  s.add_{kind}_dependency({_quote(dependency.name)}.freeze, [{requirements}])"
