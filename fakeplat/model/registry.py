"""Image repositories of the container registry, their tags, and the content that docker's protocol stores in them."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

RepositoryStatus = Literal["delete_scheduled", "delete_failed"]


@frozen
class ContainerRepository:
    """An image repository of a project. Its name is the part of its path below the project, empty for the root.

    ``cleanup_leased_until`` is the time (ms) before which its tags cannot be deleted in bulk again.
    """

    id: int
    project_id: int
    name: str
    created_at: str
    updated_at: str
    status: RepositoryStatus | None = None
    cleanup_policy_started_at: str | None = None
    cleanup_leased_until: int = 0


@frozen
class ContainerTag:
    """A tag: a name of an image. Several tags can name the same image, which the digest of its manifest identifies.

    ``revision`` is the digest of the image's configuration in hex; an index of images has none. ``created_at`` is the
    time in that configuration, which can be unreadable. ``total_size`` is the size of all layers in bytes.
    """

    id: int
    repository_id: int
    name: str
    digest: str
    revision: str | None
    created_at: str | None
    total_size: int = 0


@frozen
class ImageBlob:
    """A layer or configuration in an image repository. Repositories share the content that is mounted from another."""

    id: int
    repository_id: int
    digest: str
    content: bytes
    created_at: str


@frozen
class ImageManifest:
    """A manifest: of an image, or an index of several.

    ``subject`` is the digest of the manifest that this one belongs to, such as a signature to its image.
    """

    id: int
    repository_id: int
    digest: str
    media_type: str
    content: bytes
    created_at: str
    subject: str | None = None


@frozen
class ProxiedManifest:
    """A manifest that the dependency proxy of a group keeps. ``file_name`` is the image and its tag or digest."""

    id: int
    group_id: int
    file_name: str
    digest: str
    content_type: str
    content: bytes
    created_at: str
    updated_at: str

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.content)


@frozen
class ProxiedBlob:
    """A layer or configuration that the dependency proxy of a group keeps. ``file_name`` is its digest in hex."""

    id: int
    group_id: int
    file_name: str
    content: bytes
    created_at: str
    updated_at: str

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.content)


@frozen
class BlobUpload:
    """An upload of a blob that has begun, with the parts that have arrived."""

    id: int
    repository_id: int
    uuid: str
    created_at: str
    parts: tuple[bytes, ...] = ()

    @property
    def size(self) -> int:
        """The number of bytes that have arrived."""
        return sum(map(len, self.parts))


@frozen
class ContainerProtectionRule:
    """Who may push to and delete the image repositories of a project whose paths match a pattern with ``*``."""

    id: int
    project_id: int
    repository_path_pattern: str
    created_at: str
    updated_at: str
    minimum_access_level_for_push: str | None = None
    minimum_access_level_for_delete: str | None = None


@frozen
class ContainerTagProtectionRule:
    """Who may push and delete the tags of a project whose names match a regular expression.

    It has both levels, or none: then tags, once they exist, are neither moved nor deleted by anybody.
    """

    id: int
    project_id: int
    tag_name_pattern: str
    created_at: str
    updated_at: str
    minimum_access_level_for_push: str | None = None
    minimum_access_level_for_delete: str | None = None

    @property
    def is_immutable(self) -> bool:
        """Whether nobody may change matching tags."""
        return self.minimum_access_level_for_push is None and self.minimum_access_level_for_delete is None
