"""The error raised for invalid scenarios."""

from fakeplat.core.schema.mistakes import DocumentError


class ScenarioError(DocumentError):
    """A scenario is invalid; the message has one line per mistake."""
