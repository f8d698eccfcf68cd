"""What the instance says of itself."""

from fakeplat.api.version import get_version
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.declaring import QUERY, Type
from fakeplat.policy.context import Context


@frozen
class Metadata:
    """Release and revision."""

    version: str
    revision: str


METADATA = Type("Metadata", "The instance's release.")
METADATA.attributes({"version: String!": "The release.", "revision: String!": "The revision that it was made from."})


@QUERY.field("metadata: Metadata")
def metadata(cx: Context) -> Metadata | None:
    """The instance's release, for who is signed in."""
    return Metadata(**get_version(cx)) if cx.user is not None else None


@QUERY.field("echo(text: String!): String!")
def echo(cx: Context, text: str) -> str:
    """Say again what was said, and by whom."""
    who = "nil" if cx.user is None else f'"{cx.user.username}"'
    return f"{who} says: {text}"
