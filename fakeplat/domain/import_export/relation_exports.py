"""Exports of single relations of projects and groups, for a transfer to another instance.

Source: docs/platform/import-export.md ('Relations').
"""

import gzip
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.people import members
from fakeplat.domain.people.members import source_of
from fakeplat.model.import_export import RelationExport
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import RELATION_EXPORTS_HAVE_FILES, RELATION_EXPORTS_HAVE_USERS
from fakeplat.policy.context import ReadContext, WriteContext

_FINISH: Final = "finish_relation_export"
SELF: Final = "self"
FILES: Final = ("uploads", "lfs_objects", "repository")
"""The relations that are archives of files."""
_SINGLE: Final = (
    *(SELF, "repository", "auto_devops", "container_expiration_policy", "project_feature"),
    "push_rule",
)
"""The relations that are a single thing, and thus never in batches."""
_GROUP_TREE: Final = ("labels", "milestones", "badges", "boards", "epics", "members")
_PROJECT_TREE: Final = (
    *("project_feature", "labels", "milestones", "issues", "merge_requests", "snippets", "releases"),
    *("protected_branches", "protected_tags", "ci_pipelines", "triggers", "pipeline_schedules", "boards"),
    *("project_badges", "auto_devops", "container_expiration_policy", "custom_attributes", "protected_environments"),
    "push_rule",
)


class _Content(NamedTuple):
    """What a relation has: bytes, made of so many records or files."""

    data: bytes
    objects_count: int


def list_relations(ctx: ReadContext, kind: str) -> Sequence[str]:
    """Return the names of the relations of projects or groups."""
    has_files = ctx.profile.has(RELATION_EXPORTS_HAVE_FILES)
    if kind == "project":
        return (*_PROJECT_TREE, *FILES, SELF) if has_files else _PROJECT_TREE
    return (*_GROUP_TREE, "uploads", SELF) if has_files else _GROUP_TREE


def list_exports(ctx: ReadContext, container: Project | Group) -> list[RelationExport]:
    """Return the exports of the relations of a project or group that the caller sees."""
    user_id = _owner_id(ctx)
    return [
        export
        for export in ctx.world.relation_exports.where("source", source_of(container))
        if export.user_id == user_id
    ]


def find_export(ctx: ReadContext, container: Project | Group, relation: str) -> RelationExport | None:
    """Return the export of a relation that the caller sees; None if there is none."""
    return ctx.world.relation_exports.find("relation", (source_of(container), _owner_id(ctx), relation))


def _owner_id(ctx: ReadContext) -> int | None:
    return ctx.viewer.id if ctx.viewer is not None and ctx.profile.has(RELATION_EXPORTS_HAVE_USERS) else None


def request_exports(ctx: WriteContext, container: Project | Group, *, batched: bool) -> None:
    """Start the export of each relation, in place of an older one."""
    source, table = source_of(container), ctx.world.relation_exports
    for relation in list_relations(ctx, source[0]):
        older = find_export(ctx, container, relation)
        in_batches = batched and relation not in _SINGLE
        if older is None:
            export = table.add(
                RelationExport(
                    table.next_id(), source, _owner_id(ctx), relation, "started", ctx.now_iso, batched=in_batches
                )
            )
        else:
            changes = {"status": "started", "updated_at": ctx.now_iso, "batched": in_batches}
            export = table.change(older, **changes, objects_count=0, content=None)
        if older is None or older.status != "started":
            schedule_end(ctx, export)


def schedule_end(ctx: WriteContext, export: RelationExport) -> None:
    """Schedule the end of an export a second from now."""
    ctx.schedule(_FINISH, ("relation_exports", export.id), ctx.now() + SECOND, in_progress=True)


@task_handler(_FINISH)
def _finish(ctx: WriteContext, due: ScheduledTask) -> None:
    finish(ctx, ctx.world.relation_exports[due.subject[1]])


def finish(ctx: WriteContext, export: RelationExport) -> RelationExport:
    """Make the content of an export."""
    content = _build(ctx, export)
    changes = {"status": "finished", "objects_count": content.objects_count, "content": content.data}
    return ctx.world.relation_exports.change(export, updated_at=ctx.now_iso, **changes)


def filename_of(export: RelationExport) -> str:
    """Return the name of the file that is downloaded."""
    if export.relation in FILES:
        return f"{export.relation}.tar.gz"
    return f"{export.relation}.{'json' if export.relation == SELF else 'ndjson'}.gz"


def batches_of(export: RelationExport, size: int) -> list[tuple[int, bytes]]:
    """Return how many objects the batches of an export have, and their content; files are in one batch."""
    content = export.content
    if not export.batched or content is None or not export.objects_count:
        return []
    if export.relation in FILES:
        return [(export.objects_count, content)]
    lines = content.splitlines(keepends=True)
    parts = (lines[start : start + size] for start in range(0, len(lines), size))
    return [(len(part), b"".join(part)) for part in parts]


def compress(content: bytes) -> bytes:
    """Return content as it is downloaded; the same content always gives the same bytes."""
    return gzip.compress(content, mtime=0)


def _build(ctx: WriteContext, export: RelationExport) -> _Content:
    # Imported here, as few worlds export anything.
    from fakeplat.domain.import_export import group_export, project_export

    container = members.container_of(ctx.world, export.source)
    if isinstance(container, Project):
        if export.relation in FILES:
            return _build_tar(ctx, _project_files(ctx, container, export.relation))
        if export.relation == SELF:
            return _build_document(project_export.project_attributes(container))
        return _build_rows(project_export.project_relations(ctx, container)[export.relation])
    group = cast(Group, container)
    if export.relation in FILES:
        return _build_tar(ctx, project_export.upload_files(ctx.world, group))
    if export.relation == SELF:
        return _build_document(group_export.group_attributes(group, is_top=True))
    return _build_rows(group_export.group_relations(ctx.world, group)[export.relation])


def _project_files(ctx: ReadContext, project: Project, relation: str) -> dict[str, bytes]:
    from fakeplat.domain.import_export import project_export

    if relation == "uploads":
        return project_export.upload_files(ctx.world, project)
    if relation == "lfs_objects":
        return project_export.large_files(ctx.world, project)
    bundle = project_export.bundle_files(ctx.world, project).get(project_export.BUNDLE)
    return {} if bundle is None else {project_export.BUNDLE: bundle}


def _build_tar(ctx: ReadContext, files: Mapping[str, bytes]) -> _Content:
    from fakeplat.domain.import_export.archive_files import write_tar

    return _Content(write_tar(files, ctx.now() // SECOND), len(files))


def _build_document(attributes: Mapping[str, object]) -> _Content:
    from fakeplat.domain.import_export.archive_files import write_json

    return _Content(write_json(attributes) + b"\n", 1)


def _build_rows(rows: Iterable[Mapping[str, Any]]) -> _Content:
    from fakeplat.domain.import_export.archive_files import write_json

    lines = [write_json(row) + b"\n" for row in rows]
    return _Content(b"".join(lines), len(lines))
