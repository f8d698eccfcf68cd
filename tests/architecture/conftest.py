from pathlib import Path

import pytest

HERE = Path(__file__).parent


# First, so that xdist sees the marker.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # One worker parses all sources, not each.
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group("architecture"))
