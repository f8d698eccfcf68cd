"""The tools that manage pipelines. Source: docs/platform/mcp.md ('Pipelines')."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from fakeplat.core.operations.http_messages import dump_json
from fakeplat.core.release import Lifetime, Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.domain import urls
from fakeplat.mcp.arguments import Arguments, build_schema, describe
from fakeplat.mcp.results import InvalidArguments, ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.documents import Data, join_messages
from fakeplat.mcp.tools.records import get_project_path_of_either
from fakeplat.mcp.tools.routes import RouteTool
from fakeplat.mcp.tools.tool import DESTROYS, CheckingTool, FixedTool
from fakeplat.policy.behaviours import PIPELINE_TOOL_IS_SPLIT, TOOLS_ARE_ANNOTATED_IN_FULL

_ONE: Final = ("id", "pipeline_id")


def _operation(name: str, operation: str, names: tuple[str, ...]) -> RouteTool:
    return RouteTool(name, operation, names, lifetime=Lifetime(), hints=DESTROYS)


_OPERATIONS: Final[Mapping[str, tuple[RouteTool, str]]] = {
    "list": (_operation("list_pipelines", "list_pipelines", ("id", "ref", "page", "per_page")), "listed"),
    "create": (_operation("create_pipeline", "create_pipeline", ("id", "ref", "variables", "inputs")), "created"),
    "update": (_operation("update_pipeline", "update_pipeline_metadata", (*_ONE, "name")), "updated"),
    "retry": (_operation("retry_pipeline", "retry_pipeline", _ONE), "retried"),
    "cancel": (_operation("cancel_pipeline", "cancel_pipeline", _ONE), "canceled"),
    "delete": (_operation("delete_pipeline", "delete_pipeline", _ONE), "deleted"),
}
_ID: Final = {"id": describe("string", "The id or full path of the project")}
_ALL_PROPERTIES: Final = {
    **_ID,
    "list": describe("boolean", "True to list pipelines"),
    "ref": describe("string", "The branch or tag of a new pipeline, or of the listed ones"),
    "pipeline_id": describe("integer", "The id of the pipeline to change"),
    "retry": describe("boolean", "True to retry the pipeline"),
    "cancel": describe("boolean", "True to cancel the pipeline"),
    "name": describe("string", "The new name of the pipeline"),
    "variables": {"description": "The variables of a new pipeline, as a list of keys and values"},
    "inputs": describe("object", "The inputs of a new pipeline, by name"),
    "page": describe("integer", "The number of the page, by default 1"),
    "per_page": describe("integer", "The number of items on a page, by default 20, at most 100"),
}
_LATER_PROPERTIES: Final = {name: _ALL_PROPERTIES[name] for name in ("id", "pipeline_id", "name")}
_UNDECIDED: Final = (
    "Cannot determine operation. Provide either: (list: true) to list pipelines, (ref) for create, "
    "(name + pipeline_id) for update, (retry: true + pipeline_id) for retry, (cancel: true + pipeline_id) for cancel, "
    "or (pipeline_id) alone for delete"
)


@frozen
class ManagePipelineTool(CheckingTool):
    """Everything that can be done with pipelines, chosen by the arguments; from 19.3 on only renaming and deleting."""

    def build_schema(self, profile: Profile) -> dict[str, Any]:
        """Return the schema."""
        if profile.has(PIPELINE_TOOL_IS_SPLIT):
            closed = profile.has(TOOLS_ARE_ANNOTATED_IN_FULL)
            return build_schema(_LATER_PROPERTIES, ("id", "pipeline_id"), closed=closed)
        return build_schema(_ALL_PROPERTIES, ("id",))

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Run the operation that the arguments choose, and say in the result which one it was."""
        operation = _choose_operation(arguments)
        tool, done = _OPERATIONS[operation]
        result = tool.call(session, arguments)
        if result.is_error:
            return result
        meta = {"operation": operation, "tool": tool.name, "aggregator": self.name}
        text = f"Pipeline {done} successfully via {self.name}. {result.text}" if _is_json(result.text) else result.text
        return ToolResult(text, {**(result.data or {}), "_meta": meta})


