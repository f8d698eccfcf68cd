"""Counts of fetches per day."""

from fakeplat.core.store.frozen import frozen


@frozen
class ProjectFetches:
    """How often a project's repository was fetched over HTTP on a day."""

    id: int
    project_id: int
    date: str
    count: int
