"""Links between issues, as both ends show them."""

from collections import Counter
from typing import Final

from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document
from fakeplat.tape.export.natural_keys import Names
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import ISSUE, PROJECT
from fakeplat.tape.export.subresources import ISSUES, LINKS

_BLOCKED: Final = "is_blocked_by"


def to_scenario(seen: Observations, names: Names, left_out: Counter[str]) -> list[Said]:
    """All links whose ends are both said, in the order in which they were made."""
    found: dict[int, Said] = {}
    for issue in seen.of(ISSUE):
        one, project = names.reference(ISSUE, issue), issue.get("project_id")
        owner = (project, names.projects.get(project or 0))
        for row in seen.parts_of(PROJECT, owner, LINKS, f"{ISSUES}/{issue.get('iid')}") or ():
            other, id_ = names.reference(ISSUE, row), row.get("issue_link_id")
            if not isinstance(id_, int) or frozenset((issue["id"], row.get("id"))) in seen.linked:
                continue
            if one and other:
                found.setdefault(id_, _link(one, other, row))
            left_out["issue links to elsewhere"] += other is None
    return [found[id_] for id_ in sorted(found)]


def _link(one: str, other: str, row: Document) -> Said:
    if row.get("link_type") == _BLOCKED:
        return {"source": other, "target": one, "link_type": "blocks"}
    kind = row.get("link_type") or "relates_to"
    return {"source": one, "target": other, **({} if kind == "relates_to" else {"link_type": kind})}
