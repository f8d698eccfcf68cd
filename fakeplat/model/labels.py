"""Labels and milestones of projects and groups. ``source`` is ("project" or "group", id)."""

from fakeplat.core.store.frozen import frozen


@frozen
class Label:
    """A label. Colors have the form ``#RRGGBB``."""

    id: int
    source: tuple[str, int]
    title: str
    color: str
    created_at: str
    updated_at: str
    description: str | None = None


@frozen
class LabelPriority:
    """The priority of a label in a project; 0 is the highest."""

    id: int
    project_id: int
    label_id: int
    priority: int


@frozen
class Milestone:
    """A milestone. ``state``: active or closed."""

    id: int
    iid: int
    source: tuple[str, int]
    title: str
    created_at: str
    updated_at: str
    description: str | None = None
    state: str = "active"
    due_date: str | None = None
    start_date: str | None = None
