"""Logs of played jobs, and the coverage that a log reports."""

from typing import Final

import re2

from fakeplat.model.jobs import Job, PlayedResult
from fakeplat.model.world import World

_NUMBER: Final = re2.compile(r"\d+(?:\.\d+)?")
_ENDINGS: Final = {
    "success": "Job succeeded\n",
    "failed": "ERROR: Job failed: exit code 1\n",
    "canceled": "ERROR: Job failed: canceled\n",
}


def opening(job: Job) -> str:
    """Return what the log of a played job shows while it is running."""
    return f"Running job {job.name} of stage {job.stage}\n" + "".join(f"$ {line}\n" for line in _commands(job))


def played(job: Job, result: PlayedResult) -> str:
    """Return the log of a played job that is finished."""
    return opening(job) + _ENDINGS.get(result, _ENDINGS["success"])


def _commands(job: Job) -> list[str]:
    return [str(line) for section in ("before_script", "script") for line in job.options.get(section, ())]


def find_coverage(world: World, job: Job, log: str) -> float | None:
    """Return the last number in the last part of a log that matches the regular expression for coverage."""
    pattern = job.coverage_regex or world.projects[job.project_id].build_coverage_regex
    if not pattern:
        return None
    try:
        matches = list(re2.finditer(pattern, log))
    except re2.error:
        return None
    numbers = _NUMBER.findall(matches[-1].group()) if matches else []
    return float(numbers[-1]) if numbers else None
