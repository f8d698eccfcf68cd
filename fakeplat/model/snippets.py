"""Snippets: a few files that somebody shares, alone or in a project."""

from fakeplat.core.store.frozen import frozen
from fakeplat.model.levels import Visibility


@frozen
class Snippet:
    """A snippet; ``project_id`` is None for a personal one.

    Its files are a small git repository with one branch; ``head`` is the commit that this stands at.
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
