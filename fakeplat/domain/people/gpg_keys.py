"""GPG keys of users. Source: docs/platform/users.md."""

import re
from collections.abc import Sequence
from typing import Final

from fakeplat.core.openpgp import KEY_PREFIX, KEY_SUFFIX, PgpKey, keyid_of, parse_public_key
from fakeplat.core.operations.errors import NotFound
from fakeplat.domain import signals
from fakeplat.domain.people.users import list_confirmed_emails
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors
from fakeplat.model.people import GpgKey, GpgSubkey, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_INVALID: Final = f"is invalid. A valid public GPG key begins with '{KEY_PREFIX}' and ends with '{KEY_SUFFIX}'"
# One armor, with something in it.
_FORM: Final = re.compile(rf"{KEY_PREFIX}((?!{KEY_PREFIX})(?!{KEY_SUFFIX}).)+{KEY_SUFFIX}", re.DOTALL)
_FIRST_SUBKEY_ID: Final = 21_200_001


def list_keys(world: World, user: User) -> Sequence[GpgKey]:
    """Return the GPG keys of a user."""
    return world.gpg_keys.where("user", user.id)


def require_key(world: World, user: User, key_id: int) -> GpgKey:
    """Return a GPG key of a user, or refuse with 404."""
    key = world.gpg_keys.get(key_id)
    if key is None or key.user_id != user.id:
        raise NotFound("GPG Key", reason=lambda: f"{user.username} has no GPG key {key_id}")
    return key


def find_by_keyid(world: World, keyid: str) -> GpgKey | None:
    """Return the GPG key with an id, or with a subkey that has it."""
    return next(iter(world.gpg_keys.where("keyid", keyid)), None)


def create(ctx: WriteContext, user: User, armor: str) -> GpgKey:
    """Add a GPG key to a user; 400 for an invalid one, or one that a user has already."""
    armor = armor.strip()
    key = parse_public_key(armor) if _FORM.fullmatch(armor) else None
    _list_errors(ctx.world, armor, key).refuse()
    if key is None:
        # Nothing is left to be wrong with a key that passed, so this only tells the type checker.
        raise NotFound("GPG Key", reason="the key cannot be parsed")
    table = ctx.world.gpg_keys
    gpg_key = table.add(
        GpgKey(
            id=table.next_id(),
            user_id=user.id,
            key=armor,
            primary_keyid=keyid_of(key.fingerprint),
            fingerprint=key.fingerprint,
            created_at=ctx.now_iso,
            subkeys=tuple(_build_subkey(ctx, fingerprint) for fingerprint in key.subkeys),
            names=tuple(user_id.name for user_id in key.user_ids),
            emails=tuple(user_id.email for user_id in key.user_ids),
        )
    )
    signals.post_create.send(ctx, gpg_key)
    return gpg_key


def _list_errors(world: World, armor: str, key: PgpKey | None) -> ValidationErrors:
    errors = ValidationErrors()
    existing = None if key is None else world.gpg_keys.find("fingerprint", key.fingerprint)
    errors.when(not armor, "key", BLANK)
    errors.when(existing is not None and existing.key == armor, "key", TAKEN)
    errors.when(not _FORM.fullmatch(armor), "key", _INVALID)
    # The errors of what is computed from the key are only shown if the key itself has none.
    if not errors:
        for field in ("fingerprint", "primary_keyid"):
            errors.when(key is None, field, BLANK)
            errors.when(existing is not None, field, TAKEN)
    return errors


def _build_subkey(ctx: WriteContext, fingerprint: str) -> GpgSubkey:
    return GpgSubkey(_FIRST_SUBKEY_ID + ctx.world.next("gpg_subkeys", "id"), keyid_of(fingerprint), fingerprint)


def list_verified_emails(world: World, key: GpgKey) -> list[str]:
    """Return the e-mail addresses of a key that its user has confirmed."""
    confirmed = list_confirmed_emails(world, world.users[key.user_id])
    return [email for email in key.emails if email in confirmed]
