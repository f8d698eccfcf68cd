"""Application settings: initial values and values derived from them."""

from fakeplat.core.timestamps import DAY, SECOND, parse_duration
from fakeplat.model.instance import Instance
from fakeplat.model.settings import Settings
from fakeplat.policy.context import ReadContext


def initial(instance: Instance) -> Settings:
    """Return the settings of a new instance; its throttle, if configured, applies to all requests."""
    if not instance.throttle:
        return Settings()
    requests, period = instance.throttle["requests"], parse_duration(instance.throttle["period"]) // SECOND
    return Settings(
        throttle_unauthenticated_enabled=True,
        throttle_unauthenticated_requests_per_period=requests,
        throttle_unauthenticated_period_in_seconds=period,
        throttle_authenticated_api_enabled=True,
        throttle_authenticated_api_requests_per_period=requests,
        throttle_authenticated_api_period_in_seconds=period,
    )


def deletion_period(ctx: ReadContext) -> int:
    """Return how long (ms) a record marked for deletion can be restored."""
    return ctx.world.settings.deletion_adjourned_period * DAY
