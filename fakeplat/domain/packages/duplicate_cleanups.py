"""Cleanup policies of packages: of several files of one name in a package, the newest ones are kept.

A policy runs at the first look of the platform for due policies after ``packages_cleanup_next_run_at``, at 20 minutes
past each hour. A project without packages waits until it has some. Source: docs/platform/packages.md.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import HOUR, MINUTE, from_iso, to_iso
from fakeplat.domain.packages import packages
from fakeplat.domain.purging import purge
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.projects import KeptFiles, Project
from fakeplat.policy.context import ReadContext, WriteContext

_ALL: Final = "all"
_RUN: Final = "clean_up_package_files"
_CADENCE: Final = 12 * HOUR
_WORKER_MINUTE: Final = 20 * MINUTE


def change_policy(ctx: WriteContext, project: Project, keep: KeptFiles | None) -> Project:
    """Change how many files of a name a project keeps, which starts a new period in any case."""
    changed = ctx.world.projects.change(
        project,
        packages_cleanup_keep=keep or project.packages_cleanup_keep,
        packages_cleanup_next_run_at=to_iso(ctx.now() + _CADENCE),
    )
    schedule_run(ctx, changed)
    return changed


def schedule_run(ctx: WriteContext, project: Project) -> None:
    """Schedule the next run of a policy that does not keep all files."""
    ctx.cancel_tasks(_subject(project), _RUN)
    if project.packages_cleanup_keep != _ALL:
        due = from_iso(project.packages_cleanup_next_run_at) if project.packages_cleanup_next_run_at else ctx.now()
        at = max(due, ctx.now())
        ctx.schedule(_RUN, _subject(project), at + (_WORKER_MINUTE - at) % HOUR, recurring=True)


def _subject(project: Project) -> Subject:
    return ("projects", project.id)


@task_handler(_RUN)
def _run_when_due(ctx: WriteContext, task: ScheduledTask) -> None:
    project = ctx.world.projects[task.subject[1]]
    project_packages = ctx.world.packages.where("project", project.id)
    if not project_packages:
        ctx.schedule(_RUN, _subject(project), ctx.now() + HOUR, recurring=True)
        return
    keep = int(project.packages_cleanup_keep)
    purge(ctx, *(file for package in project_packages for file in _list_superfluous(ctx, package, keep)))
    change_policy(ctx, project, None)


def _list_superfluous(ctx: ReadContext, package: Package, keep: int) -> Iterator[PackageFile]:
    files: defaultdict[Hashable, list[PackageFile]] = defaultdict(list)
    for file in packages.list_files(ctx.world, package):
        files[_identify(file)].append(file)
    for same in files.values():
        yield from _without_newest(same, keep)


def _identify(file: PackageFile) -> Hashable:
    """Return what files have in common that replace each other: for Conan also the revisions they belong to."""
    return (
        file.file_name,
        file.conan_recipe_revision,
        file.conan_package_reference,
        file.conan_package_revision,
    )


def _without_newest(files: Sequence[PackageFile], keep: int) -> Sequence[PackageFile]:
    return sorted(files, key=lambda file: file.id)[:-keep]
