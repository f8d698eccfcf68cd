"""Conversion of merge requests to scenario entries: fields, approvals, versions and closed issues."""

from collections import Counter
from typing import Any, Final

from fakeplat.tape.export import field_mapping
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.subresources import APPROVALS, CLOSED_BY, ISSUES, MERGE_REQUESTS, VERSIONS
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import ISSUE, MERGE_REQUEST, PROJECT

_END_STATES: Final = ("merged", "closed")
_RESET_STATUSES: Final = {"checking": "unchecked"}
_REF_KEYS: Final = {"base": "base_commit_sha", "start": "start_commit_sha", "head": "head_commit_sha"}


def to_scenario(
    observations: Observations, owner: tuple[object, ...], merge_request: Document, names: Names, left_out: Counter[str]
) -> Entry:
    """Return the entry of a merge request, without the parts that it shares with issues.

    ``owner`` is the id and the path of its project.
    """
    within, state = f"{MERGE_REQUESTS}/{merge_request.get('iid')}", merge_request.get("state")
    defaults = {
        "title": f"Merge request {merge_request.get('iid')}",
        "source_branch": f"branch-{merge_request.get('iid')}",
    }
    document = {
        **defaults,
        **merge_request,
        "merge_status": _merge_status(merge_request),
        **field_mapping.map_issuable(merge_request),
    }
    entry = field_mapping.map_fields(MERGE_REQUEST, document, left_out)
    end_fields = {
        f"{word}_{suffix}": value
        for word in _END_STATES
        for suffix, value in (
            ("at", merge_request.get(f"{word}_at")),
            ("by", username(merge_request.get(f"{word}_by"))),
        )
        if f"{word}_{suffix}" in merge_request and (value is not None or word == state)
    }
    approvals = next(iter(observations.subresources_of(PROJECT, owner, APPROVALS, within) or ()), {})
    approved = [username(approval.get("user")) for approval in iterate_objects(approvals.get("approved_by"))]
    return {
        **{name: value for name, value in entry.items() if value not in (None, [])},
        **end_fields,
        "merge_status": entry.get("merge_status", "unchecked"),
        **_source_project(merge_request, names, left_out),
        **({"approved_by": approved} if approved else {}),
        **_versions(observations, owner, within, left_out),
    }


def _merge_status(merge_request: Document) -> Any:
    """Return the merge status: a check in progress starts anew; the default of a merged one is ``can_be_merged``."""
    status = merge_request.get(
        "merge_status", "can_be_merged" if merge_request.get("state") == "merged" else "unchecked"
    )
    return _RESET_STATUSES.get(status, status) if isinstance(status, str) else None


def _source_project(merge_request: Document, names: Names, left_out: Counter[str]) -> Entry:
    """Return the source project of a merge request from a fork; null if the fork is deleted or was not read."""
    id_ = merge_request.get("source_project_id", merge_request.get("project_id"))
    if id_ == merge_request.get("project_id"):
        return {}
    path = names.projects.get(id_) if isinstance(id_, int) else None
    left_out["source forks of merge requests"] += path is None and id_ is not None
    return {"source_project": path}


def _versions(observations: Observations, owner: tuple[object, ...], within: str, left_out: Counter[str]) -> Entry:
    """Return the diff versions, oldest first, whose commits are in the fetched repository."""
    fetched = observations.repositories.get(owner[0]) if isinstance(owner[0], int) else None
    versions = (observations.subresources_of(PROJECT, owner, VERSIONS, within) or []) if fetched else []
    entries: list[Entry] = []
    for version in sorted(versions, key=lambda version: str(version.get("created_at"))):
        refs = {name: version.get(key) for name, key in _REF_KEYS.items()}
        # A version can only be loaded if all three commits exist; force pushes may have removed them.
        is_complete = fetched is not None and fetched.shas.issuperset(refs.values())
        if is_complete:
            entries.append({"created_at": version.get("created_at"), **refs})
        left_out["merge request versions with missing commits"] += not is_complete and any(refs.values())
    return {VERSIONS: entries} if entries else {}


def closing_references(observations: Observations, names: Names) -> dict[int, list[str]]:
    """Return the issues that merge requests (by id) close, according to the issues."""
    closing: dict[int, list[str]] = {}
    for issue in observations.of_kind(ISSUE):
        reference, project = names.reference(ISSUE, issue), issue.get("project_id") or 0
        owner = (project, names.projects.get(project))
        for merge_request in (
            observations.subresources_of(PROJECT, owner, CLOSED_BY, f"{ISSUES}/{issue.get('iid')}") or ()
        ):
            if reference is not None and isinstance(merge_request.get("id"), int):
                closing.setdefault(merge_request["id"], []).append(reference)
    return closing
