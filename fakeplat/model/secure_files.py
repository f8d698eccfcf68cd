"""Files that the jobs of a project need and its repository must not have, such as keys that sign apps."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from fakeplat.core.store.frozen import frozen


@frozen
class SecureFile:
    """A secure file. ``metadata`` is what a certificate or a provisioning profile says of itself."""

    id: int
    project_id: int
    name: str
    content: bytes
    created_at: str
    updated_at: str
    expires_at: str | None = None
    metadata: Mapping[str, Any] | None = None

    @property
    def checksum(self) -> str:
        """The SHA-256 of the content."""
        return sha256(self.content).hexdigest()

    @property
    def file_extension(self) -> str | None:
        """The part of the name after its last dot."""
        stem, _, extension = self.name.rpartition(".")
        return extension if stem and extension else None
