"""Test cases, as spec/requests/api/graphql/mutations/quality_management of the platform expects them."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="latest", scenario=WORLD, tier="ultimate")
CREATE: Final = write_mutation(
    "createTestCase",
    "testCase { title description confidential type author { username } labels { nodes { title } } }",
)
GIVEN: Final = {"projectPath": "acme/site", "title": "Sign in"}


def create(fake: Fakeplat, **given: Any) -> Any:
    return query_data(fake, "rep", CREATE, input={**GIVEN, **given})["createTestCase"]


def test_a_reporter_creates_a_test_case(fakeplat: Fakeplat) -> None:
    """A test case is an issue of its own type, with labels that exist."""
    (bug,) = [row["id"] for row in fakeplat.as_user("rep").get("projects/acme%2Fsite/labels?search=bug").json()]
    given: dict[str, Any] = {"description": "Steps", "confidential": True, "labelIds": [str(bug), "404404", "x"]}

    assert {
        "testCase": {
            "title": "Sign in",
            "description": "Steps",
            "confidential": True,
            "type": "TEST_CASE",
            "author": {"username": "rep"},
            "labels": {"nodes": [{"title": "bug"}]},
        },
        "errors": [],
    } == create(fakeplat, **given)


def test_a_test_case_needs_only_a_title(fakeplat: Fakeplat) -> None:
    """Without further arguments a test case is not confidential and has no labels; a title is not blank."""
    created = create(fakeplat)["testCase"]

    assert (None, False, []) == (created["description"], created["confidential"], created["labels"]["nodes"])
    refused = query_refused(fakeplat, "rep", CREATE, input={**GIVEN, "title": ""})["data"]["createTestCase"]
    assert {"testCase": None, "errors": ["Title can't be blank"]} == refused


@pytest.mark.parametrize(
    ("by", "path"), [("gus", "acme/site"), ("eve", "acme/site"), (None, "acme/site"), ("rep", "acme/nothing")]
)
def test_others_create_no_test_cases(fakeplat: Fakeplat, by: str | None, path: str) -> None:
    """Below Reporter nobody creates test cases."""
    content = query_refused(fakeplat, by, CREATE, input={**GIVEN, "projectPath": path})

    assert [NOT_AVAILABLE] == list_messages(content)


@pytest.mark.fakeplat(tier="premium")
def test_test_cases_need_the_highest_tier(fakeplat: Fakeplat) -> None:
    """Below ultimate there are no test cases."""
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "rep", CREATE, input=GIVEN))
