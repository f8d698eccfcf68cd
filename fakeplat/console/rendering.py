"""Rendering of pages from templates. Everything that a template inserts is escaped."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fakeplat.console.cells import page_url, status_tone, tone
from fakeplat.console.kinds import LISTS
from fakeplat.console.pages import HOME, TOOLS, ConsoleRequest, html
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.timestamps import to_iso

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_TEMPLATES: Final = Path(__file__).parent / "templates"
_STYLE_SHEET: Final = Path(__file__).parent / "static/console.css"
_SWITCHES: Final = {"clock": "Clock", "faults": "Faults", "snapshots": "Snapshots", "changes": "Changes"}
_MENU: Final = (
    ("World", (("Overview", HOME), ("Requests", f"{TOOLS}requests"), ("Operations", f"{TOOLS}operations"))),
    ("Records", tuple((row.title, f"{TOOLS}{path}") for path, row in LISTS.items())),
    ("Switches", tuple((title, f"{TOOLS}{path}") for path, title in _SWITCHES.items())),
)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(tone=tone, status_tone=status_tone, page_url=page_url, moment=_moment)
    environment.globals.update(home=HOME, tools=TOOLS, menu=_MENU)
    return environment


def _moment(time: str) -> str:
    """Return a time (ISO 8601) to the second, for people."""
    return f"{time[:10]} {time[11:19]}" if len(time) > 18 else time


def render(call: ConsoleRequest, template: str, status: int = 200, **values: object) -> Response:
    """Return the page that a template gives."""
    clock = call.bench.platform.clock
    frame = {
        "path": call.request.path,
        "scenario": call.bench.scenario,
        "now": to_iso(clock.now()),
        "clock_kind": clock.kind,
    }
    return html(_environment().get_template(template).render(frame | values), status)


def read_style_sheet() -> "Markup":
    """Return the style sheet of all pages, for one that stands alone."""
    from markupsafe import Markup

    return Markup(_STYLE_SHEET.read_text("utf-8"))  # noqa: S704  # our own file


def render_part(template: str, **values: object) -> str:
    """Return a part of a page."""
    return _environment().get_template(template).render(values)
