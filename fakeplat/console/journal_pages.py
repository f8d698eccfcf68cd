"""Pages of the journal: the requests of a world with the reasons of refusals, as they arrive."""

import asyncio
import re
from collections.abc import AsyncGenerator, Hashable
from contextlib import aclosing, suppress
from typing import Final, cast
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from fakeplat.console.masking import mask_body, mask_headers
from fakeplat.console.pages import TOOLS, ConsoleRequest, PageError, page
from fakeplat.console.rendering import render, render_part
from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.core.operations.http_messages import Response, StreamingResponse
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.workbench.criteria import Criteria, RequestFilter
from fakeplat.workbench.journal import Journal
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.operation_names import NoSuchOperation

MAX_ROWS: Final = 200
# In seconds. After this time without requests something is sent nonetheless, so that a lost connection is noticed.
_MAX_SILENCE: Final = 15.0
_RECONNECT_MS: Final = 100
_MAX_FORMATTED: Final = 16
_EVENTS: Final = (("Content-Type", "text/event-stream; charset=utf-8"), ("Cache-Control", "no-store"))


@page("GET", "/_fakeplat/console/requests")
def show_requests(call: ConsoleRequest) -> Response:
    """Show the last requests, newest first, optionally filtered."""
    filters = _parse_filters(call)
    criteria = _parse_criteria(filters)
    entries = [entry for entry in call.bench.journal if not criteria.misses(entry)]
    return render(
        call,
        "requests.html",
        filters=filters,
        entries=entries[::-1][:MAX_ROWS],
        total=len(entries),
        events=f"{TOOLS}events?{urlencode({'after': position(call), **filters})}",
        dropped=call.bench.journal.dropped,
    )


def _parse_filters(call: ConsoleRequest) -> dict[str, str]:
    return {name: call.query[name] for name in sorted(RequestFilter.__optional_keys__) if call.query.get(name)}


def _parse_criteria(filters: dict[str, str]) -> Criteria:
    try:
        return Criteria.from_filters(cast(RequestFilter, filters))
    except (InvalidOption, NoSuchOperation) as error:
        raise PageError(400, str(error)) from None


def position(call: ConsoleRequest) -> int:
    """Return how many requests the journal has recorded, also those that it dropped since."""
    return call.bench.journal.dropped + len(call.bench.journal)


@page("GET", "/_fakeplat/console/requests/:number")
def show_request(call: ConsoleRequest, number: str) -> Response:
    """Show a request with its headers and bodies, as far as the journal stores them; secrets are stars."""
    numbers = [entry.number for entry in call.bench.journal]
    if (wanted := parse_number(number)) not in numbers:
        raise PageError(404, f"the journal has no request {number}; it stores the last {len(numbers)}")
    # A number may appear twice after a snapshot was restored; the later one is the one that lists lead to.
    at = len(numbers) - 1 - numbers[::-1].index(wanted)
    entry, handled = call.bench.journal[at], call.bench.journal.entries[at]
    request, response = handled.request, handled.response
    content_type = dict(response.headers).get("Content-Type", "")
    return render(
        call,
        "request.html",
        entry=entry,
        request_headers=mask_headers(request.headers),
        request_body=mask_body(request.body, request.headers.get("content-type", "")),
        response_headers=mask_headers(response.headers),
        response_body=mask_body(response.body, content_type),
    )


@page("GET", "/_fakeplat/console/events")
async def send_events(call: ConsoleRequest) -> Response:
    """Send the requests after a position in the journal as server-sent events, as they arrive.

    Who does not accept a stream gets those so far, or the next one.
    """
    after, criteria = _parse_after(call), _parse_criteria(_parse_filters(call))
    if "text/event-stream" in call.request.headers.get("accept", ""):
        return StreamingResponse(200, _EVENTS, chunks=_iterate_events(call, after, criteria))
    if after != position(call):
        return Response(200, _EVENTS, _format_events(call, criteria, after, position(call)))
    async with aclosing(_iterate_events(call, after, criteria)) as events:
        return Response(200, _EVENTS, await anext(events))


async def _iterate_events(call: ConsoleRequest, after: int, criteria: Criteria) -> AsyncGenerator[bytes, None]:
    """Yield events whenever there are requests after the last ones, and the position after some silence."""
    event, loop = asyncio.Event(), asyncio.get_running_loop()
    with call.bench.journal.listening(lambda: _wake(loop, event)):
        while True:
            is_silent = after == position(call) and not await _wait(event)
            event.clear()
            last = position(call)
            # A request that was sent with the last events may have set the event afterwards.
            if is_silent or after != last:
                yield _format_events(call, criteria, after, last)
            after = last


async def _wait(event: asyncio.Event) -> bool:
    """Wait for an event, but not for ever; return whether it happened."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_MAX_SILENCE):
            return await event.wait()
    return False


def _wake(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    # The request is not the place to report that the stream's loop was closed without notice.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(event.set)


_formatted: Final["WeakKeyDictionary[Journal, BoundedCache[Hashable, bytes]]"] = WeakKeyDictionary()


def _format_events(call: ConsoleRequest, criteria: Criteria, after: int, last: int) -> bytes:
    """Return the events between two positions, which are rendered once for all readers that have read the same."""
    journal = call.bench.journal
    cache = _formatted.setdefault(journal, BoundedCache(_MAX_FORMATTED))
    key = (criteria, after, last, journal.times_cleared)
    if (events := cache.get(key)) is None:
        cache.put(key, events := _render_events(journal, criteria, after, last))
    return events


def _render_events(journal: Journal, criteria: Criteria, after: int, last: int) -> bytes:
    """Render an event for each request between two positions, and one that moves the browser past those left out."""
    # Fewer requests than before: the journal was cleared, and all of them are new.
    first = max(after - journal.dropped, 0) if after <= last else 0
    entries = [entry for entry in journal.part(first, last - journal.dropped) if not criteria.misses(entry)]
    rows = [_format_event(render_part("request_row.html", entry=entry)) for entry in entries[-MAX_ROWS:]]
    moved = f"id: {last}\nevent: position\ndata: {last}\n\n"
    return f"retry: {_RECONNECT_MS}\n\n{''.join(rows)}{moved}".encode("utf-8", "replace")


def _parse_after(call: ConsoleRequest) -> int:
    text = call.request.headers.get("last-event-id") or call.query.get("after", "0")
    number = parse_number(text)
    if number is None:
        raise PageError(400, f"after: {text!r} is not a number")
    return number


def _format_event(text: str) -> str:
    # Only these end a line of an event; the text of a request may contain other separators.
    data = "\n".join(f"data: {line}" for line in re.split(r"\r\n|\r|\n", text))
    return f"event: request\n{data}\n\n"
