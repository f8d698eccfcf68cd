"""Wikis of projects and groups, and what remains of their pages for events."""

from fakeplat.core.store.frozen import frozen
from fakeplat.model.repository import Refs


@frozen
class Wiki:
    """The git repository of a wiki, whose files are the pages. ``source`` is ("project" or "group", id)."""

    id: int
    source: tuple[str, int]
    refs: Refs
    head: str


@frozen
class WikiPageMeta:
    """The identity of a page of a project or group, to which events and comments refer. It outlives the page."""

    id: int
    project_id: int | None
    slug: str
    title: str
    group_id: int | None = None

    @property
    def source(self) -> tuple[str, int]:
        """The kind and the id of the project or group."""
        return ("project", self.project_id) if self.project_id is not None else ("group", self.group_id or 0)
