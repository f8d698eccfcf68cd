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
    """The identity of a page of a project, to which events refer. It follows the page, and outlives it."""

    id: int
    project_id: int
    slug: str
    title: str
