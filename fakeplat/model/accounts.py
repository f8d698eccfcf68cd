"""What belongs to the account of a user: SSH keys, GPG keys and further e-mail addresses."""

from fakeplat.core.store.frozen import frozen


@frozen
class SshKey:
    """An SSH key of a user. ``fingerprint`` is the MD5 one."""

    id: int
    user_id: int
    title: str
    key: str
    fingerprint: str
    fingerprint_sha256: str
    created_at: str
    updated_at: str
    expires_at: str | None = None


@frozen
class GpgSubkey:
    """A subkey of a GPG key. Key ids and fingerprints are in upper case."""

    id: int
    keyid: str
    fingerprint: str


@frozen
class GpgKey:
    """A GPG key of a user, with its armor. ``emails`` and ``names`` are those of its user ids, in their order."""

    id: int
    user_id: int
    key: str
    primary_keyid: str
    fingerprint: str
    created_at: str
    subkeys: tuple[GpgSubkey, ...] = ()
    names: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()


@frozen
class Email:
    """A further e-mail address of a user, in lower case. It counts once it is confirmed."""

    id: int
    user_id: int
    email: str
    created_at: str
    updated_at: str
    confirmed_at: str | None = None
