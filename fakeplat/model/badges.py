"""Badges of projects and groups."""

from fakeplat.core.store.frozen import frozen


@frozen
class Badge:
    """An image with a link; both URLs may contain placeholders. ``source`` is ("project" or "group", id)."""

    id: int
    source: tuple[str, int]
    link_url: str
    image_url: str
    created_at: str
    updated_at: str
    name: str | None = None
