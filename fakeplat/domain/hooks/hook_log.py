"""The platform's log of a webhook: the requests of the last days, with their answers.

Source: docs/platform/webhooks.md ('1.8 Log of a webhook').
"""

import re
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import RecordNotFound, Unprocessable
from fakeplat.core.timestamps import DAY, from_iso
from fakeplat.domain.hooks import webhooks
from fakeplat.domain.outbound_urls import mask_credentials
from fakeplat.model.hooks import Hook
from fakeplat.model.outgoing import LoggedRequest
from fakeplat.policy.context import ReadContext, WriteContext

INTERNAL_ERROR: Final = "internal error"
"""The status of a request that got no complete answer."""
REDACTED: Final = "[REDACTED]"
MAX_DAYS: Final = 7
_MAX_BODY: Final = 8 * 1024
_MAX_HEADERS: Final = 50
_MAX_HEADER: Final = 1024
_CATEGORIES: Final = {"2": "successful", "4": "client_failure", "5": "server_failure"}
CATEGORIES: Final = tuple(_CATEGORIES.values())
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_EMAIL: Final = re.compile(rf"[\w.!#$%&'*+/=?^`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})*", re.ASCII)


def list_requests(
    ctx: ReadContext, hook: Hook, statuses: Collection[str] | None = None, times: tuple[int, int] | None = None
) -> Sequence[LoggedRequest]:
    """Return the requests to a webhook between two times (ms), or since the first recent one, the latest first."""
    ctx.expire_at_once()  # The log is no table, so nothing tells that it has grown.
    start, end = times or (first_recent_time(ctx), ctx.now())
    rows = [row for row in ctx.services.outgoing_log(("hook", hook.id)) if start <= from_iso(row.time) <= end]
    return [row for row in reversed(rows) if statuses is None or _has_status(row, statuses)]


def first_recent_time(ctx: ReadContext) -> int:
    """Return the beginning of the day seven days ago (ms), before which nobody reads the log."""
    return (ctx.now() // DAY - MAX_DAYS) * DAY


def url_of(row: LoggedRequest) -> str:
    """Return the URL as the platform logs it: without credentials, variables by their names."""
    return mask_credentials(row.request.logged_url)


def request_headers(row: LoggedRequest) -> dict[str, str]:
    """Return the headers of a request, secret ones redacted."""
    shown = webhooks.SHOWN_HEADERS
    return {name: value if name in shown else REDACTED for name, value in row.request.headers.items()}


def response_headers(row: LoggedRequest) -> dict[str, str]:
    """Return the first headers of the answer, cut as the platform logs them."""
    return {name: _cut(value, _MAX_HEADER) for name, value in islice(row.response_headers.items(), _MAX_HEADERS)}


def response_body(row: LoggedRequest) -> str:
    """Return the beginning of the answer's body."""
    return _cut(row.response_body, _MAX_BODY)


def _cut(text: str, size: int) -> str:
    """Return a text of at most so many bytes; one that is longer ends with an ellipsis."""
    data = text.encode()
    return text if len(data) <= size else data[: size - 3].decode(errors="ignore") + "..."


def status_of(row: LoggedRequest) -> str:
    """Return the status as the platform logs it."""
    return INTERNAL_ERROR if row.status is None else str(row.status)


def _has_status(row: LoggedRequest, statuses: Collection[str]) -> bool:
    category = "server_failure" if row.status is None else _CATEGORIES.get(status_of(row)[0])
    return status_of(row) in statuses or category in statuses


def build_data(row: LoggedRequest) -> dict[str, Any]:
    """Return the payload of a request as the platform logs it: without addresses of e-mail."""
    data: dict[str, Any] = _redact(orjson.loads(row.request.body))
    return data


def _redact(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _redact(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_redact(each) for each in value]
    return REDACTED if isinstance(value, str) and _EMAIL.fullmatch(value) else value


def resend(ctx: WriteContext, hook: Hook, id_: int) -> None:
    """Send a logged request again. 404 without it, 422 if the webhook has another URL now."""
    row = next((row for row in ctx.services.outgoing_log(("hook", hook.id)) if row.id == id_), None)
    if row is None:
        raise RecordNotFound(reason=f"no request {id_} of the webhook {hook.id} is logged")
    if row.request.url != webhooks.fill_in_variables(hook):
        raise Unprocessable("The hook URL has changed, and this log entry cannot be retried")
    if ctx.world.settings.silent_mode_enabled:
        raise Unprocessable("Silent mode enabled")
    webhooks.send_again(ctx, hook, row.request, build_data(row))
