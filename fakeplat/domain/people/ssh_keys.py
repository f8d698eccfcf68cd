"""The rules for SSH keys, which deploy keys and the keys of users share, and the search for them by fingerprint."""

import re
from base64 import b64decode
from binascii import Error as InvalidBase64
from itertools import chain
from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.http_messages import SshKeyId
from fakeplat.core.ssh_keys import MAX_LENGTH, PublicKey
from fakeplat.core.timestamps import DAY, from_iso
from fakeplat.domain.settings import FORBIDDEN, KEY_TYPES, get_key_restriction
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.people import SshKey
from fakeplat.model.projects import DeployKey
from fakeplat.model.world import World
from fakeplat.policy.behaviours import EXPIRING_SSH_KEYS_ARE_ANNOUNCED
from fakeplat.policy.context import WriteContext

_FORM: Final = re.compile(r"(ssh|ecdsa)-.*", re.DOTALL)
_SHA256: Final = re.compile(r"(?:sha256|SHA256):")
_SHA256_SIZE: Final = 32
_ANNOUNCED: Final = 7 * DAY
_IS_EXPIRED: Final = "INFO: Your SSH key has expired. Please generate a new key."
_EXPIRES_SOON: Final = "INFO: Your SSH key is expiring soon. Please generate a new key."
_MD5: Final = re.compile(r"(?:[0-9a-fA-F]{2}:){15}[0-9a-fA-F]{2}")


def add_title_errors(errors: ValidationErrors, title: str | None, prefix: str = "") -> None:
    """Add the errors of a key's title; ``prefix`` is put before the names of the fields."""
    errors.when(not (title or "").strip(), f"{prefix}title", BLANK)
    too_long(errors, f"{prefix}title", title)


def add_key_errors(
    errors: ValidationErrors, world: World, text: str, public_key: PublicKey | None, prefix: str = ""
) -> None:
    """Add the errors of a key's text, from which ``public_key`` was parsed."""
    errors.when(not text.strip(), f"{prefix}key", BLANK)
    too_long(errors, f"{prefix}key", text, MAX_LENGTH)
    errors.when(not _FORM.fullmatch(text), f"{prefix}key", "is invalid")
    _add_restriction_errors(errors, world, public_key, f"{prefix}key")
    errors.when(public_key is None, f"{prefix}fingerprint", "cannot be generated")


def _add_restriction_errors(errors: ValidationErrors, world: World, public_key: PublicKey | None, field: str) -> None:
    restriction = FORBIDDEN if public_key is None else get_key_restriction(world.settings, public_key.type)
    errors.when(restriction == FORBIDDEN, field, f"type is forbidden. Must be {_list_allowed_kinds(world)}")
    errors.when(public_key is not None and public_key.bits < restriction, field, f"must be at least {restriction} bits")


def _list_allowed_kinds(world: World) -> str:
    allowed = [kind.upper() for kind in KEY_TYPES if get_key_restriction(world.settings, kind) != FORBIDDEN]
    *others, last = allowed or [""]
    # Only lists of three and more have a comma before the last word.
    separator = ", or " if len(others) > 1 else " or "
    return separator.join([", ".join(others), last]) if others else last


def is_taken(world: World, public_key: PublicKey) -> bool:
    """Return whether a user or a project has a key."""
    fingerprint = public_key.fingerprint
    tables = (world.ssh_keys, world.deploy_keys)
    return any(table.find("fingerprint", fingerprint) is not None for table in tables)


def find_by_fingerprint(world: World, text: str) -> SshKey | DeployKey | None:
    """Return the key with an MD5 fingerprint, or one of SHA-256 with the prefix ``SHA256:``; 400 for another text."""
    if _SHA256.match(text):
        return _find_by_sha256(world, _SHA256.sub("", text, count=1))
    if not _MD5.fullmatch(text):
        raise _refuse_fingerprint(text)
    # The platform compares the text as it is: fingerprints are stored in lower case.
    return world.ssh_keys.find("fingerprint", text) or world.deploy_keys.find("fingerprint", text)


def _find_by_sha256(world: World, digest: str) -> SshKey | DeployKey | None:
    try:
        size = len(b64decode(digest + "=" * (-len(digest) % 4)))
    except (InvalidBase64, ValueError):
        size = 0
    if size != _SHA256_SIZE:
        raise _refuse_fingerprint(digest)
    keys: chain[SshKey | DeployKey] = chain(world.ssh_keys.all(), world.deploy_keys.all())
    return next((key for key in keys if key.fingerprint_sha256 == digest), None)


def _refuse_fingerprint(text: str) -> BadRequest:
    return BadRequest("Failed to return the key", reason=f"{text!r} is no fingerprint of a key")


def record_use(ctx: WriteContext, key_id: SshKeyId) -> str:
    """Note that a key was used, at most once a day; return what its owner is to be told about its expiry."""
    users_key = ctx.world.ssh_keys.get(key_id.id) if key_id.kind == "user" else None
    deploy_key = ctx.world.deploy_keys.get(key_id.id) if key_id.kind == "deploy" else None
    key = users_key or deploy_key
    if key is None:
        return ""
    if key.last_used_at is None or ctx.now() >= from_iso(key.last_used_at) + DAY:
        if users_key is not None:
            ctx.world.ssh_keys.change(users_key, last_used_at=ctx.now_iso)
        if deploy_key is not None:
            ctx.world.deploy_keys.change(deploy_key, last_used_at=ctx.now_iso)
    return _announce_expiry(ctx, key.expires_at) if users_key is not None else ""


def _announce_expiry(ctx: WriteContext, expires_at: str | None) -> str:
    if expires_at is None or not ctx.profile.has(EXPIRING_SSH_KEYS_ARE_ANNOUNCED):
        return ""
    remaining = from_iso(expires_at) - ctx.now()
    if remaining <= 0:
        return _IS_EXPIRED
    return _EXPIRES_SOON if remaining < _ANNOUNCED else ""
