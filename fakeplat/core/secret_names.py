"""Names of headers, parameters and keys that hold secrets: one table for the journal and for tapes.

Names are compared without case, ``-`` and ``_``. In ``user[password]`` the last word counts.
"""

import re
from functools import lru_cache
from typing import Final

KINDS: Final = {
    "private_token": "pat",
    "personal_access_token": "pat",
    "impersonation_token": "pat",
    "access_token": "oauth",
    "refresh_token": "oauth",
    "job_token": "job",
    "deploy_token": "deploy",
    "csrf_token": "csrf",
    "authenticity_token": "csrf",
    "feed_token": "feed",
    "rss_token": "feed",
    "incoming_email_token": "feed",
    "static_object_token": "feed",
    "runners_token": "runner",
    "runner_token": "runner",
    "instance_id": "unleash",
    "registration_token": "runner",
    "token": "token",
    "password": "password",
    "password_confirmation": "password",
    "passwd": "password",
    "pwd": "password",
    "passphrase": "password",
    "key": "key",
    "private_key": "key",
    "api_key": "key",
    "user_key": "key",
    "access_key": "key",
    "secret_key": "key",
    "secret_access_key": "key",
    "signing_key": "key",
    "key_pass": "password",
    "secret": "secret",
}
"""The kind of secret by name. All names except ``key`` and ``pwd`` also match as suffixes of longer names."""

NO_SECRETS: Final = ("public_key", "reset_password", "force_random_password")
"""Names that have the suffix of a secret, but hold none."""

_KIND_BY_NORMALIZED: Final = {name.replace("_", ""): kind for name, kind in KINDS.items()}
# Longest first, as the longest suffix that matches decides: "access_token" before "token".
_SUFFIXES: Final = sorted((name for name in _KIND_BY_NORMALIZED if name not in ("key", "pwd")), key=len, reverse=True)
_NORMALIZED_NO_SECRETS: Final = frozenset(name.replace("_", "") for name in NO_SECRETS)
# `password` in `user[password]`: the last word before the end, whatever brackets follow it.
_LAST_WORD: Final = re.compile(r"[\w.-]+(?=\W*$)")


@lru_cache(4096)
def kind_of(name: str) -> str | None:
    """Return the kind of secret that a name holds, or None."""
    word = _LAST_WORD.search(name)
    normalized = word[0].lower().replace("_", "").replace("-", "") if word else ""
    if normalized in _NORMALIZED_NO_SECRETS:
        return None
    return _KIND_BY_NORMALIZED.get(normalized) or next(
        (_KIND_BY_NORMALIZED[suffix] for suffix in _SUFFIXES if normalized.endswith(suffix)), None
    )
