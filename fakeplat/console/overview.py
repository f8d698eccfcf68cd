"""The first page, and the files that all pages load."""

from pathlib import Path
from typing import Final

from fakeplat.console.journal_pages import position
from fakeplat.console.kinds import LISTS
from fakeplat.console.pages import TOOLS, ConsoleRequest, PageError, page
from fakeplat.console.rendering import render
from fakeplat.core.operations.http_messages import Response
from fakeplat.workbench.tokens import list_users_with_tokens

_STATIC: Final = Path(__file__).parent / "static"
_TYPES: Final = {"console.css": "text/css; charset=utf-8", "console.js": "text/javascript; charset=utf-8"}
_RECENT: Final = 10
_MAX_USERS: Final = 20


@page("GET", "/_fakeplat")
def show_overview(call: ConsoleRequest) -> Response:
    """Show the worlds of the server, what this world has, its last requests, and users to sign in with."""
    journal, bench = call.bench.journal, call.bench
    counts = [(row.title, f"{TOOLS}{path}", len(row.records(call.view.world))) for path, row in LISTS.items()]
    faults = bench.interceptors.faults.list() if bench.platform.middleware is not None else []
    return render(
        call,
        "overview.html",
        worlds=call.worlds,
        counts=counts,
        entries=[journal[-at] for at in range(1, min(len(journal), _RECENT) + 1)],
        total=len(journal),
        events=f"{TOOLS}events?after={position(call)}",
        faults=faults,
        snapshots=len(bench.snapshots),
        seed=bench.seed,
        users=list_users_with_tokens(bench.platform)[:_MAX_USERS],
        instance=call.view.world.instance,
        origin=call.request.origin,
    )


@page("GET", "/_fakeplat/console/static/:name")
def send_file(call: ConsoleRequest, name: str) -> Response:
    """Send the style sheet or the script."""
    if name not in _TYPES:
        raise PageError(404, f"the console has no page {call.request.path}")
    headers = (("Content-Type", _TYPES[name]), ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff"))
    return Response(200, headers, (_STATIC / name).read_bytes())
