"""Iterations of groups."""

from fakeplat.core.store.frozen import frozen


@frozen
class Iteration:
    """An iteration. Whether it is upcoming, started or closed follows from its dates."""

    id: int
    iid: int
    group_id: int
    title: str
    start_date: str
    due_date: str
    created_at: str
    updated_at: str
    description: str | None = None
