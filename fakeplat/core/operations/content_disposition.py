"""How a client is told to show or save a file, and under which name (RFC 6266)."""

import re
from typing import Literal
from urllib.parse import quote

Disposition = Literal["inline", "attachment"]


def content_disposition(kind: Disposition, filename: str) -> str:
    """The value of the header, with the name in ASCII and, encoded, in full; without a name only the kind."""
    if not filename:
        return kind
    return f"{plain_content_disposition(kind, filename)}; filename*=UTF-8''{quote(filename, safe='')}"


def plain_content_disposition(kind: Disposition, filename: str) -> str:
    """The value of the header with the name in ASCII only."""
    plain = re.sub(r'[^ -~]|["\\]', "_", filename)
    return f'{kind}; filename="{plain}"'
