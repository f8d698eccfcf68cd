"""Tools that run a document of GraphQL. Source: docs/platform/mcp.md ('Tools of GraphQL')."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Final

from attrs import field

from fakeplat.core.operations.http_messages import dump_json
from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, build_schema
from fakeplat.mcp.results import ToolError, ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.mcp.tools.tool import CheckingTool
from fakeplat.policy.behaviours import TOOLS_ARE_ANNOTATED_IN_FULL

Data = Mapping[str, Any]
"""An object in the answer to a document."""
_NOTHING: Final = "Operation returned no data"


@frozen
class DocumentTool(CheckingTool):
    """A tool whose answer is a field of the answer to a document.

    ``root`` is that field. ``required``: None if the schema says nothing of required arguments.
    """

    document: str = field(kw_only=True)
    root: str = field(default="", kw_only=True)
    properties: Mapping[str, Any] = field(kw_only=True)
    required: tuple[str, ...] | None = field(default=(), kw_only=True)
    is_closed: bool = field(default=False, kw_only=True)

    def build_schema(self, profile: Profile) -> dict[str, Any]:
        """Return the schema."""
        closed = self.is_closed or profile.has(TOOLS_ARE_ANNOTATED_IN_FULL)
        return build_schema(self.properties, self.required, closed=closed)

    @abstractmethod
    def build_variables(self, session: ToolSession, arguments: Arguments) -> dict[str, Any]:
        """Return the variables of the document."""

    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Run the document. What it refuses is a failure of the tool."""
        answer = session.query(self.document, self.build_variables(session, arguments))
        if "errors" in answer:
            return ToolResult.of_error(join_messages(answer["errors"]))
        data = (answer.get("data") or {}).get(self.choose_root(arguments))
        if data is None:
            return ToolResult.of_error(self.explain_missing(arguments))
        if data.get("errors"):
            return ToolResult.of_error(join_messages(data["errors"]))
        try:
            shown = self.select(data)
        except ToolError as failure:
            return ToolResult.of_error(str(failure))
        return ToolResult.of_json(dump_json(shown).decode(), shown)

    def choose_root(self, _arguments: Arguments) -> str:
        """Return the field of the answer that is the result."""
        return self.root

    def explain_missing(self, _arguments: Arguments) -> str:
        """Return the text for an answer that has nothing in that field."""
        return _NOTHING

    def select(self, data: Data) -> Any:
        """Return what the tool shows of the field. ToolError if there is nothing to show."""
        return data


def require(value: object, message: str = _NOTHING) -> Any:
    """Return a value that is not None; ToolError with a message otherwise."""
    if value is None:
        raise ToolError(message)
    return value


def join_messages(errors: list[Any]) -> str:
    """Return the texts of errors of GraphQL, and of those of a mutation."""
    return ", ".join(str(error.get("message") or error) if isinstance(error, dict) else str(error) for error in errors)
