"""The tool that reads jobs and their logs. Source: docs/platform/mcp.md ('Pipelines')."""

from typing import Any, Final

import orjson

from fakeplat.core.operations.http_messages import dump_json
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, describe
from fakeplat.mcp.results import ToolError, ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.records import get_project_path
from fakeplat.mcp.tools.tool import FixedTool

LOG_ALIAS: Final = "get_job_log"
_LONGEST: Final = 512_000
_OK: Final = 200
_SHOWN: Final = ("id", "name", "status", "stage", "allow_failure", "web_url")
JOB_ARGUMENTS: Final = {
    "id": describe("string", "The id or full path of the project"),
    "job_id": describe("integer", "The id of the job"),
    "include": describe(
        "array", "What to show besides, one thing per call", items={"type": "string", "enum": ["log"]}, maxItems=1
    ),
    "byte_offset": describe("integer", "Where in the log to begin, by default 0", minimum=0),
    "byte_limit": describe(
        "integer", "How many bytes of the log to show, by default 512000", minimum=1, maximum=_LONGEST
    ),
}


@frozen
class GetJobTool(FixedTool):
    """A job, and a part of its log. Under its earlier name the tool always shows the log."""

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Read the job."""
        get_project_path(session, arguments["id"])
        texts = {"id": arguments["id"], "job_id": str(int(arguments["job_id"]))}
        shows_log = session.called_as == LOG_ALIAS or "log" in arguments.get("include", ())
        job = orjson.loads(_read(session, "get_job", texts))
        shown = {name: job[name] for name in _SHOWN}
        if shows_log:
            shown["log"] = _cut_log(_read(session, "get_job_trace", texts), arguments)
        return ToolResult.of_json(dump_json(shown).decode(), shown)


def _read(session: ToolSession, operation: str, texts: dict[str, str]) -> bytes:
    outcome = session.call(OPERATIONS[operation], texts, {})
    if outcome.status != _OK:
        raise ToolError("Job not found or inaccessible")
    return outcome.body


def _cut_log(log: bytes, arguments: Arguments) -> dict[str, Any]:
    """Return a part of a log, and how to ask for the next one."""
    start = min(int(arguments.get("byte_offset", 0)), len(log))
    content = log[start : start + int(arguments.get("byte_limit", _LONGEST))]
    end = start + len(content)
    metadata = {"total_bytes": len(log), "returned": {"start": start, "end": end}, "truncated": end < len(log)}
    part: dict[str, Any] = {"metadata": metadata, "content": content.decode("utf-8", "replace")}
    if end < len(log):
        hint = f'Log truncated. Remaining: {len(log) - end} bytes. Call again with {{"byte_offset": {end}}}.'
        part["system_instruction"] = hint
    return part
