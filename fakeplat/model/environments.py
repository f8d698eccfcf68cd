"""Deployment environments of projects."""

from typing import Literal

from fakeplat.core.store.frozen import frozen


@frozen
class Environment:
    """An environment of a project; names are case-sensitive."""

    id: int
    project_id: int
    name: str
    created_at: str
    updated_at: str
    state: Literal["available", "stopped"] = "available"
    external_url: str | None = None
