"""NuGet packages: publication, lookup by name and version, search, symbol files. Source: docs/platform/packages.md."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from fakeplat.core.operations.errors import Conflict, NotFound
from fakeplat.domain.packages import (
    digests,
    nuget_versions,
    nuspec,
    package_settings,
    packages,
    protection_rules,
)
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.packages import Package, PackageFile, PackageTag
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    MAX_NUGET_VERSIONS,
    NUGET_PACKAGES_ARE_CREATED_AT_ONCE,
    NUGET_REFUSES_DUPLICATES,
    NUGET_VERSIONS_ARE_NORMALIZED,
)
from fakeplat.policy.context import WriteContext

_NAME: Final = re.compile(r"[-+._a-zA-Z0-9]+")
_MAX_RESULTS: Final = 30
_MAX_VERSIONS: Final = 10
_ANY_LENGTH: Final = re.compile(r"\S+")


def is_name(text: str) -> bool:
    """Return whether a text is a valid name."""
    return _NAME.fullmatch(text) is not None


def upload(ctx: WriteContext, project: Project, content: bytes) -> None:
    """Publish a package. What its nuspec lacks refuses the upload in later releases, and discards it in older ones."""
    packages.check_size(ctx, ctx.world.settings.nuget_max_file_size, content)
    metadata = nuspec.read(content)
    # A file without a nuspec is accepted, as the platform reads it later; then it is discarded.
    if metadata is None:
        return
    is_checked = ctx.profile.has(NUGET_PACKAGES_ARE_CREATED_AT_ONCE)
    if metadata.is_symbols and not is_checked:
        _add_symbols(ctx, project, metadata, content)
        return
    existing = _find_version(ctx.world, project, metadata.name, metadata.version)
    errors = _validate(metadata)
    if is_checked:
        _refuse_duplicate(ctx, project, existing)
        protection_rules.authorize_push(ctx, project, "nuget", metadata.name)
        packages.refuse_invalid(errors)
    elif errors:
        return
    package = existing or packages.create(
        ctx, project, "nuget", metadata.name, metadata.version, manifest=dict(metadata.fields)
    )
    if existing is not None:
        dependencies = {name: value for name, value in existing.manifest.items() if name == "dependencies"}
        fields = {name: value for name, value in metadata.fields.items() if name != "dependencies"}
        package = ctx.world.packages.change(existing, manifest={**fields, **dependencies}, updated_at=ctx.now_iso)
    _set_tags(ctx, package, metadata.tags)
    _add_file(ctx, package, content, "nupkg")


def upload_symbols(ctx: WriteContext, project: Project, content: bytes) -> None:
    """Publish a symbol package. It is discarded unless the package that it belongs to exists."""
    packages.check_size(ctx, ctx.world.settings.nuget_max_file_size, content)
    metadata = nuspec.read(content)
    if metadata is not None:
        _add_symbols(ctx, project, metadata, content)


def _add_symbols(ctx: WriteContext, project: Project, metadata: nuspec.Nuspec, content: bytes) -> None:
    package = _find_version(ctx.world, project, metadata.name, metadata.version)
    if package is not None and metadata.is_symbols:
        _add_file(ctx, package, content, "snupkg")


def _add_file(ctx: WriteContext, package: Package, content: bytes, ending: str) -> PackageFile:
    file_name = f"{package.name}.{package.version}.{ending}".lower()
    return packages.add_file(ctx, package, file_name, content, **digests.compute(content)._asdict())


def _validate(metadata: nuspec.Nuspec) -> ValidationErrors:
    errors = ValidationErrors()
    errors.when(not metadata.name, "name", BLANK)
    errors.when(not _NAME.fullmatch(metadata.name), "name", "is invalid")
    errors.when(not nuget_versions.is_version(metadata.version), "version", "is invalid")
    return errors


def _refuse_duplicate(ctx: WriteContext, project: Project, existing: Package | None) -> None:
    if existing is None or not ctx.profile.has(NUGET_REFUSES_DUPLICATES):
        return
    if not package_settings.allows_duplicate(ctx.world, project, existing):
        raise Conflict(
            "A package with the same name and version already exists",
            reason=f"{existing.name} {existing.version} exists, and the settings of packages forbid duplicates",
        )


def _set_tags(ctx: WriteContext, package: Package, names: Sequence[str]) -> None:
    table, now = ctx.world.package_tags, ctx.now_iso
    existing = {tag.name: tag for tag in packages.list_tags(ctx.world, package)}
    for name, tag in existing.items():
        if name not in names:
            purge(ctx, tag)
    for name in dict.fromkeys(names):
        if name not in existing:
            table.add(PackageTag(table.next_id(), package.id, name, now, now))


def _find_version(world: World, project: Project, name: str, version: str) -> Package | None:
    return next(iter(_select(world, [project], name, version)), None)


def list_versions(world: World, projects: Iterable[Project], name: str) -> list[Package]:
    """Return the newest versions of a package in some projects, newest first, or refuse with 404."""
    rows = _select(world, projects, name)
    if not rows:
        raise NotFound("Packages", reason=f"there is no NuGet package {name}")
    return rows[: world.profile.choose(MAX_NUGET_VERSIONS)]


def get_version(world: World, projects: Iterable[Project], name: str, version: str) -> Package:
    """Return the newest package with a name and a version in some projects, or refuse with 404."""
    rows = _select(world, projects, name, version)
    if not rows:
        raise NotFound("Package", reason=f"there is no NuGet package {name} {version}")
    return rows[0]


def _select(world: World, projects: Iterable[Project], name: str, version: str | None = None) -> list[Package]:
    rows = [package for package in list_all(world, projects) if package.name.lower() == name.lower()]
    return [package for package in rows if version is None or _is_version(world, package, version)]


def _is_version(world: World, package: Package, version: str) -> bool:
    own = package.version or ""
    is_normal = world.profile.has(NUGET_VERSIONS_ARE_NORMALIZED) and nuget_versions.normalize(own) == version.lower()
    return own.lower() == version.lower() or is_normal


def list_all(world: World, projects: Iterable[Project]) -> list[Package]:
    """Return the NuGet packages of some projects, newest first."""
    rows = [package for project in projects for package in world.packages.where("project", project.id)]
    nuget = [package for package in rows if package.package_type == "nuget" and package.version is not None]
    named = [package for package in nuget if package.name != packages.UNFINISHED_NAME]
    return sorted(named, key=lambda package: (package.created_at, package.id), reverse=True)


class SearchResults(NamedTuple):
    """The number of all names that match, and the versions of those of the page, each newest first."""

    total: int
    versions_by_name: dict[str, list[Package]]


def search(rows: Iterable[Package], term: str, *, skip: int, take: int, pre_releases: bool) -> SearchResults:
    """Return the packages whose names have each word of a term."""
    words = [word.lower() for word in _ANY_LENGTH.findall(term)]
    shown = [row for row in rows if pre_releases or not nuget_versions.is_pre_release(row.version or "")]
    matching = [row for row in shown if all(word in row.name.lower() for word in words)]
    # The sort is stable, so the versions of a name stay in their order.
    in_order = groupby(sorted(matching, key=lambda row: row.name), key=lambda row: row.name)
    by_name = {name: list(versions)[:_MAX_VERSIONS] for name, versions in in_order}
    page = list(by_name)[skip : skip + min(take, _MAX_RESULTS)]
    return SearchResults(len(by_name), {name: by_name[name] for name in page})


def get_file(world: World, package: Package, file_name: str) -> PackageFile:
    """Return the newest file of a package with a name in any case, or refuse with 404.

    The name may have the version in its normal form.
    """
    own, names = package.version or "", {file_name.lower()}
    if world.profile.has(NUGET_VERSIONS_ARE_NORMALIZED):
        names.add(file_name.lower().replace(nuget_versions.normalize(own), own.lower(), 1))
    rows = [file for file in packages.list_files(world, package) if file.file_name.lower() in names]
    if not rows:
        raise NotFound("Package", reason=f"the package {package.name} {own} has no file {file_name}")
    return rows[-1]


def get_symbol(
    world: World, projects: Iterable[Project], name: str, signature: str, checksums: Iterable[str]
) -> nuspec.Symbol:
    """Return the symbol file in some projects with a name, a signature and one of some digests, or refuse with 404."""
    digests_ = {checksum.lower() for checksum in checksums}
    for package in list_all(world, projects):
        for file in packages.list_files(world, package):
            for symbol in nuspec.list_symbols(file.content) if file.file_name.endswith(".snupkg") else ():
                key = (symbol.name, symbol.signature.lower())
                if key == (name.lower(), signature.lower()) and symbol.sha256 in digests_:
                    return symbol
    raise NotFound("Symbol", reason=f"no symbol package has {name} with the signature {signature} and that digest")
