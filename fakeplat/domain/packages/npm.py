"""npm packages: publishing, the metadata that npm installs from, and tags. Source: docs/platform/packages.md."""

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from fakeplat.core.operations.errors import (
    BadRequest,
    ForbiddenWithMessage,
    InvalidParams,
    NotFound,
    RecordNotFound,
)
from fakeplat.domain.packages import digests, packages, protection_rules, semver
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.packages import Package, PackageFile, PackageTag
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import NPM_NAMES_ARE_FREE
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_DEPENDENCIES: Final = ("dependencies", "devDependencies", "bundleDependencies", "peerDependencies")
_FURTHER: Final = (
    "optionalDependencies",
    "peerDependenciesMeta",
    "bin",
    "directories",
    "engines",
    "os",
    "cpu",
    "_hasShrinkwrap",
    "hasInstallScript",
)
"""Fields without which npm installs a package differently; the platform has shown them since later releases."""
_SCOPED_NAME: Final = re.compile(r"@([^/@]+)/[^/]+")
# The pattern of all names of packages: parts of a path, which one @ may divide.
_NAME: Final = re.compile(r"@?(?:[\w.+-]*/)*[\w.-]+@?(?:[\w.+-]*/)*[\w.-]*", re.ASCII)
_DEPRECATED: Final = "deprecated"
_FREE_NAME: Final = re.compile(r"(?:@[A-Za-z0-9_.][\w.-]*/)?[-+._a-zA-Z0-9]+", re.ASCII)
LATEST: Final = "latest"


def publish(ctx: WriteContext, project: Project, name: str, document: Mapping[str, Any]) -> Package:
    """Publish the first version of a document that npm sends, with its first tag."""
    version, manifest = next(iter(document["versions"].items()), ("", None))
    if not version:
        raise BadRequest("Version is empty.")
    if not isinstance(manifest, Mapping):
        raise InvalidParams("versions is invalid")
    if any(package.version == version for package in packages.list_named(ctx.world, project, "npm", name)):
        raise ForbiddenWithMessage("Package already exists.")
    if protection_rules.is_protected(ctx, project, "npm", name, "push"):
        raise ForbiddenWithMessage("Package protected.", reason=f"a rule protects npm packages named {name}")
    file_name = f"{name}-{version}.tgz"
    content = _read_attachment(ctx.world, document, file_name)
    _validate(ctx.world, project, name, version)
    package = packages.create(ctx, project, "npm", name, version, manifest=_select_fields(manifest))
    # Npm sends the digest of its tarball, and compares it after every download.
    sha1 = _text_of(manifest.get("dist"), "shasum") or digests.compute(content).file_sha1
    packages.add_file(ctx, package, file_name, content, file_sha1=sha1)
    tags = document.get("dist-tags")
    if isinstance(tags, Mapping) and tags:
        set_tag(ctx, package, str(next(iter(tags))))
    return package


def _text_of(value: object, key: str) -> str:
    text = value.get(key) if isinstance(value, Mapping) else None
    return text if isinstance(text, str) else ""


def _read_attachment(world: World, document: Mapping[str, Any], file_name: str) -> bytes:
    attachments = document.get("_attachments")
    attachment = attachments.get(file_name) if isinstance(attachments, Mapping) else None
    if not isinstance(attachment, Mapping) or not isinstance(attachment.get("data"), str):
        raise InvalidParams("_attachments is invalid", reason=f"it has no file {file_name} with data")
    length = attachment.get("length")
    if packages.is_too_large(world.settings.npm_max_file_size, length if isinstance(length, int) else 0):
        raise BadRequest("File is too large.")
    try:
        content = b64decode(attachment["data"], validate=True)
    except ValueError:
        raise InvalidParams("_attachments is invalid", reason=f"the data of {file_name} is not Base64") from None
    if packages.is_too_large(world.settings.npm_max_file_size, len(content)):
        raise BadRequest("File is too large.")
    return content


def _validate(world: World, project: Project, name: str, version: str) -> None:
    errors = ValidationErrors()
    errors.when(not _NAME.fullmatch(name), "name", "is invalid")
    is_free = world.profile.has(NPM_NAMES_ARE_FREE)
    if is_free:
        errors.when(_NAME.fullmatch(name) and not _FREE_NAME.fullmatch(name), "name", "is invalid")
    else:
        # The instance has one registry, so a package is found by its name alone: its scope is the root namespace.
        errors.when(_scope_of(name) != _root_path(world, project), "name", "is not valid")
    errors.when(not semver.is_version(version), "version", "is invalid")
    packages.refuse_invalid(errors)
    others = [world.projects[package.project_id] for package in world.packages.where("name", ("npm", name))]
    own_root = _root_path(world, project)
    if any(other.id != project.id and (not is_free or _root_path(world, other) == own_root) for other in others):
        raise BadRequest("Validation failed: Package already exists")


def is_name(name: str) -> bool:
    """Return whether a text can be the name of a package."""
    return _FREE_NAME.fullmatch(name) is not None


def _scope_of(name: str) -> str | None:
    match = _SCOPED_NAME.fullmatch(name)
    return match[1] if match else None


def _root_path(world: World, project: Project) -> str:
    return namespaces.root_of(world, world.namespaces[project.namespace_id]).path


