"""Jobs of a configuration, and jobs of a pipeline."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from attrs import Factory

from fakeplat.core.store.frozen import frozen

When = Literal["on_success", "on_failure", "always", "manual", "delayed"]
OnNewCommit = Literal["conservative", "interruptible", "none"]
OnJobFailure = Literal["none", "all"]
Variables = tuple[tuple[str, str], ...]
ALLOWED_EXIT_CODES: Final = "allowed_exit_codes"
"""The option of a job with the exit codes with which it may fail."""
RAW_VARIABLES: Final = "raw_variables"
"""The option of a job with the names of its variables whose values are not expanded."""


@frozen
class Need:
    """A job that another one waits for. An optional one may be missing from the pipeline."""

    name: str
    artifacts: bool = True
    optional: bool = False


@frozen
class InstancesNeed(Need):
    """A need of some instances of a job with ``parallel``, by the ends of their names."""

    instances: tuple[str, ...] = ()


@frozen
class CrossNeed:
    """Artifacts of a job of another project or pipeline; see ``needs:project`` and ``needs:pipeline``."""

    job: str
    project: str | None = None
    ref: str | None = None
    pipeline: str | None = None
    artifacts: bool = True


@frozen
class EnvironmentSpec:
    """The environment of a job. Name and URL may contain variables."""

    name: str
    url: str | None = None
    action: Literal["start", "prepare", "stop", "verify", "access"] = "start"
    on_stop: str | None = None
    auto_stop_in: int | None = None
    deployment_tier: str | None = None
    kubernetes_namespace: str | None = None


@frozen
class ArtifactsSpec:
    """The artifacts of a job, as the configuration describes them: what it does not say is None.

    ``access``: who may download them.
    """

    name: str | None = None
    paths: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    untracked: bool | None = None
    when: Literal["on_success", "on_failure", "always"] | None = None
    expire_in: str | None = None
    expose_as: str | None = None
    reports: Mapping[str, tuple[str, ...]] = Factory(dict)
    access: Literal["all", "developer", "maintainer", "none"] = "all"


@frozen
class RetrySpec:
    """How often a job is retried, and after which kinds of failure or exit codes."""

    max: int = 0
    when: tuple[str, ...] = ("always",)
    exit_codes: tuple[int, ...] = ()


@frozen
class ChildFile:
    """A file of a child pipeline; ``kind`` artifact: from the artifacts of ``job``.

    ``inputs`` are those of the file, ``rules`` the clauses that say whether it is included, ``integrity`` its digest.
    """

    kind: Literal["local", "template", "artifact", "file", "remote", "component"]
    location: str
    job: str | None = None
    project: str | None = None
    ref: str | None = None
    inputs: Mapping[str, Any] = Factory(dict)
    rules: tuple[Mapping[str, Any], ...] = ()
    integrity: str | None = None


@frozen
class TriggerSpec:
    """The pipeline that a bridge starts, with its inputs: of another project, or of files of the same project."""

    project: str | None = None
    branch: str | None = None
    strategy: Literal["depend", "mirror"] | None = None
    includes: tuple[ChildFile, ...] = ()
    forwards_yaml_variables: bool = True
    forwards_pipeline_variables: bool = False
    inputs: Mapping[str, Any] = Factory(dict)


@frozen
class AutoCancel:
    """When jobs of a pipeline are canceled; what the configuration does not say is None."""

    on_new_commit: OnNewCommit | None = None
    on_job_failure: OnJobFailure | None = None


@frozen
class Rule:
    """A clause of ``rules``: all conditions that it has must hold.

    ``compare_to`` is the ref whose changes count, instead of those of the push or merge request. ``exists_project`` is
    the project whose files count, at ``exists_ref`` or the head of its default branch.
    """

    condition: str | None = None
    changes: tuple[str, ...] | None = None
    compare_to: str | None = None
    exists: tuple[str, ...] | None = None
    exists_project: str | None = None
    exists_ref: str | None = None
    when: str | None = None
    start_in: int | None = None
    allow_failure: bool | None = None
    variables: Variables = ()
    needs: tuple[Need, ...] | None = None
    interruptible: bool | None = None
    auto_cancel: AutoCancel = AutoCancel()


@frozen
class Policy:
    """The value of ``only`` or ``except``. A key that is None does not count."""

    refs: tuple[str, ...] | None = None
    variables: tuple[str, ...] | None = None
    changes: tuple[str, ...] | None = None
    kubernetes: str | None = None


@frozen(kw_only=True)
class PlannedJob:
    """A job of a pipeline before it is created.

    ``needs`` is None if the job waits for all earlier stages. ``variables`` are the public ones of the configuration,
    in their order: those of the root that the job inherits, its own, those of a matrix, and those of its rule.
    ``coverage_regex`` finds the coverage in the job's log. ``start_in`` and ``timeout`` are in seconds. ``parallel`` is
    the number of the job and of all jobs that ``parallel`` makes of it. ``mirrors`` is the project whose newest
    pipeline gives a bridge its status. ``options`` are what a runner gets.
    """

    name: str
    stage: str = "test"
    stage_index: int = 0
    when: When = "on_success"
    start_in: int | None = None
    allow_failure: bool = False
    needs: tuple[Need, ...] | None = None
    cross_needs: tuple[CrossNeed, ...] = ()
    dependencies: tuple[str, ...] | None = None
    variables: Variables = ()
    environment: EnvironmentSpec | None = None
    coverage_regex: str | None = None
    retry: RetrySpec = RetrySpec()
    timeout: int | None = None
    interruptible: bool | None = None
    resource_group: str | None = None
    tags: tuple[str, ...] = ()
    trigger: TriggerSpec | None = None
    mirrors: str | None = None
    artifacts: ArtifactsSpec | None = None
    parallel: tuple[int, int] | None = None
    options: Mapping[str, Any] = Factory(dict)

    @property
    def is_bridge(self) -> bool:
        """Whether the job starts or mirrors another pipeline, instead of running on a runner."""
        return self.trigger is not None or self.mirrors is not None


@frozen(kw_only=True)
class JobDefinition(PlannedJob):
    """A job of a configuration, after defaults, inheritance and ``parallel``, with its conditions.

    ``own_variables`` are those of the job itself. ``inherited_variables`` are the names that it inherits from the root,
    None for all.
    """

    own_variables: Variables = ()
    inherited_variables: tuple[str, ...] | None = None
    allow_failure_is_given: bool = False
    only: Policy | None = None
    excluded: Policy | None = None
    rules: tuple[Rule, ...] | None = None
