"""The router of all pages. Importing this module declares them."""

from typing import Final

from fakeplat.console import journal_pages, overview, record_pages, switches  # noqa: F401  # declare pages
from fakeplat.console.pages import ROUTES, PageRoute
from fakeplat.core.operations.router import Router

ROUTER: Final[Router[PageRoute]] = Router(ROUTES)
