"""SSH keys of the tests, equal in every run, and their files."""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import asyncssh
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat


class KeyPair(NamedTuple):
    """A private key, and the text of its public half."""

    private: asyncssh.SSHKey
    public: str

    def write(self, folder: Path) -> Path:
        """Write the private key as ssh-keygen does, and return its path."""
        path = folder / f"key-{sha256(self.public.encode()).hexdigest()[:8]}"
        path.write_bytes(self.private.export_private_key())
        path.chmod(0o600)
        return path


def create_key(name: str) -> KeyPair:
    """Create the Ed25519 key of a name."""
    seed = sha256(name.encode()).digest()
    raw = Ed25519PrivateKey.from_private_bytes(seed).private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    private = asyncssh.import_private_key(raw)
    return KeyPair(private, f"{private.export_public_key().decode().strip()} {name}@example.test")
