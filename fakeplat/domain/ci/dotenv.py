"""Variables that a job hands to later ones: its report ``dotenv``. Source: docs/platform/runner-protocol.md."""

import gzip
import re
import zlib
from collections.abc import Iterable
from typing import Final

_LINE: Final = re.compile(r"([A-Za-z0-9_]+)=(.*)")
_MAX_BYTES: Final = 5120
_MAX_VARIABLES: Final = 20


def parse_report(content: bytes) -> dict[str, str]:
    """Return the variables of a compressed report by name. ValueError with the platform's message if it is invalid."""
    # Before it is decompressed: a large file could become a thousand times as large.
    if len(content) > _MAX_BYTES:
        raise ValueError(f"Dotenv Artifact Too Big. Maximum Allowable Size: {_MAX_BYTES}")
    try:
        text = gzip.decompress(content).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        raise ValueError("Invalid Format") from None
    variables = dict(_parse_lines(text.splitlines()))
    if len(variables) > _MAX_VARIABLES:
        raise ValueError(f"Dotenv files cannot have more than {_MAX_VARIABLES} variables")
    return variables


def read_report(content: bytes) -> dict[str, str]:
    """Return the variables of a compressed report by name; none of an invalid one."""
    try:
        return parse_report(content)
    except ValueError:
        return {}


def _parse_lines(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        if line.strip():
            match = _LINE.fullmatch(line.strip())
            if match is None:
                raise ValueError("Invalid Format")
            yield match[1], match[2].strip()
