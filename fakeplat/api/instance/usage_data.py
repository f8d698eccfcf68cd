"""The usage data of the instance. Source: docs/platform/version-and-metadata.md."""

from typing import Annotated, Any, Final

from fakeplat.core.operations.errors import BadRequest, Forbidden
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.instance import features, usage_data
from fakeplat.domain.instance.feature_definitions import (
    USAGE_DATA_API,
    USAGE_DATA_NON_SQL_METRICS,
    USAGE_DATA_QUERIES,
)
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import TOKENS_TRACK_USAGE_EVENTS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Usage data", login=Login.WRITES, located_first=True)
reports: Final = Area("Usage data", login=Login.ALWAYS, located_first=True)
_YAML: Final = "application/yaml"
_TRACKED: Final = RawBody(b"200", JSON)
_MOST_EVENTS: Final = 50


def _check_tracking(ctx: ReadContext) -> None:
    """Refuse as the platform does where it takes events from its own pages only, which send a token of their own."""
    features.check_enabled(ctx.world, USAGE_DATA_API)
    if not ctx.profile.has(TOKENS_TRACK_USAGE_EVENTS):
        raise Forbidden("Invalid CSRF token is provided", reason="only the platform's own pages have such a token")


class TrackCounter(Params):
    """The name of an event that is counted."""

    event: str


@area.operation("POST", "usage_data/increment_counter", params=TrackCounter, status=200, refusals=(403, 404))
def create_usage_data_count(ctx: WriteContext, p: TrackCounter) -> RawBody:  # noqa: ARG001  # events leave no trace
    """Count an event."""
    _check_tracking(ctx)
    return _TRACKED


@area.operation("POST", "usage_data/increment_unique_users", params=TrackCounter, status=200, refusals=(403, 404))
def create_usage_data_unique_users(ctx: WriteContext, p: TrackCounter) -> RawBody:  # noqa: ARG001  # no trace either
    """Count the caller among the users of an event."""
    _check_tracking(ctx)
    return _TRACKED


class TrackEvent(Params):
    """An event, and what it is about."""

    event: str
    namespace_id: int | None = None
    project_id: int | None = None
    additional_properties: dict[str, Any] | None = None
    send_to_snowplow: bool | None = None


@area.operation("POST", "usage_data/track_event", params=TrackEvent, status=200, refusals=(403, 404), since="16.2")
def track_usage_event(ctx: WriteContext, p: TrackEvent) -> RawBody:  # noqa: ARG001  # events leave no trace
    """Report an event to the usage data."""
    _check_tracking(ctx)
    return _TRACKED


class TrackEvents(Params):
    """Up to 50 events."""

    events: list[TrackEvent]


@area.operation("POST", "usage_data/track_events", params=TrackEvents, status=200, refusals=(400, 404), since="17.3")
def track_usage_events(ctx: WriteContext, p: TrackEvents) -> RawBody:
    """Report several events to the usage data."""
    _check_tracking(ctx)
    if len(p.events) > _MOST_EVENTS:
        raise BadRequest(f"Maximum {_MOST_EVENTS} events allowed in one request.")
    return _TRACKED


class ListDefinitions(Params):
    """Whether definitions name their files, which the instance does not have."""

    include_paths: Annotated[bool, Lifetime(since="16.10")] = False


@area.operation("GET", "usage_data/metric_definitions", params=ListDefinitions, produces=_YAML, since="13.11")
def list_usage_data_metric_definitions(_ctx: ReadContext) -> RawBody:
    """Get the definitions of all metrics as YAML, without a login."""
    return RawBody(usage_data.write_definitions().encode(), _YAML)


@reports.operation("GET", "usage_data/queries", ability=Ability.READ_INSTANCE, refusals=(404,), since="13.11")
def list_usage_data_queries(ctx: ReadContext) -> dict[str, Any]:
    """Get the queries of the usage data, if the feature is on."""
    features.check_enabled(ctx.world, USAGE_DATA_QUERIES)
    return usage_data.build_queries(ctx)


@reports.operation("GET", "usage_data/non_sql_metrics", ability=Ability.READ_INSTANCE, refusals=(404,), since="13.11")
def list_usage_data_non_sql_metrics(ctx: ReadContext) -> dict[str, Any]:
    """Get the usage data that need no query, if the feature is on."""
    features.check_enabled(ctx.world, USAGE_DATA_NON_SQL_METRICS)
    return usage_data.build_non_sql_metrics(ctx)


service_ping: Final = Area("Usage data", login=Login.ALWAYS, located_first=True, scopes=("read_service_ping",))


@service_ping.operation("GET", "usage_data/service_ping", ability=Ability.READ_INSTANCE, since="16.9")
def get_usage_data_service_ping(ctx: ReadContext) -> dict[str, Any]:
    """Get the usage data; nothing where the settings turn them off."""
    return usage_data.build_payload(ctx) if ctx.world.settings.usage_ping_enabled else {}
