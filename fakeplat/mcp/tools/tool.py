"""What every tool has: a name, its releases, a description, a schema of its arguments, and what it does."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final

from attrs import field

from fakeplat.core.release import Lifetime, Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.mcp.arguments import Arguments, build_schema, check_arguments
from fakeplat.mcp.results import ToolError, ToolResult
from fakeplat.mcp.session import ToolSession
from fakeplat.policy.behaviours import TOOLS_ARE_ANNOTATED_IN_FULL, TOOLS_HAVE_ANNOTATIONS

READS: Final = {"readOnlyHint": True}
ADDS: Final = {"readOnlyHint": False, "destructiveHint": False}
DESTROYS: Final = {"readOnlyHint": False, "destructiveHint": True}


@frozen
class Tool(ABC):
    """A tool. ``aliases`` are its earlier names, which later releases still know, by the releases that do."""

    name: str
    lifetime: Lifetime = field(kw_only=True)
    hints: Mapping[str, bool] = field(kw_only=True)
    aliases: Mapping[str, Lifetime] = field(factory=dict, kw_only=True)
    has_early_hints: bool = field(default=True, kw_only=True)
    """Whether the hints are as old as annotations; those of tools that change something mostly are not."""

    @abstractmethod
    def describe(self, profile: Profile) -> str:
        """Return the description in a release."""

    @abstractmethod
    def build_schema(self, profile: Profile) -> dict[str, Any]:
        """Return the input schema in a release."""

    @abstractmethod
    def call(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Run the tool. ToolError is a failure that it tells of."""

    def has_name(self, name: str, profile: Profile) -> bool:
        """Return whether a release knows the tool by a name."""
        return name == self.name or (name in self.aliases and profile.has(self.aliases[name]))

    def present(self, profile: Profile, icon: str) -> dict[str, Any]:
        """Return the tool as a list shows it. ``icon`` is the URL of the platform's picture."""
        shown: dict[str, Any] = {
            "name": self.name,
            "description": self.describe(profile),
            "inputSchema": self.build_schema(profile),
        }
        if profile.has(TOOLS_HAVE_ANNOTATIONS):
            shown["icons"] = [{"mimeType": "image/png", "src": icon, "theme": "dark"}]
            if self.has_early_hints or profile.has(TOOLS_ARE_ANNOTATED_IN_FULL):
                shown["annotations"] = dict(self.hints)
        return shown


@frozen
class CheckingTool(Tool):
    """A tool that checks its arguments by its schema before it runs."""

    description: str = field(kw_only=True)

    def describe(self, _profile: Profile) -> str:
        """Return the description."""
        return self.description

    def call(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Check the arguments and run the tool; a failure is a result, too."""
        try:
            return self.run(session, check_arguments(arguments, self.build_schema(session.profile), session.profile))
        except ToolError as failure:
            return failure.result

    @abstractmethod
    def run(self, session: ToolSession, arguments: Arguments) -> ToolResult:
        """Run the tool with arguments that its schema allows."""


@frozen
class FixedTool(CheckingTool):
    """A tool whose schema is the same in all its releases."""

    properties: Mapping[str, Any] = field(kw_only=True)
    required: tuple[str, ...] = field(default=(), kw_only=True)

    def build_schema(self, _profile: Profile) -> dict[str, Any]:
        """Return the schema."""
        return build_schema(self.properties, self.required)
