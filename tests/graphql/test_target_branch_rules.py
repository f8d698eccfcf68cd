"""Rules about target branches by GraphQL. Source: the platform's specs of target_branch_rules."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="latest", tier="premium")
CREATE = write_mutation("projectTargetBranchRuleCreate", "targetBranchRule { id name targetBranch createdAt }")
DESTROY = write_mutation("projectTargetBranchRuleDestroy", "")
RULES = "targetBranchRules { count nodes { id name targetBranch createdAt } }"


def write_input(fake: Fakeplat, name: str = "dev/*", target: str = "main") -> dict[str, str]:
    """Return the input of a creation."""
    project = query_project(fake, "mia", "id")["id"]
    return {"projectId": project, "name": name, "targetBranch": target}


def create(fake: Fakeplat, name: str = "dev/*", target: str = "main") -> Any:
    """Create a rule as a Maintainer."""
    return query_data(fake, "mia", CREATE, input=write_input(fake, name, target))["projectTargetBranchRuleCreate"]


def test_rules_are_created_listed_and_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers create and delete rules; whoever sees the project sees them, the newest first."""
    first, second = (create(fakeplat, name)["targetBranchRule"] for name in ("dev/*", " fix "))
    assert ("dev/*", "main", "fix") == (first["name"], first["targetBranch"], second["name"])
    assert {"count": 2, "nodes": [second, first]} == query_project(fakeplat, "dev", RULES)["targetBranchRules"]

    deleted = query_data(fakeplat, "mia", DESTROY, input={"id": first["id"]})["projectTargetBranchRuleDestroy"]
    assert [] == deleted["errors"]
    assert {"count": 1, "nodes": [second]} == query_project(fakeplat, "dev", RULES)["targetBranchRules"]
    again = query_refused(fakeplat, "mia", DESTROY, input={"id": first["id"]})
    assert [NOT_AVAILABLE] == list_messages(again)


@pytest.mark.parametrize(
    ("name", "target", "errors"),
    [
        ("dev/*", "main", ["Name has already been taken"]),
        ("", "", ["Name can't be blank", "Name is invalid", "Target branch can't be blank"]),
        ("a b", "x" * 256, ["Name is invalid", "Target branch is too long (maximum is 255 characters)"]),
        ("a/../b", "main", ["Name is invalid"]),
    ],
)
def test_rules_are_validated(fakeplat: Fakeplat, name: str, target: str, errors: list[str]) -> None:
    """Names are unique in a project and consist of letters, digits and some signs; branches have 255 characters."""
    create(fakeplat)
    assert {"targetBranchRule": None, "errors": errors} == create(fakeplat, name, target)
    assert 1 == len(fakeplat.bench.platform.view.target_branch_rules)


def test_others_are_refused(fakeplat: Fakeplat) -> None:
    """Developers neither create nor delete rules."""
    rule = create(fakeplat)["targetBranchRule"]
    errors = query_refused(fakeplat, "dev", CREATE, input=write_input(fakeplat, "other"))
    assert [NOT_AVAILABLE] == list_messages(errors)
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", DESTROY, input={"id": rule["id"]}))


@pytest.mark.fakeplat(tier="free")
def test_free_tiers_have_none(fakeplat: Fakeplat) -> None:
    """On the free tier nobody creates rules, and none are listed."""
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "mia", CREATE, input=write_input(fakeplat)))
    assert {"count": 0, "nodes": []} == query_project(fakeplat, "mia", RULES)["targetBranchRules"]
