"""Pipelines whose clients do not wait for them.

Source: spec/requests/api/graphql/mutations/ci/pipeline/create_spec.rb,
spec/requests/api/graphql/project/ci/pipeline_creation/request_spec.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.pipelines import load_project
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

CONFIGURATION = """\
spec:
  inputs:
    name: {default: test, options: [test, unit]}
---
$[[ inputs.name ]]: {script: make, rules: [{when: always}]}
"""
WARNING = "jobs:test may allow multiple pipelines to run for a single action due to `rules:when` clause"
COMMITS = [
    {"message": "first", "branch": "main", "files": {"README.md": "x"}},
    {"message": "second", "branch": "ci", "start": "main", "files": {".gitlab-ci.yml": CONFIGURATION}},
]
SITE = {"path_with_namespace": "acme/site", "visibility": "private", "repository": {"commits": COMMITS}}
pytestmark = pytest.mark.fakeplat(
    version="latest",
    clock="virtual",
    start="2027-01-01T09:00:00.000Z",
    scenario={"extends": "starter", "projects": [SITE]},
)
CREATE = write_mutation("pipelineCreate", "requestId pipeline { id }")
REQUEST = "status error pipelineId pipeline { ref source jobs { nodes { name } } }"
WAITING = {"status": "IN_PROGRESS", "error": None, "pipelineId": None, "pipeline": None}


def create(fake: Fakeplat, **given: Any) -> dict[str, Any]:
    """Create a pipeline without waiting for it; return the payload."""
    sent = {"projectPath": "acme/site", "ref": "ci", "async": True, **given}
    payload: dict[str, Any] = query_data(fake, "dev", CREATE, input=sent)["pipelineCreate"]
    return payload


def find_request(fake: Fakeplat, request_id: str, by: str = "dev") -> Any:
    return query_project(fake, by, f'ciPipelineCreationRequest(requestId: "{request_id}") {{ {REQUEST} }}')[
        "ciPipelineCreationRequest"
    ]


def test_a_pipeline_is_created_later(fakeplat: Fakeplat) -> None:
    """The payload has what the client asks with; the pipeline is there a second later, with variables and inputs."""
    inputs, variables = [{"name": "name", "value": "unit"}], [{"key": "A", "value": "1"}]
    payload = create(fakeplat, inputs=inputs, variables=variables)
    request_id = payload.pop("requestId")

    assert {"pipeline": None, "errors": []} == payload
    assert WAITING == find_request(fakeplat, request_id)
    fakeplat.clock.advance("1s")
    found = find_request(fakeplat, request_id, "mia")
    pipeline = fakeplat.bench.platform.view.pipelines.all()[-1]
    assert f"gid://gitlab/Ci::Pipeline/{pipeline.id}" == found.pop("pipelineId")
    assert {
        "status": "SUCCEEDED",
        "error": None,
        "pipeline": {"ref": "ci", "source": "api", "jobs": {"nodes": [{"name": "unit"}]}},
    } == found
    assert [("A", "1")] == [(variable.key, variable.value) for variable in pipeline.variables]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"ref": "no"}, "Reference not found"),
        (
            {"inputs": [{"name": "name", "value": "other"}]},
            "`name` input: `other` cannot be used because it is not in the list of allowed options",
        ),
        ({"variables": [{"key": "A-B", "value": "1"}]}, "Variables key can contain only letters, digits and '_'."),
    ],
    ids=["ref", "inputs", "variables"],
)
def test_what_is_wrong_is_told_later(fakeplat: Fakeplat, given: dict[str, Any], error: str) -> None:
    """What keeps the pipeline from being created is no error of the payload but of the request."""
    payload = create(fakeplat, **given)
    before = len(fakeplat.bench.platform.view.pipelines)
    fakeplat.clock.advance("1s")

    assert [] == payload["errors"]
    found = find_request(fakeplat, payload["requestId"])
    assert ("FAILED", None, None) == (found["status"], found["pipelineId"], found["pipeline"])
    assert error in found["error"]
    assert before == len(fakeplat.bench.platform.view.pipelines)


def test_a_role_is_checked_again_when_the_pipeline_is_created(fakeplat: Fakeplat) -> None:
    """Who has lost the role in the meantime gets no pipeline."""
    request_id = create(fakeplat)["requestId"]
    fakeplat.as_user("root").put(f"groups/acme/members/{fakeplat.world.user('dev').id}", json={"access_level": 20})
    fakeplat.clock.advance("1s")

    assert "Insufficient permissions to create a new pipeline" == find_request(fakeplat, request_id, "mia")["error"]


def test_a_request_is_forgotten(fakeplat: Fakeplat) -> None:
    """Five minutes after the pipeline was created, the request for it is not known any more; an unknown one is null."""
    request_id = create(fakeplat)["requestId"]
    fakeplat.clock.advance("5m")

    assert "SUCCEEDED" == find_request(fakeplat, request_id)["status"]
    fakeplat.clock.advance("1s")
    assert [None, None] == [find_request(fakeplat, request_id), find_request(fakeplat, "none")]


@pytest.mark.fakeplat(clock="auto")
def test_a_client_that_asks_moves_the_creation_on(fakeplat: Fakeplat) -> None:
    """Under the auto clock the first question for a request finds its pipeline."""
    assert "SUCCEEDED" == find_request(fakeplat, create(fakeplat)["requestId"])["status"]


def test_requests_are_for_those_who_create_pipelines(fakeplat: Fakeplat) -> None:
    """Reporters neither ask for a pipeline nor see what became of a request; nobody finds it in another project."""
    request_id = create(fakeplat)["requestId"]
    sent = {"projectPath": "acme/site", "ref": "ci", "async": True}
    refused = query_refused(fakeplat, "rep", CREATE, input=sent)

    assert [NOT_AVAILABLE] == list_messages(refused)
    assert find_request(fakeplat, request_id, "rep") is None
    fakeplat.load({"projects": [{"path_with_namespace": "acme/other", "visibility": "private"}]})
    query = f'ciPipelineCreationRequest(requestId: "{request_id}") {{ status }}'
    assert {"ciPipelineCreationRequest": None} == query_project(fakeplat, "root", query, "acme/other")


def test_a_client_may_wait(fakeplat: Fakeplat) -> None:
    """Without `async` the payload has the pipeline, and nothing to ask with."""
    for given in ({"async": False}, {"async": None}):
        payload = create(fakeplat, **given)
        assert payload["pipeline"] is not None
        assert payload["requestId"] is None


def test_requests_are_declared(fakeplat: Fakeplat) -> None:
    """A scenario declares requests that failed, that are done, and that are still to be done."""
    load_project(
        fakeplat,
        pipelines=[{"iid": 7, "ref": "ci"}],
        pipeline_creation_requests=[
            {"uuid": "a", "user": "dev", "ref": "ci", "status": "failed", "error": "No"},
            {"uuid": "b", "user": "dev", "ref": "ci", "status": "succeeded", "pipeline": 7},
            {"uuid": "c", "user": "dev", "ref": "ci", "inputs": {"name": "unit"}},
        ],
    )
    found = [find_request(fakeplat, uuid) for uuid in "abc"]
    assert ["FAILED", "SUCCEEDED", "IN_PROGRESS"] == [each["status"] for each in found]
    assert ["No", None, None] == [each["error"] for each in found]
    assert "ci" == found[1]["pipeline"]["ref"]
    fakeplat.clock.advance("1s")
    assert [{"name": "unit"}] == find_request(fakeplat, "c")["pipeline"]["jobs"]["nodes"]


@pytest.mark.fakeplat(version="17.7", releases="<17.8")
def test_at_first_clients_have_to_wait(fakeplat: Fakeplat) -> None:
    """Before 17.8 no client asks for a pipeline without waiting for it."""
    query = '{ __type(name: "CiPipelineCreationRequest") { name } }'
    assert {"__type": None} == query_data(fakeplat, "dev", query)


def test_a_pipeline_keeps_the_warnings_about_its_configuration(fakeplat: Fakeplat) -> None:
    """A job that may run in two pipelines for one push is warned of; a pipeline with an error has no warnings."""
    create(fakeplat, **{"async": False})
    with_error = [{"iid": 90, "ref": "ci", "status": "failed", "yaml_errors": "wrong"}]
    load_project(fakeplat, pipelines=with_error)
    messages = "warningMessages { nodes { id content } } errorMessages { nodes { id content } }"
    selection = f"pipelines(first: 2) {{ nodes {{ {messages} }} }}"
    faulty, warned = query_project(fakeplat, "dev", selection)["pipelines"]["nodes"]

    (warning,), (error,) = warned["warningMessages"]["nodes"], faulty["errorMessages"]["nodes"]
    assert ([], []) == (warned["errorMessages"]["nodes"], faulty["warningMessages"]["nodes"])
    assert warning["content"].startswith(WARNING)
    assert "wrong" == error["content"]
    assert warning["id"] != error["id"]
