"""The view of secure files. Source: docs/platform/secure-files.md."""

from fakeplat.core.operations.entity import Entity, attr, constant
from fakeplat.model.secure_files import SecureFile


class SecureFileView(Entity[SecureFile]):
    """A secure file without its content."""

    id = attr()
    name = attr()
    checksum = attr()
    checksum_algorithm = constant("sha256", str)
    created_at = attr()
    expires_at = attr()
    metadata = attr()
    file_extension = attr()
