"""Generic packages: any files under a name and a version. Source: docs/platform/packages.md."""

import re
from typing import Final
from urllib.parse import quote

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.domain.packages import digests, package_settings, packages
from fakeplat.model.packages import PackageFile, PackageStatus
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_NAME: Final = re.compile(r"[A-Za-z0-9._+-]+")
_LATER_FILE_NAME: Final = re.compile(r"(?![~@])[A-Za-z0-9._+~@-]+(?<![~@])")
VERSION: Final = re.compile(r"\d+\.\d+\.\d+", re.ASCII)
LOOSE_VERSION: Final = re.compile(r"(?!\.)[A-Za-z0-9._+-]*[A-Za-z0-9]")
"""The versions of later releases of the platform."""


def is_name(text: str, *, is_later_file: bool = False) -> bool:
    """Return whether a text is a valid name of a package or file; those of files have more signs in later releases."""
    grammar = _LATER_FILE_NAME if is_later_file else _NAME
    return grammar.fullmatch(text) is not None and text not in (".", "..")


def join_path(path: str, file_name: str) -> str:
    """Return the name of a file in a folder of its package, as the platform stores it: the slashes are encoded."""
    return quote(f"{path}/{file_name}", safe="") if path else file_name


def upload(
    ctx: WriteContext,
    project: Project,
    name: str,
    version: str,
    file_name: str,
    content: bytes,
    status: PackageStatus | None = None,
) -> PackageFile:
    """Add a file to a package, which is created if necessary. A given status becomes that of the package."""
    packages.check_size(ctx, ctx.world.settings.generic_packages_max_file_size, content)
    package = packages.get_or_create(ctx, project, "generic", name, version)
    package_settings.refuse_duplicate(ctx.world, project, package, file_name)
    if status is not None:
        package = ctx.world.packages.change(package, status=status, updated_at=ctx.now_iso)
    return packages.add_file(ctx, package, file_name, content, **digests.compute(content)._asdict())


def get_file(world: World, project: Project, name: str, version: str, file_name: str) -> PackageFile:
    """Return the newest file with a name of a package, or refuse with 404."""
    versions = packages.list_named(world, project, "generic", name)
    found = [packages.find_file(world, package, file_name) for package in versions if package.version == version]
    if not found or found[0] is None:
        raise RecordNotFound(
            reason=lambda: f"{describe(world, project)} has no generic package {name} {version} with {file_name}"
        )
    return found[0]
