"""What ``gem install`` reads before it downloads a gem: the indexes of a project, and serialized specifications.

Source: docs/platform/packages.md (RubyGems).
"""

import gzip
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cmp_to_key
from typing import Any, Final

from fakeplat.core import ruby_marshal
from fakeplat.core.ruby_marshal import Dumped, Instance, Marshaled, Symbol, Value
from fakeplat.domain.packages.gemspecs import Dependency, Gemspec
from fakeplat.model.packages import Package

SPECS: Final = "specs.4.8.gz"
LATEST_SPECS: Final = "latest_specs.4.8.gz"
PRERELEASE_SPECS: Final = "prerelease_specs.4.8.gz"
FILE_NAMES: Final = (SPECS, LATEST_SPECS, PRERELEASE_SPECS)
_PLATFORM: Final = "ruby"
_SEGMENT: Final = re.compile(r"[0-9]+|[a-z]+", re.IGNORECASE)
_ANY_VERSION: Final = [[">=", {"version": "0"}]]
_FORMAT: Final = 4
"""The version of the format of specifications."""


def build_index(rows: Iterable[Package], file_name: str) -> bytes:
    """Return an index of gems: of all releases, of the latest of each name, or of versions before a release."""
    in_order = sorted(rows, key=lambda row: (row.name, _order(row.version or "")))
    chosen = [row for row in in_order if _is_prerelease(row) == (file_name == PRERELEASE_SPECS)]
    if file_name == LATEST_SPECS:
        chosen = list({row.name: row for row in chosen}.values())
    specs: Value = [[row.name, _version(row.version or ""), _PLATFORM] for row in chosen]
    return gzip.compress(ruby_marshal.dump(specs), mtime=0)


def _is_prerelease(package: Package) -> bool:
    return any(segment.isalpha() for segment in _split(package.version or ""))


def _split(version: str) -> Sequence[str]:
    return _SEGMENT.findall(version.replace("-", ".pre."))


def _compare(left: Sequence[str], right: Sequence[str]) -> int:
    """Compare versions by segments; letters come before numbers, and a missing segment is 0."""
    for position in range(max(len(left), len(right))):
        one, other = (row[position] if position < len(row) else "0" for row in (left, right))
        keys = tuple((segment.isdigit(), int(segment) if segment.isdigit() else segment) for segment in (one, other))
        if keys[0] != keys[1]:
            return -1 if keys[0] < keys[1] else 1
    return 0


def _order(version: str) -> Any:
    return cmp_to_key(_compare)(_split(version))


def serialize(spec: Gemspec) -> bytes:
    """Return a specification as Ruby reads it: compressed, in its own format."""
    fields = spec.fields
    inner: Value = [
        _text(fields.get("rubygems_version")),
        _FORMAT,
        spec.name,
        _version(spec.version),
        _time(spec.date),
        fields.get("summary"),
        _requirement(_list_requirements(fields.get("required_ruby_version"))),
        _requirement(_list_requirements(fields.get("required_rubygems_version"))),
        _PLATFORM,
        [_dependency(dependency) for dependency in spec.dependencies],
        "",
        _email(fields.get("email")),
        _texts(fields.get("authors")),
        fields.get("description"),
        fields.get("homepage"),
        True,
        _PLATFORM,
        _texts(fields.get("licenses")),
        {str(key): str(value) for key, value in _mapping(fields.get("metadata")).items()},
    ]
    return zlib.compress(ruby_marshal.dump(Dumped("Gem::Specification", ruby_marshal.dump(inner))))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _email(value: object) -> Value:
    return _texts(value) if isinstance(value, list) else None if value is None else str(value)


def _mapping(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}


def _version(version: str) -> Marshaled:
    return Marshaled("Gem::Version", [version])


def _list_requirements(value: object) -> list[tuple[str, str]]:
    pairs = _mapping(value).get("requirements") or _ANY_VERSION
    return [(str(pair[0]), str(_mapping(pair[1]).get("version", "0"))) for pair in pairs if isinstance(pair, list)]


def _requirement(pairs: Iterable[tuple[str, str]]) -> Marshaled:
    return Marshaled("Gem::Requirement", [[[operator, _version(version)] for operator, version in pairs]])


def _dependency(dependency: Dependency) -> Instance:
    pairs = [tuple(text.split(" ", 1)) for text in dependency.requirements]
    requirement = _requirement((pair[0], pair[-1]) for pair in pairs)
    return Instance(
        "Gem::Dependency",
        {
            Symbol("@name"): dependency.name,
            Symbol("@requirement"): requirement,
            Symbol("@type"): Symbol("runtime" if dependency.is_runtime else "development"),
            Symbol("@prerelease"): False,
        },
    )


def _time(day: date) -> Dumped:
    """Return midnight of a day as Ruby serializes times: the parts of the date and of the time in bits."""
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    upper = 1 << 31 | 1 << 30 | (moment.year - 1900) << 14 | (moment.month - 1) << 10 | moment.day << 5
    return Dumped("Time", upper.to_bytes(4, "little") + bytes(4), {Symbol("zone"): "UTC"})
