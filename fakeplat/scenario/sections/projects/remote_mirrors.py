"""Remote mirrors of projects."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.projects import remote_mirrors
from fakeplat.model.projects import Project, RemoteMirror
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(RemoteMirror, without=("id", "project_id"))


def _create(entry: Entry) -> RemoteMirror:
    return remote_mirrors.create(entry.ctx, entry.owner, **entry.select(_FIELDS))


def _export(world: World, project: Project) -> Iterable[tuple[RemoteMirror, EntryData]] | None:
    rows = [
        (mirror, serialization.non_default_fields(mirror, _FIELDS))
        for mirror in remote_mirrors.list_mirrors(world, project)
    ]
    return rows or None


SECTION: Final = Section(
    "remote_mirrors",
    within=("project",),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("url",)),
    create=_create,
    export=_export,
)