def _select_fields(manifest: Mapping[str, Any]) -> dict[str, Any]:
    maps = {name: value for name in _DEPENDENCIES if isinstance(value := manifest.get(name), Mapping)}
    return {**maps, **{name: manifest[name] for name in _FURTHER if name in manifest}}


def find_project(world: World, name: str) -> Project | None:
    """Return the project in which the registry of the instance finds a package.

    That is the first that published it; in later releases, the last of those in the namespace that is its scope.
    """
    projects = [world.projects[package.project_id] for package in world.packages.where("name", ("npm", name))]
    if world.profile.has(NPM_NAMES_ARE_FREE):
        scope = _scope_of(name)
        return next((project for project in reversed(projects) if _root_path(world, project) == scope), None)
    return projects[0] if projects else None


def find_project_in_group(world: World, group: Group, name: str) -> Project | None:
    """Return the project of a group that published a package last."""
    ids = {project.id for project in packages.list_projects(world, group)}
    rows = [package for package in world.packages.where("name", ("npm", name)) if package.project_id in ids]
    return world.projects[rows[-1].project_id] if rows else None


def has_package(world: World, project: Project, name: str) -> bool:
    """Return whether a project has a package."""
    return bool(packages.list_named(world, project, "npm", name))


def require_package(world: World, project: Project, name: str) -> None:
    """Refuse with 404 unless a project has a package."""
    if not has_package(world, project, name):
        raise NotFound("Package", reason=lambda: f"{describe(world, project)} has no npm package {name}")


def deprecate(ctx: WriteContext, project: Project, name: str, versions: Mapping[str, Any]) -> None:
    """Set the message of deprecated versions, which npm shows when they are installed; an empty one removes it."""
    for package in packages.list_named(ctx.world, project, "npm", name):
        manifest = versions.get(package.version or "")
        message = manifest.get("deprecated") if isinstance(manifest, Mapping) else None
        if isinstance(message, str):
            others = {key: value for key, value in package.manifest.items() if key != _DEPRECATED}
            changed = {**others, _DEPRECATED: message} if message else others
            ctx.world.packages.change(package, manifest=changed)


def describe_package(world: World, project: Project, name: str, base: str) -> dict[str, Any]:
    """Return the metadata of a package's versions that npm installs from; ``base`` is the URL of its tarballs."""
    versions = dict(_list_versions(world, project, name))
    return {
        "name": name,
        "versions": {package.version: _describe_version(package, file, base) for package, file in versions.values()},
        "dist-tags": list_tags(world, project, name),
    }


def _list_versions(world: World, project: Project, name: str) -> Iterator[tuple[str, tuple[Package, PackageFile]]]:
    rows = packages.list_named(world, project, "npm", name)
    for package in sorted(rows, key=lambda package: semver.precedence(package.version or "")):
        files = packages.list_files(world, package)
        if package.version and files:
            yield package.version, (package, files[-1])


def _describe_version(package: Package, file: PackageFile, base: str) -> dict[str, Any]:
    tarball = f"{base}/{quote(package.name, safe='@/')}/-/{quote(file.file_name, safe='@/')}"
    return {
        "name": package.name,
        "version": package.version,
        "dist": {"shasum": file.file_sha1, "tarball": tarball},
        **package.manifest,
    }


def list_tags(world: World, project: Project, name: str) -> dict[str, str]:
    """Return the tags of a package with their versions; without a tag ``latest``, that is the highest version."""
    rows = packages.list_named(world, project, "npm", name)
    tags = {tag.name: package.version or "" for package in rows for tag in packages.list_tags(world, package)}
    if rows and LATEST not in tags:
        tags[LATEST] = max((package.version or "" for package in rows), key=semver.precedence)
    return tags


def get_version(world: World, project: Project, name: str, version: str) -> Package:
    """Return a version of a package, or refuse with 404."""
    for package in packages.list_named(world, project, "npm", name):
        if package.version == version:
            return package
    raise NotFound("Package", reason=lambda: f"{describe(world, project)} has no version {version} of {name}")


def get_file(world: World, project: Project, name: str, file_name: str) -> PackageFile:
    """Return a file of a package, or refuse with 404."""
    for package in packages.list_named(world, project, "npm", name):
        file = packages.find_file(world, package, file_name)
        if file is not None:
            return file
    raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no file {file_name} of {name}")


def set_tag(ctx: WriteContext, package: Package, name: str) -> None:
    """Set a tag on a version; it is moved from another version."""
    table, now = ctx.world.package_tags, ctx.now_iso
    existing = _find_tag(ctx.world, ctx.world.projects[package.project_id], package.name, name)
    if existing is None:
        table.add(PackageTag(table.next_id(), package.id, name, now, now))
    else:
        table.change(existing, package_id=package.id, updated_at=now)


def delete_tag(ctx: WriteContext, project: Project, package_name: str, name: str) -> None:
    """Delete a tag of a package; 404 if there is none."""
    tag = _find_tag(ctx.world, project, package_name, name)
    if tag is None:
        raise NotFound("Package tag", reason=f"{package_name} has no tag {name}")
    purge(ctx, tag)


def _find_tag(world: World, project: Project, package_name: str, name: str) -> PackageTag | None:
    rows = packages.list_named(world, project, "npm", package_name)
    tags = (tag for package in rows for tag in packages.list_tags(world, package))
    return next((tag for tag in tags if tag.name == name), None)