def _choose_operation(arguments: Arguments) -> str:
    pipeline, name, ref = (arguments.get(key) for key in ("pipeline_id", "name", "ref"))
    if arguments.get("list") is True:
        return "list"
    for action in ("retry", "cancel"):
        if arguments.get(action) is True and pipeline is not None:
            return action
    if name and name.strip() and pipeline is not None:
        return "update"
    if ref and ref.strip():
        return "create"
    if pipeline is not None:
        return "delete"
    raise InvalidArguments(_UNDECIDED)


def _is_json(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict | list)
    except orjson.JSONDecodeError:
        return False


CREATE: Final = "mutation($input: PipelineCreateInput!) { pipelineCreate(input: $input) { pipeline { id } errors } }"
RETRY: Final = "mutation($input: PipelineRetryInput!) { pipelineRetry(input: $input) { errors } }"
CANCEL: Final = "mutation($input: PipelineCancelInput!) { pipelineCancel(input: $input) { errors } }"
_ACTIONS: Final = {"retry": ("pipelineRetry", RETRY), "cancel": ("pipelineCancel", CANCEL)}
_VARIABLE: Final = {
    "type": "object",
    "properties": {
        "key": describe("string", "The name"),
        "value": describe("string", "The value"),
        "variable_type": describe("string", "The type, by default env_var", enum=["env_var", "file"]),
    },
    "required": ["key", "value"],
}
SAVE_ARGUMENTS: Final = {
    "url": describe("string", "The URL of the project of a new pipeline"),
    "project_id": describe("string", "The id or full path of the project of a new pipeline"),
    "pipeline_id": describe("integer", "The id of the pipeline to do something with; a new one has none"),
    "action": describe("string", "What to do with the pipeline", enum=list(_ACTIONS)),
    "ref": describe("string", "The branch or tag of a new pipeline"),
    "variables": describe("array", "The variables of a new pipeline", items=_VARIABLE),
    "inputs": describe("object", "The inputs of a new pipeline, by name"),
}


@frozen
class SavePipelineTool(FixedTool):
    """A new pipeline, or another run of one, or its end."""

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Create, retry or cancel the pipeline, and return what became of it."""
        if "pipeline_id" not in arguments:
            return self._create(session, arguments)
        action = arguments.get("action", "")
        if action not in _ACTIONS:
            raise InvalidArguments('Provide action: "retry" or "cancel" when pipeline_id is set')
        root, document = _ACTIONS[action]
        id_ = int(arguments["pipeline_id"])
        failure = _find_failure(session.query(document, {"input": {"id": f"gid://gitlab/Ci::Pipeline/{id_}"}}), root)
        return failure or _present_pipeline(session, id_, action)

    def _create(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        if not arguments.get("ref", "").strip():
            raise InvalidArguments("Provide ref to create a pipeline, or pipeline_id and action")
        sent = {"projectPath": get_project_path_of_either(session, arguments), "ref": arguments["ref"]}
        if arguments.get("variables"):
            sent["variables"] = [_rename_type(variable) for variable in arguments["variables"]]
        if arguments.get("inputs"):
            sent["inputs"] = [{"name": name, "value": value} for name, value in arguments["inputs"].items()]
        answer = session.query(CREATE, {"input": sent})
        failure = _find_failure(answer, "pipelineCreate")
        if failure is not None:
            return failure
        id_ = answer["data"]["pipelineCreate"]["pipeline"]["id"].rpartition("/")[2]
        return _present_pipeline(session, int(id_), "create")


def _rename_type(variable: Arguments) -> dict[str, Any]:
    sent = {name: variable[name] for name in ("key", "value")}
    return {**sent, "variableType": variable["variable_type"].upper()} if "variable_type" in variable else sent


def _find_failure(answer: Data, root: str) -> ToolResult | None:
    """Return the result of a mutation that did nothing, None for one that did."""
    errors = answer.get("errors") or ((answer.get("data") or {}).get(root) or {}).get("errors")
    return ToolResult.of_error(join_messages(errors)) if errors else None


def _present_pipeline(session: ToolSession, id_: int, action: str) -> ToolResult:
    ctx = session.ctx
    pipeline = ctx.world.pipelines[id_]
    project = ctx.world.projects[pipeline.project_id]
    url = f"{urls.project_url(ctx, project)}/-/pipelines/{id_}"
    shown = {"action": action, "id": id_, "status": pipeline.status, "ref": pipeline.ref, "web_url": url}
    return ToolResult.of_json(dump_json(shown).decode(), shown)
