"""The inputs that configurations declare, by GraphQL.

Source: docs/platform/pipelines-jobs.md, app/services/ci/pipeline_creation of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import list_messages, query_project, query_refused

CONFIGURATION = """\
spec:
  inputs:
    stage:
    level:
      description: How much
      type: number
      default: 2
      options: [1, 2]
    name:
      regex: ^a
      default: abc
---
job: {script: "echo $[[ inputs.stage ]]"}
"""
SITE: dict[str, Any] = {
    "path": "inputs",
    "repository": {
        "commits": [
            {"message": "Add", "files": {".gitlab-ci.yml": CONFIGURATION}},
        ],
    },
}
pytestmark = pytest.mark.fakeplat(
    version="latest", scenario={"extends": "starter", "groups": [{"path": "acme", "projects": [SITE]}]}
)
INPUTS = 'ciPipelineCreationInputs(ref: "main") { name type required description default options regex }'


def test_a_configuration_declares_inputs(fakeplat: Fakeplat) -> None:
    """The inputs of a configuration are shown with their types, defaults and rules."""
    nothing = {"description": None, "default": None, "options": None, "regex": None}

    assert [
        {**nothing, "name": "stage", "type": "STRING", "required": True},
        {
            "name": "level",
            "type": "NUMBER",
            "required": False,
            "description": "How much",
            "default": 2,
            "options": [1, 2],
            "regex": None,
        },
        {**nothing, "name": "name", "type": "STRING", "required": False, "default": "abc", "regex": "^a"},
    ] == query_project(fakeplat, "ada", INPUTS, "acme/inputs")["ciPipelineCreationInputs"]


def test_a_configuration_may_declare_none(fakeplat: Fakeplat) -> None:
    """A configuration without a header, or none at all, has no inputs."""
    inputs = query_project(fakeplat, "mia", INPUTS)["ciPipelineCreationInputs"]
    assert [] == inputs


def test_inputs_are_for_those_who_create_pipelines(fakeplat: Fakeplat) -> None:
    """Who may not create pipelines sees no inputs."""
    assert query_project(fakeplat, "gus", INPUTS)["ciPipelineCreationInputs"] is None


def test_inputs_need_a_branch_or_tag(fakeplat: Fakeplat) -> None:
    """An unknown ref is an error."""
    query = '{ project(fullPath: "acme/inputs") { ciPipelineCreationInputs(ref: "nothing") { name } } }'
    assert ["The branch or tag does not exist"] == list_messages(query_refused(fakeplat, "ada", query))
