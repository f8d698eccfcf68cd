"""Inputs of jobs: what the user gives who plays or retries a job that declares some.

Source: docs/platform/pipelines-jobs.md ('Inputs of jobs').
"""

from collections.abc import Mapping
from typing import Any

from fakeplat.ci_config import input_values
from fakeplat.core.operations.errors import BadRequest
from fakeplat.model.ci import Job
from fakeplat.policy.context import ReadContext


def select(ctx: ReadContext, job: Job, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that differ from their defaults, or refuse with 400 what the job does not declare so."""
    specs: Mapping[str, Mapping[str, Any]] = job.options.get("inputs") or {}
    if not specs:
        return dict(given)
    unknown = [name for name in given if name not in specs]
    if unknown:
        raise BadRequest(f"Unknown input{'s' if len(unknown) > 1 else ''}: {', '.join(unknown)}")
    declared = {name: spec for name, spec in specs.items() if name in given}
    errors = [
        text
        for name, spec in declared.items()
        for text in input_values.list_errors(name, spec, given[name], ctx.profile)
    ]
    if errors:
        raise BadRequest(", ".join(errors))
    return {name: value for name, value in given.items() if value != specs[name].get("default")}


def list_values(ctx: ReadContext, job: Job) -> dict[str, tuple[str, Any]]:
    """Return the type and the value of each input that a job declares."""
    specs: Mapping[str, Mapping[str, Any]] = job.options.get("inputs") or {}
    return {
        name: (
            input_values.type_of(spec),
            input_values.convert(spec, job.inputs.get(name, spec.get("default")), ctx.profile),
        )
        for name, spec in specs.items()
    }
