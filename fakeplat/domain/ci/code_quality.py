"""What tools found in code, from the reports of the jobs of pipelines, and how two pipelines differ in it.

Source: docs/platform/graphql.md ('Code quality').
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeGuard, cast, get_args

import orjson

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import job_artifacts, jobs
from fakeplat.domain.people import namespaces
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import ReadContext

Severity = Literal["blocker", "critical", "major", "minor", "info", "unknown"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
"""The severities, the worst first."""
Status = Literal["success", "failed", "not_found"]


@frozen
class Degradation:
    """Something that a tool found in a file."""

    fingerprint: str
    description: str
    severity: Severity
    path: str | None
    line: int | None
    engine_name: str | None
    web_url: str

    @property
    def id(self) -> str:
        """The fingerprint, which each finding of a pipeline has once."""
        return self.fingerprint


class Comparison(NamedTuple):
    """The findings of the pipelines of a target branch, if there is one, and of a merge request, by fingerprint."""

    base: Mapping[str, Degradation] | None
    head: Mapping[str, Degradation]

    @property
    def status(self) -> Status:
        """``success``: the merge request has no findings."""
        if self.base is None:
            return "not_found"
        return "failed" if self.head else "success"

    def list_new(self) -> list[Degradation]:
        """Return the findings that only the merge request has."""
        return [] if self.base is None else [self.head[key] for key in self.head if key not in self.base]

    def list_resolved(self) -> list[Degradation]:
        """Return the findings that only the target branch has."""
        return [self.base[key] for key in self.base if key not in self.head] if self.base is not None else []

    def list_existing(self) -> list[Degradation]:
        """Return the findings that both have for one commit, as their addresses have to be the same, too."""
        found = {*self.head.values()}
        return [each for each in self.base.values() if each in found] if self.base is not None else []


def read_reports(ctx: ReadContext, pipeline: Pipeline) -> dict[str, Degradation]:
    """Return the findings of the jobs of a pipeline and of its children by fingerprint, the worst first."""
    found = {each.fingerprint: each for job in _list_jobs(ctx, pipeline) for each in _read_job(ctx, job)}
    in_order = sorted(found.values(), key=lambda each: SEVERITIES.index(each.severity))
    return {each.fingerprint: each for each in in_order}


def has_reports(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Return whether a pipeline is finished and has reports, or one of its children."""
    jobs_with_reports = (job for job in _list_jobs(ctx, pipeline) if job_artifacts.find(ctx, job, "codequality"))
    return pipeline.is_completed and any(jobs_with_reports)


def find_base(ctx: ReadContext, merge_request: MergeRequest) -> Pipeline | None:
    """Return the newest pipeline of the target branch for the commit from which the source branch started."""
    refs = diff_versions.latest_refs(ctx.world, merge_request)
    for sha in (refs.base, refs.start) if refs is not None else ():
        for pipeline in ctx.world.pipelines.where("commit", (merge_request.project_id, sha)).in_reverse():
            if pipeline.ref == merge_request.target_branch and not pipeline.is_dangling:
                return pipeline
    return None


def compare(ctx: ReadContext, base: Pipeline | None, head: Pipeline) -> Comparison:
    """Return how the findings of two pipelines differ."""
    return Comparison(None if base is None else read_reports(ctx, base), read_reports(ctx, head))


def _list_jobs(ctx: ReadContext, pipeline: Pipeline) -> Iterator[Job]:
    for job in jobs.list_latest(ctx.world, pipeline.id):
        if job.kind == "build":
            yield job
        child = ctx.world.pipelines.get(job.downstream_pipeline_id or 0)
        if child is not None and child.source == "parent_pipeline":
            yield from _list_jobs(ctx, child)


def _read_job(ctx: ReadContext, job: Job) -> Iterator[Degradation]:
    report = job_artifacts.find(ctx, job, "codequality")
    path = namespaces.project_path(ctx.world, ctx.world.projects[job.project_id])
    folder = f"{ctx.origin}/{path}/-/blob/{ctx.world.pipelines[job.pipeline_id].sha}"
    for entry in _parse(report.content) if report is not None else ():
        # What comes after an invalid entry does not count.
        if not _is_valid(entry):
            return
        yield _read_entry(entry, folder)


def _parse(content: bytes) -> Sequence[Any]:
    """Return the entries of a report; one that cannot be read has none."""
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError:
        return ()
    return document if isinstance(document, list) else ()


def _is_valid(entry: object) -> TypeGuard[Mapping[str, Any]]:
    if not isinstance(entry, dict) or not isinstance(entry.get("location"), dict):
        return False
    return all(isinstance(entry.get(key), str) for key in ("description", "fingerprint", "severity"))


def _read_entry(entry: Mapping[str, Any], folder: str) -> Degradation:
    location, severity = entry["location"], entry["severity"].lower()
    path, line, engine = location.get("path"), _find_line(location), entry.get("engine_name")
    return Degradation(
        fingerprint=entry["fingerprint"],
        description=entry["description"],
        severity=cast(Severity, severity) if severity in SEVERITIES else "unknown",
        path=path if isinstance(path, str) else None,
        line=line,
        engine_name=engine if isinstance(engine, str) else None,
        web_url=f"{folder}/{path}#L{line}",
    )


def _find_line(location: object) -> int | None:
    """Return the first line of a place, which is given by lines or by positions."""
    for keys in (("lines", "begin"), ("positions", "begin", "line")):
        line = _dig(location, keys)
        if isinstance(line, int):
            return line
    return None


def _dig(value: object, keys: Iterable[str]) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
