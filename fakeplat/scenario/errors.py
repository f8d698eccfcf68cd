"""The error of scenarios."""

from fakeplat.core.schema.mistakes import DocumentError


class ScenarioError(DocumentError):
    """A scenario that cannot be used; its text has a line for each mistake."""
