"""Composer packages: versions that name a commit, and the metadata that composer installs from.

Source: docs/platform/packages.md.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import NotFound, Unprocessable
from fakeplat.domain.packages import packages, semver
from fakeplat.domain.repository import repositories
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.packages import Package
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

FILE: Final = "composer.json"
# The parts of a number: 1, 1.2 or 1.x, with any of the four in the place of a digit.
_BRANCH: Final = re.compile(r"v?(\d+(\.(?:\d+|[xX*]))?(?:\.(?:\d+|[xX*]))?(?:\.(?:\d+|[xX*]))?)", re.ASCII)
_DEVELOPMENT: Final = re.compile(r"^dev-|-dev$")
_NAME: Final = re.compile(r"@?(?:[\w.+-]*/)*[\w.-]+@?(?:[\w.+-]*/)*[\w.-]*", re.ASCII)


def publish_branch(ctx: WriteContext, project: Project, name: str, sha: str) -> Package:
    """Publish the head of a branch as a development version."""
    return _publish(ctx, project, version_of_branch(name), sha)


def publish_tag(ctx: WriteContext, project: Project, name: str, sha: str) -> Package:
    """Publish a tagged commit as the version that the tag names."""
    return _publish(ctx, project, name.removeprefix("v"), sha)


def version_of_branch(name: str) -> str:
    """Return the version that composer gives to a branch: ``1.x-dev`` for ``v1``, ``dev-main`` for others."""
    match = _BRANCH.fullmatch(name)
    if match is None:
        return f"dev-{name}"
    return f"{match[1]}-dev" if match[2] == ".x" else f"{match[1]}.x-dev"


def _publish(ctx: WriteContext, project: Project, version: str, sha: str) -> Package:
    manifest = _read_manifest(ctx.world, project, sha)
    name = manifest.get("name")
    text = name if isinstance(name, str) else ""
    _validate(ctx.world, project, text, version)
    package = packages.get_or_create(ctx, project, "composer", text, version)
    return ctx.world.packages.change(package, manifest=manifest, target_sha=sha)


def _read_manifest(world: World, project: Project, sha: str) -> Mapping[str, Any]:
    git = repositories.open_repository(world, project)
    entry = git.entry(sha, FILE)
    if entry is None or entry.kind != "blob":
        raise Unprocessable(f"The file {FILE} was not found.")
    try:
        manifest = orjson.loads(git.objects.blob(entry.sha))
    except orjson.JSONDecodeError:
        manifest = None
    if not isinstance(manifest, dict):
        raise Unprocessable(f"Could not parse {FILE} file. Invalid JSON.")
    return manifest


def _validate(world: World, project: Project, name: str, version: str) -> None:
    errors = ValidationErrors()
    errors.when(not name, "name", BLANK)
    errors.when(not _NAME.fullmatch(name), "name", "is invalid")
    others = world.packages.where("name", ("composer", name))
    is_taken = any(package.project_id != project.id for package in others)
    errors.when(is_taken, "name", "is already taken by another project")
    is_version = semver.is_version(version) or _DEVELOPMENT.search(version) is not None
    errors.when(not is_version, "version", "should follow SemVer: https://semver.org")
    packages.refuse_invalid(errors)


def list_in_projects(world: World, projects: Iterable[Project], name: str = "") -> list[Package]:
    """Return the versions of the packages of some projects, or of one package, by id."""
    rows = [
        package
        for project in projects
        for package in world.packages.where("project", project.id)
        if package.package_type == "composer" and package.target_sha and name in ("", package.name)
    ]
    return sorted(rows, key=lambda package: package.id)


def get_version(world: World, project: Project, name: str, sha: str) -> Package:
    """Return the version of a package that names a commit, or refuse with 404."""
    for package in packages.list_named(world, project, "composer", name):
        if package.target_sha == sha:
            return package
    raise NotFound(reason=lambda: f"{describe(world, project)} has no Composer package {name} of the commit {sha!r}")


def serialize(document: object) -> bytes:
    """Return a document as JSON; composer compares its digest."""
    return orjson.dumps(document)


def digest(document: object) -> str:
    """Return the digest by which composer asks for a document."""
    return sha256(serialize(document)).hexdigest()


def group_by_name(rows: Iterable[Package]) -> dict[str, list[Package]]:
    """Return packages by their names."""
    names: dict[str, list[Package]] = {}
    for package in rows:
        names.setdefault(package.name, []).append(package)
    return names


def sort_versions(rows: Sequence[Package]) -> list[Package]:
    """Return the versions of a package in the order of its metadata."""
    return sorted(rows, key=lambda package: package.version or "")
