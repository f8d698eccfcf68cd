"""Dependencies that scanners of jobs reported. Source: docs/platform/dependencies.md."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import orjson

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import artifact_files, job_artifacts, jobs
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_INPUT_FILE: Final = "gitlab:dependency_scanning:input_file:path"
_MANAGER: Final = "gitlab:dependency_scanning:package_manager:name"
_PURL_TYPES: Final = {
    "bundler": "gem",
    "composer": "composer",
    "conan": "conan",
    "go": "golang",
    "gradle": "maven",
    "maven": "maven",
    "npm": "npm",
    "nuget": "nuget",
    "pip": "pypi",
    "pipenv": "pypi",
    "sbt": "maven",
    "setuptools": "pypi",
    "yarn": "npm",
}


@frozen
class Dependency:
    """A package that a project uses, and what is known of it."""

    name: str
    version: str | None
    package_manager: str
    path: str | None
    purl: str | None = None
    vulnerabilities: tuple[Mapping[str, Any], ...] = ()
    licenses: tuple[Mapping[str, Any], ...] = ()


def list_of_project(ctx: ReadContext, project: Project) -> list[Dependency]:
    """Return the dependencies in the newest pipeline of the default branch that reported any, sorted by name."""
    branch = project.default_branch
    for pipeline in ctx.world.pipelines.where("project", project.id).in_reverse():
        if pipeline.ref == branch and _has_reports(ctx, pipeline):
            return list_of_pipeline(ctx, pipeline)
    return []


def list_of_pipeline(ctx: ReadContext, pipeline: Pipeline) -> list[Dependency]:
    """Return the dependencies that the jobs of a pipeline reported, sorted by name."""
    found = (dependency for job in _list_jobs(ctx, pipeline) for dependency in _read_job(ctx, job))
    return sorted(dict.fromkeys(found), key=lambda dependency: (dependency.name, dependency.version or ""))


def _list_jobs(ctx: ReadContext, pipeline: Pipeline) -> list[Job]:
    return [job for job in jobs.list_latest(ctx.world, pipeline.id) if job.kind == "build"]


def _has_reports(ctx: ReadContext, pipeline: Pipeline) -> bool:
    return any(
        job_artifacts.find(ctx, job, "dependency_scanning") or job_artifacts.find(ctx, job, "cyclonedx")
        for job in _list_jobs(ctx, pipeline)
    )


def _read_job(ctx: ReadContext, job: Job) -> Iterator[Dependency]:
    report = job_artifacts.find(ctx, job, "dependency_scanning")
    if report is not None:
        yield from _read_report(_parse(report.content))
    materials = job_artifacts.find(ctx, job, "cyclonedx")
    if materials is not None:
        for content in artifact_files.read_gzip_files(materials.content):
            yield from _read_materials(_parse(content))


def _parse(content: bytes) -> Mapping[str, Any]:
    """Return the document of a report; one that cannot be read has nothing."""
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}
    return document if isinstance(document, dict) else {}


def _read_report(document: Mapping[str, Any]) -> Iterator[Dependency]:
    for file in _dicts(document.get("dependency_files")):
        for row in _dicts(file.get("dependencies")):
            name, version = _text(_dict(row.get("package")).get("name")), row.get("version")
            manager, path = _text(file.get("package_manager")), file.get("path")
            if name:
                vulnerabilities = tuple(_list_vulnerabilities(document, name, version, path))
                yield Dependency(name, version, manager, path, _build_purl(manager, name, version), vulnerabilities)


def _list_vulnerabilities(
    document: Mapping[str, Any], name: str, version: object, path: object
) -> Iterator["_Attributes"]:
    for row in _dicts(document.get("vulnerabilities")):
        location = _dict(row.get("location"))
        affected = _dict(location.get("dependency"))
        place = (_dict(affected.get("package")).get("name"), affected.get("version"), location.get("file"))
        if place == (name, version, path):
            title = row.get("name") or row.get("message")
            yield _Attributes({"name": title, "severity": _text(row.get("severity")).lower()})


class _Attributes(dict[str, Any]):
    """Attributes that are compared as a whole, so that equal dependencies are one."""

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none, and this one is never changed
        return hash(tuple(self.items()))


def _read_materials(document: Mapping[str, Any]) -> Iterator[Dependency]:
    properties = {
        row.get("name"): row.get("value") for row in _dicts(_dict(document.get("metadata")).get("properties"))
    }
    for component in _dicts(document.get("components")):
        licenses = tuple(_Attributes(_describe_license(row)) for row in _dicts(component.get("licenses")))
        if component.get("name"):
            yield Dependency(
                component["name"],
                component.get("version"),
                _text(properties.get(_MANAGER)),
                properties.get(_INPUT_FILE),
                component.get("purl"),
                (),
                licenses,
            )


def _describe_license(row: Mapping[str, Any]) -> dict[str, Any]:
    known = _dict(row.get("license"))
    return {"name": known.get("name") or known.get("id"), "url": known.get("url")}


def _build_purl(manager: str, name: str, version: object) -> str | None:
    kind = _PURL_TYPES.get(manager)
    return None if kind is None else f"pkg:{kind}/{name.replace(':', '/')}" + (f"@{version}" if version else "")


def _dicts(value: object) -> Iterable[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
