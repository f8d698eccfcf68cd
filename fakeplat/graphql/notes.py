"""What is said of things. Source: facts on alerts."""

from fakeplat.graphql.declaring import Type
from fakeplat.model.notes import Note
from fakeplat.model.users import User
from fakeplat.policy.context import Context

NOTE = Type("Note", "A note: of a person, or of the platform.", gid="Note")
NOTE.attributes(
    {
        "body: String!": "What it says.",
        "system: Boolean!": "Whether the platform wrote it.",
        "createdAt: Time!": "When it was written.",
        "updatedAt: Time!": "When it was last changed.",
    }
)


@NOTE.field("author: User!")
def author(cx: Context, note: Note) -> User:
    """Who wrote it, or did what it tells."""
    return cx.world.users[note.author_id]
