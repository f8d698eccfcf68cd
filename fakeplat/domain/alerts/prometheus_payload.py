"""Messages of Prometheus' alert manager: several alerts, each of which fires or is resolved.

Source: docs/platform/alerts.md ('Prometheus').
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.alerts import alert_payload
from fakeplat.domain.alerts.alert_payload import ENVIRONMENT, Payload
from fakeplat.model.alerts import NewAlert, Severity
from fakeplat.policy.behaviours import PROMETHEUS_ALERTS_HAVE_SEVERITIES

_KEYS: Final = frozenset(
    "version groupKey status receiver groupLabels commonLabels commonAnnotations externalURL alerts".split()
)
_TITLES: Final = (("annotations", "title"), ("annotations", "summary"), ("labels", "alertname"))
_TOOL: Final = "Prometheus"
_WORDS: Final[Mapping[Severity, str]] = {
    "critical": "critical s1 p1 emergency fatal",
    "high": "high s2 p2 major page",
    "medium": "medium s3 p3 error alert",
    "low": "low s4 p4 warn warning minor",
    "info": "info s5 p5 debug information notice",
    "unknown": "unknown",
}
_SEVERITIES: Final[Mapping[str, Severity]] = {
    word: severity for severity, words in _WORDS.items() for word in words.split()
}


@frozen
class PrometheusAlert:
    """An alert in a message: the fields of a record, and whether it fires or was resolved at a time."""

    fields: NewAlert
    fingerprint: str
    environment_name: str | None
    is_resolved: bool
    ended_at: str | None


def is_message(payload: Payload) -> bool:
    """Return whether a payload is a message of Prometheus' alert manager."""
    # A version that is the number 4 is not the alert manager's, which sends a text.
    return payload.get("version") == "4" and payload.keys() >= _KEYS


def list_alerts(profile: Profile, message: Payload) -> Iterator[PrometheusAlert]:
    """Yield the alerts in a message; those without a title or a start are left out. 400 if it has no list of them."""
    if not isinstance(message["alerts"], list):
        raise BadRequest(reason="the alerts of the message are no array")
    for alert in message["alerts"]:
        title = _title_of(alert) if isinstance(alert, dict) else ""
        if title.strip() and alert.get("startsAt") is not None:
            yield _read_alert(profile, alert, title)


def _read_alert(profile: Profile, alert: Payload, title: str) -> PrometheusAlert:
    fields: NewAlert = {
        "title": alert_payload.fit_text("title", title),
        "monitoring_tool": _TOOL,
        "payload": alert,
    }
    description = _dig(alert, "annotations", "description")
    if description is not None:
        fields["description"] = alert_payload.fit_text("description", description)
    started_at = alert_payload.parse_time(alert["startsAt"])
    if started_at is not None:
        fields["started_at"] = started_at
    severity = _SEVERITIES.get(str(_dig(alert, "labels", "severity")).lower())
    if severity is not None and profile.has(PROMETHEUS_ALERTS_HAVE_SEVERITIES):
        fields["severity"] = severity
    return PrometheusAlert(
        fields,
        alert_payload.hash_text(f"{alert_payload.as_text(alert['startsAt'])}/{title}/{_query_of(alert)}"),
        _find_environment(alert),
        alert.get("status") == "resolved",
        alert_payload.parse_time(alert.get("endsAt")),
    )


def _title_of(alert: Payload) -> str:
    """Return the first of the possible titles; empty without one."""
    titles = (_dig(alert, *path) for path in _TITLES)
    return next((alert_payload.as_text(title) for title in titles if title is not None), "")


def _query_of(alert: Payload) -> str:
    """Return the expression in the address of the graph; empty without one."""
    try:
        query = urlsplit(str(alert.get("generatorURL"))).query
    except ValueError:
        return ""
    return parse_qs(query, keep_blank_values=True).get("g0.expr", [""])[0]


def _find_environment(alert: Payload) -> str | None:
    # The platform's label contains the vendor's name, so it has a neutral twin here (docs/platform/vendor-names.md).
    names = (_dig(alert, "labels", name) for name in (ENVIRONMENT, str(twin_of(ENVIRONMENT))))
    return next((name for name in names if isinstance(name, str)), None)


def _dig(alert: Payload, part: str, name: str) -> Any:
    values = alert.get(part)
    return values.get(name) if isinstance(values, dict) else None
