"""Terraform modules: archives under a name, a system and a version, which a whole group shares.

Source: docs/platform/packages.md.
"""

import re
from collections.abc import Sequence
from typing import Final

from fakeplat.core.operations.errors import ForbiddenWithMessage, NotFound, Unprocessable
from fakeplat.domain.packages import digests, package_settings, packages, protection_rules, semver
from fakeplat.domain.people import namespaces
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import TERRAFORM_MODULES_MAY_HAVE_DUPLICATES
from fakeplat.policy.context import ReadContext, WriteContext

_NAME: Final = re.compile(r"[-a-z0-9]+/[-a-z0-9]+")


def upload(ctx: WriteContext, project: Project, name: str, system: str, version: str, content: bytes) -> PackageFile:
    """Publish a version of a module; 403 if the version exists, or the module in another project of the group."""
    if packages.is_too_large(ctx.world.settings.terraform_module_max_file_size, len(content)):
        raise packages.build_refusal(ctx, "File is too large")
    full_name = f"{name}/{system}"
    if protection_rules.is_protected(ctx, project, "terraform_module", full_name, "push"):
        raise ForbiddenWithMessage("Package protected.", reason=f"a rule protects modules named {full_name}")
    _refuse_duplicates(ctx, project, full_name, version)
    errors = ValidationErrors()
    errors.when(not _NAME.fullmatch(full_name), "name", "is invalid")
    if errors:
        raise Unprocessable(f"Validation failed: {', '.join(errors.full_messages())}")
    package = packages.create(ctx, project, "terraform_module", full_name, version)
    digest = digests.compute(content).file_sha256
    return packages.add_file(ctx, package, f"{name}-{system}-{version}.tgz", content, file_sha256=digest)


def _refuse_duplicates(ctx: WriteContext, project: Project, name: str, version: str) -> None:
    root = namespaces.root_of(ctx.world, ctx.world.namespaces[project.namespace_id])
    for package in ctx.world.packages.where("name", ("terraform_module", name)):
        other = ctx.world.projects[package.project_id]
        if other.id != project.id and namespaces.root_of(ctx.world, ctx.world.namespaces[other.namespace_id]) == root:
            is_later = ctx.profile.has(TERRAFORM_MODULES_MAY_HAVE_DUPLICATES)
            if is_later and package_settings.allows_module_elsewhere(ctx.world, project, name):
                continue
            text = "A package with the same name already exists in the namespace"
            raise ForbiddenWithMessage(text if is_later else "Package already exists.")
        if other.id == project.id and package.version == version:
            raise ForbiddenWithMessage("Package version already exists.")


def list_in_group(ctx: ReadContext, group: Group, name: str) -> Sequence[Package]:
    """Return the versions of a module in the projects of a group whose packages the caller reads, by id."""
    projects = packages.list_projects(ctx.world, group)
    found = [
        package
        for project in packages.select_readable(ctx, projects)
        for package in packages.list_named(ctx.world, project, "terraform_module", name)
    ]
    return sorted(found, key=lambda package: package.id)


def find_latest(versions: Sequence[Package]) -> Package | None:
    """Return the package with the highest version."""
    return max(versions, key=lambda package: semver.precedence(package.version or ""), default=None)


def get_file(world: World, package: Package | None) -> PackageFile:
    """Return the archive of a version, or refuse with 404."""
    files = packages.list_files(world, package) if package is not None else ()
    if not files:
        raise NotFound(reason="there is no such version of the module, or it has no file")
    return files[0]
