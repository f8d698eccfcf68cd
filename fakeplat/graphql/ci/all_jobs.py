"""Jobs of all projects. Source: docs/platform/graphql.md, docs/platform/runners.md."""

from collections.abc import Sequence
from typing import Final, get_args

from graphql import GraphQLError

from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.domain.ci import jobs
from fakeplat.graphql.ci.job_fields import select
from fakeplat.graphql.schema_builder import QUERY, Enumeration
from fakeplat.model.ci import FAILURE_LIFETIMES, FailureReason, Job
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_REASONS: Final = "16.4"
_EARLIER: Final = ("<=13.12", "<=14.4", "14.8")
"""The beginnings of reasons that the enumeration had from its own beginning on."""
_ARGUMENTS: Final = (
    'statuses: [CiJobStatus!], runnerTypes: [CiRunnerType!] @lifetime(since: "16.4"), '
    f'failureReason: CiJobFailureReason @lifetime(since: "{_REASONS}")'
)
_TRACKED: Final[FailureReason] = "runner_system_failure"
_ONLY_REASON: Final = "failure_reason only supports runner_system_failure"
_ONLY_RUNNERS: Final = "failure_reason can only be used together with runner_type: instance_type"


def _lifetime_of(reason: FailureReason) -> Lifetime:
    lifetime = FAILURE_LIFETIMES.get(reason, ALWAYS)
    return ALWAYS if lifetime.since in _EARLIER else lifetime


Enumeration(
    "CiJobFailureReason",
    "Why a job failed.",
    {
        reason.upper(): (reason, f"The reason {reason.replace('_', ' ')}.", _lifetime_of(reason))
        for reason in get_args(FailureReason)
    },
    since=_REASONS,
)


@QUERY.field(f"jobs({_ARGUMENTS}): CiJobInterfaceConnection", since="<=18.5")
@QUERY.field(f"jobs({_ARGUMENTS}): CiJobConnection", since="<=15.8", until="<=18.5")
def all_jobs(
    ctx: ReadContext,
    statuses: Sequence[str] | None = None,
    runner_types: Sequence[str] | None = None,
    failure_reason: FailureReason | None = None,
) -> Sequence[Job]:
    """The jobs of all projects, newest first, for administrators; others see none."""
    if not ctx.admin:
        return ()
    if failure_reason is not None:
        return _list_failed(ctx, statuses, runner_types, failure_reason)
    found = (job for job in ctx.world.jobs.all() if job.kind == "build" and _is_taken(ctx, job, runner_types))
    return select(found, statuses or None)


def _list_failed(
    ctx: ReadContext, statuses: Sequence[str] | None, runner_types: Sequence[str] | None, reason: FailureReason
) -> Sequence[Job]:
    """Return the last jobs that runners of the instance failed, for which alone the platform keeps the reason."""
    if reason != _TRACKED:
        raise GraphQLError(_ONLY_REASON)
    if runner_types is None or list(runner_types) != ["instance_type"]:
        raise GraphQLError(_ONLY_RUNNERS)
    if not has_feature(ctx.world, "ultimate"):
        return ()
    failed = jobs.list_failed_by_instance_runners(ctx.world, reason)
    return [job for job in failed if not statuses or job.status in statuses]


def _is_taken(ctx: ReadContext, job: Job, runner_types: Sequence[str] | None) -> bool:
    runner = ctx.world.runners.get(job.runner_id or 0)
    return not runner_types or (runner is not None and runner.runner_type in runner_types)
