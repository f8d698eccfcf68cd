"""Secrets in free text: in URLs, in headers that are quoted, after their names, or known by how they look."""

import re
from typing import Final
from urllib.parse import unquote, unquote_plus

from fakeplat.core.secret_names import kind_of
from fakeplat.tape.redaction.registry import SecretRegistry, is_long, parse_basic

_WORDS: Final = ("token", "passw", "pwd", "passphrase", "secret", "key")
"""One of them is in every name of a secret."""
_WORD: Final = f"(?:{'|'.join(_WORDS)})"
_USERINFO: Final = re.compile(r"(:(?://|\\/\\/))([^\s/:@\"'<>\\?#]*)(?::([^\s/\"'<>\\?#]*))?@")
_PARAMETER: Final = re.compile(
    rf"((?:^|[?&;#]|\\u0026)(?=[\w.%\[\]-]*{_WORD})([\w.%\[\]-]++)=)([^&;\s\"'<>#\\]++)", re.IGNORECASE
)
_QUOTED: Final = re.compile(
    rf"((?<![\w-])(?=[\w-]*{_WORD})([\w-]++)\\*[\"']?\s*[:=]\s*\\*[\"'])([^\"'\\\s]+)(?=\\*[\"'])", re.IGNORECASE
)
_FIELD: Final = re.compile(
    rf"(\bname=\\*[\"'](?=[\w\[\]-]*{_WORD})([\w\[\]-]++)\\*[\"'][^<>]{{0,200}}?\s(?:value|content)=\\*[\"'])"
    r"([^\"'\\\s]+)",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(r"(\b((?:private|job|deploy|x-csrf)-token)\s*[:=]\s*)([^\s\"'\\&<>]+)", re.IGNORECASE)
_BASIC: Final = re.compile(r"(\bbasic\s+)([A-Za-z0-9+/]{6,}={0,2})", re.IGNORECASE)
_BEARER: Final = re.compile(r"(\bbearer\s+)(?=[\w.~+/-]*[0-9_-])([\w.~+/-]{8,}=*)", re.IGNORECASE)
_PATTERNS: Final = {
    "pat": re.compile(r"\bgl[a-z]{2,5}-[\w-]{20,}"),
    "key": re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        re.DOTALL,
    ),
    "jwt": re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
}
"""Secrets that are known by how they look: tokens of the platform, private keys and key ids of AWS, signed tokens."""
_MARKS: Final = ("gl", "PRIVATE KEY", "AKIA", "ASIA", "eyJ")
"""One of them is in every such secret."""
_WEBHOOK: Final = re.compile(
    r"((?:https?:|\\?/)(?:\\?/){1,2}[\w.:-]*"
    r"(?:hooks\.slack\.com\\?/(?:services|workflows)|\\?/hooks|\\?/webhookb?2?|\\?/api\\?/webhooks)\\?/)"
    r"([\w@./\\-]{20,})"
)
"""The URLs of chats: who knows one may post there. Slack, Mattermost, Rocket.Chat, Teams, Discord."""
_ENVIRONMENT: Final = re.compile(
    rf"((?:^|\n|\\n)(?:export )?(?=[A-Z0-9_]*{_WORD.upper()})([A-Z][A-Z0-9_]*)=)([^\s\"'\\]+)"
)
"""A line of a file of environment variables."""


def redact_text(secrets: SecretRegistry, text: str) -> str:
    """A text with placeholders for the secrets that it shows; they are known from now on."""

    def userinfo(found: re.Match[str]) -> str:
        scheme, user, password = found.groups()
        if password is not None:
            return f"{scheme}{user}:{secrets.learn('password', unquote(password))}@"
        return f"{scheme}{secrets.learn('token', unquote(user)) if is_long(user) else user}@"

    def named(found: re.Match[str]) -> str:
        before, name, value = found.groups()
        kind = kind_of(unquote(name))
        known_by_name = kind is not None and (kind != "key" or name.lower() != "key" or found.re is _PARAMETER)
        return before + secrets.learn(str(kind), unquote_plus(value)) if known_by_name else found[0]

    def by_basic(found: re.Match[str]) -> str:
        pair = parse_basic(found[2])
        return found[0] if pair is None else found[1] + secrets.learn_basic(*pair)

    lower = text.lower()
    text = _USERINFO.sub(userinfo, text)
    if any(word in lower for word in _WORDS):
        for pattern in (_PARAMETER, _QUOTED, _HEADER, _FIELD, _ENVIRONMENT):
            text = pattern.sub(named, text)
    if "basic" in lower:
        text = _BASIC.sub(by_basic, text)
    if "bearer" in lower:
        text = _BEARER.sub(lambda found: found[1] + secrets.learn("oauth", found[2]), text)
    if "hook" in lower:
        text = _WEBHOOK.sub(lambda found: found[1] + secrets.learn("webhook", found[2]), text)
    return redact_by_pattern(secrets, text)


def redact_by_pattern(secrets: SecretRegistry, text: str) -> str:
    """A text with placeholders for the secrets that are known by how they look."""
    if any(mark in text for mark in _MARKS):
        for kind, pattern in _PATTERNS.items():
            text = pattern.sub(lambda found, kind=kind: secrets.learn(kind, found[0]), text)  # type: ignore[misc]
    return text
