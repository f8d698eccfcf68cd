"""PyPI packages: uploads as twine makes them, and the simple index for pip. Source: docs/platform/packages.md."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from fakeplat.core.operations.errors import InvalidParams, RecordNotFound
from fakeplat.domain.packages import digests, packages
from fakeplat.domain.validation import TAKEN, ValidationErrors, too_long
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import PYPI_METADATA_IS_TRUNCATED, PYPI_REFUSALS_HAVE_A_STATUS
from fakeplat.policy.context import WriteContext

_NAME: Final = re.compile(r"@?([\w.+-]*/)*[\w.-]+", re.ASCII)
# PEP 440, appendix B.
_VERSION: Final = re.compile(
    r"v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?\d*)?"
    r"(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?",
    re.ASCII | re.IGNORECASE,
)
_SEPARATORS: Final = re.compile(r"[-_.]+")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)
_ELLIPSIS: Final = "..."
_MAX_LENGTHS: Final = {
    "keywords": 1024,
    "metadata_version": 16,
    "author_email": 2048,
    "summary": 255,
    "description": 4000,
    "description_content_type": 128,
}
_MAX_REQUIREMENT: Final = 255


def normalize(name: str) -> str:
    """Return the name under which pip looks up a package (PEP 503)."""
    return _SEPARATORS.sub("-", name).lower()


def is_digest(text: str) -> bool:
    """Return whether a text is a SHA-256."""
    return _DIGEST.fullmatch(text) is not None


def upload(
    ctx: WriteContext,
    project: Project,
    name: str,
    version: str,
    file_name: str,
    content: bytes,
    *,
    requires_python: str | None = None,
    md5: str | None = None,
    sha256: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> PackageFile:
    """Add a file to a version, which is created if necessary; 400 if it has a file with this name.

    ``metadata`` are further fields of the package, such as the summary.
    """
    packages.check_size(ctx, ctx.world.settings.pypi_max_file_size, content)
    if "/" in file_name or "\\" in file_name or file_name in (".", ".."):
        raise InvalidParams("content is invalid", reason=f"{file_name!r} is not the name of a file")
    requires_python, metadata = _truncate(ctx, requires_python or "", metadata or {})
    _validate(ctx, name, version, requires_python)
    package = packages.get_or_create(ctx, project, "pypi", name, version)
    if packages.find_file(ctx.world, package, file_name) is not None:
        errors = ValidationErrors()
        errors.add("file_name", TAKEN)
        _refuse_invalid(ctx, errors)
    manifest = {**package.manifest, **metadata}
    ctx.world.packages.change(package, requires_python=requires_python, manifest=manifest)
    computed = digests.compute(content)
    return packages.add_file(
        ctx,
        package,
        file_name,
        content,
        file_md5=md5 or computed.file_md5,
        file_sha1=computed.file_sha1,
        file_sha256=(sha256 or computed.file_sha256).lower(),
    )


def _truncate(ctx: WriteContext, requires_python: str, metadata: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    """Return the fields of a package, in later releases those that are too long up to an ellipsis."""
    if not ctx.profile.has(PYPI_METADATA_IS_TRUNCATED):
        return requires_python, metadata
    shortened = {name: _shorten(text, _MAX_LENGTHS[name]) for name, text in metadata.items()}
    return _shorten(requires_python, _MAX_REQUIREMENT), shortened


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - len(_ELLIPSIS)] + _ELLIPSIS


def _validate(ctx: WriteContext, name: str, version: str, requires_python: str) -> None:
    errors = ValidationErrors()
    errors.when(not _NAME.fullmatch(name), "name", "is invalid")
    errors.when(not _VERSION.fullmatch(version), "version", "is invalid")
    too_long(errors, "required_python", requires_python, _MAX_REQUIREMENT)
    _refuse_invalid(ctx, errors)


def _refuse_invalid(ctx: WriteContext, errors: ValidationErrors) -> None:
    if errors and ctx.profile.has(PYPI_REFUSALS_HAVE_A_STATUS):
        raise packages.build_refusal(ctx, packages.explain(errors))
    packages.refuse_invalid(errors)


def find_files(world: World, projects: Iterable[Project], name: str) -> Sequence[tuple[Package, PackageFile]]:
    """Return the files of all versions of a package in some projects. Names are compared as pip compares them."""
    versions = [package for package in list_all(world, projects) if normalize(package.name) == normalize(name)]
    return [(package, file) for package in versions for file in packages.list_files(world, package)]


def list_all(world: World, projects: Iterable[Project]) -> list[Package]:
    """Return all packages of some projects, by id."""
    rows = [package for project in projects for package in world.packages.where("project", project.id)]
    pypi = [package for package in rows if package.package_type == "pypi" and package.version]
    return sorted(pypi, key=lambda package: package.id)


def get_file(world: World, projects: Iterable[Project], sha256: str, file_name: str) -> PackageFile:
    """Return the newest file with a digest and a name, or refuse with 404."""
    for package in reversed(list_all(world, projects)):
        file = packages.find_file(world, package, file_name)
        if file is not None and file.file_sha256 == sha256.lower():
            return file
    raise RecordNotFound(reason=f"there is no file {file_name} with the digest {sha256}")
