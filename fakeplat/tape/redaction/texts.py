"""Redaction of free text: secrets in URLs, in quoted headers, after their names, or in a known format."""

import re
from typing import Final
from urllib.parse import unquote, unquote_plus

from fakeplat.core.secret_names import kind_of
from fakeplat.tape.redaction.registry import SecretRegistry, is_long, parse_basic

_WORDS: Final = ("token", "passw", "pwd", "passphrase", "secret", "key")
"""Every name of a secret contains one of these."""
_WORD: Final = f"(?:{'|'.join(_WORDS)})"
# ``://user:password@`` or ``://token@`` in a URL, also with the escaped slashes of JSON.
_USERINFO: Final = re.compile(r"(:(?://|\\/\\/))([^\s/:@\"'<>\\?#]*)(?::([^\s/\"'<>\\?#]*))?@")
_PARAMETER: Final = re.compile(
    rf"((?:^|[?&;#]|\\u0026)(?=[\w.%\[\]-]*{_WORD})([\w.%\[\]-]++)=)([^&;\s\"'<>#\\]++)", re.IGNORECASE
)
# ``"private_token": "…"`` or ``token = '…'``, possibly with escaped quotes.
_QUOTED: Final = re.compile(
    rf"((?<![\w-])(?=[\w-]*{_WORD})([\w-]++)\\*[\"']?\s*[:=]\s*\\*[\"'])([^\"'\\\s]+)(?=\\*[\"'])", re.IGNORECASE
)
# ``name="authenticity_token" … value="…"`` in an HTML form or a meta tag.
_FIELD: Final = re.compile(
    rf"(\bname=\\*[\"'](?=[\w\[\]-]*{_WORD})([\w\[\]-]++)\\*[\"'][^<>]{{0,200}}?\s(?:value|content)=\\*[\"'])"
    r"([^\"'\\\s]+)",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(r"(\b((?:private|job|deploy|x-csrf)-token)\s*[:=]\s*)([^\s\"'\\&<>]+)", re.IGNORECASE)
# ``Authorization: Basic dXNlcjpwYXNz`` in a log or a command line.
_BASIC: Final = re.compile(r"(\bbasic\s+)([A-Za-z0-9+/]{6,}={0,2})", re.IGNORECASE)
# The lookahead requires a digit, ``_`` or ``-``, so that the prose "bearer certificates" is no secret.
_BEARER: Final = re.compile(r"(\bbearer\s+)(?=[\w.~+/-]*[0-9_-])([\w.~+/-]{8,}=*)", re.IGNORECASE)
_PATTERNS: Final = {
    "pat": re.compile(r"\bgl[a-z]{2,5}-[\w-]{20,}"),
    "key": re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        re.DOTALL,
    ),
    "jwt": re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
}
"""Secrets in a known format: tokens of the platform, private keys and AWS key ids, signed tokens."""
_PATTERN_MARKERS: Final = ("gl", "PRIVATE KEY", "AKIA", "ASIA", "eyJ")
"""Every such secret contains one of these."""
_WEBHOOK: Final = re.compile(
    r"((?:https?:|\\?/)(?:\\?/){1,2}[\w.:-]*"
    r"(?:hooks\.slack\.com\\?/(?:services|workflows)|\\?/hooks|\\?/webhookb?2?|\\?/api\\?/webhooks)\\?/)"
    r"([\w@./\\-]{20,})"
)
"""Webhook URLs of chats, which authorize their holder to post: Slack, Mattermost, Rocket.Chat, Teams, Discord."""
_ENVIRONMENT: Final = re.compile(
    rf"((?:^|\n|\\n)(?:export )?(?=[A-Z0-9_]*{_WORD.upper()})([A-Z][A-Z0-9_]*)=)([^\s\"'\\]+)"
)
"""A line in a file of environment variables."""


def redact_text(secrets: SecretRegistry, text: str) -> str:
    """Redact the secrets in a text and register them."""

    def redact_userinfo(match: re.Match[str]) -> str:
        scheme, user, password = match.groups()
        if password is not None:
            return f"{scheme}{user}:{secrets.learn('password', unquote(password))}@"
        return f"{scheme}{secrets.learn('token', unquote(user)) if is_long(user) else user}@"

    def redact_named(match: re.Match[str]) -> str:
        before, name, value = match.groups()
        kind = kind_of(unquote(name))
        # A bare "key" is a common word in free text; it names a secret only as a URL parameter.
        known_by_name = kind is not None and (kind != "key" or name.lower() != "key" or match.re is _PARAMETER)
        return before + secrets.learn(str(kind), unquote_plus(value)) if known_by_name else match[0]

    def redact_basic(match: re.Match[str]) -> str:
        pair = parse_basic(match[2])
        return match[0] if pair is None else match[1] + secrets.learn_basic(*pair)

    # Most texts contain no secret, so a pattern runs only if a word that it requires occurs.
    lower = text.lower()
    text = _USERINFO.sub(redact_userinfo, text)
    if any(word in lower for word in _WORDS):
        for pattern in (_PARAMETER, _QUOTED, _HEADER, _FIELD, _ENVIRONMENT):
            text = pattern.sub(redact_named, text)
    if "basic" in lower:
        text = _BASIC.sub(redact_basic, text)
    if "bearer" in lower:
        text = _BEARER.sub(lambda match: match[1] + secrets.learn("oauth", match[2]), text)
    if "hook" in lower:
        text = _WEBHOOK.sub(lambda match: match[1] + secrets.learn("webhook", match[2]), text)
    return redact_by_pattern(secrets, text)


def redact_by_pattern(secrets: SecretRegistry, text: str) -> str:
    """Redact the secrets in a text that have a known format."""
    if any(marker in text for marker in _PATTERN_MARKERS):
        for kind, pattern in _PATTERNS.items():
            text = pattern.sub(lambda match, kind=kind: secrets.learn(kind, match[0]), text)  # type: ignore[misc]
    return text
