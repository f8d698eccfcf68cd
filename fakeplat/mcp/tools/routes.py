"""Tools that are operations of the REST API. Source: docs/platform/mcp.md ('Tools that are operations')."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import orjson
from attrs import field

from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.params.params import binder_of
from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, Schema, build_schema
from fakeplat.mcp.results import ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.tool import Tool
from fakeplat.pipeline.rendering import Outcome
from fakeplat.policy.behaviours import TOOLS_ARE_ANNOTATED_IN_FULL, TOOLS_HAVE_ANNOTATIONS, TOOLS_NAME_MISSING_RECORDS

_IN_PATH: Final = re.compile(r"[:*](\w+)")
_NOT_FOUND: Final = "404 not found"
_TEXT_OF_LIST: Final = "string"
_DESCRIPTIONS: Final = {
    "id": "The id of the project, or its full path",
    "issue_iid": "The number of the issue in its project",
    "merge_request_iid": "The number of the merge request in its project",
    "pipeline_id": "The id of the pipeline",
    "title": "The title",
    "description": "The description, in Markdown",
    "assignee_ids": "The ids of the assignees",
    "reviewer_ids": "The ids of the reviewers",
    "milestone_id": "The id of the milestone",
    "labels": "The names of labels, separated by commas",
    "confidential": "Whether it is confidential",
    "epic_id": "The id of the epic",
    "source_branch": "The branch to merge",
    "target_branch": "The branch to merge into",
    "target_project_id": "The id of the project to merge into, by default the same project",
    "scope": "What to search for",
    "search": "The text to search for",
    "state": "The state of issues or merge requests",
    "fields": "The fields to search in",
    "ref": "The name of a branch or tag",
    "status": "The status of pipelines",
    "source": "What created the pipelines",
    "created_after": "Only what was created after this time (ISO 8601)",
    "created_before": "Only what was created before this time (ISO 8601)",
    "order_by": "What to order by",
    "sort": "The direction of the order",
    "page": "The number of the page",
    "per_page": "The number of items on a page",
}


@frozen
class RouteTool(Tool):
    """A tool that runs one operation with the arguments that it names.

    ``names`` are those arguments, of which a release may have fewer. ``record`` is the name of what a bare 404 is about
    in later releases.
    """

    operation: str
    names: Callable[[Profile], Sequence[str]] | tuple[str, ...]
    record: str = field(default="", kw_only=True)

    def describe(self, _profile: Profile) -> str:
        """Return the summary of the operation."""
        return str(OPERATIONS[self.operation].call.__doc__).partition("\n")[0]

    def list_names(self, profile: Profile) -> Sequence[str]:
        """Return the names of the arguments in a release."""
        return self.names if isinstance(self.names, tuple) else self.names(profile)

    def build_schema(self, profile: Profile) -> dict[str, Any]:
        """Return the schema that the operation's parameters give."""
        operation = OPERATIONS[self.operation]
        declared = binder_of(operation.params, profile).schema()
        in_path = _IN_PATH.findall(operation.path)
        kinds = {name: {"type": "string" if name == "id" else "integer"} for name in in_path} | declared["properties"]
        properties = {
            name: _present_property(name, kinds[name], profile) for name in self.list_names(profile) if name in kinds
        }
        required = {*in_path, *declared.get("required", ())}
        return build_schema(properties, [name for name in properties if name in required])

    def call(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Run the operation; its refusal is a result, too."""
        names = self.list_names(session.profile)
        return self.call_operation(session, {name: arguments[name] for name in names if name in arguments})

    def call_operation(self, session: ToolSession, given: Arguments) -> ToolResult:
        """Run the operation with arguments that are all its own."""
        operation = OPERATIONS[self.operation]
        in_path = _IN_PATH.findall(operation.path)
        # The parameters of the message itself are parameters of the operation, too: its id is that of the project.
        values = {"id": session.message_id, **given} if "id" in in_path else given
        missing = [f"{name} is missing" for name in in_path if values.get(name) is None]
        invalid = [f"{name} is invalid" for name in in_path if isinstance(values.get(name), bool | float | list | dict)]
        params = {name: value for name, value in values.items() if name not in in_path}
        if missing or invalid:
            message = ", ".join([*missing, *invalid, *_find_failures(operation, params, session.profile)])
            return ToolResult.of_error(message, {"error": message})
        outcome = session.call(operation, {name: str(values[name]) for name in in_path}, params)
        return self._present(outcome, session.profile)

    def _present(self, outcome: Outcome, profile: Profile) -> ToolResult:
        text = outcome.body.decode("utf-8", "replace")
        try:
            value = orjson.loads(outcome.body)
        except orjson.JSONDecodeError:
            return (
                ToolResult.of_error(f"HTTP {outcome.status}", {"body": text})
                if _is_refusal(outcome)
                else (ToolResult(text, {}))
            )
        if not _is_refusal(outcome):
            return ToolResult.of_json(text, value)
        refusal = value if isinstance(value, Mapping) else {}
        message = refusal.get("error") or refusal.get("message") or f"HTTP {outcome.status}"
        is_bare = str(refusal.get("message", "")).lower() == _NOT_FOUND
        if self.record and is_bare and profile.has(TOOLS_NAME_MISSING_RECORDS):
            message = f"404 {self.record.capitalize()} Not Found"
        return ToolResult.of_error(message, value)


def _is_refusal(outcome: Outcome) -> bool:
    return outcome.status >= 400


def _find_failures(operation: Operation, params: Arguments, profile: Profile) -> list[str]:
    """Return what is wrong with the parameters that are not in the path."""
    try:
        binder_of(operation.params, profile).bind(params)
    except InvalidParams as refusal:
        return [refusal.text]
    return []


def _present_property(name: str, kind: Schema, profile: Profile) -> dict[str, Any]:
    """Return the schema of a property, of which the platform tells the type, and in later releases the values."""
    kind = kind["anyOf"][0] if "anyOf" in kind else kind
    shown: dict[str, Any] = {"type": kind.get("type", "string"), "description": _DESCRIPTIONS[name]}
    if kind.get("type") == "array":
        items = kind["items"]["type"]
        # The platform's lists of texts are texts with commas.
        if items == "string":
            shown["type"] = _TEXT_OF_LIST
        elif profile.has(TOOLS_HAVE_ANNOTATIONS):
            shown["items"] = {"type": items}
    if "enum" in kind and profile.has(TOOLS_ARE_ANNOTATED_IN_FULL):
        shown["enum"] = kind["enum"]
    return shown
