"""Logs of played jobs, logs that runners send in parts, and the coverage that a log reports."""

import re
from codecs import getincrementaldecoder
from typing import Final

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.core.regexps import RegexpError, compile_regexp
from fakeplat.model.ci import Job, PlayedResult
from fakeplat.model.world import World

# What the decoder makes of bytes that are no UTF-8, one by one.
_UNDECODABLE: Final = re.compile("[\udc80-\udcff]")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_ENDINGS: Final = {
    "success": "Job succeeded\n",
    "failed": "ERROR: Job failed: exit code 1\n",
    "canceled": "ERROR: Job failed: canceled\n",
}


def opening(job: PlannedJob) -> str:
    """Return what the log of a played job shows while it is running."""
    return f"Running job {job.name} of stage {job.stage}\n" + "".join(f"$ {line}\n" for line in _commands(job))


def played(job: PlannedJob, result: PlayedResult) -> str:
    """Return the log of a played job that is finished."""
    return opening(job) + _ENDINGS.get(result, _ENDINGS["success"])


def timed_out(job: PlannedJob, limit: int) -> str:
    """Return the log of a played job that ran longer than its limit in seconds."""
    amounts = (limit // 3600, "h"), (limit // 60 % 60, "m"), (limit % 60, "s")
    # As the runner writes durations: 1h0m0s, but 40m0s.
    first = next((index for index, (amount, _) in enumerate(amounts) if amount), -1)
    duration = "".join(f"{amount}{unit}" for amount, unit in amounts[first:])
    return f"{opening(job)}ERROR: Job failed: execution took longer than {duration} seconds\n"


def _commands(job: PlannedJob) -> list[str]:
    return [str(line) for section in ("before_script", "script") for line in job.options.get(section, ())]


def size_of(job: Job) -> int:
    """Return the number of bytes of a log so far."""
    return len(job.log.encode()) + len(job.log_tail) // 2


def append(job: Job, data: bytes) -> dict[str, str]:
    """Return the fields of a job whose log goes on; a byte that is no UTF-8 becomes a question mark."""
    # Each replacement has one byte, so that the log keeps the size on which the runner counts.
    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    text = decoder.decode(bytes.fromhex(job.log_tail) + data)
    return {"log": job.log + _UNDECODABLE.sub("?", text), "log_tail": decoder.getstate()[0].hex()}


def find_coverage(world: World, job: Job, log: str) -> float | None:
    """Return the last number in the last part of a log that matches the regular expression for coverage."""
    pattern = job.coverage_regex or world.projects[job.project_id].build_coverage_regex
    if not pattern:
        return None
    try:
        matches = compile_regexp(pattern).find_all(log)
    except RegexpError:
        return None
    numbers = _NUMBER.findall(matches[-1]) if matches else []
    return float(numbers[-1]) if numbers else None
