"""Creation of pipelines: permissions, the configuration of the commit, the jobs that it selects, and their start.

A pipeline that a user asks for is refused with all its mistakes. One that follows from a push is created all the same
and fails, so that the mistake can be seen.
Source: docs/platform/pipelines-jobs.md, docs/platform/external.md ('CI processing').
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Unpack

from attrs import fields

from fakeplat.ci_config.conditions import PipelineRef, RefFacts
from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.core.operations.errors import InvalidRecord, TooManyRequests
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import to_iso
from fakeplat.domain import signals
from fakeplat.domain.ci import (
    auto_cancel,
    cache_keys,
    ci_access,
    ci_files,
    jobs,
    pipelines,
    processing,
    ref_facts,
    variables,
)
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.ci import Job, Pipeline, PipelineVariable, Source
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS, ZERO_SHA
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from fakeplat.ci_config.configuration import Configuration
    from fakeplat.ci_config.selection import Selection

_DISABLED: Final = "Pipelines are disabled!"
NOT_PERMITTED: Final = "Insufficient permissions to create a new pipeline"
NO_REFERENCE: Final = "Reference not found"
_NO_FILE: Final = "Missing CI config file"
_NOT_SAVED: Final = "Failed to persist the pipeline"
_NO_OVERRIDE: Final = "Insufficient permissions to set pipeline variables"
_TOO_MANY: Final = "Too many pipelines created in the last minute. Try again later."
_AMBIGUOUS: Final = "Ref is ambiguous"
_SKIP: Final = re.compile(r"\[(ci[ _-]skip|skip[ _-]ci)\]", re.IGNORECASE)


class PipelineRefused(ValueError):
    """No pipeline can be created.

    ``yaml_errors``: the mistake is in the configuration. ``attribute_errors`` are the texts about its attributes.
    """

    def __init__(
        self,
        texts: Sequence[str],
        *,
        yaml_errors: bool = False,
        attribute_errors: Mapping[str, list[str]] = MappingProxyType({}),
    ) -> None:
        super().__init__("; ".join(texts))
        self.texts = tuple(texts)
        self.yaml_errors = yaml_errors
        self.attribute_errors = attribute_errors


@frozen(kw_only=True)
class PipelineRequest:
    """What a pipeline is created for, and by whom.

    ``sha`` is the commit. ``configuration`` is the text that is used instead of the file of the commit. ``inputs`` are
    values for the inputs that the configuration declares. ``may_skip``:
    the message of the commit can say that no job shall run; ``is_skipped``: that is decided already.
    ``keeps_mistakes``: with a wrong configuration, a failed pipeline is created.
    """

    project: Project
    ref: str
    sha: str
    source: Source
    user_id: int | None
    tag: bool = False
    before_sha: str = ZERO_SHA
    variables: tuple[PipelineVariable, ...] = ()
    merge_request_id: int | None = None
    trigger_id: int | None = None
    schedule_id: int | None = None
    source_job_id: int | None = None
    configuration: str | None = None
    inputs: Mapping[str, Any] = MappingProxyType({})
    may_skip: bool = False
    is_skipped: bool = False
    keeps_mistakes: bool = False

    def as_pipeline(self, ctx: ReadContext) -> Pipeline:
        """Return the pipeline as it will be, without an id."""
        now = to_iso(ctx.now())
        return Pipeline(id=0, iid=0, created_at=now, updated_at=now, **self.pipeline_fields(ctx.world))

    def pipeline_fields(self, world: World) -> dict[str, Any]:
        """Return the fields of the pipeline that are known before it is created."""
        return {
            **{name: getattr(self, name) for name in _COPIED},
            "project_id": self.project.id,
            "protected": protection.is_protected(world, self.project, self.ref, tag=self.tag),
        }


_COPIED: Final = tuple(
    {field.name for field in fields(PipelineRequest)} & {field.name for field in fields(Pipeline)}  # both name them so
)


def create_pipeline(
    ctx: WriteContext,
    project: Project,
    ref: str,
    *,
    source: Source,
    variables: Sequence[PipelineVariable] = (),
    ignore_skip: bool = True,
    trigger_id: int | None = None,
    schedule_id: int | None = None,
    inputs: Mapping[str, Any] = MappingProxyType({}),
) -> Pipeline:
    """Create the pipeline of a branch or tag for the acting user, or raise the platform's refusal (400)."""
    try:
        check_permission(ctx, project, ref)
        if variables and schedule_id is None:
            _check_variable_override(ctx, project)
        request = PipelineRequest(
            source=source,
            user_id=ctx.user.id if ctx.user else None,
            variables=tuple(variables),
            may_skip=not ignore_skip,
            trigger_id=trigger_id,
            schedule_id=schedule_id,
            inputs=inputs,
            **resolve_ref(ctx, project, ref),
        )
        return create(ctx, request)
    except PipelineRefused as refused:
        errors = {**refused.attribute_errors, "base": list(refused.texts)}
        raise InvalidRecord(errors, reason=str(refused)) from None


