"""Packages of projects, their files, and the tags of npm packages."""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from attrs import field

from fakeplat.core.store.frozen import frozen

PackageType = Literal[
    "maven",
    "npm",
    "conan",
    "nuget",
    "pypi",
    "composer",
    "generic",
    "golang",
    "debian",
    "rubygems",
    "helm",
    "terraform_module",
    "rpm",
    "cargo",
]
PACKAGE_TYPES: Final[tuple[PackageType, ...]] = get_args(PackageType)
"""All types, in the platform's order, which lists can be sorted by."""
PackageStatus = Literal["default", "hidden", "error"]
"""``error`` is that of an upload whose content could not be read."""


@frozen
class Package:
    """A version of a package.

    ``version`` is None for the metadata of all versions of a Maven package. ``path`` is where Maven has the package,
    ``requires_python`` is PyPI's, ``manifest`` are the fields of ``package.json``, of the nuspec or of the gemspec that
    npm, NuGet or RubyGems need to install it, the line of a crate in the index of Cargo, or the ``composer.json`` of
    the commit ``target_sha``.
    ``distribution_id`` is the Debian distribution that has the package.
    ``conan_username`` and ``conan_channel`` are parts of a Conan recipe. ``pipeline_id`` is the pipeline whose job
    published the package, or uploaded its last file.
    """

    id: int
    project_id: int
    name: str
    version: str | None
    package_type: PackageType
    created_at: str
    updated_at: str
    status: PackageStatus = "default"
    pipeline_id: int | None = None
    creator_id: int | None = None
    path: str | None = None
    requires_python: str | None = None
    manifest: Mapping[str, Any] = field(factory=dict)
    conan_username: str | None = None
    conan_channel: str | None = None
    target_sha: str | None = None
    distribution_id: int | None = None
    last_downloaded_at: str | None = None

    @property
    def full_name(self) -> str:
        """The name in the API: for Conan, the recipe."""
        if self.package_type != "conan":
            return self.name
        return f"{self.name}/{self.version}@{self.conan_username or ''}/{self.conan_channel or ''}"


@frozen
class PackageFile:
    """A file of a package. The digests are those that the client sent, where its protocol has them.

    ``metadata`` is what its package manager needs of its content: for Helm the channel and the chart.
    ``pipeline_id`` is the pipeline whose job uploaded the file.
    Files of Conan belong to a recipe or, if they have a ``conan_package_reference``, to a binary package. Conan 2 names
    the revisions of both.
    """

    id: int
    package_id: int
    file_name: str
    content: bytes
    created_at: str
    updated_at: str
    file_md5: str | None = None
    file_sha1: str | None = None
    file_sha256: str | None = None
    metadata: Mapping[str, Any] = field(factory=dict)
    conan_recipe_revision: str | None = None
    conan_package_reference: str | None = None
    conan_package_revision: str | None = None
    pipeline_id: int | None = None

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.content)


@frozen
class DebianDistribution:
    """A Debian distribution of a project or group. ``source`` is ("project" or "group", id).

    ``generated_at`` is the time of its last change, with that of its packages: the date of its Release file.
    """

    id: int
    source: tuple[str, int]
    codename: str
    created_at: str
    updated_at: str
    generated_at: str
    suite: str | None = None
    origin: str | None = None
    label: str | None = None
    version: str | None = None
    description: str | None = None
    valid_time_duration_seconds: int | None = None
    components: tuple[str, ...] = ("main",)
    architectures: tuple[str, ...] = ("all", "amd64")
    creator_id: int | None = None


@frozen
class PackageTag:
    """A tag of an npm package, such as ``latest``."""

    id: int
    package_id: int
    name: str
    created_at: str
    updated_at: str


@frozen
class PackageProtectionRule:
    """Who may push and delete packages with certain names in a project."""

    id: int
    project_id: int
    package_name_pattern: str
    package_type: PackageType
    created_at: str
    updated_at: str
    minimum_access_level_for_delete: str | None = None
    minimum_access_level_for_push: str | None = None
