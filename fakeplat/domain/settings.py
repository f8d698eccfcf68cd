"""Application settings: what they are when an instance begins. Source: contract, 'Instance'."""

from fakeplat.core.stamps import SECOND, span
from fakeplat.model.instance import Instance
from fakeplat.model.settings import Settings


def initial(instance: Instance) -> Settings:
    """The settings of a new instance; its throttle, if it has one, is on for everybody."""
    if not instance.throttle:
        return Settings()
    requests, period = instance.throttle["requests"], span(instance.throttle["period"]) // SECOND
    return Settings(
        throttle_unauthenticated_enabled=True,
        throttle_unauthenticated_requests_per_period=requests,
        throttle_unauthenticated_period_in_seconds=period,
        throttle_authenticated_api_enabled=True,
        throttle_authenticated_api_requests_per_period=requests,
        throttle_authenticated_api_period_in_seconds=period,
    )