def check_permission(ctx: ReadContext, project: Project, ref: str) -> None:
    """Refuse callers who may not run pipelines for a branch or tag; whether it exists is not checked."""
    if project.builds_access_level == "disabled":
        raise PipelineRefused([_DISABLED])
    if not can(ctx, Ability.CREATE_PIPELINE, project):
        raise PipelineRefused([NOT_PERMITTED])
    if not _may_run_for(ctx, project, ref):
        raise PipelineRefused([f"Insufficient permissions for protected ref '{describe_ref(ref)['ref']}'"])


def _check_variable_override(ctx: ReadContext, project: Project) -> None:
    if not ci_access.may_set_variables(ctx, project):
        raise PipelineRefused([_NO_OVERRIDE])


def _may_run_for(ctx: ReadContext, project: Project, ref: str) -> bool:
    git, name = repositories.open_repository(ctx.world, project), describe_ref(ref)["ref"]
    if git.find_branch(name) and not ref.startswith(TAGS):
        return protection.can_update_ref(ctx, project, name)
    is_no_tag = ref.startswith(BRANCHES) or git.find_tag(name) is None
    return is_no_tag or protection.can_update_ref(ctx, project, name, tag=True)


def resolve_ref(ctx: ReadContext, project: Project, ref: str) -> dict[str, Any]:
    """Return the project, ref, kind of ref and commit of a branch or tag, which may be given as a full name."""
    refs = repositories.open_repository(ctx.world, project).refs
    names = [name for name in (ref, BRANCHES + ref, TAGS + ref) if name in refs and name.startswith((BRANCHES, TAGS))]
    if len(names) > 1:
        raise PipelineRefused([_AMBIGUOUS])
    if not names:
        raise PipelineRefused([NO_REFERENCE])
    return {"project": project, **describe_ref(names[0]), "sha": commit_of(ctx, project, names[0])}


def describe_ref(full_name: str) -> dict[str, Any]:
    """Return the short name of a branch or tag, and whether it is a tag."""
    return {"ref": full_name.removeprefix(BRANCHES).removeprefix(TAGS), "tag": full_name.startswith(TAGS)}


def commit_of(ctx: ReadContext, project: Project, full_name: str) -> str:
    """Return the commit of a ref; that of an annotated tag is the one that it points to."""
    return repositories.open_repository(ctx.world, project).commit(full_name).sha


def create(ctx: WriteContext, request: PipelineRequest) -> Pipeline:
    """Create a pipeline without permission checks. PipelineRefused says why there is none."""
    _count_request(ctx, request)
    try:
        user = ctx.world.users.get(request.user_id or 0)
        selection = plan_jobs(ctx if user is None else ctx.as_user(user), request)
    except PipelineRefused as refused:
        if not (refused.yaml_errors and request.keeps_mistakes):
            raise
        return _create_failed(ctx, request, refused)
    _check_variables(request)
    ctx.warnings += () if selection is None else selection.inert
    if selection is None:
        return pipelines.create(ctx, request.project, **request.pipeline_fields(ctx.world), status="skipped")
    shown = {"name": selection.name, "warnings": selection.warnings}
    fields = {**request.pipeline_fields(ctx.world), **shown, **_auto_cancel_fields(selection)}
    return create_with_jobs(ctx, request.project, selection.jobs, **fields)


def _count_request(ctx: WriteContext, request: PipelineRequest) -> None:
    """Count a pipeline against the limits per minute of the instance, which do not concern child pipelines."""
    if request.source == "parent_pipeline":
        return
    settings, user = ctx.world.settings, request.user_id
    limits = (
        ("pipelines_create", (request.project.id, user, request.sha), settings.pipeline_limit_per_project_user_sha),
        ("pipelines_created_per_user", user, settings.pipeline_limit_per_user),
    )
    try:
        for name, key, limit in limits:
            if limit:
                ctx.count_action(name, key, limit)
    except TooManyRequests:
        raise PipelineRefused([_TOO_MANY]) from None


def _auto_cancel_fields(selection: "Selection") -> dict[str, Any]:
    given = {
        "auto_cancel_on_new_commit": selection.auto_cancel.on_new_commit,
        "auto_cancel_on_job_failure": selection.auto_cancel.on_job_failure,
    }
    return {name: value for name, value in given.items() if value is not None}


