"""Exports of dependencies in scenarios."""

from base64 import b64encode
from typing import Any, Final, get_args

from fakeplat.core.schema.shapes import BASE64, BOOLEAN, DATE_TIME, TEXT, Choice, Nullable
from fakeplat.domain.ci import dependency_list_exports
from fakeplat.domain.people.members import source_of
from fakeplat.model.ci import DependencyExportType, DependencyListExport, Pipeline
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import GENERATED, EntryData
from fakeplat.scenario.sections import serialization


def _create(entry: Entry) -> DependencyListExport:
    owner, values, table = entry.owner, entry.values, entry.world.dependency_list_exports
    source = ("pipeline", owner.id) if isinstance(owner, Pipeline) else source_of(owner)
    export = table.add(
        DependencyListExport(
            table.next_id(),
            source,
            entry.user("user").id,
            values["export_type"],
            entry.created_at,
            values.get("send_email", False),
            values.get("expires_at"),
            values.get("content"),
        )
    )
    dependency_list_exports.schedule_end(entry.ctx, export)
    return export


def _list_rows(world: World, owner: Any) -> list[DependencyListExport]:
    source = ("pipeline", owner.id) if isinstance(owner, Pipeline) else source_of(owner)
    return list(world.dependency_list_exports.where("source", source))


def _serialize(world: World, export: DependencyListExport) -> EntryData:
    content = {} if export.content is None else {"content": b64encode(export.content).decode()}
    plain = serialization.non_default_fields(export, ("export_type", "created_at", "send_email", "expires_at"))
    return {"user": serialization.username_of(world, export.user_id), **plain, **content}


SECTION: Final = derive_section(
    "dependency_list_exports",
    DependencyListExport,
    within=("group", "project", "pipeline"),
    rank=GENERATED,
    keys={
        "user": TEXT,
        "export_type": Choice(*get_args(DependencyExportType)),
        "created_at": DATE_TIME,
        "send_email": BOOLEAN,
        "expires_at": Nullable(DATE_TIME),
        "content": BASE64,
    },
    required=("user", "export_type"),
    create=_create,
    rows=_list_rows,
    serialize=_serialize,
)
