"""The operations that public clients send, against the latest release."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.architecture.sources import ROOT
from tests.graphql.client_operations import ClientOperation, list_operations, list_shares, write_operation
from tests.graphql.client_world import SCENARIO, find_values
from tests.graphql.queries import post_query

SERVED = [operation for operation in list_operations() if not operation.list_missing()]
QUERIES = [operation for operation in SERVED if operation.kind == "query"]
MUTATIONS = [operation for operation in SERVED if operation.kind == "mutation"]
NOT_BUILT = (*("ulnerabilit", "SecurityReport"),)
"""What the operations that are not served ask for."""


@pytest.fixture(scope="module")
def rich(fakeplat_factory: Any) -> Fakeplat:
    """A world of the latest release with records of each kind that the operations name."""
    world: Fakeplat = fakeplat_factory(version="latest", tier="ultimate", scenario=SCENARIO)
    return world


@pytest.mark.parametrize("operation", QUERIES, ids=[f"{n}-{each.id}" for n, each in enumerate(QUERIES)])
def test_a_query_of_a_client_is_answered(rich: Fakeplat, operation: ClientOperation) -> None:
    """Each query with the types, fields and arguments that a client uses is answered without errors."""
    query = write_operation(operation, find_values(rich))
    content = post_query(rich, "root", query)

    assert ["data"] == [*content], (content["errors"][:2], query)


@pytest.mark.parametrize("operation", MUTATIONS, ids=[f"{n}-{each.id}" for n, each in enumerate(MUTATIONS)])
def test_a_mutation_of_a_client_is_understood(rich: Fakeplat, operation: ClientOperation) -> None:
    """Each mutation with the fields and inputs that a client uses is valid; it is skipped, so nothing is done."""
    query = write_operation(operation, find_values(rich))

    assert {"data": {}} == post_query(rich, "root", query), query


def test_most_operations_are_served() -> None:
    """Nineteen of twenty operations are served; of each of the others, a type or field is named here."""
    lacking = [operation for operation in list_operations() if operation.list_missing()]

    assert 0.95 * len(list_operations()) < len(SERVED)
    assert [] == [each.id for each in lacking if not any(word in str(each.list_missing()) for word in NOT_BUILT)]


def test_the_page_shows_the_share_of_each_client() -> None:
    """The page on GraphQL tells how many operations of each client are served."""
    page = (ROOT / "docs/clients/graphql.md").read_text("utf-8")
    shares = list_shares()
    totals = [sum(counts) for counts in zip(*shares.values(), strict=True)]
    rows = [f"| {client} | {served} | {total} |" for client, (served, total) in shares.items()]

    assert [] == [row for row in [*rows, f"| all | {totals[0]} | {totals[1]} |"] if row not in page]
