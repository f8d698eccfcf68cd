"""The jobs that a CI configuration gives for a ref, with all defaults and inherited keywords resolved."""

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field

from fakeplat.core.store.frozen import frozen

When = Literal["on_success", "on_failure", "always", "manual", "delayed"]
EnvironmentAction = Literal["start", "prepare", "stop"]


@frozen
class Need:
    """A job that another one waits for. ``optional``: it may be missing from the pipeline."""

    name: str
    artifacts: bool = True
    optional: bool = False


@frozen
class EnvironmentSpec:
    """The environment of a job, before variables are expanded. ``auto_stop_in`` is in seconds."""

    name: str
    url: str | None = None
    action: EnvironmentAction = "start"
    on_stop: str | None = None
    auto_stop_in: int | None = None


@frozen
class RetrySpec:
    """How often a failed job is retried, and after which kinds of failures."""

    max: int = 0
    when: tuple[str, ...] = ("always",)


@frozen
class TriggerSpec:
    """The pipeline that a bridge creates: of another project, or a child pipeline from files of this one.

    ``includes`` has the paths of the child's configuration, as the keyword ``include`` lists them.
    """

    project: str | None = None
    branch: str | None = None
    strategy: Literal["depend"] | None = None
    includes: tuple[Mapping[str, Any], ...] = ()


@frozen
class ArtifactsSpec:
    """The files that a job keeps. ``expire_in`` is in seconds; None means the default of the instance."""

    name: str | None = None
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    untracked: bool = False
    when: Literal["on_success", "on_failure", "always"] = "on_success"
    expire_in: int | None = None
    expose_as: str | None = None
    public: bool = True
    reports: Mapping[str, tuple[str, ...]] = field(factory=dict)


@frozen(kw_only=True)
class PlannedJob:
    """A job of a pipeline before it is created.

    ``needs`` is None for a job that waits for all earlier stages. ``variables`` are those of the configuration.
    ``coverage_regex`` finds the coverage in the job's log. ``start_in`` and ``timeout`` are in seconds. ``options`` has
    the keywords that only a runner reads: script, image, services, cache and others.
    """

    name: str
    stage: str = "test"
    stage_index: int = 0
    when: When = "on_success"
    allow_failure: bool = False
    start_in: int | None = None
    needs: tuple[Need, ...] | None = None
    variables: tuple[tuple[str, str], ...] = ()
    environment: EnvironmentSpec | None = None
    coverage_regex: str | None = None
    retry: RetrySpec = RetrySpec()
    timeout: int | None = None
    interruptible: bool = False
    resource_group: str | None = None
    tags: tuple[str, ...] = ()
    trigger: TriggerSpec | None = None
    artifacts: ArtifactsSpec | None = None
    dependencies: tuple[str, ...] | None = None
    options: Mapping[str, Any] = field(factory=dict)

    @property
    def is_bridge(self) -> bool:
        """Whether the job triggers another pipeline."""
        return self.trigger is not None
