"""Direct transfers in scenarios."""

from typing import Any, Final

from fakeplat.core.schema.records import build_record, fields
from fakeplat.core.schema.shapes import NULLABLE_TEXT, TEXT, ListOf, Object
from fakeplat.domain.import_export import bulk_imports
from fakeplat.domain.people import namespaces
from fakeplat.model.import_export import BulkImport, BulkImportEntity, BulkImportFailure
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import GENERATED, SCENARIO, EntryData
from fakeplat.scenario.sections import serialization

_FAILURE: Final = Object(
    fields(BulkImportFailure), required=("created_at", "relation", "exception_class", "exception_message")
)
_IMPORT: Final = ("source_url", "status", "created_at", "updated_at")
_ENTITY: Final = tuple(
    name
    for name in fields(BulkImportEntity)
    if name not in ("id", "bulk_import_id", "parent_id", "namespace_id", "project_id", "failures")
)


def _create(entry: Entry) -> BulkImport:
    table, values = entry.world.bulk_imports, entry.select(_IMPORT)
    source_user = entry.user_or_none("source_user")
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    created = table.add(
        BulkImport(
            **{**times, **values},
            id=table.next_id(),
            user_id=entry.user("user").id,
            source_user_id=None if source_user is None else source_user.id,
        )
    )
    bulk_imports.schedule_steps(entry.ctx, created)
    return created


def _create_entity(entry: Entry) -> BulkImportEntity:
    table, world = entry.world.bulk_import_entities, entry.world
    times = {"created_at": entry.since, "updated_at": entry.since}
    group = entry.group("namespace") if entry.values.get("namespace") else None
    project = entry.project_or_none("project")
    parent = next(
        (
            row
            for row in world.bulk_import_entities.where("bulk_import", entry.owner.id)
            if row.source_full_path == entry.values.get("parent")
        ),
        None,
    )
    failures = [
        {"correlation_id_value": entry.ctx.random_hex("correlation id"), **failure}
        for failure in entry.values.get("failures", ())
    ]
    return table.add(
        BulkImportEntity(
            **{**times, **entry.select(_ENTITY)},
            id=table.next_id(),
            bulk_import_id=entry.owner.id,
            parent_id=None if parent is None else parent.id,
            namespace_id=None if group is None else group.id,
            project_id=None if project is None else project.id,
            failures=tuple(build_record(BulkImportFailure, failure) for failure in failures),
        )
    )


def _serialize(world: World, import_: BulkImport) -> EntryData:
    plain = serialization.non_default_fields(import_, _IMPORT, always=("source_url",))
    data = {"user": serialization.username_of(world, import_.user_id), **plain}
    if import_.source_user_id is not None:
        data["source_user"] = serialization.username_of(world, import_.source_user_id)
    return data


def _serialize_entity(world: World, entity: BulkImportEntity) -> EntryData:
    data: dict[str, Any] = serialization.non_default_fields(entity, _ENTITY)
    namespace = world.namespaces.get(entity.namespace_id or 0)
    project = world.projects.get(entity.project_id or 0)
    parent = world.bulk_import_entities.get(entity.parent_id or 0)
    if namespace is not None:
        data["namespace"] = namespaces.full_path(world, namespace)
    if project is not None:
        data["project"] = namespaces.project_path(world, project)
    if parent is not None:
        data["parent"] = parent.source_full_path
    if entity.failures:
        data["failures"] = [
            serialization.non_default_fields(failure, fields(BulkImportFailure)) for failure in entity.failures
        ]
    return data


SECTION: Final = derive_section(
    "bulk_imports",
    BulkImport,
    within=(SCENARIO,),
    rank=GENERATED,
    keys={
        **{name: shape for name, shape in fields(BulkImport).items() if name in _IMPORT},
        "user": TEXT,
        "source_user": NULLABLE_TEXT,
    },
    required=("user", "source_url"),
    create=_create,
    serialize=_serialize,
    kind="bulk_import",
)
ENTITIES: Final = derive_section(
    "entities",
    BulkImportEntity,
    within=("bulk_import",),
    rank=GENERATED,
    keys={
        **{name: shape for name, shape in fields(BulkImportEntity).items() if name in _ENTITY},
        "namespace": TEXT,
        "project": TEXT,
        "parent": TEXT,
        "failures": ListOf(_FAILURE),
    },
    required=("source_type", "source_full_path", "destination_namespace", "destination_slug"),
    create=_create_entity,
    serialize=_serialize_entity,
)
