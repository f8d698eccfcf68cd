"""Conversion of pipelines, their jobs and what starts them to scenario entries.

The API shows neither the numbers (iids) of pipelines nor which jobs were retried; both follow from the order of ids.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from re import compile as pattern
from typing import Any, Final

from fakeplat.core.json_types import JsonValue
from fakeplat.core.store.frozen import frozen
from fakeplat.model.ci import ENDED
from fakeplat.tape.export import field_mapping
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.subresources import (
    BRIDGES,
    INSTANCE,
    JOBS,
    PIPELINES,
    RESOURCE_GROUPS,
    SCHEDULES,
    TRIGGERS,
    VARIABLES,
)
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import JOB, PIPELINE, PROJECT

STAND_IN: Final = "redacted-value"
"""Replaces the values of variables, which may be secrets; it is one that can be masked."""
_MERGE_REQUEST_REF: Final = pattern(r"refs/merge-requests/(\d+)/(?:head|merge|train)")
_UNTIL_END: Final = ("finished_at", "duration")
_COVERAGE: Final = "coverage"
Owner = tuple[object, ...]
"""The id and the path of a project."""


@frozen
class PipelineNumbers:
    """The pipelines of all projects by id: the path of the project, and the number that the pipeline gets."""

    places: Mapping[object, tuple[str, int]]

    def number(self, pipeline: object) -> int | None:
        """Return the number of a pipeline, given as part of another record."""
        place = self.places.get(next(iterate_objects(pipeline), {}).get("id"))
        return None if place is None else place[1]

    def reference(self, pipeline: object) -> str | None:
        """Return a pipeline as ``acme/site#7``."""
        place = self.places.get(next(iterate_objects(pipeline), {}).get("id"))
        return None if place is None else f"{place[0]}#{place[1]}"


def number_pipelines(observations: Observations, projects: Mapping[int, str]) -> PipelineNumbers:
    """Number the pipelines of each project in the order of their ids."""
    return PipelineNumbers(
        {
            pipeline["id"]: (path, number)
            for id_, path in projects.items()
            for number, pipeline in enumerate(_rows(observations, (id_, path), PIPELINES), 1)
        }
    )


def to_scenario(
    observations: Observations, owner: Owner, names: Names, numbers: PipelineNumbers, left_out: Counter[str]
) -> Entry:
    """Return the pipelines, triggers, schedules, variables and resource groups of a project."""
    jobs = _jobs_by_pipeline(observations, owner)
    entries: Entry = {
        PIPELINES: [
            _pipeline_entry(observations, owner, pipeline, names, numbers, left_out)
            | _present("jobs", _job_entries(jobs.get(pipeline["id"], ()), pipeline, numbers, left_out))
            for pipeline in _rows(observations, owner, PIPELINES)
        ],
        TRIGGERS: [
            {**field_mapping.map_fields("trigger", trigger, left_out), "owner": username(trigger.get("owner"))}
            for trigger in _rows(observations, owner, TRIGGERS)
        ],
        SCHEDULES: [_schedule_entry(schedule, numbers, left_out) for schedule in _rows(observations, owner, SCHEDULES)],
        RESOURCE_GROUPS: [
            field_mapping.map_fields("resource_group", group, left_out)
            for group in observations.subresources_of(PROJECT, owner, RESOURCE_GROUPS) or ()
        ],
        VARIABLES: variables(observations, PROJECT, owner, left_out),
    }
    return {name: rows for name, rows in entries.items() if rows}


def variables(observations: Observations, kind: str, owner: Owner, left_out: Counter[str]) -> list[Entry]:
    """Return the variables of a project or group, with a stand-in for their values."""
    return [
        {**field_mapping.map_fields("variable", variable, left_out), "value": STAND_IN}
        for variable in observations.subresources_of(kind, owner, VARIABLES) or ()
    ]


def instance_variables(observations: Observations, left_out: Counter[str]) -> list[Entry]:
    """Return the variables of the instance."""
    kind, name = INSTANCE
    return variables(observations, kind, (name,), left_out)


