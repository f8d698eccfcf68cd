"""Results of tools, and the failures that become one. Source: docs/platform/mcp.md ('Results')."""

from collections.abc import Mapping
from typing import Any

from fakeplat.core.operations.errors import inspect
from fakeplat.core.store.frozen import frozen


class ToolError(Exception):
    """A failure of a tool, which is a result with ``isError``. ``kind`` begins its text."""

    kind = "Tool execution failed"

    @property
    def result(self) -> "ToolResult":
        """The result that tells of the failure."""
        return ToolResult.of_error(f"{self.kind}: {self}")


class InvalidArguments(ToolError):
    """The arguments of a tool that checks them itself are not valid."""

    kind = "Validation error"


@frozen
class ToolResult:
    """What a tool returns: a text for the model, and the same as data."""

    text: str
    data: Mapping[str, Any] | None = None
    is_error: bool = False

    @classmethod
    def of_error(cls, message: object, details: object = None) -> "ToolResult":
        """Return the result of a failure; ``details`` is the body of the refusal behind it."""
        data = {} if details is None else {"error": details}
        return cls(message if isinstance(message, str) else inspect(message), data, is_error=True)

    @classmethod
    def of_json(cls, text: str, value: object) -> "ToolResult":
        """Return the result that a JSON document is, with its text."""
        return cls(text, structure(value))

    def render(self) -> dict[str, Any]:
        """Return the result as the protocol has it."""
        data = {} if self.data is None else {"structuredContent": self.data}
        return {"content": [{"type": "text", "text": self.text}], **data, "isError": self.is_error}


def structure(value: object) -> Mapping[str, Any]:
    """Return the structured content of a value; only objects may stand there, so a list becomes one."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list):
        return {"items": value, "metadata": {"count": len(value), "has_more": False}}
    return {}
