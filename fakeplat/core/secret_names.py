"""The names under which secrets travel, as headers, parameters and keys: one table for journal and tapes.

A name is compared without case, ``-`` and ``_``; of ``user[password]`` the last word counts.
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
"""Names and the kind of secret that each one holds. All but ``key`` and ``pwd`` count as ends of names, too."""

NO_SECRETS: Final = ("public_key", "reset_password", "force_random_password")
"""Names that end like those of secrets, and hold none."""

_SQUEEZED: Final = {name.replace("_", ""): kind for name, kind in KINDS.items()}
_ENDS: Final = sorted((name for name in _SQUEEZED if name not in ("key", "pwd")), key=len, reverse=True)
_NONE: Final = frozenset(name.replace("_", "") for name in NO_SECRETS)
_LAST_WORD: Final = re.compile(r"[\w.-]+(?=\W*$)")


@lru_cache(4096)
def kind_of(name: str) -> str | None:
    """The kind of secret that stands under a name, or None."""
    word = _LAST_WORD.search(name)
    squeezed = word[0].lower().replace("_", "").replace("-", "") if word else ""
    if squeezed in _NONE:
        return None
    return _SQUEEZED.get(squeezed) or next((_SQUEEZED[end] for end in _ENDS if squeezed.endswith(end)), None)
