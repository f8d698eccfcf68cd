"""The operations of public clients, sent by gql and by graphql-request to the latest release."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gql import Client, gql
from gql.transport.requests import RequestsHTTPTransport

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import SUITES, NodeClient
from tests.clients.programs import get_program
from tests.graphql.client_operations import list_operations, write_operation
from tests.graphql.client_world import SCENARIO, find_values

pytestmark = pytest.mark.clients
GRAPHQL_REQUEST = NodeClient("graphql-request", "7.4.0", (), plugins=("graphql@16.15.0",))
SCRIPT = "graphql_request_operations.mjs"


@pytest.fixture
def rich(fakeplat_factory: Callable[..., Fakeplat]) -> Fakeplat:
    """A world of the latest release with what the operations name."""
    return fakeplat_factory(version="latest", tier="ultimate", scenario=SCENARIO)


def list_texts(fake: Fakeplat) -> list[str]:
    """Return the operations that the latest release serves, with values of this world."""
    values = find_values(fake)
    return [write_operation(each, values) for each in list_operations() if not each.list_missing()]


def test_gql_sends_the_operations_of_clients(rich: Fakeplat) -> None:
    """Each operation fits the schema that gql fetched, and is answered without errors."""
    headers = {"Authorization": f"Bearer {rich.token('root')}"}
    transport = RequestsHTTPTransport(f"{rich.url}/api/graphql", headers=headers)
    with Client(transport=transport, fetch_schema_from_transport=True) as session:
        answers = [session.execute(gql(text)) for text in list_texts(rich)]

    assert 200 < len(answers)


def test_graphql_request_sends_the_operations_of_clients(rich: Fakeplat, tmp_path: Path) -> None:
    """Each operation that graphql-request sends is answered without errors."""
    GRAPHQL_REQUEST.make()
    shutil.copy(SUITES / SCRIPT, GRAPHQL_REQUEST.folder)
    texts = list_texts(rich)
    sent = tmp_path / "operations.json"
    sent.write_text(json.dumps({"url": rich.url, "token": rich.token("root"), "operations": texts}), "utf-8")
    result = subprocess.run(
        [get_program("node"), SCRIPT, sent],
        cwd=GRAPHQL_REQUEST.folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert 0 == result.returncode, result.stderr
    assert {"sent": len(texts), "failed": []} == json.loads(result.stdout)
