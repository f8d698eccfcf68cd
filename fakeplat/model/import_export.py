"""Exports of projects and groups into archives, and imports of such archives."""

from typing import Literal

from attrs import field

from fakeplat.core.store.frozen import frozen

ExportStatus = Literal["queued", "started", "finished"]
RelationExportStatus = Literal["started", "finished"]


@frozen
class Export:
    """An export of a project or group; ``source`` is (kind, id). ``archive`` is there once it is finished.

    ``excluded_relations`` are the names of what the archive of a project does not have. ``user_id`` is the user who
    requested it, in releases in which users have exports of their own; an export without one is everybody's.
    """

    id: int
    source: tuple[str, int]
    status: ExportStatus
    created_at: str
    description: str | None = None
    filename: str = ""
    archive: bytes | None = field(default=None, repr=False)
    excluded_relations: tuple[str, ...] = ()
    user_id: int | None = None


@frozen
class RelationExport:
    """The export of a relation of a project or group for another instance; ``source`` is (kind, id).

    ``user_id`` is the user who requested it, in releases in which users have exports of their own. ``content`` is there
    once it is finished, with ``objects_count`` records or files.
    """

    id: int
    source: tuple[str, int]
    user_id: int | None
    relation: str
    status: RelationExportStatus
    updated_at: str
    batched: bool = False
    objects_count: int = 0
    content: bytes | None = field(default=None, repr=False)


@frozen
class FailedRelation:
    """A part of an archive that could not be imported."""

    created_at: str
    exception_class: str
    exception_message: str
    source: str
    relation_name: str


@frozen
class Import:
    """An import into a new project or group; ``source`` is (kind, id).

    ``archive`` is there until the import ends. ``replaces_id`` is the project whose place the new one takes then.
    """

    id: int
    source: tuple[str, int]
    user_id: int
    created_at: str
    correlation_id: str
    archive: bytes | None = field(default=None, repr=False)
    failures: tuple[FailedRelation, ...] = ()
    replaces_id: int | None = None


ImportedRelation = Literal["issues", "merge_requests", "ci_pipelines", "milestones"]
RelationImportStatus = Literal["created", "started", "finished", "failed"]


@frozen
class RelationImport:
    """An import of the records of one relation that a project lacks. ``archive`` is there until it ends."""

    id: int
    project_id: int
    user_id: int
    relation: ImportedRelation
    status: RelationImportStatus
    created_at: str
    updated_at: str
    archive: bytes | None = field(default=None, repr=False)


SourceUserStatus = Literal[
    "pending_reassignment",
    "awaiting_approval",
    "reassignment_in_progress",
    "rejected",
    "failed",
    "completed",
    "keep_as_placeholder",
]


@frozen
class SourceUser:
    """A user of another instance whose contributions an import brought into a top-level group.

    ``placeholder_user_id`` stands for the user until somebody else has the contributions: ``reassign_to_user_id``,
    which ``reassigned_by_user_id`` proposed.
    """

    id: int
    group_id: int
    source_hostname: str
    source_user_identifier: str
    import_type: str = "gitlab_migration"
    source_name: str | None = None
    source_username: str | None = None
    status: SourceUserStatus = "pending_reassignment"
    placeholder_user_id: int | None = None
    reassign_to_user_id: int | None = None
    reassigned_by_user_id: int | None = None


BulkImportStatus = Literal["created", "started", "finished", "timeout", "failed", "canceled"]
BulkImportSource = Literal["group_entity", "project_entity"]


@frozen
class BulkImportFailure:
    """Why a part of an entity could not be imported."""

    created_at: str
    relation: str
    exception_class: str
    exception_message: str
    correlation_id_value: str
    pipeline_class: str = "BulkImports::Groups::Pipelines::GroupPipeline"
    pipeline_step: str = "extractor"
    source_url: str | None = None
    source_title: str | None = None


@frozen
class BulkImport:
    """A direct transfer of groups and projects from an instance.

    ``source_user_id`` is the user whose token reads them, if the source is this instance itself. ``is_reading``:
    another instance is being read, and the transfer goes on with what it answers.
    """

    id: int
    user_id: int
    source_url: str
    created_at: str
    updated_at: str
    status: BulkImportStatus = "created"
    source_user_id: int | None = None
    is_reading: bool = False


@frozen
class BulkImportEntity:
    """A group or project that a direct transfer brings. ``parent_id`` is the entity that it belongs to."""

    id: int
    bulk_import_id: int
    source_type: BulkImportSource
    source_full_path: str
    destination_namespace: str
    destination_slug: str
    created_at: str
    updated_at: str
    status: BulkImportStatus = "created"
    parent_id: int | None = None
    namespace_id: int | None = None
    project_id: int | None = None
    migrate_projects: bool = True
    migrate_memberships: bool = True
    failures: tuple[BulkImportFailure, ...] = ()
