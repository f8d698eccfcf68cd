"""The keywords of a configuration without errors, in the forms that `validation` allows.

The type checker alone needs them: jobs are built from the values that the YAML gave. A keyword without a value is None.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from fakeplat.ci_config.documents import Scalar
from fakeplat.ci_config.jobs import OnJobFailure, OnNewCommit, When

Outcome: TypeAlias = Literal["on_success", "on_failure", "always"]
Options: TypeAlias = Mapping[str, object]
"""Keywords that a runner gets as they are."""
VariablesKeyword: TypeAlias = Mapping[Scalar, Scalar | Mapping[Scalar, Scalar]]
MatrixVariables: TypeAlias = Mapping[Scalar, Scalar | list[Scalar]]
Script: TypeAlias = str | list[str | list[str]]


class NeedKeywords(TypedDict, total=False):
    """A need with options; ``project``, ``ref`` and ``pipeline`` name a job outside of the pipeline."""

    job: str
    artifacts: bool | None
    optional: bool | None
    project: str | None
    ref: str | None
    pipeline: str
    parallel: "ParallelKeywords | None"


class KubernetesKeywords(TypedDict, total=False):
    """Where an environment is in a cluster."""

    namespace: str | None


class EnvironmentKeywords(TypedDict, total=False):
    """An environment with options."""

    name: str
    url: str | None
    action: Literal["start", "prepare", "stop", "verify", "access"] | None
    on_stop: str | None
    auto_stop_in: str | None
    deployment_tier: str | None
    kubernetes: KubernetesKeywords | None


class RetryKeywords(TypedDict, total=False):
    """How often a job is retried, and after which failures."""

    max: int | None
    when: str | list[str] | None
    exit_codes: int | list[int] | None


class CoverageReportKeywords(TypedDict):
    """A report of coverage."""

    coverage_format: str
    path: str


class ArtifactsKeywords(TypedDict, total=False):
    """The artifacts of a job."""

    name: str | None
    paths: list[str] | None
    exclude: list[str] | None
    untracked: bool | None
    when: Outcome | None
    expire_in: str | None
    expose_as: str | None
    reports: Mapping[str, str | list[str] | CoverageReportKeywords | None] | None
    public: bool | None
    access: Literal["all", "developer", "maintainer", "none"] | None


IncludeKeywords = TypedDict(
    "IncludeKeywords",
    {
        "local": Scalar,
        "template": Scalar,
        "remote": Scalar,
        "artifact": Scalar,
        "job": Scalar,
        "project": Scalar,
        "file": Scalar,
        "ref": Scalar,
        "component": Scalar,
        "integrity": str | None,
        "inputs": Mapping[Scalar, Any] | None,
        "with": Mapping[Scalar, Any] | None,
        "rules": list[Mapping[str, Any]] | None,
    },
    total=False,
)


class ForwardKeywords(TypedDict, total=False):
    """The variables that a bridge forwards."""

    yaml_variables: bool | None
    pipeline_variables: bool | None


class TriggerKeywords(TypedDict, total=False):
    """The pipeline that a bridge starts."""

    project: str | None
    branch: str | None
    strategy: Literal["depend", "mirror"] | None
    forward: ForwardKeywords | None
    inputs: Mapping[Scalar, Any] | None
    include: str | IncludeKeywords | list[str | IncludeKeywords] | None


class PolicyKeywords(TypedDict, total=False):
    """Conditions of ``only`` and ``except``."""

    refs: list[str] | None
    variables: list[str] | None
    changes: list[str] | None
    kubernetes: str | None


class InheritKeywords(TypedDict, total=False):
    """What a job inherits: everything, nothing, or some names."""

    default: bool | list[str] | None
    variables: bool | list[str] | None


class ParallelKeywords(TypedDict):
    """The variables of the instances of a job."""

    matrix: Sequence[MatrixVariables]


class PathsKeywords(TypedDict, total=False):
    """Paths of ``changes`` or ``exists`` with options."""

    paths: list[str]
    compare_to: str | None
    project: str | None
    ref: str | None


class AutoCancelKeywords(TypedDict, total=False):
    """When jobs of a pipeline are canceled."""

    on_new_commit: OnNewCommit | None
    on_job_failure: OnJobFailure | None


RuleKeywords = TypedDict(
    "RuleKeywords",
    {
        "if": str | None,
        "changes": list[str] | PathsKeywords | None,
        "exists": str | list[str] | PathsKeywords | None,
        "when": str | None,
        "start_in": str | None,
        "allow_failure": bool | None,
        "variables": VariablesKeyword | None,
        "needs": str | NeedKeywords | list[str | NeedKeywords] | None,
        "interruptible": bool | None,
        "auto_cancel": AutoCancelKeywords | None,
    },
    total=False,
)
JobKeywords = TypedDict(
    "JobKeywords",
    {
        "stage": str | None,
        "type": str | None,
        "when": When | None,
        "start_in": str | None,
        "allow_failure": bool | Mapping[str, object] | None,
        "needs": str | NeedKeywords | list[str | NeedKeywords] | None,
        "dependencies": list[str] | None,
        "variables": VariablesKeyword | None,
        "inherit": InheritKeywords | None,
        "environment": str | EnvironmentKeywords | None,
        "coverage": str | None,
        "retry": int | RetryKeywords | None,
        "timeout": str | None,
        "interruptible": bool | None,
        "resource_group": str | None,
        "tags": list[str] | None,
        "trigger": str | TriggerKeywords | None,
        "artifacts": ArtifactsKeywords | None,
        "only": list[str] | PolicyKeywords | None,
        "except": list[str] | PolicyKeywords | None,
        "rules": list[RuleKeywords] | None,
        "parallel": int | ParallelKeywords | None,
        "image": str | Options | None,
        "services": list[str | Options] | None,
        "before_script": Script | None,
        "script": Script | None,
        "after_script": Script | None,
        "cache": Options | list[Options] | None,
        "release": Options | None,
        "secrets": Options | None,
        "hooks": Mapping[str, Script | None] | None,
        "id_tokens": Options | None,
        "run": list[Options] | None,
        "manual_confirmation": str | None,
        "pages": bool | Options | None,
        "publish": str | None,
        "inputs": Mapping[str, Options] | None,
    },
    total=False,
)