def _rows(observations: Observations, owner: Owner, name: str) -> list[Document]:
    """Return the records of a project by id."""
    rows = observations.subresources_of(PROJECT, owner, name) or ()
    return sorted((row for row in rows if isinstance(row.get("id"), int)), key=_id)


def _id(document: Document) -> int:
    return int(document["id"])


def _pipeline_entry(
    observations: Observations,
    owner: Owner,
    pipeline: Document,
    names: Names,
    numbers: PipelineNumbers,
    left_out: Counter[str],
) -> Entry:
    # A status that was seen first in a list is older than the times that the pipeline itself showed later.
    ended = pipeline.get("status") in ENDED
    fields = {name: value for name, value in pipeline.items() if ended or name not in _UNTIL_END}
    given = observations.subresources_of(PROJECT, owner, VARIABLES, f"{PIPELINES}/{pipeline['id']}") or ()
    return {
        "iid": numbers.number(pipeline),
        **field_mapping.map_fields(PIPELINE, {**fields, _COVERAGE: _number(pipeline.get(_COVERAGE))}, left_out),
        **_present("user", username(pipeline.get("user"))),
        **_present("variables", [_given_variable(variable) for variable in given]),
        **_merge_request(pipeline, owner, names),
    }


def _merge_request(pipeline: Document, owner: Owner, names: Names) -> Entry:
    match = _MERGE_REQUEST_REF.fullmatch(str(pipeline.get("ref")))
    return _present("merge_request", names.existing_reference(f"{owner[1]}!{match[1]}")) if match else {}


def _given_variable(variable: Document) -> Entry:
    kind = variable.get("variable_type") or "env_var"
    return {"key": variable.get("key"), "value": STAND_IN, "variable_type": kind}


def _jobs_by_pipeline(observations: Observations, owner: Owner) -> dict[object, list[Document]]:
    by_pipeline: dict[object, list[Document]] = {}
    bridges = [{**bridge, "kind": "bridge"} for bridge in _rows(observations, owner, BRIDGES)]
    for job in sorted([*_rows(observations, owner, JOBS), *bridges], key=_id):
        pipeline = next(iterate_objects(job.get("pipeline")), {})
        by_pipeline.setdefault(pipeline.get("id"), []).append(job)
    return by_pipeline


def _job_entries(
    jobs: Sequence[Document], pipeline: Document, numbers: PipelineNumbers, left_out: Counter[str]
) -> list[Entry]:
    latest = {job.get("name"): job["id"] for job in jobs}
    return [
        {
            **field_mapping.map_fields(JOB, job, left_out),
            # The defaults of these times are for jobs that ran; one that was canceled early has none.
            **{name: job.get(name) for name in ("started_at", "finished_at")},
            **({"retried": True} if latest[job.get("name")] != job["id"] else {}),
            **_user_of_job(job, pipeline),
            **_present("downstream_pipeline", numbers.reference(job.get("downstream_pipeline"))),
        }
        for job in jobs
    ]


def _user_of_job(job: Document, pipeline: Document) -> Entry:
    name = username(job.get("user"))
    return {} if name == username(pipeline.get("user")) else _present("user", name)


def _schedule_entry(schedule: Document, numbers: PipelineNumbers, left_out: Counter[str]) -> Entry:
    given: Iterable[Any] = iterate_objects(schedule.get("variables")) if schedule.get("variables") else ()
    return {
        **field_mapping.map_fields("pipeline_schedule", {**schedule, "variables": None}, left_out),
        **_present("owner", username(schedule.get("owner"))),
        **_present("variables", [_given_variable(variable) for variable in given]),
        **_present("last_pipeline", numbers.number(schedule.get("last_pipeline"))),
    }


def _number(value: JsonValue) -> JsonValue:
    """Return a number that the platform sends as text."""
    return float(value) if isinstance(value, str) and value.replace(".", "", 1).isdecimal() else value


def _present(name: str, value: JsonValue) -> Entry:
    return {name: value} if value else {}
