"""Metadata of the instance."""

from fakeplat.api.version import get_version
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.policy.context import ReadContext


@frozen
class Metadata:
    """Version and revision."""

    version: str
    revision: str


METADATA = Type("Metadata", "Metadata of the instance.")
METADATA.attributes({"version: String!": "The version.", "revision: String!": "The revision from which it was built."})


@QUERY.field("metadata: Metadata")
def metadata(ctx: ReadContext) -> Metadata | None:
    """Metadata of the instance; null for anonymous callers."""
    return Metadata(**get_version(ctx)) if ctx.viewer is not None else None


@QUERY.field("echo(text: String!): String!")
def echo(ctx: ReadContext, text: str) -> str:
    """Return the text and the caller's username."""
    username = "nil" if ctx.viewer is None else f'"{ctx.viewer.username}"'
    return f"{username} says: {text}"
