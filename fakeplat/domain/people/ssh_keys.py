"""The rules for SSH keys, which deploy keys and the keys of users share."""

import re
from typing import Final

from fakeplat.core.ssh_keys import MAX_LENGTH, PublicKey
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long

_FORM: Final = re.compile(r"(ssh|ecdsa)-.*", re.DOTALL)
_FORBIDDEN_TYPE: Final = "type is forbidden. Must be RSA, DSA, ECDSA, or ED25519"


def add_title_errors(errors: ValidationErrors, title: str | None, prefix: str = "") -> None:
    """Add the errors of a key's title; ``prefix`` is put before the names of the fields."""
    errors.when(not (title or "").strip(), f"{prefix}title", BLANK)
    too_long(errors, f"{prefix}title", title)


def add_key_errors(errors: ValidationErrors, text: str, public_key: PublicKey | None, prefix: str = "") -> None:
    """Add the errors of a key's text, from which ``public_key`` was parsed."""
    errors.when(not text.strip(), f"{prefix}key", BLANK)
    too_long(errors, f"{prefix}key", text, MAX_LENGTH)
    errors.when(not _FORM.fullmatch(text), f"{prefix}key", "is invalid")
    errors.when(public_key is None, f"{prefix}key", _FORBIDDEN_TYPE)
    errors.when(public_key is None, f"{prefix}fingerprint", "cannot be generated")
