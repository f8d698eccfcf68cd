"""Binary contents in bundles: each is stored once, by its digest, however often it was sent or answered."""

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

_DIGEST: Final = "digest"
_BASE64: Final = "base64"


def take_out(lines: Sequence[Any]) -> dict[str, str]:
    """Put digests in place of the binary bodies on the lines of a tape; return these in base64, by digest."""
    contents: dict[str, str] = {}
    for holder in _list_holders(lines, _BASE64):
        text = holder["body"][_BASE64]
        digest = f"sha256:{sha256(b64decode(text)).hexdigest()}"
        contents[digest] = text
        holder["body"] = {_DIGEST: digest}
    return contents


def put_back(lines: Sequence[Any], contents: Mapping[str, str]) -> str | None:
    """Put contents in place of their digests on the lines of a tape; return a digest without a content, if any."""
    for holder in _list_holders(lines, _DIGEST):
        digest = str(holder["body"][_DIGEST])
        if digest not in contents:
            return digest
        holder["body"] = {_BASE64: contents[digest]}
    return None


def _list_holders(lines: Sequence[Any], key: str) -> Iterator[dict[str, Any]]:
    """Yield the requests and responses whose bodies are objects with a key."""
    for line in lines:
        for name in ("request", "response"):
            holder = line.get(name) if isinstance(line, dict) else None
            if isinstance(holder, dict) and isinstance(holder.get("body"), dict) and key in holder["body"]:
                yield holder
