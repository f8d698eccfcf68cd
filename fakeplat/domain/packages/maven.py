"""Maven packages: files below a path of group, artifact and version. Source: docs/platform/packages.md."""

import re
from collections.abc import Iterable
from functools import partial
from typing import Final

from fakeplat.core.operations.errors import Conflict, RecordNotFound
from fakeplat.domain.instance import features
from fakeplat.domain.packages import digests, package_settings, packages
from fakeplat.domain.people import namespaces
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import MAVEN_IS_FORWARDED, MAVEN_SERVES_LAST_METADATA
from fakeplat.policy.context import WriteContext

METADATA: Final = "maven-metadata.xml"
_FORWARDING: Final = "maven_central_request_forwarding"
_SNAPSHOT: Final = "-SNAPSHOT"
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9._+-]+")
_NAME: Final = re.compile(r"@?([\w.-]*/)*[\w.+-]*", re.ASCII)
_VERSION: Final = re.compile(r"[\w.+-]+", re.ASCII)
_TOO_MANY_DOTS: Final = re.compile(r"^\.\.|\.\.\.|\.\.$|^\.$")
_PART: Final = re.compile(r"[\w.-]+", re.ASCII)


def is_file_name(text: str) -> bool:
    """Return whether a text is a valid name of a file."""
    return _FILE_NAME.fullmatch(text) is not None


def upload(ctx: WriteContext, project: Project, path: str, file_name: str, content: bytes) -> PackageFile:
    """Add a file to the package at a path, which is created if necessary."""
    packages.check_size(ctx, ctx.world.settings.maven_max_file_size, content)
    package = find_package(ctx.world, [project], path) or _create(ctx, project, path, file_name)
    # The metadata of all versions is written again with each of them.
    if package.version is not None:
        package_settings.refuse_duplicate(ctx.world, project, package, file_name)
    return packages.add_file(ctx, package, file_name, content, **digests.compute(content)._asdict())


def _create(ctx: WriteContext, project: Project, path: str, file_name: str) -> Package:
    name, _, version = path.rpartition("/")
    # The metadata of an artifact's versions is a package without a version; that of a snapshot belongs to the snapshot.
    if file_name == METADATA and not path.endswith(_SNAPSHOT):
        _validate(path, None)
        return packages.create(ctx, project, "maven", path, None, path=path)
    _validate(name, version)
    return packages.create(ctx, project, "maven", name, version, path=path)


def _validate(name: str, version: str | None) -> None:
    group, _, artifact = name.rpartition("/")
    errors = ValidationErrors()
    errors.when(not _NAME.fullmatch(name), "name", "is invalid")
    errors.when(version is not None and not _is_version(version), "version", "is invalid")
    errors.when(not _PART.fullmatch(group.replace("/", ".")), "maven_metadatum.app_group", "is invalid")
    errors.when(not _PART.fullmatch(artifact), "maven_metadatum.app_name", "is invalid")
    packages.refuse_invalid(errors)


def _is_version(text: str) -> bool:
    # The platform's expression, ``(\.?[\w+-]+\.?)+``, is slow for long texts that it does not match in the end.
    return _VERSION.fullmatch(text) is not None and not _TOO_MANY_DOTS.search(text)


def verify_sha1(world: World, project: Project, path: str, file_name: str, digest: str) -> None:
    """Compare the SHA-1 of a file with the one that Maven computed: 409 if they differ, 404 without such a file."""
    file = get_file(world, [project], path, file_name)
    if file.file_sha1 != digest.strip():
        raise Conflict(reason=f"the SHA-1 of {path}/{file_name} is {file.file_sha1}, not {digest.strip()}")


def find_package(world: World, projects: Iterable[Project], path: str) -> Package | None:
    """Return the newest package at a path of some projects."""
    return _newest(_list_packages(world, projects, path))


def _list_packages(world: World, projects: Iterable[Project], path: str) -> list[Package]:
    found = [package for project in projects for package in world.packages.where("path", (project.id, path))]
    return [package for package in found if package.package_type == "maven"]


def _newest(rows: Iterable[Package]) -> Package | None:
    return max(rows, key=lambda package: package.id, default=None)


def get_file(world: World, projects: Iterable[Project], path: str, file_name: str) -> PackageFile:
    """Return the newest file of the package at a path, or refuse with 404."""
    file = find_file(world, projects, path, file_name)
    if file is None:
        package = find_package(world, projects, path)
        what = "no package" if package is None else f"no file {file_name} in the package"
        raise RecordNotFound(reason=f"there is {what} at {path}")
    return file


def find_file(world: World, projects: Iterable[Project], path: str, file_name: str) -> PackageFile | None:
    """Return the newest file of the package at a path; metadata, in later releases, of that with the last upload."""
    is_of_last_upload = (
        METADATA in file_name and _SNAPSHOT not in path and world.profile.has(MAVEN_SERVES_LAST_METADATA)
    )
    found = _list_packages(world, projects, path)
    package = max(found, key=partial(_last_upload, world)) if found and is_of_last_upload else _newest(found)
    return packages.find_file(world, package, file_name) if package is not None else None


def _last_upload(world: World, package: Package) -> int:
    return max((file.id for file in packages.list_files(world, package)), default=0)


def is_known_path(world: World, path: str) -> bool:
    """Return whether any project has a package at a path."""
    return find_package(world, world.projects.all(), path) is not None


def may_forward(world: World, container: Project | Group) -> bool:
    """Return whether requests for unknown packages may be forwarded: behind a feature that is off by default."""
    root = namespaces.root_of(
        world, container if isinstance(container, Group) else world.namespaces[container.namespace_id]
    )
    is_on = isinstance(root, Group) and features.is_enabled(world, _FORWARDING, root)
    return is_on and world.profile.has(MAVEN_IS_FORWARDED)


def find_project_by_path(world: World, path: str, file_name: str) -> Project | None:
    """Return the project whose full path is the name of a package, which the instance's repository requires."""
    project = namespaces.find_project_by_path(world, path.rpartition("/")[0])
    # The metadata of all versions is at the path of the package itself.
    return project or (namespaces.find_project_by_path(world, path) if file_name.startswith(METADATA) else None)
