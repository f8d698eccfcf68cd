"""The tool that reads a pipeline, and its jobs or downstream pipelines. Source: docs/platform/mcp.md ('Pipelines')."""

from collections.abc import Callable, Sequence
from typing import Any, Final, get_args

from fakeplat.core.operations.http_messages import dump_json
from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import Data, DocumentTool, require
from fakeplat.mcp.tools.records import find_project, get_project_path
from fakeplat.model.ci import Status

_AFTER: Final = "pageInfo { hasNextPage endCursor }"
_PIPELINE: Final = "id status ref sha source path"
_DOWNSTREAM: Final = f"{_PIPELINE} project {{ id fullPath }}"
_PAGE: Final = "first: $first, after: $after"
PIPELINE: Final = f"""query(
  $fullPath: ID!, $pipelineId: CiPipelineID!, $includeJobs: Boolean = false,
  $includeDownstreamPipelines: Boolean = false, $includeBridgeJobs: Boolean = false, $jobStatuses: [CiJobStatus!],
  $first: Int, $after: String
) {{
  project(fullPath: $fullPath) {{
    id
    pipeline(id: $pipelineId) {{
      {_PIPELINE}
      jobs(jobKind: BUILD, statuses: $jobStatuses, {_PAGE}) @include(if: $includeJobs) {{
        {_AFTER} nodes {{ id name status allowFailure stage {{ id name }} webPath }}
      }}
      downstream({_PAGE}) @include(if: $includeDownstreamPipelines) {{ {_AFTER} nodes {{ {_DOWNSTREAM} }} }}
      bridgeJobs: jobs(jobKind: BRIDGE, {_PAGE}) @include(if: $includeBridgeJobs) {{
        {_AFTER} nodes {{ id name status downstreamPipeline {{ {_DOWNSTREAM} }} }}
      }}
    }}
  }}
}}"""
_FACETS: Final = {
    "jobs": "includeJobs",
    "downstream_pipelines": "includeDownstreamPipelines",
    "bridge_jobs": "includeBridgeJobs",
}
_DEFAULT_PAGE: Final = 20
_MOST: Final = 100
_STATUSES: Final = (*get_args(Status), "waiting_for_callback")
_NO_PROJECT: Final = "Project not found or inaccessible"
PIPELINE_ARGUMENTS: Final = {
    "id": describe("string", "The id or full path of the project"),
    "pipeline_id": describe("integer", "The id of the pipeline"),
    "include": describe(
        "array", "What to show besides, one thing per call", items={"type": "string", "enum": list(_FACETS)}, maxItems=1
    ),
    "job_status": describe("string", "The status of the jobs to show", enum=list(_STATUSES)),
    "first": describe("integer", "How many to list, by default 20, at most 100", minimum=1, maximum=_MOST),
    "after": describe("string", "The cursor after which they are listed"),
}


@frozen
class GetPipelineTool(DocumentTool):
    """A pipeline, and its jobs, bridges or downstream pipelines."""

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Run the document for a project that the caller sees."""
        if find_project(session, arguments["id"]) is None:
            return ToolResult.of_error(_NO_PROJECT)
        result = super().run(session, arguments)
        if result.is_error or result.data is None:
            return result
        shown = _present_pipeline(session.ctx.origin, result.data)
        return ToolResult.of_json(dump_json(shown).decode(), shown)

    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables."""
        status = arguments.get("job_status")
        facets = {variable: facet in arguments.get("include", ()) for facet, variable in _FACETS.items()}
        return {
            "fullPath": get_project_path(session, arguments["id"]),
            "pipelineId": f"gid://gitlab/Ci::Pipeline/{int(arguments['pipeline_id'])}",
            **facets,
            "jobStatuses": [status.upper()] if status else None,
            "first": arguments.get("first", _DEFAULT_PAGE),
            "after": arguments.get("after"),
        }

    def explain_missing(self, _arguments: Arguments) -> str:
        """Return the text for a project that the caller does not see."""
        return _NO_PROJECT

    def select(self, data: Data) -> Any:
        """Return the pipeline."""
        return require(data.get("pipeline"), "Pipeline not found or inaccessible")


def _present_pipeline(origin: str, pipeline: Data) -> dict[str, Any]:
    """Return a pipeline in the words of the REST API."""
    shown: dict[str, Any] = {
        "id": _number(pipeline),
        "status": pipeline["status"].lower(),
        **{name: pipeline[name] for name in ("ref", "sha", "source")},
        "web_url": f"{origin}{pipeline['path']}",
    }
    if pipeline.get("project"):
        shown["project_full_path"] = pipeline["project"]["fullPath"]
    for field, name, present in _LISTS:
        if pipeline.get(field):
            shown[name] = [present(origin, node) for node in pipeline[field]["nodes"]]
            after = pipeline[field]["pageInfo"]
            shown["page_info"] = {"has_next_page": after["hasNextPage"], "end_cursor": after["endCursor"]}
    return shown


def _present_job(origin: str, job: Data) -> dict[str, Any]:
    return {
        "id": _number(job),
        "name": job["name"],
        "status": job["status"].lower(),
        "stage": (job["stage"] or {}).get("name"),
        "allow_failure": job["allowFailure"],
        "web_url": f"{origin}{job['webPath']}" if job["webPath"] else None,
    }


def _present_bridge(origin: str, bridge: Data) -> dict[str, Any]:
    downstream = bridge["downstreamPipeline"]
    return {
        "id": _number(bridge),
        "name": bridge["name"],
        "status": bridge["status"].lower(),
        "downstream_pipeline": _present_pipeline(origin, downstream) if downstream else None,
    }


def _number(record: Data) -> int:
    return int(record["id"].rpartition("/")[2])


_LISTS: Final[Sequence[tuple[str, str, Callable[[str, Data], dict[str, Any]]]]] = (
    ("jobs", "jobs", _present_job),
    ("downstream", "downstream_pipelines", _present_pipeline),
    ("bridgeJobs", "bridge_jobs", _present_bridge),
)
"""The fields with lists, their names in the result, and how their items are shown."""
