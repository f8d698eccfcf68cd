"""What belongs to the accounts of users: SSH keys, GPG keys and further e-mail addresses."""

from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Object
from fakeplat.domain.people import emails, gpg_keys, user_keys
from fakeplat.model.people import Email, GpgKey, SshKey, User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_KEY_FIELDS: Final = fields(SshKey, without=("id", "user_id", "fingerprint", "fingerprint_sha256"))
_EMAIL_FIELDS: Final = fields(Email, without=("id", "user_id"))
_GPG_FIELDS: Final = {"key": TEXT, "created_at": DATE_TIME}
Exported = list[tuple[Any, EntryData]] | None


def _create_key(entry: Entry) -> SshKey:
    values = entry.values
    own = (key for key in user_keys.list_keys(entry.world, entry.owner) if key.key == values["key"].strip())
    key = next(own, None)
    if key is None:
        times = {"created_at": entry.since, "updated_at": entry.since}
        key = user_keys.create(entry.ctx, entry.owner, title=values["title"], text=values["key"], **times)
    return entry.world.ssh_keys.change(key, **entry.select(("title", "expires_at", "created_at", "updated_at")))


def _export_keys(world: World, user: User) -> Exported:
    return [
        (key, _remove_times(serialization.non_default_fields(key, _KEY_FIELDS), user, key.created_at))
        for key in user_keys.list_keys(world, user)
    ] or None


def _create_gpg_key(entry: Entry) -> GpgKey:
    own = (key for key in gpg_keys.list_keys(entry.world, entry.owner) if key.key == entry.values["key"].strip())
    key = next(own, None) or gpg_keys.create(entry.ctx, entry.owner, entry.values["key"])
    return entry.world.gpg_keys.change(key, created_at=entry.since)


def _export_gpg_keys(world: World, user: User) -> Exported:
    return [
        (key, _remove_times(serialization.non_default_fields(key, _GPG_FIELDS), user, key.created_at))
        for key in gpg_keys.list_keys(world, user)
    ] or None


def _create_email(entry: Entry) -> Email:
    address = entry.values["email"].strip().lower()
    own = (email for email in emails.list_emails(entry.world, entry.owner) if email.email == address)
    email = next(own, None) or emails.create(entry.ctx, entry.owner, address, is_confirmed=True)
    times = dict.fromkeys(("created_at", "updated_at", "confirmed_at"), entry.since)
    changes = entry.select(("created_at", "updated_at", "confirmed_at"))
    return entry.world.emails.change(email, **{**({} if entry.existed_before else times), **changes})


def _export_emails(world: World, user: User) -> Exported:
    return [(email, _serialize_email(user, email)) for email in emails.list_emails(world, user)] or None


def _serialize_email(user: User, email: Email) -> EntryData:
    data = serialization.non_default_fields(email, _EMAIL_FIELDS, always=("confirmed_at",))
    data = _remove_times(data, user, email.created_at)
    return serialization.remove_defaults(data, confirmed_at=email.created_at)


def _remove_times(data: EntryData, user: User, created_at: str) -> EntryData:
    return serialization.remove_defaults(data, created_at=user.created_at, updated_at=created_at)


SECTIONS: Final = (
    Section(
        "keys",
        within=("user",),
        rank=FURTHER,
        keys=Object(_KEY_FIELDS, required=("title", "key")),
        create=_create_key,
        export=_export_keys,
    ),
    Section(
        "gpg_keys",
        within=("user",),
        rank=FURTHER,
        keys=Object(_GPG_FIELDS, required=("key",)),
        create=_create_gpg_key,
        export=_export_gpg_keys,
        name_key="key",
        case_sensitive=True,
    ),
    Section(
        "emails",
        within=("user",),
        rank=FURTHER,
        keys=Object(_EMAIL_FIELDS, required=("email",)),
        create=_create_email,
        export=_export_emails,
        name_key="email",
    ),
)
