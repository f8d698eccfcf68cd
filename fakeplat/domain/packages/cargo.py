"""Crates of Cargo: the index of their versions, and lookup. Source: docs/platform/packages.md (Cargo).

Nothing publishes crates in the releases that are known; scenarios declare them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import NotFound
from fakeplat.domain.packages import packages
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.projects import Project
from fakeplat.model.world import World

FLAG: Final = "package_registry_cargo_support"
"""The feature of the platform that switches the registry on."""
_MAX_VERSIONS: Final = 500


def normalize(name: str) -> str:
    """Return the name under which crates are the same."""
    return name.lower().replace("_", "-")


def list_prefix(name: str) -> Sequence[str]:
    """Return the folders in which the index has the file of a crate."""
    name = name.lower()
    if len(name) < len("abc"):
        return (str(len(name)),)
    return ("3", name[0]) if len(name) == len("abc") else (name[:2], name[2:4])


def list_index(world: World, project: Project, name: str) -> Sequence[Mapping[str, Any]]:
    """Return what the index says of the newest versions of a crate, newest first, or refuse with 404."""
    rows = _list_versions(world, project, name)
    if not rows:
        raise NotFound("Package", reason=f"the project has no crate {name}")
    return [_describe(world, row) for row in rows[:_MAX_VERSIONS]]


def _list_versions(world: World, project: Project, name: str) -> list[Package]:
    crates = (row for row in world.packages.where("project", project.id) if row.package_type == "cargo")
    named = [row for row in crates if normalize(row.name) == normalize(name) and row.status != "error"]
    return sorted((row for row in named if row.version), key=lambda row: row.id, reverse=True)


def _describe(world: World, package: Package) -> Mapping[str, Any]:
    """Return the line of a version in the index; that of a scenario which declares none follows from its file."""
    if package.manifest:
        return package.manifest
    files = packages.list_files(world, package)
    checksum = files[-1].file_sha256 if files else ""
    fields = {"deps": [], "cksum": checksum or "", "features": {}, "yanked": False}
    return {"name": package.name, "vers": package.version, **fields}


def get_file(world: World, project: Project, name: str, version: str) -> PackageFile:
    """Return the newest file of a version of a crate, whatever its build is, or refuse with 404."""
    rows = [row for row in _list_versions(world, project, name) if _core(row.version or "") == _core(version)]
    if not rows:
        raise NotFound("Package", reason=f"the project has no crate {name} {version}")
    files = packages.list_files(world, rows[0])
    if not files:
        raise NotFound("Package file", reason=f"the crate {name} {version} has no file")
    return files[-1]


def _core(version: str) -> str:
    return version.partition("+")[0]
