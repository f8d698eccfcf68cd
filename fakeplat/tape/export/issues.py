"""What is said of issues."""

from collections import Counter

from fakeplat.tape.export import field_mapping as saying
from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import ISSUE


def to_scenario(seen: Observations, one: Document, names: Names, left_out: Counter[str]) -> Said:
    """An issue, without what is said of merge requests in the same way."""
    shown = {
        "title": f"Issue {one.get('iid')}",
        **one,
        **saying.map_issuable(one),
        "moved_to": _moved_to(seen, one, names),
    }
    said = saying.map_fields(ISSUE, shown, left_out)
    closing: Said = {name: one[name] for name in ("closed_at", "closed_by") if name in one and _closed(one)}
    if "closed_by" in closing:
        closing["closed_by"] = username(closing["closed_by"])
    return {**{name: value for name, value in said.items() if value not in (None, [])}, **closing}


def _moved_to(seen: Observations, one: Document, names: Names) -> str | None:
    target = seen.get(ISSUE, one.get("moved_to_id"))
    return names.reference(ISSUE, target) if target else None


def _closed(issue: Document) -> bool:
    return issue.get("state") == "closed"
