"""Merge trains: merge requests that wait for each other to be merged. Only scenarios have them."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

MergeTrainStatus = Literal["idle", "fresh", "stale", "merging", "merged", "skip_merged"]


@frozen
class MergeTrain:
    """A merge request on the train of its target branch. ``duration``: seconds from its creation to its merge."""

    id: int
    merge_request_id: int
    user_id: int
    created_at: str
    updated_at: str
    status: MergeTrainStatus = "idle"
    pipeline_id: int | None = None
    merged_at: str | None = None
    duration: int | None = None
