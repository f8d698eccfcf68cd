"""Freeze periods: the times in which a project should not be deployed."""

from fakeplat.core.store.frozen import frozen


@frozen
class FreezePeriod:
    """A recurring period between the occurrences of two cron expressions, in a time zone."""

    id: int
    project_id: int
    freeze_start: str
    freeze_end: str
    created_at: str
    updated_at: str
    cron_timezone: str = "UTC"
