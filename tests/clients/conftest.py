from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.clients.environments import Client
from tests.clients.programs import used
from tests.clients.reports import Report
from tests.clients.server import serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a running server; the suites create their worlds."""
    with serving(tmp_path_factory.mktemp("server")) as ready:
        yield ready["url"]


@pytest.fixture(scope="session")
def report_of(server: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Client], Report]:
    """Return a function that runs a client's suite, once per session."""
    folder: Path = tmp_path_factory.mktemp("reports")
    reports: dict[Client, Report] = {}

    def report_of(client: Client) -> Report:
        used.add(str(client))
        if client not in reports:
            file = folder / f"{client.folder.name}.xml"
            reports[client] = Report.read(client.run(server, file), file)
        return reports[client]

    return report_of
