"""What belongs to the accounts of users: SSH keys, GPG keys and further e-mail addresses."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.domain.people import emails, gpg_keys, namespace_commit_emails, namespaces, user_keys
from fakeplat.domain.people.user_keys import SshKeyFields
from fakeplat.model.people import Email, GpgKey, Group, NamespaceCommitEmail, SshKey, UserNamespace
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

_KEY_FIELDS: Final = own_fields(SshKey, without=("fingerprint", "fingerprint_sha256"))
_EMAIL_FIELDS: Final = own_fields(Email)
_GPG_FIELDS: Final = {"key": TEXT, "created_at": DATE_TIME}


def _create_key(entry: Entry) -> SshKey:
    values = entry.values
    own = (key for key in user_keys.list_keys(entry.world, entry.owner) if key.key == values["key"].strip())
    key = next(own, None)
    if key is None:
        times: SshKeyFields = {"created_at": entry.since, "updated_at": entry.since}
        key = user_keys.create(entry.ctx, entry.owner, title=values["title"], text=values["key"], **times)
    return entry.world.ssh_keys.change(key, **entry.select([name for name in _KEY_FIELDS if name != "key"]))


def _serialize_key(world: World, key: SshKey) -> EntryData:
    return _remove_times(world, key, serialization.non_default_fields(key, _KEY_FIELDS))


def _create_gpg_key(entry: Entry) -> GpgKey:
    own = (key for key in gpg_keys.list_keys(entry.world, entry.owner) if key.key == entry.values["key"].strip())
    key = next(own, None) or gpg_keys.create(entry.ctx, entry.owner, entry.values["key"])
    return entry.world.gpg_keys.change(key, created_at=entry.since)


def _serialize_gpg_key(world: World, key: GpgKey) -> EntryData:
    return _remove_times(world, key, serialization.non_default_fields(key, _GPG_FIELDS))


def _create_email(entry: Entry) -> Email:
    address = entry.values["email"].strip().lower()
    own = (email for email in emails.list_emails(entry.world, entry.owner) if email.email == address)
    email = next(own, None) or emails.create(entry.ctx, entry.owner, address, is_confirmed=True)
    times = dict.fromkeys(("created_at", "updated_at", "confirmed_at"), entry.since)
    changes = entry.select(("created_at", "updated_at", "confirmed_at"))
    return entry.world.emails.change(email, **{**({} if entry.existed_before else times), **changes})


def _serialize_email(world: World, email: Email) -> EntryData:
    data = serialization.non_default_fields(email, _EMAIL_FIELDS, always=("confirmed_at",))
    return serialization.remove_defaults(_remove_times(world, email, data), confirmed_at=email.created_at)


def _create_choice(entry: Entry) -> None:
    # Groups are created after users.
    entry.defer(lambda: _choose_address(entry))


def _choose_address(entry: Entry) -> None:
    values, user = entry.values, entry.owner
    namespace = namespaces.find_by_path(entry.world, values["namespace"])
    if not isinstance(namespace, Group | UserNamespace):
        entry.fail(f"unknown namespace {values['namespace']!r}", "namespace")
    email = next((each for each in emails.list_emails(entry.world, user) if each.email == values["email"]), None)
    if email is None:
        entry.fail(f"{user.username} has no address {values['email']!r}", "email")
    table = entry.world.namespace_commit_emails
    existing = table.find("pair", (user.id, namespace.id))
    if existing is not None:
        table.change(existing, email_id=email.id)
        return
    times = entry.since, entry.since
    table.add(NamespaceCommitEmail(table.next_id(), user.id, namespace.id, email.id, *times))


def _serialize_choice(world: World, choice: NamespaceCommitEmail) -> EntryData:
    email = namespace_commit_emails.find_email(world, choice)
    path = namespaces.full_path(world, world.namespaces[choice.namespace_id])
    return {"namespace": path, "email": email.email if email is not None else ""}


def _remove_times(world: World, record: SshKey | GpgKey | Email, data: EntryData) -> EntryData:
    user = world.users[record.user_id]
    return serialization.remove_defaults(data, created_at=user.created_at, updated_at=record.created_at)


SECTIONS: Final = (
    derive_section(
        "keys",
        SshKey,
        within=("user",),
        keys=_KEY_FIELDS,
        required=("title", "key"),
        create=_create_key,
        serialize=_serialize_key,
    ),
    derive_section(
        "gpg_keys",
        GpgKey,
        within=("user",),
        keys=_GPG_FIELDS,
        required=("key",),
        create=_create_gpg_key,
        serialize=_serialize_gpg_key,
        name_key="key",
        case_sensitive=True,
    ),
    derive_section(
        "emails",
        Email,
        within=("user",),
        required=("email",),
        create=_create_email,
        serialize=_serialize_email,
        name_key="email",
    ),
    derive_section(
        "namespace_commit_emails",
        NamespaceCommitEmail,
        within=("user",),
        keys={"namespace": TEXT, "email": TEXT},
        required=("namespace", "email"),
        create=_create_choice,
        serialize=_serialize_choice,
    ),
)
