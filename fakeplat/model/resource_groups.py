"""Resource groups: jobs of a project that share one run one after the other."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

ProcessMode = Literal["unordered", "oldest_first", "newest_first"]


@frozen
class ResourceGroup:
    """A resource group. ``process_mode`` is the order in which waiting jobs get the resource."""

    id: int
    project_id: int
    key: str
    created_at: str
    updated_at: str
    process_mode: ProcessMode = "unordered"
