"""Conversion of issues to scenario entries."""

from collections import Counter

from fakeplat.tape.export import field_mapping
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.records.json_objects import Document
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import ISSUE


def to_scenario(observations: Observations, issue: Document, names: Names, left_out: Counter[str]) -> Entry:
    """Return the entry of an issue, without the parts that it shares with merge requests."""
    document = {
        # The scenario requires a title, but a tape may show only a part of the issue.
        "title": f"Issue {issue.get('iid')}",
        **issue,
        **field_mapping.map_issuable(issue),
        "moved_to": _moved_to(observations, issue, names),
    }
    entry = field_mapping.map_fields(ISSUE, document, left_out)
    closing: Entry = {name: issue[name] for name in ("closed_at", "closed_by") if name in issue and _is_closed(issue)}
    if "closed_by" in closing:
        closing["closed_by"] = username(closing["closed_by"])
    return {**{name: value for name, value in entry.items() if value not in (None, [])}, **closing}


def _moved_to(observations: Observations, issue: Document, names: Names) -> str | None:
    target = observations.get(ISSUE, issue.get("moved_to_id"))
    return names.reference(ISSUE, target) if target else None


def _is_closed(issue: Document) -> bool:
    return issue.get("state") == "closed"
