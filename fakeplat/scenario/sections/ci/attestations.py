"""Attestations of projects in scenarios."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64
from fakeplat.model.ci import Attestation
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData

_FIELDS: Final = own_fields(Attestation, without=("iid", "bundle"))


def _create(entry: Entry) -> Attestation:
    table, values = entry.world.attestations, entry.select(_FIELDS)
    rows = table.where("project", entry.owner.id)
    times = {"created_at": entry.since, "updated_at": entry.since}
    return table.add(
        Attestation(
            **{**times, **values, "subject_digest": values["subject_digest"].lower()},
            id=table.next_id(),
            iid=max((row.iid for row in rows), default=0) + 1,
            project_id=entry.owner.id,
            bundle=entry.values.get("bundle", b""),
        )
    )


def _serialize_bundle(_world: World, attestation: Attestation) -> EntryData:
    return {"bundle": b64encode(attestation.bundle).decode()}


SECTION: Final = derive_section(
    "attestations",
    Attestation,
    within=("project",),
    keys=_FIELDS,
    further_keys={"bundle": BASE64},
    required=("subject_digest",),
    create=_create,
    parts=_serialize_bundle,
)
