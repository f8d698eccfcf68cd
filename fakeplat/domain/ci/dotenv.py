"""Variables that a job hands to later ones: its report ``dotenv``. Source: docs/platform/runner-protocol.md."""

import gzip
import re
import zlib
from collections.abc import Iterable
from typing import Final

from fakeplat.model.settings import Settings

_LINE: Final = re.compile(r"([A-Za-z0-9_]+)=(.*)")


def parse_report(settings: Settings, content: bytes) -> dict[str, str]:
    """Return the variables of a compressed report by name. ValueError with the platform's message if it is invalid."""
    # Before it is decompressed: a large file could become a thousand times as large.
    if 0 < settings.dotenv_size < len(content):
        raise ValueError(f"Dotenv Artifact Too Big. Maximum Allowable Size: {settings.dotenv_size}")
    try:
        text = gzip.decompress(content).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        raise ValueError("Invalid Format") from None
    variables = dict(_parse_lines(text.splitlines()))
    if 0 < settings.dotenv_variables < len(variables):
        raise ValueError(f"Dotenv files cannot have more than {settings.dotenv_variables} variables")
    return variables


def read_report(settings: Settings, content: bytes) -> dict[str, str]:
    """Return the variables of a compressed report by name; none of an invalid one."""
    try:
        return parse_report(settings, content)
    except ValueError:
        return {}


def _parse_lines(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        if line.strip():
            match = _LINE.fullmatch(line.strip())
            if match is None:
                raise ValueError("Invalid Format")
            yield match[1], match[2].strip()
