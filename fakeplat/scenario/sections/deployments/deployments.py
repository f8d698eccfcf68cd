"""Deployments of projects, of a given commit or of the commit of the ref."""

from typing import Final

from fakeplat.core.schema.shapes import INTEGER, NULLABLE_TEXT, TEXT, Integer, ListOf, Nullable, Object
from fakeplat.domain.deployments import deployment_approvals, deployments, environments
from fakeplat.model.ci import Job
from fakeplat.model.deployments import FINISHED, Deployment, DeploymentApproval
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import DEPLOYMENTS, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.ci.pipelines import resolve_ref

_FIELDS: Final = own_fields(Deployment, iid=Integer(minimum=1))
_APPROVAL_FIELDS: Final = own_fields(DeploymentApproval)
_APPROVAL: Final = Object(
    {"user": TEXT, **_APPROVAL_FIELDS},
    required=("user",),
    descriptions={
        "user": "Username.",
        "status": "Default: approved.",
        "comment": "What the user said.",
        "represented_as": "The user, group or role of the rule for which the user approved.",
    },
)


def _create(entry: Entry) -> Deployment:
    project, values = entry.owner, {**entry.select(_FIELDS), **_resolve_references(entry)}
    existing = entry.world.deployments.find("iid", (project.id, entry.values["iid"])) if "iid" in entry.values else None
    if existing is not None:
        return _add_approvals(entry, entry.world.deployments.change(existing, **values))
    values.setdefault("ref", project.default_branch)
    if values["ref"] is None:
        entry.fail("needs 'ref'")
    if "sha" not in values:
        # The commit is needed now, so the repository of the project is built here.
        values["sha"] = resolve_ref(entry, project, values["ref"], tag=values.get("tag", False))
    created_at = values.setdefault("created_at", entry.created_at)
    if values.setdefault("status", "success") in FINISHED:
        values.setdefault("finished_at", values.get("updated_at", created_at))
    environment = environments.get_or_create(entry.ctx, project, entry.values["environment"])
    return _add_approvals(entry, deployments.create(entry.ctx, environment, **values))


def _add_approvals(entry: Entry, deployment: Deployment) -> Deployment:
    table = entry.world.deployment_approvals
    for values in entry.values.get("approvals", ()):
        user_id = entry.get_user(values["user"], "approvals").id
        given = {name: values[name] for name in values if name in _APPROVAL_FIELDS}
        created_at = given.get("created_at", deployment.created_at)
        fields = {"status": "approved", "created_at": created_at, "updated_at": created_at, **given}
        existing = table.find("approver", (deployment.id, user_id))
        if existing is not None:
            table.change(existing, **fields)
        else:
            table.add(DeploymentApproval(table.next_id(), deployment.id, user_id, **fields))
    return deployment


def _resolve_references(entry: Entry) -> EntryData:
    references: EntryData = {}
    if "user" in entry.values:
        user = entry.user_or_none("user")
        references["user_id"] = user.id if user else None
    if "merge_requests" in entry.values:
        references["merge_request_ids"] = tuple(
            _get_merge_request(entry, iid) for iid in entry.values["merge_requests"]
        )
    if entry.values.get("job") is not None:
        references["job_id"] = _get_job(entry).id
    return references


def _get_merge_request(entry: Entry, iid: int) -> int:
    merge_request = entry.world.merge_requests.find("iid", (entry.owner.id, iid))
    return merge_request.id if merge_request else entry.fail(f"unknown merge request {iid}", "merge_requests")


def _get_job(entry: Entry) -> Job:
    pipeline = entry.world.pipelines.find("iid", (entry.owner.id, entry.values.get("pipeline")))
    if pipeline is None:
        entry.fail("unknown pipeline", "pipeline")
    attempts = _list_attempts(entry.world, pipeline.id, entry.values["job"])
    attempt = entry.values.get("attempt") or len(attempts)
    return attempts[attempt - 1] if 0 < attempt <= len(attempts) else entry.fail("unknown job", "job")


def _list_attempts(world: World, pipeline_id: int, name: str) -> list[Job]:
    return [job for job in world.jobs.where("pipeline", pipeline_id) if job.name == name]


def _serialize(world: World, deployment: Deployment) -> EntryData:
    data = serialization.remove_defaults(
        serialization.non_default_fields(deployment, _FIELDS, always=("status", "finished_at")),
        updated_at=deployment.created_at,
    )
    user = serialization.username_of(world, deployment.user_id)
    merge_requests = world.merge_requests.get_many(deployment.merge_request_ids)
    return {
        "environment": world.environments[deployment.environment_id].name,
        **data,
        **({"user": user} if user else {}),
        **({"merge_requests": [each.iid for each in merge_requests]} if merge_requests else {}),
        **_serialize_job(world, deployment),
        **_serialize_approvals(world, deployment),
    }


def _serialize_approvals(world: World, deployment: Deployment) -> EntryData:
    rows = deployment_approvals.list_approvals(world, deployment)
    return {"approvals": [_serialize_approval(world, deployment, approval) for approval in rows]} if rows else {}


def _serialize_approval(world: World, deployment: Deployment, approval: DeploymentApproval) -> EntryData:
    data = serialization.non_default_fields(approval, _APPROVAL_FIELDS, ("status",))
    data = serialization.remove_defaults(data, created_at=deployment.created_at, updated_at=approval.created_at)
    return {"user": serialization.username_of(world, approval.user_id), **data}


def _serialize_job(world: World, deployment: Deployment) -> EntryData:
    job = world.jobs.get(deployment.job_id) if deployment.job_id is not None else None
    if job is None:
        return {}
    attempts = _list_attempts(world, job.pipeline_id, job.name)
    attempt = {"attempt": attempts.index(job) + 1} if job != attempts[-1] else {}
    return {"pipeline": world.pipelines[job.pipeline_id].iid, "job": job.name, **attempt}


SECTION: Final = derive_section(
    "deployments",
    Deployment,
    within=("project",),
    rank=DEPLOYMENTS,
    keys=_FIELDS,
    further_keys={
        "environment": TEXT,
        "user": NULLABLE_TEXT,
        "merge_requests": ListOf(INTEGER),
        "pipeline": Nullable(INTEGER),
        "job": NULLABLE_TEXT,
        "attempt": Integer(minimum=1),
        "approvals": ListOf(_APPROVAL),
    },
    required=("environment",),
    descriptions={
        "environment": "Name of an environment of the project, which is created if it does not exist.",
        "status": "Default: success.",
        "finished_at": "Default: updated_at, if the deployment has ended according to its status.",
        "ref": "A branch or, with tag, a tag. Default: the default branch.",
        "sha": "Full commit hash. Default: the commit of the ref.",
        "user": "Username.",
        "merge_requests": "The iids of the merge requests that were deployed.",
        "pipeline": "The iid of the pipeline of the job that deploys.",
        "job": "The name of the job that deploys.",
        "attempt": "Which of the jobs of that name, from 1. Default: the last one.",
        "approvals": "Who approved or rejected the deployment (paid feature).",
    },
    create=_create,
    serialize=_serialize,
    keeps_order=True,
    identity_key="iid",
    kind="deployment",
)
