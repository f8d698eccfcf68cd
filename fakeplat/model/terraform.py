"""States of Terraform that projects keep, with their versions and locks."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

StateWriter = Literal["developer", "maintainer", "owner", "admin"]
"""The lowest role that may write a protected state."""
StateSource = Literal["anywhere", "ci_only", "ci_on_protected_branch_only"]
"""From where a protected state may be written."""


@frozen
class TerraformState:
    """A named state of a project. ``lock_id`` is what the client that holds the lock calls it."""

    id: int
    project_id: int
    name: str
    created_at: str
    updated_at: str
    lock_id: str | None = None
    locked_by_id: int | None = None
    locked_at: str | None = None


@frozen
class TerraformStateVersion:
    """A version of a state: the file as it was sent. ``serial`` is the number that the client counts up."""

    id: int
    state_id: int
    serial: int
    content: bytes
    created_at: str
    updated_at: str
    creator_id: int | None = None
    job_id: int | None = None


@frozen
class TerraformStateProtectionRule:
    """Who may write a state of a project, which need not exist, and from where."""

    id: int
    project_id: int
    state_name: str
    minimum_access_level_for_write: StateWriter
    created_at: str
    updated_at: str
    allowed_from: StateSource = "anywhere"
