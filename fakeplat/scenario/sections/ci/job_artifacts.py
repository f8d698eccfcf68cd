"""What jobs have besides their own fields: artifacts, their token, and the runner that took them."""

from base64 import b64encode
from collections.abc import Iterable
from typing import Final, get_args

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import BASE64, TEXT, Choice, MapOf, Object
from fakeplat.domain.ci import job_artifacts, job_tokens
from fakeplat.model.ci import FileType, Job, JobArtifact, Runner
from fakeplat.model.people import Token
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ALERTS, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people.tokens import ONLY_OF_ACCESS_TOKENS

# The log of a job is a key of its own.
_FILE_TYPES: Final = tuple(name for name in get_args(FileType) if name != "trace")
_FIELDS: Final = own_fields(JobArtifact, without=("file_format", "content"), file_type=Choice(*_FILE_TYPES))
_TOKEN_FIELDS: Final = fields(
    Token,
    without=("id", "user_id", "project_id", "job_id", "kind", "scopes", "expires_at", *ONLY_OF_ACCESS_TOKENS),
)


def _create(entry: Entry) -> JobArtifact:
    job, given = entry.owner, entry.select(_FIELDS)
    file_type = given.get("file_type", "archive")
    if "content_base64" in entry.values:
        filename, content = given.get("filename", file_type), entry.values["content_base64"]
        artifact = job_artifacts.insert(entry.ctx, job, file_type, filename, content, None)
    elif file_type == "archive":
        artifact = job_artifacts.create_archive(entry.ctx, job, entry.values["files"])
    else:
        artifact = job_artifacts.add_report(entry.ctx, job, file_type, entry.values["files"])
    return entry.world.job_artifacts.change(artifact, **given)


def _serialize(_world: World, artifact: JobArtifact) -> EntryData:
    data = serialization.non_default_fields(artifact, _FIELDS)
    return {**data, "content_base64": b64encode(artifact.content).decode()}


ARTIFACTS: Final = derive_section(
    "artifact_files",
    JobArtifact,
    within=("job",),
    rank=ALERTS,
    keys={**_FIELDS, "content_base64": BASE64, "files": MapOf(TEXT)},
    one_of=("content_base64", "files"),
    descriptions={
        "file_type": "Default: archive.",
        "filename": "Default: the platform's name for the type.",
        "files": "The files of an archive or report: paths to contents.",
        "expire_at": "Default: as the job is configured, else the setting default_artifacts_expire_in (30 days).",
    },
    create=_create,
    serialize=_serialize,
)


def _create_token(entry: Entry) -> Token:
    token = job_tokens.ensure(entry.ctx, entry.owner)
    return entry.world.tokens.change(token, **entry.select(_TOKEN_FIELDS))


def _list_tokens(world: World, job: Job) -> list[Token]:
    token = job_tokens.find(world, job)
    return [token] if token else []


TOKEN: Final = derive_section(
    "token",
    Token,
    within=("job",),
    rank=ALERTS,
    keys=_TOKEN_FIELDS,
    create=_create_token,
    rows=_list_tokens,
    single=True,
)


def _set_runner(entry: Entry) -> Job:
    runner = entry.world.runners.find("token", entry.values["token"])
    if runner is None:
        entry.fail(f"unknown runner {entry.values['token']!r}", "token")
    return entry.world.jobs.change(entry.owner, runner_id=runner.id, runner_manager_id=_find_manager_id(entry, runner))


def _find_manager_id(entry: Entry, runner: Runner) -> int | None:
    system_id = entry.values.get("system_id")
    if system_id is None:
        return None
    manager = entry.world.runner_managers.find("pair", (runner.id, system_id))
    if manager is None:
        entry.fail(f"unknown manager {system_id!r}", "system_id")
    return manager.id


def _export_runner(world: World, job: Job) -> Iterable[tuple[Runner, EntryData]] | None:
    runner = world.runners.get(job.runner_id) if job.runner_id is not None else None
    manager = world.runner_managers.get(job.runner_manager_id or 0)
    values = {"token": runner.token} if runner else {}
    return [(runner, {**values, **({"system_id": manager.system_id} if manager else {})})] if runner else None


RUNNER: Final = Section(
    "runner",
    within=("job",),
    rank=ALERTS,
    keys=Object(
        {"token": TEXT, "system_id": TEXT},
        required=("token",),
        descriptions={
            "token": "The token of the runner.",
            "system_id": "The system id of the manager that runs the job.",
        },
    ),
    create=_set_runner,
    export=_export_runner,
    single=True,
)
