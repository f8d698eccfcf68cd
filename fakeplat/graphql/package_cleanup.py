"""Cleanup policies of packages. Source: docs/platform/graphql.md, docs/platform/packages.md."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from fakeplat.domain.packages import duplicate_cleanups
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type, mutation
from fakeplat.model.projects import KeptFiles, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=15.3"
_WORDS: Final = ("ALL", "ONE", "TEN", "TWENTY", "THIRTY", "FORTY", "FIFTY")
Enumeration(
    "PackagesCleanupKeepDuplicatedPackageFilesEnum",
    "How many files of one name a package keeps.",
    {
        f"{word}_PACKAGE_FILE{'S' if word != 'ONE' else ''}": (value, f"The value {value}.")
        for word, value in zip(_WORDS, get_args(KeptFiles), strict=True)
    },
    since=_SINCE,
)
POLICY: Final = Type("PackagesCleanupPolicy", "Which files of packages a project keeps.", since=_SINCE)


@PROJECT.field("packagesCleanupPolicy: PackagesCleanupPolicy", since=_SINCE)
def policy_of(ctx: ReadContext, project: Project) -> Project | None:
    """Which files of packages it keeps; for those who delete packages."""
    return project if can(ctx, Ability.DESTROY_PACKAGE, project) else None


@POLICY.field("keepNDuplicatedPackageFiles: PackagesCleanupKeepDuplicatedPackageFilesEnum!")
def kept_files(_ctx: ReadContext, project: Project) -> KeptFiles:
    """How many files of one name a package keeps."""
    return project.packages_cleanup_keep


@POLICY.field("nextRunAt: Time")
def next_run_at(_ctx: ReadContext, project: Project) -> str | None:
    """When others are deleted next; null before the first change."""
    return project.packages_cleanup_next_run_at


@mutation(
    "updatePackagesCleanupPolicy",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""How many files of one name a package keeps."""
keepNDuplicatedPackageFiles: PackagesCleanupKeepDuplicatedPackageFilesEnum
''',
    payload_fields='"""The policy after the change."""\npackagesCleanupPolicy: PackagesCleanupPolicy',
    since=_SINCE,
)
def update_packages_cleanup_policy(
    ctx: WriteContext, project_path: str, keep_n_duplicated_package_files: KeptFiles | None = None
) -> Mapping[str, Any]:
    """Change which files of packages a project keeps."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.DESTROY_PACKAGE, project)
    return {"packages_cleanup_policy": duplicate_cleanups.change_policy(ctx, project, keep_n_duplicated_package_files)}
