"""The platform's log of a webhook: the requests of the last days, with their answers.

Source: docs/platform/webhooks.md ('1.8 Log of a webhook').
"""

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

import orjson

from fakeplat.core.operations.errors import RecordNotFound, Unprocessable
from fakeplat.core.timestamps import DAY, from_iso
from fakeplat.domain.hooks import webhooks
from fakeplat.model.hooks import Hook
from fakeplat.model.outgoing import LoggedRequest
from fakeplat.policy.context import ReadContext, WriteContext

INTERNAL_ERROR: Final = "internal error"
"""The status of a request that got no complete answer."""
REDACTED: Final = "[REDACTED]"
_DAYS: Final = 7
_CATEGORIES: Final = {"2": "successful", "4": "client_failure", "5": "server_failure"}
CATEGORIES: Final = tuple(_CATEGORIES.values())
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_EMAIL: Final = re.compile(rf"[\w.!#$%&'*+/=?^`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})*", re.ASCII)


def list_requests(ctx: ReadContext, hook: Hook, statuses: Collection[str] | None) -> Sequence[LoggedRequest]:
    """Return the requests to a webhook since the beginning of the day seven days ago, the latest first."""
    ctx.expire_at_once()  # The log is no table, so nothing tells that it has grown.
    start = (ctx.now() // DAY - _DAYS) * DAY
    rows = [row for row in ctx.services.outgoing_log(("hook", hook.id)) if from_iso(row.time) >= start]
    return [row for row in reversed(rows) if statuses is None or _has_status(row, statuses)]


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
