"""Large files that git stores outside its repositories (Git LFS)."""

from attrs import field

from fakeplat.core.store.frozen import frozen


@frozen
class LfsObject:
    """A file of a project, identified by the SHA-256 of its content (``oid``, 64 hexadecimal digits)."""

    id: int
    project_id: int
    oid: str
    content: bytes = field(repr=False)


@frozen
class LfsLock:
    """A lock of a file: only its user may push changes of the path."""

    id: int
    project_id: int
    user_id: int
    path: str
    created_at: str
