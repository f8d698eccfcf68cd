"""The console in Chromium, driven by playwright-core and checked by axe-core.

Screenshots of all pages, in light, dark and on a phone, are kept in `.cache/console/`.
"""

from collections.abc import Callable

import pytest

from tests.clients.environments import Client, NodeClient
from tests.clients.reports import PASSED, Report

pytestmark = pytest.mark.clients

BROWSER = NodeClient("playwright-core", "1.65.1", ("console_suite.mjs",), plugins=("axe-core@4.14.1",), is_browser=True)


@pytest.mark.xdist_group("console")
@pytest.mark.parametrize("fact", BROWSER.facts())
def test_in_a_browser(report_of: Callable[[Client], Report], fact: str) -> None:
    """Each fact about the console's pages holds in Chromium."""
    assert PASSED == report_of(BROWSER).outcome(fact)
