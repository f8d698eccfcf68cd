"""Secrets in free text: in URLs, in headers that are quoted, after their names, or known by how they look."""

import re
from typing import Final
from urllib.parse import unquote, unquote_plus

from fakeplat.core.secret_names import kind_of
from fakeplat.tape.secrets import Secrets, basic

_HINT: Final = re.compile(r"token|passw|pwd|passphrase|secret|key|basic |bearer |@|\bgl[a-z]{2,5}-", re.IGNORECASE)
_USERINFO: Final = re.compile(r"(://)([^\s/:@\"'<>\\?#]*)(:?)([^\s/@\"'<>\\?#]*)@")
_PARAMETER: Final = re.compile(r"((?:[?&;]|\\u0026)([\w.%\[\]-]+)=)([^&;\s\"'<>#\\]+)")
_QUOTED: Final = re.compile(r"(\b([A-Za-z_][\w-]*)\\?[\"']?\s*[:=]\s*\\?[\"'])([^\"'\\\s]+)(?=\\?[\"'])")
_HEADER: Final = re.compile(r"(\b((?:private|job|deploy|x-csrf)-token)\s*[:=]\s*)([^\s\"'\\&<>]+)", re.IGNORECASE)
_BASIC: Final = re.compile(r"(\bbasic\s+)([A-Za-z0-9+/]{6,}={0,2})", re.IGNORECASE)
_BEARER: Final = re.compile(r"(\bbearer\s+)([\w.~+/-]{8,}=*)", re.IGNORECASE)
_LOOKS_LIKE_IT: Final = re.compile(
    r"\bgl[a-z]{2,5}-[\w-]{20,}|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL
)
_LONG_USER: Final = 16


def hide_in_text(secrets: Secrets, text: str) -> str:
    """A text with placeholders for the secrets that it shows; they are known from now on."""
    if not _HINT.search(text):
        return text

    def userinfo(found: re.Match[str]) -> str:
        scheme, user, colon, password = found.groups()
        if colon:
            return f"{scheme}{user}:{secrets.learn('password', unquote(password))}@"
        return f"{scheme}{secrets.learn('token', unquote(user)) if len(user) >= _LONG_USER else user}@"

    def named(found: re.Match[str]) -> str:
        before, name, value = found.groups()
        kind = kind_of(unquote(name))
        known_by_name = kind is not None and (kind != "key" or name.lower() != "key" or found.re is _PARAMETER)
        return before + secrets.learn(str(kind), unquote_plus(value)) if known_by_name else found[0]

    def by_basic(found: re.Match[str]) -> str:
        pair = basic(found[2])
        return found[0] if pair is None else found[1] + secrets.learn_basic(*pair)

    text = _USERINFO.sub(userinfo, text)
    for pattern in (_PARAMETER, _QUOTED, _HEADER):
        text = pattern.sub(named, text)
    text = _BASIC.sub(by_basic, text)
    text = _BEARER.sub(lambda found: found[1] + secrets.learn("oauth", found[2]), text)
    return _LOOKS_LIKE_IT.sub(lambda found: secrets.learn("pat" if found[0][0] == "g" else "key", found[0]), text)
