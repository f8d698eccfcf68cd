"""Context commits of merge requests."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.shapes import TEXT, Object
from fakeplat.domain.repository import commits
from fakeplat.model.merge_requests import ContextCommit, MergeRequest
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, EntryData, Section


def _create(entry: Entry) -> ContextCommit:
    table, merge_request = entry.world.context_commits, entry.owner
    project = entry.world.projects[merge_request.project_id]
    commit = commits.find_commit(entry.world, project, entry.values["commit"])
    if commit is None:
        entry.fail(f"unknown commit {entry.values['commit']!r}", "commit")
    sha = commit.commit.sha
    existing = table.find("pair", (merge_request.id, sha))
    return existing or table.add(ContextCommit(table.next_id(), merge_request.id, sha))


def _export(world: World, merge_request: MergeRequest) -> Iterable[tuple[ContextCommit, EntryData]] | None:
    rows = world.context_commits.where("merge_request", merge_request.id)
    return [(row, {"commit": row.sha}) for row in rows] or None


SECTION: Final = Section(
    "context_commits",
    within=("merge_request",),
    rank=ALERTS,
    keys=Object({"commit": TEXT}, required=("commit",), descriptions={"commit": "Hash, branch or tag."}),
    create=_create,
    export=_export,
    name_key="commit",
    record=ContextCommit,
)
