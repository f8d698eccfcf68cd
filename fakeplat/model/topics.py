"""Topics: what is known of the names in the tag lists of projects."""

from fakeplat.core.store.frozen import frozen


@frozen
class Topic:
    """A topic. Projects have it by its name; ``avatar`` is a file."""

    id: int
    name: str
    title: str
    description: str | None = None
    avatar: int | None = None
