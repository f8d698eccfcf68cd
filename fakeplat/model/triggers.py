"""Triggers, whose tokens start pipelines."""

from fakeplat.core.store.frozen import frozen


@frozen
class Trigger:
    """A trigger of a project. The pipelines that its token starts are those of its owner."""

    id: int
    project_id: int
    owner_id: int
    token: str
    created_at: str
    updated_at: str
    description: str | None = None
    last_used: str | None = None
