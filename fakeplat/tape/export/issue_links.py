"""Conversion of issue links to scenario entries."""

from collections import Counter
from typing import Final

from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import Names
from fakeplat.tape.export.subresources import ISSUES, LINKS
from fakeplat.tape.records.json_objects import Document
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import ISSUE, PROJECT

_BLOCKED: Final = "is_blocked_by"


def to_scenario(observations: Observations, names: Names, left_out: Counter[str]) -> list[Entry]:
    """Return the links between issues of the scenario, oldest first."""
    entries: dict[int, Entry] = {}
    for issue in observations.of_kind(ISSUE):
        reference, project = names.reference(ISSUE, issue), issue.get("project_id")
        owner = (project, names.projects.get(project or 0))
        for row in observations.subresources_of(PROJECT, owner, LINKS, f"{ISSUES}/{issue.get('iid')}") or ():
            other_reference, id_ = names.reference(ISSUE, row), row.get("issue_link_id")
            # Links that the session created are not part of the initial world.
            if not isinstance(id_, int) or frozenset((issue["id"], row.get("id"))) in observations.linked_by_session:
                continue
            if reference and other_reference:
                # Both issues list the link under the same id, so it is added only once.
                entries.setdefault(id_, _to_entry(reference, other_reference, row))
            left_out["links to issues outside the export"] += other_reference is None
    return [entries[id_] for id_ in sorted(entries)]


def _to_entry(reference: str, other_reference: str, row: Document) -> Entry:
    # Only ``blocks`` is stored; the blocked issue shows the same link in the other direction.
    if row.get("link_type") == _BLOCKED:
        return {"source": other_reference, "target": reference, "link_type": "blocks"}
    kind = row.get("link_type") or "relates_to"
    return {"source": reference, "target": other_reference, **({} if kind == "relates_to" else {"link_type": kind})}
