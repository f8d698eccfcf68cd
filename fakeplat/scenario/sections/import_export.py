"""Exports of projects and groups, and imports into projects."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.records import build_record, fields
from fakeplat.core.schema.shapes import (
    BASE64,
    BOOLEAN,
    COUNT,
    DATE_TIME,
    NULLABLE_TEXT,
    TEXT,
    Choice,
    ListOf,
    Object,
    Shape,
)
from fakeplat.domain.import_export import exports, imports, relation_exports, relation_imports
from fakeplat.domain.people.members import source_of
from fakeplat.model.import_export import Export, FailedRelation, Import, RelationExport, RelationImport
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import GENERATED, EntryData
from fakeplat.scenario.sections import serialization

_FAILURE: Final = Object(fields(FailedRelation), required=tuple(fields(FailedRelation)))


def _create_export(entry: Entry) -> Export:
    values, table, source = entry.values, entry.world.exports, source_of(entry.owner)
    user = entry.user("user") if values.get("user") else None
    status = values.get("status", "finished")
    export = table.add(
        Export(
            table.next_id(),
            source,
            status,
            entry.created_at,
            values.get("description"),
            values.get("filename", ""),
            values.get("archive"),
            user_id=None if user is None else user.id,
        )
    )
    if status != "finished":
        exports.schedule_steps(entry.ctx, export)
    elif export.archive is None:
        # Everything that the archive contains has to be created first.
        entry.defer(lambda: exports.finish(entry.ctx, table[export.id]))
    return export


def _serialize_export(world: World, export: Export) -> EntryData:
    data = serialization.non_default_fields(export, ("status", "created_at", "description", "filename"))
    if export.user_id is not None:
        data["user"] = serialization.username_of(world, export.user_id)
    if export.archive is not None:
        data["archive"] = b64encode(export.archive).decode()
    return data


def _list_common_exports(world: World, owner: Project | Group) -> list[Export]:
    return [export for export in exports.list_exports(world, owner) if export.user_id is None]


def _list_user_exports(world: World, owner: Project | Group) -> list[Export]:
    return [export for export in exports.list_exports(world, owner) if export.user_id is not None]


def _create_relation_export(entry: Entry) -> RelationExport:
    values, table = entry.values, entry.world.relation_exports
    user, content = entry.user("user") if values.get("user") else None, values.get("content")
    export = table.add(
        RelationExport(
            table.next_id(),
            source_of(entry.owner),
            None if user is None else user.id,
            values["relation"],
            values.get("status", "finished"),
            values.get("updated_at", entry.created_at),
            values.get("batched", False),
            values.get("objects_count", 0),
            content,
        )
    )
    if export.status == "started":
        relation_exports.schedule_end(entry.ctx, export)
    elif content is None:
        # Everything that it contains has to be created first.
        entry.defer(lambda: relation_exports.finish(entry.ctx, table[export.id]))
    return export


def _serialize_relation_export(world: World, export: RelationExport) -> EntryData:
    plain = ("relation", "status", "updated_at", "batched", "objects_count")
    data = serialization.non_default_fields(export, plain, plain[:3])
    if export.user_id is not None:
        data["user"] = serialization.username_of(world, export.user_id)
    if export.content is not None:
        data["content"] = b64encode(export.content).decode()
    return data


def _create_import(entry: Entry) -> Import:
    values, table = entry.values, entry.world.imports
    project = entry.owner
    import_ = table.add(
        Import(
            table.next_id(),
            source_of(project),
            entry.user("user").id,
            entry.created_at,
            values.get("correlation_id") or entry.ctx.random_hex("correlation id"),
            values.get("archive"),
            tuple(build_record(FailedRelation, failure) for failure in values.get("failed_relations", ())),
        )
    )
    if import_.archive is not None:
        imports.schedule_steps(entry.ctx, import_, project.import_status, {})
    return import_


def _serialize_import(world: World, import_: Import) -> EntryData:
    data: EntryData = {
        "user": serialization.username_of(world, import_.user_id),
        "created_at": import_.created_at,
        "correlation_id": import_.correlation_id,
    }
    if import_.failures:
        data["failed_relations"] = [
            serialization.non_default_fields(failure, fields(FailedRelation)) for failure in import_.failures
        ]
    if import_.archive is not None:
        data["archive"] = b64encode(import_.archive).decode()
    return data


def _create_relation_import(entry: Entry) -> RelationImport:
    values, table = entry.values, entry.world.relation_imports
    import_ = table.add(
        RelationImport(
            table.next_id(),
            entry.owner.id,
            entry.user("user").id,
            values["relation"],
            values.get("status", "finished"),
            entry.created_at,
            values.get("updated_at", entry.created_at),
            values.get("archive"),
        )
    )
    if import_.archive is not None:
        relation_imports.schedule_steps(entry.ctx, import_)
    return import_


def _serialize_relation_import(world: World, import_: RelationImport) -> EntryData:
    plain = ("relation", "status", "created_at", "updated_at")
    data = serialization.non_default_fields(import_, plain, plain)
    data["user"] = serialization.username_of(world, import_.user_id)
    if import_.archive is not None:
        data["archive"] = b64encode(import_.archive).decode()
    return data


_EXPORT_KEYS: Final[dict[str, Shape]] = {
    "status": Choice("queued", "started", "finished"),
    "created_at": DATE_TIME,
    "description": NULLABLE_TEXT,
    "filename": TEXT,
    "archive": BASE64,
}
_ARCHIVE: Final = "The archive in base64. Default: it is made when everything else is there."
EXPORT: Final = derive_section(
    "export",
    Export,
    within=("project", "group"),
    rank=GENERATED,
    keys=_EXPORT_KEYS,
    descriptions={"archive": _ARCHIVE},
    create=_create_export,
    rows=_list_common_exports,
    serialize=_serialize_export,
    single=True,
)
USER_EXPORTS: Final = derive_section(
    "user_exports",
    Export,
    within=("project", "group"),
    rank=GENERATED,
    keys={"user": TEXT, **_EXPORT_KEYS},
    required=("user",),
    descriptions={"user": "Username of the user who requested it and sees it.", "archive": _ARCHIVE},
    create=_create_export,
    rows=_list_user_exports,
    serialize=_serialize_export,
)
RELATION_EXPORTS: Final = derive_section(
    "relation_exports",
    RelationExport,
    within=("project", "group"),
    rank=GENERATED,
    keys={
        "relation": TEXT,
        "status": Choice("started", "finished"),
        "updated_at": DATE_TIME,
        "user": TEXT,
        "batched": BOOLEAN,
        "objects_count": COUNT,
        "content": BASE64,
    },
    required=("relation",),
    descriptions={
        "user": "Username of the user who requested it, in releases in which users have exports of their own.",
        "content": "The records or files in base64. Default: it is made when everything else is there.",
    },
    create=_create_relation_export,
    serialize=_serialize_relation_export,
)
RELATION_IMPORTS: Final = derive_section(
    "relation_imports",
    RelationImport,
    within=("project",),
    rank=GENERATED,
    keys={
        "relation": Choice(*relation_imports.RELATIONS),
        "status": Choice("created", "started", "finished", "failed"),
        "user": TEXT,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
        "archive": BASE64,
    },
    required=("relation", "user"),
    descriptions={"user": "Username of the user who imports.", "archive": "An archive that is still imported."},
    create=_create_relation_import,
    serialize=_serialize_relation_import,
)
IMPORT: Final = derive_section(
    "import",
    Import,
    within=("project", "group"),
    rank=GENERATED,
    keys={
        "user": TEXT,
        "created_at": DATE_TIME,
        "correlation_id": TEXT,
        "failed_relations": ListOf(_FAILURE),
        "archive": BASE64,
    },
    required=("user",),
    descriptions={"user": "Username of the user who imports.", "archive": "An archive that is still imported."},
    create=_create_import,
    serialize=_serialize_import,
    single=True,
)
