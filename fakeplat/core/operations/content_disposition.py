"""The Content-Disposition header (RFC 6266)."""

import re
from typing import Literal
from urllib.parse import quote

Disposition = Literal["inline", "attachment"]


def content_disposition(kind: Disposition, filename: str) -> str:
    """Return the header with the filename in ASCII and in full, percent-encoded; without a filename only the kind."""
    if not filename:
        return kind
    return f"{plain_content_disposition(kind, filename)}; filename*=UTF-8''{quote(filename, safe='')}"


def plain_content_disposition(kind: Disposition, filename: str) -> str:
    """Return the header with the filename in ASCII only."""
    plain = re.sub(r'[^ -~]|["\\]', "_", filename)
    return f'{kind}; filename="{plain}"'
