"""Releases of projects: tags with notes, links to assets, and evidence."""

from hashlib import sha256
from typing import Literal

from fakeplat.core.store.frozen import frozen

LinkType = Literal["other", "runbook", "package", "image"]


@frozen
class Release:
    """A release of a tag, which may have been deleted since. ``sha`` is the commit of the tag at that time.

    ``catalog_version_at`` is when it became a version of its project's components in the catalogue.
    """

    id: int
    project_id: int
    tag_name: str
    name: str
    created_at: str
    updated_at: str
    released_at: str
    description: str | None = None
    sha: str | None = None
    author_id: int | None = None
    milestone_ids: tuple[int, ...] = ()
    catalog_version_at: str | None = None

    @property
    def is_historical(self) -> bool:
        """Whether the release was entered after the fact."""
        return self.released_at < self.created_at


@frozen
class ReleaseLink:
    """A link to an asset of a release. ``filepath`` is its place below the permanent address of the release."""

    id: int
    release_id: int
    name: str
    url: str
    created_at: str
    updated_at: str
    filepath: str | None = None
    link_type: LinkType = "other"


@frozen
class Evidence:
    """What a release consisted of at some time; ``summary`` is JSON."""

    id: int
    release_id: int
    summary: str
    created_at: str

    @property
    def collected_at(self) -> str:
        """When it was collected."""
        return self.created_at

    @property
    def sha(self) -> str:
        """The SHA-256 of the summary."""
        return sha256(self.summary.encode()).hexdigest()
