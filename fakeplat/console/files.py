"""Files that the platform serves at its web addresses, for pages with links to them: raw files, uploads, archives.

The functions that serve them to the platform's users are called as an administrator. A browser must not take a file for
a part of the console, so it is sent with a policy under which it can neither run nor load anything.
"""

from typing import Final

from attrs import evolve

from fakeplat.api.pages import area
from fakeplat.console.pages import RECORDS, ConsoleRequest
from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import RawBody, Response
from fakeplat.core.operations.invocation import invocation_of
from fakeplat.core.params.body import merge_params, parse_query
from fakeplat.core.params.params import binder_of
from fakeplat.pipeline.routing import route

_POLICY: Final = (
    ("Content-Security-Policy", "default-src 'none'; sandbox"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
)
_REPLACED: Final = frozenset(name.lower() for name, _ in _POLICY)


def find_file(call: ConsoleRequest) -> Response | None:
    """Return the file that the platform serves at an address; None if a page is there, or nothing."""
    try:
        served = _ask_platform(call)
    except Refusal:
        return None
    if not isinstance(served, RawBody) or served.status != 200 or served.content_type.startswith("text/html"):
        return None
    headers = [(name, value) for name, value in served.headers if name.lower() not in _REPLACED]
    return Response(200, (("Content-Type", served.content_type), *headers, *_POLICY), served.body)


def _ask_platform(call: ConsoleRequest) -> object:
    """Return what the platform's page at an address answers; None for addresses that are no pages."""
    request = evolve(call.request, path=call.request.path.removeprefix(RECORDS))
    operation, texts = route(request, call.view.world)
    if operation.area is not area:
        return None
    invocation = invocation_of(operation)
    _, values = invocation.path_values(texts)
    params = merge_params(parse_query(request.query) if request.query else {}, {}, texts)
    return invocation.call(operation, call.view.context, [], values, binder_of(operation.params).bind(params))