def _check_variables(request: PipelineRequest) -> None:
    """Refuse variables whose keys are invalid; the platform finds that out when it saves the pipeline."""
    errors = ValidationErrors()
    for variable in request.variables:
        variables.find_key_errors(variable.key, errors, field="variables.key")
    if errors:
        texts = {field: list(dict.fromkeys(errors.texts(field))) for field in errors}
        reason = f"{_NOT_SAVED}: Validation failed: {', '.join(errors.full_messages())}"
        raise PipelineRefused([reason], attribute_errors=texts)


def read_configuration(ctx: ReadContext, request: PipelineRequest, text: str) -> "Configuration":
    """Return a text as the configuration of a pipeline."""
    return _load(ctx, request, text, partial(_collect_facts, ctx, request))


def _collect_facts(ctx: ReadContext, request: PipelineRequest) -> RefFacts:
    return ref_facts.collect(ctx, request.project, request.as_pipeline(ctx))


def _load(ctx: ReadContext, request: PipelineRequest, text: str, facts: Callable[[], RefFacts]) -> "Configuration":
    # Imported late: most worlds read no configuration.
    from fakeplat.ci_config.configuration import load

    parent = ctx.world.jobs.get(request.source_job_id or 0)
    parent_id = parent.pipeline_id if parent is not None else None
    fetch = ci_files.fetcher(ctx, request.project, request.sha, parent_id)
    return load(text, fetch, ctx.profile, facts, request.inputs)


def plan_jobs(ctx: ReadContext, request: PipelineRequest) -> "Selection | None":
    """Return the jobs of a pipeline; None if its commit says that none shall run."""
    from fakeplat.ci_config.selection import select_jobs_of_ref

    text = request.configuration or ci_files.read_configuration(ctx.world, request.project, request.sha)
    if text is None:
        raise PipelineRefused([_NO_FILE])
    facts = cache(partial(_collect_facts, ctx, request))
    configuration = _load(ctx, request, text, facts)
    if configuration.errors:
        raise PipelineRefused(configuration.errors[:1], yaml_errors=True)
    if request.is_skipped or (request.may_skip and _is_skipped(ctx, request)):
        return None
    ref = PipelineRef(
        ref=request.ref,
        source=request.source,
        is_tag=request.tag,
        is_merge_request=request.merge_request_id is not None,
        profile=ctx.profile,
    )
    selection = select_jobs_of_ref(configuration, ref, facts)
    if selection.refusal is not None:
        raise PipelineRefused([selection.refusal])
    if selection.errors:
        raise PipelineRefused(selection.errors, yaml_errors=True)
    return selection


def _is_skipped(ctx: ReadContext, request: PipelineRequest) -> bool:
    message = repositories.open_repository(ctx.world, request.project).objects.commit(request.sha).message
    return _SKIP.search(message) is not None


def _create_failed(ctx: WriteContext, request: PipelineRequest, refused: PipelineRefused) -> Pipeline:
    pipeline = pipelines.create(
        ctx, request.project, **request.pipeline_fields(ctx.world), yaml_errors="\n".join(refused.texts)
    )
    return pipelines.set_status(ctx, pipeline, "failed")


def create_with_jobs(
    ctx: WriteContext,
    project: Project,
    planned_jobs: Sequence[PlannedJob],
    **pipeline_fields: Unpack[pipelines.NewPipeline],
) -> Pipeline:
    """Create a pipeline with jobs, cancel those that it makes redundant, and start the first jobs."""
    pipeline = pipelines.create(ctx, project, **pipeline_fields)
    add_jobs(ctx, pipeline, planned_jobs)
    auto_cancel.cancel_redundant(ctx, project, pipeline)
    return processing.process(ctx, pipeline.id)


def add_jobs(ctx: WriteContext, pipeline: Pipeline, planned_jobs: Sequence[PlannedJob]) -> list[Job]:
    """Add jobs to a pipeline, without starting any."""
    now = ctx.now_iso
    common: dict[str, Any] = {
        "pipeline_id": pipeline.id,
        "project_id": pipeline.project_id,
        "ref": pipeline.ref,
        "tag": pipeline.tag,
        "user_id": pipeline.user_id,
        "created_at": now,
        "updated_at": now,
    }
    rows = [
        {"kind": "bridge" if planned.is_bridge else "build", **common, **_planned_fields(ctx.world, pipeline, planned)}
        for planned in planned_jobs
    ]
    created = jobs.create_many(ctx, rows)
    signals.jobs_created.send(ctx, created)
    # A receiver may have changed them.
    return [ctx.world.jobs[job.id] for job in created]


def _planned_fields(world: World, pipeline: Pipeline, planned: PlannedJob) -> dict[str, Any]:
    values = {field.name: getattr(planned, field.name) for field in fields(PlannedJob)}
    return {**values, "options": cache_keys.compute_keys(world, pipeline, planned.options)}
