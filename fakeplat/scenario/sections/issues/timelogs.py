"""Time logs, under ``timelogs`` of an issue or a merge request."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, NULLABLE_TEXT, TEXT, Integer, Nullable
from fakeplat.domain.issuables import timelogs
from fakeplat.model.issues import Issue, Timelog
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ISSUES


def _create(entry: Entry) -> Timelog:
    world = entry.world
    owner: Issue | MergeRequest = entry.owner
    log = timelogs.insert_log(entry.ctx, owner, entry.user("user"), entry.values["time_spent"])
    fields = {
        "created_at": entry.created_at,
        "updated_at": entry.values.get("created_at", entry.created_at),
        **entry.select(("spent_at", "summary", "created_at", "updated_at")),
    }
    # Earlier logs of the record have changed it since its entry was read.
    if isinstance(owner, Issue):
        issue = world.issues[owner.id]
        world.issues.change(issue, total_time_spent=issue.total_time_spent + log.time_spent)
    else:
        merge_request = world.merge_requests[owner.id]
        world.merge_requests.change(merge_request, total_time_spent=merge_request.total_time_spent + log.time_spent)
    return world.timelogs.change(log, **fields)


SECTION: Final = derive_section(
    "timelogs",
    Timelog,
    within=("issue", "merge_request"),
    rank=ISSUES,
    keys={
        "user": TEXT,
        "time_spent": Integer(),
        "spent_at": Nullable(DATE_TIME),
        "summary": NULLABLE_TEXT,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    },
    references={"user": "user_id"},
    required=("user", "time_spent"),
    create=_create,
)
