"""Control routes: the console, which is a package of its own. Source: docs/console.md."""

from fakeplat.core.extras import explain_missing, is_installed
from fakeplat.core.operations.http_messages import Response
from fakeplat.http.control.declaration import ControlError, ControlRequest, control
from fakeplat.http.control.worlds import describe_worlds


@control("GET", "", is_page=True)
@control("GET", "at/*path", is_page=True)
@control("GET", "console/*path", is_page=True)
@control("POST", "console/*path", is_page=True)
async def show_console(call: ControlRequest) -> Response:
    """Show a page of the console, or follow one of its forms."""
    if not is_installed("console"):
        raise ControlError(501, explain_missing("console"))
    from fakeplat.console.dispatch import answer  # not needed until somebody looks
    from fakeplat.console.pages import ConsoleRequest

    return await answer(ConsoleRequest(call.bench, describe_worlds(call.server), call.request))
