"""What external services said of merge requests."""

from typing import Final, get_args

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Choice, Object
from fakeplat.domain.projects import status_checks
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import MergeRequest, ResponseStatus, StatusCheckResponse
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, EntryData, Section


def _create(entry: Entry) -> StatusCheckResponse:
    merge_request, values = entry.owner, entry.values
    project = entry.world.projects[merge_request.project_id]
    checks = {check.name: check for check in status_checks.list_checks(entry.world, project)}
    check = checks.get(values["check"])
    if check is None:
        entry.fail(f"the project has no status check {values['check']!r}", "check")
    sha = values.get("sha") or diff_versions.head_sha(entry.world, merge_request) or ""
    table = entry.world.status_check_responses
    return table.add(
        StatusCheckResponse(table.next_id(), merge_request.id, check.id, sha, values["status"], entry.created_at)
    )


def _export(world: World, merge_request: MergeRequest) -> list[tuple[StatusCheckResponse, EntryData]] | None:
    answers = world.status_check_responses.where("merge_request", merge_request.id)
    return [(answer, _serialize(world, answer)) for answer in answers] or None


def _serialize(world: World, answer: StatusCheckResponse) -> EntryData:
    check = world.external_status_checks[answer.external_status_check_id].name
    return {"check": check, "status": answer.status, "sha": answer.sha, "created_at": answer.created_at}


SECTION: Final = Section(
    "status_check_responses",
    within=("merge_request",),
    rank=ALERTS,
    keys=Object(
        {
            "check": TEXT,
            "status": Choice(*get_args(ResponseStatus)),
            "sha": TEXT,
            "created_at": DATE_TIME,
        },
        required=("check", "status"),
        descriptions={
            "check": "Name of an external status check of the project.",
            "status": "What the service said.",
            "sha": "Hash of the commit that it judged. Default: the head.",
        },
    ),
    create=_create,
    export=_export,
)
