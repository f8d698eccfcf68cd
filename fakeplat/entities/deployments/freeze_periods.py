"""Views of freeze periods."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.freeze_periods import FreezePeriod


class FreezePeriodView(Entity[FreezePeriod]):
    """A freeze period."""

    id = attr()
    freeze_start = attr()
    freeze_end = attr()
    cron_timezone = attr()
    created_at = attr()
    updated_at = attr()
