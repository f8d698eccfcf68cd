"""Remote mirrors: repositories elsewhere to which a project would be pushed."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

UpdateStatus = Literal["none", "to_retry", "started", "finished", "failed"]


@frozen
class RemoteMirror:
    """A push mirror of a project. Nothing is ever sent to its URL, so its status changes only in scenarios."""

    id: int
    project_id: int
    url: str
    enabled: bool = False
    only_protected_branches: bool = False
    keep_divergent_refs: bool | None = None
    update_status: UpdateStatus = "none"
    last_update_at: str | None = None
    last_update_started_at: str | None = None
    last_successful_update_at: str | None = None
    last_error: str | None = None
