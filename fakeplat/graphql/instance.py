"""What the instance says of itself."""

from fakeplat.api.version import get_version
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.policy.context import ReadContext


@frozen
class Metadata:
    """Release and revision."""

    version: str
    revision: str


METADATA = Type("Metadata", "The instance's release.")
METADATA.attributes({"version: String!": "The release.", "revision: String!": "The revision that it was made from."})


@QUERY.field("metadata: Metadata")
def metadata(ctx: ReadContext) -> Metadata | None:
    """The instance's release, for who is signed in."""
    return Metadata(**get_version(ctx)) if ctx.viewer is not None else None


@QUERY.field("echo(text: String!): String!")
def echo(ctx: ReadContext, text: str) -> str:
    """Say again what was said, and by whom."""
    who = "nil" if ctx.viewer is None else f'"{ctx.viewer.username}"'
    return f"{who} says: {text}"
