"""Subscriptions to pipelines by GraphQL. Source: the platform's specs of ci/project_subscriptions."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

CI = "test:\n  script: make\n"
ACME: dict[str, Any] = COMPANY["groups"][0]
PROJECTS = [
    {
        **project,
        "repository": {"commits": [{"message": "Begin", "files": {".gitlab-ci.yml": CI}}], "head": "main"},
    }
    for project in ACME["projects"]
]
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": [{**ACME, "projects": PROJECTS}]}, version="latest", tier="premium"
)
FIELDS = "id downstreamProject { name } upstreamProject { name } author { username }"
CREATE = write_mutation("projectSubscriptionCreate", f"subscription {{ {FIELDS} }}")
DELETE = write_mutation("projectSubscriptionDelete", "project { name }")
PATHS = {"projectPath": "acme/site", "upstreamPath": "acme/docs"}


def create(fake: Fakeplat, **paths: str) -> Any:
    """Subscribe as a Maintainer; return the payload."""
    return query_data(fake, "mia", CREATE, input={**PATHS, **paths})["projectSubscriptionCreate"]


def test_a_subscription_is_created_and_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers subscribe a project to a public one; both show the subscription to those who administer them."""
    created = create(fakeplat)
    expected = {
        "downstreamProject": {"name": "Site"},
        "upstreamProject": {"name": "Docs"},
        "author": {"username": "mia"},
    }
    assert [] == created["errors"]
    assert expected == {key: value for key, value in created["subscription"].items() if key != "id"}
    upstream = f"ciSubscriptionsProjects {{ count nodes {{ {FIELDS} }} }}"
    downstream = f"ciSubscribedProjects {{ nodes {{ {FIELDS} }} }}"
    shown = {"count": 1, "nodes": [created["subscription"]]}
    assert shown == query_project(fakeplat, "mia", upstream)["ciSubscriptionsProjects"]
    assert {"count": 0, "nodes": []} == query_project(fakeplat, "dev", upstream)["ciSubscriptionsProjects"]
    subscribers = query_project(fakeplat, "mia", downstream, "acme/docs")["ciSubscribedProjects"]
    assert [created["subscription"]] == subscribers["nodes"]
    projects = export_world(fakeplat.bench.platform)["projects"]
    exported = [each["project_subscriptions"] for each in projects if "project_subscriptions" in each]
    assert [[{"upstream": "acme/docs", "author": "mia"}]] == exported

    sent = {"subscriptionId": created["subscription"]["id"]}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", DELETE, input=sent))
    deleted = query_data(fakeplat, "mia", DELETE, input=sent)["projectSubscriptionDelete"]
    assert {"project": {"name": "Site"}, "errors": []} == deleted
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "mia", DELETE, input=sent))


def test_subscriptions_have_details(fakeplat: Fakeplat) -> None:
    """Later releases tell the name, namespace and URL of both projects, whoever sees them."""
    create(fakeplat)
    selection = "ciUpstreamProjectSubscriptions { nodes { upstreamProject { id name webUrl namespace { name } } } }"
    nodes = query_project(fakeplat, "mia", selection)["ciUpstreamProjectSubscriptions"]["nodes"]
    (upstream,) = (node["upstreamProject"] for node in nodes)
    assert ("Docs", {"name": "Acme"}) == (upstream["name"], upstream["namespace"])
    assert upstream["webUrl"].endswith("/acme/docs")


@pytest.mark.parametrize(
    ("paths", "errors"),
    [
        ({"projectPath": "acme/docs", "upstreamPath": "acme/site"}, ["Upstream project needs to be public"]),
        ({}, ["Upstream project has already been taken"]),
        (
            {"projectPath": "acme/tools/kit"},
            ["Maximum number of ci project subscriptions (1) exceeded"],
        ),
    ],
)
def test_invalid_subscriptions_are_refused(fakeplat: Fakeplat, paths: dict[str, str], errors: list[str]) -> None:
    """Upstream projects are public, have some subscriptions at most, and each project only once."""
    create(fakeplat)
    limit = {"plan_name": "default", "ci_project_subscriptions": 1 if "tools" in str(paths) else 5}
    assert 200 == fakeplat.as_user("root").put("application/plan_limits", json=limit).status
    assert {"subscription": None, "errors": errors} == create(fakeplat, **paths)


@pytest.mark.parametrize(("name", "paths"), [("dev", {}), ("rep", {}), ("mia", {"upstreamPath": "acme/none"})])
def test_others_are_refused(fakeplat: Fakeplat, name: str, paths: dict[str, str]) -> None:
    """Subscribing needs a Maintainer, and a Developer of the other project."""
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, name, CREATE, input={**PATHS, **paths}))


@pytest.mark.fakeplat(tier="free")
def test_free_tiers_have_none(fakeplat: Fakeplat) -> None:
    """On the free tier there are no subscriptions."""
    assert {"subscription": None, "errors": ["Feature unavailable for this user."]} == create(fakeplat)


@pytest.mark.parametrize(("ref", "count"), [("v1", 1), ("main", 0)])
def test_pipelines_of_tags_start_others(fakeplat: Fakeplat, ref: str, count: int) -> None:
    """The end of the pipeline of a tag starts a pipeline for the default branch of the subscribed project."""
    create(fakeplat)
    mia = fakeplat.as_user("mia")
    assert 201 == mia.post("projects/acme%2Fdocs/repository/tags", json={"tag_name": "v0", "ref": "main"}).status
    fakeplat.settle()
    before = len(mia.get("projects/acme%2Fsite/pipelines").json())
    if ref == "main":
        assert 201 == mia.post("projects/acme%2Fdocs/pipeline", json={"ref": ref}).status
    else:
        assert 201 == mia.post("projects/acme%2Fdocs/repository/tags", json={"tag_name": ref, "ref": "main"}).status
    fakeplat.settle()
    pipelines = mia.get("projects/acme%2Fsite/pipelines").json()
    assert count == len(pipelines) - before
    assert {("main", "pipeline")} == {(each["ref"], each["source"]) for each in pipelines}
