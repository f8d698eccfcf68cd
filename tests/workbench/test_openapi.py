"""The OpenAPI document says what clients meet."""

import json
from typing import Any

import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.instance import Instance
from fakeplat.workbench import openapi
from tests.architecture.sources import ROOT

EVIDENCE = json.loads((ROOT / "fakeplat/workbench/evidence.json").read_text("utf-8"))
BY_DEFAULT = {"301", "413", "414", "429", "500", "501"}


@pytest.fixture(scope="module")
def operations() -> dict[str, Any]:
    paths = openapi.openapi_document(Instance(), "http://localhost")["paths"].values()
    return {operation["operationId"]: operation for path in paths for operation in path.values()}


def test_every_status_that_was_observed_is_described(operations: dict[str, Any]) -> None:
    """Each status that was observed for an operation is among its documented responses."""
    missing = {
        name: sorted(set(row["statuses"]) - operations[name]["responses"].keys() - BY_DEFAULT)
        for name, row in EVIDENCE.items()
        if name in operations
    }
    assert {} == {name: statuses for name, statuses in missing.items() if statuses}


def test_every_operation_has_a_default_response(operations: dict[str, Any]) -> None:
    """Each operation documents a default response for refusals before the API."""
    assert [] == [name for name, operation in operations.items() if "default" not in operation["responses"]]


def test_labels_are_titles_or_objects(fakeplat: Fakeplat) -> None:
    """Labels are documented as titles or objects, and `with_labels_details` returns objects."""
    document = openapi.openapi_document(Instance(), "http://localhost")
    items = document["components"]["schemas"]["IssueView"]["properties"]["labels"]["items"]["anyOf"]
    assert ["string", "object"] == [part["type"] for part in items]
    answer = fakeplat.as_user("ada").get("projects/acme%2Fsite/issues?with_labels_details=true&labels=Any").json()
    types = {type(label) for issue in answer for label in issue["labels"]}
    assert types == {dict}


@pytest.mark.parametrize("version", ["13.5", "16.11", "latest"])
def test_no_two_views_share_a_schema(version: str) -> None:
    """Each view that an operation answers with has a schema of its own name."""
    profile = Instance(version=version).profile
    views = {view for operation in OPERATIONS if profile.has(operation.lifetime) for view in operation.views}
    assert len(views) == len({view.__name__ for view in views})


def test_a_record_or_a_list_of_them_is_described() -> None:
    """An operation that answers with one record or with a list is documented with both."""
    document = openapi.openapi_document(Instance(version="latest"), "http://localhost")
    path = document["paths"]["/api/v4/projects/{id}/export_relations/status"]
    schema = path["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    view = {"$ref": "#/components/schemas/RelationExportStatus"}
    assert {"anyOf": [view, {"type": "array", "items": view}]} == schema


def test_several_members_are_added_with_an_object_for_an_answer(operations: dict[str, Any]) -> None:
    """Adding members is documented to return a member or a status object."""
    schema = operations["create_project_member"]["responses"]["201"]["content"]["application/json"]["schema"]
    assert [{"$ref": "#/components/schemas/MemberView"}, {"type": "object"}] == schema["anyOf"]


def test_every_success_with_a_body_has_a_media_type(operations: dict[str, Any]) -> None:
    """Each documented success except 204 and 302 has a media type."""
    missing = [
        f"{name} {status}"
        for name, operation in operations.items()
        if not name.startswith("fakeplat_")
        for status, response in list(operation["responses"].items())[:1]
        if status not in ("204", "302") and "content" not in response
    ]
    assert [] == missing


def any_of(*views: str | None) -> dict[str, Any]:
    """Return the schema of a body that is one of several views, or null."""
    return {"anyOf": [{"$ref": f"#/components/schemas/{view}"} if view else {"type": "null"} for view in views]}


@pytest.mark.parametrize(
    ("name", "media_type", "schema"),
    [
        ("get_current_user", "application/json", any_of("AdminSelf", "UserSelf")),
        ("list_users", "application/json", {"type": "array", "items": any_of("UserAdmin", "UserBasic")}),
        ("create_project_label", "application/json", any_of("ProjectLabelView", "GroupLabelView")),
        ("search_project", "application/json", {"type": "array", "items": {"type": "object"}}),
        ("get_version", "application/json", {"type": "object", "additionalProperties": {}}),
        ("get_push_rule", "application/json", any_of("GroupPushRuleView", "ProjectPushRuleView", None)),
        ("get_issue_page", "text/html", None),
        ("get_pipeline_badge", "image/svg+xml", None),
        ("get_health", "text/plain", None),
        ("list_lfs_locks", "application/vnd.git-lfs+json", None),
        ("download_repository_archive", "*/*", None),
    ],
)
def test_bodies_without_a_fixed_view_are_described(
    operations: dict[str, Any], name: str, media_type: str, schema: dict[str, Any] | None
) -> None:
    """A body without a fixed view is documented by its alternatives or its media type."""
    content = {media_type: {} if schema is None else {"schema": schema}}
    assert content == next(iter(operations[name]["responses"].values()))["content"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/api/v4/user", "get_current_user"),
        ("/api/v4/projects/acme%2Fsite/issues_statistics", "get_project_issues_statistics"),
        ("/acme/site/-/issues/1", "get_issue_page"),
        ("/acme/site/badges/master/pipeline.svg", "get_pipeline_badge"),
        ("/-/health", "get_health"),
        ("/-/readiness", "get_readiness"),
    ],
)
def test_answers_have_the_described_media_type(
    fakeplat: Fakeplat, operations: dict[str, Any], path: str, name: str
) -> None:
    """The Content-Type of a response is the documented media type."""
    headers = {"private-token": fakeplat.token("root")}
    reply = fakeplat.bench.platform.handle(Request("GET", path, "", headers))
    (media_type,) = operations[name]["responses"]["200"]["content"]
    assert (200, media_type) == (reply.status, dict(reply.headers)["Content-Type"].partition(";")[0])


def test_statuses_before_the_operation_are_named(operations: dict[str, Any]) -> None:
    """415 is documented for operations with a body, and 405 in the default response."""
    responses = operations["create_issue"]["responses"]
    assert "415" in responses
    assert "(405)" in responses["default"]["description"]
    assert "415" not in operations["list_users"]["responses"]
    assert "302" in operations["get_oauth_code_page"]["responses"]


def test_path_parameters_are_not_empty(operations: dict[str, Any]) -> None:
    """A path parameter has at least one character."""
    for name in ("get_project_wiki_page", "get_protected_environment"):
        (slug,) = [parameter for parameter in operations[name]["parameters"] if parameter["in"] == "path"][1:2]
        assert 1 == slug["schema"]["minLength"]
