"""Snippets, personal or of a project."""

from fakeplat.core.store.frozen import frozen
from fakeplat.model.people import Visibility


@frozen
class Snippet:
    """A snippet; ``project_id`` is None for a personal one.

    Its files are in a small git repository with one branch; ``head`` is the commit of that branch.
    """

    id: int
    title: str
    author_id: int
    visibility: Visibility
    head: str
    created_at: str
    updated_at: str
    description: str | None = None
    project_id: int | None = None
