"""Keys of the hosts that mirrors reach over SSH, as lines of a file of known hosts."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.ssh_keys import PublicKey, parse_public_key

_MAX_KEYS: Final = 10
_STANDARD_PORT: Final = 22
_KEY: Final = re.compile(r"(?:(?P<hosts>\S+)\s+)?(?P<key>(?:ssh-|ecdsa-)\S+\s+.+)")


class _HostKey(NamedTuple):
    """A key, and the hosts that it was sent with."""

    hosts: str
    key: str

    def __str__(self) -> str:
        return f"{self.hosts} {self.key}".lstrip()


def read_host_keys(keys: Sequence[str], url: str) -> tuple[str, ...]:
    """Return the lines of some keys, each with or without its hosts; 400 for invalid ones."""
    if len(keys) > _MAX_KEYS:
        raise _refuse(f"too many host keys (maximum is {_MAX_KEYS})")
    sent = [_read(key) for key in keys if key.strip()]
    if invalid := [str(key) for key in sent if parse_public_key(key.key) is None]:
        raise _refuse(*invalid)
    return tuple(str(key if key.hosts else _HostKey(_host_of(url), key.key)) for key in sent)


def parse_host_keys(lines: Sequence[str]) -> Iterator[PublicKey]:
    """Iterate over the keys in some lines."""
    for line in lines:
        key = parse_public_key(_read(line).key)
        if key is not None:
            yield key


def _read(text: str) -> _HostKey:
    match = _KEY.fullmatch(text.strip())
    if match is None:
        return _HostKey("", text.strip())
    algorithm, _, data = match["key"].partition(" ")
    # In the body of a form, a plus that is not encoded is read as a space.
    return _HostKey(match["hosts"] or "", f"{algorithm} {data.strip().replace(' ', '+')}")


def _host_of(url: str) -> str:
    """Return the host of a URL as a file of known hosts names it."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or " " in host:
        raise _refuse("cannot determine hostname from URL for bare key")
    return host if port in (None, _STANDARD_PORT) else f"[{host}]:{port}"


def _refuse(*invalid: str) -> BadRequest:
    return BadRequest(f"Invalid SSH host key(s): {', '.join(invalid)}")
