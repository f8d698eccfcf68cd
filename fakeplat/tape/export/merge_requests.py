"""What is said of merge requests: their fields, who approved them, how they differed and what they close."""

from collections import Counter
from typing import Any, Final

from fakeplat.tape.export import field_mapping as saying
from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import ISSUE, MERGE_REQUEST, PROJECT
from fakeplat.tape.export.subresources import APPROVALS, CLOSED_BY, ISSUES, MERGE_REQUESTS, VERSIONS

_ENDED: Final = ("merged", "closed")
_RESTING: Final = {"checking": "unchecked"}
_REFS: Final = {"base": "base_commit_sha", "start": "start_commit_sha", "head": "head_commit_sha"}


def to_scenario(
    seen: Observations, owner: tuple[object, ...], one: Document, names: Names, left_out: Counter[str]
) -> Said:
    """A merge request of the project with an id and a path, without what is said of issues in the same way."""
    within, state = f"{MERGE_REQUESTS}/{one.get('iid')}", one.get("state")
    usual = {"title": f"Merge request {one.get('iid')}", "source_branch": f"branch-{one.get('iid')}"}
    shown = {**usual, **one, "merge_status": _status(one), **saying.map_issuable(one)}
    said = saying.map_fields(MERGE_REQUEST, shown, left_out)
    ended = {
        f"{word}_{what}": value
        for word in _ENDED
        for what, value in (("at", one.get(f"{word}_at")), ("by", username(one.get(f"{word}_by"))))
        if f"{word}_{what}" in one and (value is not None or word == state)
    }
    approvals = next(iter(seen.parts_of(PROJECT, owner, APPROVALS, within) or ()), {})
    approved = [username(approval.get("user")) for approval in iterate_objects(approvals.get("approved_by"))]
    return {
        **{name: value for name, value in said.items() if value not in (None, [])},
        **ended,
        "merge_status": said.get("merge_status", "unchecked"),
        **_source(one, names, left_out),
        **({"approved_by": approved} if approved else {}),
        **_versions(seen, owner, within, left_out),
    }


def _status(one: Document) -> Any:
    """Whether it can be merged: a check under way begins anew; what was merged could be, unless it says otherwise."""
    status = one.get("merge_status", "can_be_merged" if one.get("state") == "merged" else "unchecked")
    return _RESTING.get(status, status) if isinstance(status, str) else None


def _source(one: Document, names: Names, left_out: Counter[str]) -> Said:
    """The fork that it comes from; null where that is gone, or not read."""
    id_ = one.get("source_project_id", one.get("project_id"))
    if id_ == one.get("project_id"):
        return {}
    path = names.projects.get(id_) if isinstance(id_, int) else None
    left_out["forks that merge requests come from"] += path is None and id_ is not None
    return {"source_project": path}


def _versions(seen: Observations, owner: tuple[object, ...], within: str, left_out: Counter[str]) -> Said:
    """Its differences, the oldest first, as far as their commits came with the repository."""
    fetched = seen.repositories.get(owner[0]) if isinstance(owner[0], int) else None
    listed = (seen.parts_of(PROJECT, owner, VERSIONS, within) or []) if fetched else []
    found: list[Said] = []
    for version in sorted(listed, key=lambda version: str(version.get("created_at"))):
        refs = {name: version.get(key) for name, key in _REFS.items()}
        there = fetched is not None and fetched.holds.issuperset(refs.values())
        if there:
            found.append({"created_at": version.get("created_at"), **refs})
        left_out["versions of merge requests whose commits are gone"] += not there and any(refs.values())
    return {VERSIONS: found} if found else {}


def closing_references(seen: Observations, names: Names) -> dict[int, list[str]]:
    """The issues that merge requests (by id) close, as the issues tell."""
    found: dict[int, list[str]] = {}
    for issue in seen.of(ISSUE):
        reference, project = names.reference(ISSUE, issue), issue.get("project_id") or 0
        owner = (project, names.projects.get(project))
        for one in seen.parts_of(PROJECT, owner, CLOSED_BY, f"{ISSUES}/{issue.get('iid')}") or ():
            if reference is not None and isinstance(one.get("id"), int):
                found.setdefault(one["id"], []).append(reference)
    return found
