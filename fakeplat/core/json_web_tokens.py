"""JSON web tokens, signed with a secret (HS256), as this program gives them to clients that come back with them."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any, Final

import orjson

_HEADER: Final = {"typ": "JWT", "alg": "HS256"}


def encode(claims: Mapping[str, object], key: bytes) -> str:
    """Return a signed token with claims."""
    signed = b".".join((_to_base64(orjson.dumps(_HEADER)), _to_base64(orjson.dumps(claims))))
    return b".".join((signed, _to_base64(_sign(signed, key)))).decode()


def find_claims(token: str, key: bytes) -> dict[str, Any] | None:
    """Return the claims of a token; None if it was not signed with the key. It may have expired."""
    signed, _, signature = token.encode("utf-8", "replace").rpartition(b".")
    if not hmac.compare_digest(_to_base64(_sign(signed, key)), signature):
        return None
    claims: dict[str, Any] = orjson.loads(_from_base64(signed.partition(b".")[2]))
    return claims


def _sign(signed: bytes, key: bytes) -> bytes:
    return hmac.digest(key, signed, "sha256")


def _to_base64(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


def _from_base64(text: bytes) -> bytes:
    # More padding than necessary is ignored.
    return urlsafe_b64decode(text + b"==")
