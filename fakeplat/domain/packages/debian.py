"""Debian packages: distributions, uploads and what they become. Source: docs/platform/packages.md."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import evolve

from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.domain.packages import digests, packages
from fakeplat.domain.packages.deb_files import decode, parse_control, read_control
from fakeplat.domain.packages.packed_files import UnreadableFile
from fakeplat.domain.people.members import source_of
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.packages import DebianDistribution, Package, PackageFile
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

MAX_FILE_SIZE: Final = 3_221_225_472
INCOMING: Final = "incoming"
"""The package whose files no changes file has named yet."""
_TEMPORARY: Final = "debian-temporary-package"
_DAY: Final = 24 * 60 * 60
_NAME: Final = re.compile(r"[a-z0-9][-+.a-z0-9]+")
DISTRIBUTION: Final = re.compile(r"[a-z0-9][a-z0-9.-]*", re.IGNORECASE)
COMPONENT: Final = DISTRIBUTION
ARCHITECTURE: Final = re.compile(r"[a-z0-9][-a-z0-9]*")
VERSION: Final = re.compile(r"(?:\d{1,9}:)?\d[0-9a-z.+~]*(?:-[0-9a-z.+~]+){0,14}", re.IGNORECASE | re.ASCII)
_FILE_NAME: Final = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.~+-]*")
BINARIES: Final = ("deb", "udeb", "ddeb")
_META: Final = ("dsc", "buildinfo", "changes")
_SOURCES: Final = (".tar.gz", ".tar.bz2", ".tar.lzma", ".tar.xz")


def is_package_name(text: str) -> bool:
    """Return whether a text is a valid name of a source package."""
    return _NAME.fullmatch(text) is not None


def list_distributions(world: World, container: Container) -> Sequence[DebianDistribution]:
    """Return the distributions of a project or group, by id."""
    return world.debian_distributions.where("source", source_of(container))


def find_distribution(world: World, container: Container, name: str) -> DebianDistribution | None:
    """Return the distribution with a codename or suite."""
    rows = list_distributions(world, container)
    return next((row for row in reversed(rows) if name in (row.codename, row.suite)), None)


def get_distribution(world: World, container: Container, codename: str) -> DebianDistribution:
    """Return the distribution with a codename, or refuse with 404."""
    for row in list_distributions(world, container):
        if row.codename == codename:
            return row
    raise NotFound("Distribution", reason=lambda: f"{describe(world, container)} has no distribution {codename}")


def get_published(world: World, container: Container, name: str) -> DebianDistribution:
    """Return the distribution that clients know by a codename or suite, or refuse with 404."""
    row = find_distribution(world, container, name)
    if row is None:
        raise RecordNotFound(reason=lambda: f"{describe(world, container)} has no distribution {name}")
    return row


def create_distribution(ctx: WriteContext, container: Container, **fields: Any) -> DebianDistribution:
    """Create a distribution, by default with the component main and the architectures all and amd64."""
    table, now = ctx.world.debian_distributions, ctx.now_iso
    times = {"created_at": now, "updated_at": now, "generated_at": now}
    creator = ctx.user.id if ctx.user else None
    values = {**times, "creator_id": creator, **_names(fields)}
    row = DebianDistribution(id=table.next_id(), source=source_of(container), **values)
    _check(ctx.world, container, row)
    return table.add(row)


def update_distribution(
    ctx: WriteContext, container: Container, row: DebianDistribution, **fields: Any
) -> DebianDistribution:
    """Change a distribution. Given components and architectures replace the former ones."""
    now = ctx.now_iso
    changed = evolve(row, **_names(fields), updated_at=now, generated_at=now)
    _check(ctx.world, container, changed)
    return ctx.world.debian_distributions.replace(row, changed)


def _names(fields: Mapping[str, Any]) -> dict[str, Any]:
    lists = {name: fields[name] for name in ("components", "architectures") if fields.get(name) is not None}
    if "architectures" in lists:
        lists["architectures"] = [*lists["architectures"], "all"]
    others = {name: value for name, value in fields.items() if name not in ("components", "architectures")}
    return {**others, **{name: tuple(sorted(set(values))) for name, values in lists.items()}}


def _check(world: World, container: Container, row: DebianDistribution) -> None:
    others = [other for other in list_distributions(world, container) if other.id != row.id]
    codenames, suites = {other.codename for other in others}, {other.suite for other in others}
    errors = ValidationErrors()
    errors.when(row.codename in codenames, "codename", TAKEN)
    errors.when(row.suite and row.suite in suites, "suite", TAKEN)
    errors.when(row.codename in suites, "codename", "has already been taken as Suite")
    errors.when(row.suite and row.suite in codenames, "suite", "has already been taken as Codename")
    seconds = row.valid_time_duration_seconds
    errors.when(
        seconds is not None and seconds < _DAY,
        "valid_time_duration_seconds",
        f"must be greater than or equal to {_DAY}",
    )
    errors.refuse()


def upload(
    ctx: WriteContext, project: Project, file_name: str, content: bytes, distribution: str, component: str
) -> PackageFile:
    """Add a file, which waits for the changes file that names it; or a binary package to a distribution."""
    packages.check_size(ctx, MAX_FILE_SIZE, content)
    try:
        if distribution:
            return _publish_binary(ctx, project, file_name, content, distribution, component)
        if file_name.endswith(".changes"):
            return _process_changes(ctx, project, file_name, content)
    except UnreadableFile:
        version = ctx.random_uuid("debian")
        package = packages.create(ctx, project, "debian", _TEMPORARY, version, status="error")
        return _add_file(ctx, package, file_name, content, {"file_type": "unknown"})
    incoming = find_incoming(ctx.world, project) or packages.create(ctx, project, "debian", INCOMING, None)
    return _add_file(ctx, incoming, file_name, content, {"file_type": "unknown"})


def _add_file(
    ctx: WriteContext, package: Package, file_name: str, content: bytes, metadata: Mapping[str, Any]
) -> PackageFile:
    values: dict[str, Any] = digests.compute(content)._asdict()
    return packages.add_file(ctx, package, file_name, content, metadata=metadata, **values)


def find_incoming(world: World, project: Project) -> Package | None:
    """Return the package with the files that wait for a changes file."""
    rows = packages.list_named(world, project, "debian", INCOMING)
    return next((package for package in rows if package.version is None), None)


def _publish_binary(
    ctx: WriteContext, project: Project, file_name: str, content: bytes, distribution: str, component: str
) -> PackageFile:
    metadata = _describe_file(file_name, content, component)
    if metadata["file_type"] == "ddeb":
        raise UnreadableFile("invalid package file type: ddeb")
    fields = metadata["fields"]
    # The source may name its version behind it, in parentheses.
    source, _, version = fields.get("Source", fields.get("Package", "")).partition(" ")
    package = _obtain_package(ctx, project, source, version.strip("()") or fields.get("Version", ""), distribution)
    return _add_file(ctx, package, file_name, content, metadata)


def _describe_file(file_name: str, content: bytes, component: str) -> dict[str, Any]:
    """Return the metadata of a file; UnreadableFile if its content is not what its name says."""
    ending = file_name.rpartition(".")[2]
    if ending in BINARIES:
        fields = read_control(content)
        architecture = fields.get("Architecture", "")
        if not ARCHITECTURE.fullmatch(architecture):
            raise UnreadableFile(f"invalid architecture {architecture!r}")
        return {"file_type": ending, "component": component, "architecture": architecture, "fields": fields}
    if ending in _META:
        parts = {} if ending == "changes" else {"component": component}
        return {"file_type": ending, **parts, "fields": parse_control(decode(content))}
    if file_name.endswith(_SOURCES):
        return {"file_type": "source", "component": component}
    raise UnreadableFile(f"unsupported file extension for file {file_name}")


def _obtain_package(ctx: WriteContext, project: Project, name: str, version: str, distribution: str) -> Package:
    row = find_distribution(ctx.world, project, distribution)
    if row is None or not is_package_name(name) or not VERSION.fullmatch(version):
        raise UnreadableFile(f"no package {name!r} {version!r} can be in {distribution!r}")
    existing = [one for one in packages.list_named(ctx.world, project, "debian", name) if one.version == version]
    if any(package.distribution_id != row.id for package in existing):
        raise UnreadableFile(f"Debian package {name} {version} exists in another distribution")
    ctx.world.debian_distributions.change(row, generated_at=ctx.now_iso)
    if existing:
        return existing[0]
    return packages.create(ctx, project, "debian", name, version, distribution_id=row.id)


def _process_changes(ctx: WriteContext, project: Project, file_name: str, content: bytes) -> PackageFile:
    """Publish the files that a changes file names, all or none of them."""
    fields = parse_control(decode(content))
    named = _list_changed_files(ctx.world, project, fields)
    described = [(file, _describe_file(file.file_name, file.content, component)) for file, component in named]
    values = [fields.get(name, "") for name in ("Source", "Version", "Distribution")]
    package = _obtain_package(ctx, project, *values)
    for file, metadata in described:
        ctx.world.package_files.change(file, package_id=package.id, metadata=metadata, updated_at=ctx.now_iso)
    return _add_file(ctx, package, file_name, content, {"file_type": "changes", "fields": fields})


def _list_changed_files(world: World, project: Project, fields: Mapping[str, str]) -> list[tuple[PackageFile, str]]:
    """Return the files that a changes file names with their components; UnreadableFile unless all digests are right."""
    listed = {line.split()[-1]: line.split() for line in _lines_of(fields, "Files")}
    sums = {
        digest: {line.split()[-1]: line.split()[0] for line in _lines_of(fields, name)}
        for digest, name in (("file_sha1", "Checksums-Sha1"), ("file_sha256", "Checksums-Sha256"))
    }
    incoming = find_incoming(world, project)
    found = []
    for name, words in listed.items():
        file = packages.find_file(world, incoming, name) if incoming is not None else None
        if file is None or not _FILE_NAME.fullmatch(name):
            raise UnreadableFile(f"{name} is listed in Files but was not uploaded")
        expected = {"file_md5": words[0], **{digest: names.get(name) for digest, names in sums.items()}}
        if len(words) != _COLUMNS or any(getattr(file, digest) != value for digest, value in expected.items()):
            raise UnreadableFile(f"the digests of {name} are not those of the changes file")
        section = words[2]
        found.append((file, section.partition("/")[0] if "/" in section else "main"))
    return found


_COLUMNS: Final = 5
"""In Files: digest, size, section, priority and name."""


def _lines_of(fields: Mapping[str, str], name: str) -> list[str]:
    lines = [line for line in fields.get(name, "").split("\n") if line.strip()]
    if not lines:
        raise UnreadableFile(f"{name} field is missing")
    return lines


def list_published(world: World, container: Container, row: DebianDistribution) -> list[tuple[Package, PackageFile]]:
    """Return the files of the packages in a distribution; for a group those of public projects with its codename."""
    if isinstance(container, Group):
        projects = [one for one in packages.list_projects(world, container) if one.visibility == "public"]
        own = [other for one in projects for other in list_distributions(world, one) if other.codename == row.codename]
    else:
        own = [row]
    rows = [package for one in own for package in world.packages.where("distribution", one.id)]
    return [(package, file) for package in rows for file in packages.list_files(world, package)]


def get_file(world: World, project: Project, distribution: str, file_name: str) -> PackageFile:
    """Return the newest file with a name in a distribution of a project, or refuse with 404."""
    row = get_published(world, project, distribution)
    files = [file for _, file in list_published(world, project, row) if file.file_name == file_name]
    if not files:
        raise RecordNotFound(reason=f"there is no file {file_name} in {distribution}")
    return max(files, key=lambda file: file.id)
