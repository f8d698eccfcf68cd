"""Inputs of pipelines: of the API, of triggers, and of the files of child pipelines.

Source: doc/api/pipelines.md of 18.1, doc/ci/yaml of 18.6 (trigger:inputs), spec/services/ci/create_pipeline_service.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_ci, commit_file
from tests.api.ci_jobs import find_project
from tests.api.requests import Outcome, outcome

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0, version="latest", default_branch="main")
DECLARED = "spec: {inputs: {kind: {options: [a, b]}, size: {type: number, default: 1}}}\n---\n"
JOBS = "job-$[[ inputs.kind ]]-$[[ inputs.size ]]: {script: x}\n"
SITE = "projects/acme%2Fsite"


def create(fake: Fakeplat, **body: Any) -> Outcome:
    return outcome(fake.as_user("ada").post(f"{SITE}/pipeline", json={"ref": "main", **body}))


def names_of(fake: Fakeplat, project: str = "acme/site") -> list[str]:
    """Return the names of all jobs of a project."""
    id_ = find_project(fake.bench.platform.view, project).id
    return [job.name for job in fake.bench.platform.view.jobs.all() if job.project_id == id_]


def test_a_pipeline_gets_the_inputs_of_the_request(fakeplat: Fakeplat) -> None:
    """The inputs of the request fill in the configuration."""
    commit_ci(fakeplat, DECLARED + JOBS, branch="main", message="Declare [skip ci]")

    assert 201 == create(fakeplat, inputs={"kind": "a", "size": 2})[0]
    assert "job-a-2" == names_of(fakeplat)[-1]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "`kind` input: required value has not been provided"),
        ({"kind": "c"}, "`kind` input: `c` cannot be used because it is not in the list of allowed options"),
        ({"kind": "a", "size": "two"}, "`size` input: provided value is not a number"),
        ({"kind": "a", "other": 1}, "unknown input arguments: other"),
    ],
)
def test_wrong_inputs_make_no_pipeline(fakeplat: Fakeplat, inputs: dict[str, Any], message: str) -> None:
    """Wrong inputs are refused with the mistake, and no pipeline is created."""
    commit_ci(fakeplat, DECLARED + JOBS, branch="main", message="Declare [skip ci]")
    before = names_of(fakeplat)

    assert (400, {"message": {"base": [message]}}) == create(fakeplat, inputs=inputs)
    assert before == names_of(fakeplat)


@pytest.mark.fakeplat(version="18.0")
def test_earlier_releases_ignore_inputs(fakeplat: Fakeplat) -> None:
    """Before 18.1, the request has no inputs."""
    commit_ci(fakeplat, DECLARED + JOBS, branch="main", message="Declare [skip ci]")

    assert 400 == create(fakeplat, inputs={"kind": "a"})[0]
    assert any("has the parameter inputs since 18.1" in text for text in fakeplat.requests.warnings)


def test_a_trigger_has_inputs(fakeplat: Fakeplat) -> None:
    """A bridge gives inputs to the pipeline of another project."""
    commit_file(
        fakeplat, ".gitlab-ci.yml", DECLARED + JOBS, project="acme/docs", branch="main", update=True, message="[skip]"
    )
    commit_ci(fakeplat, "go: {trigger: {project: acme/docs, inputs: {kind: b, size: 3}}}", branch="main")
    fakeplat.settle()

    assert ["job-b-3"] == names_of(fakeplat, "acme/docs")[-1:]


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        ("{local: child.yml, inputs: {kind: a}}", ["job-a-1"]),
        ("{local: child.yml, inputs: {kind: a}, rules: [{if: $CI}]}", ["job-a-1"]),
        ("{local: child.yml, inputs: {kind: a}, rules: [{if: $MISSING}]}, {local: other.yml}", ["other"]),
        ("{component: $CI_SERVER_FQDN/acme/site/part@main, inputs: {kind: b}}", ["job-b-1"]),
    ],
)
def test_the_files_of_a_child_pipeline_have_inputs_and_rules(
    fakeplat: Fakeplat, include: str, expected: list[str]
) -> None:
    """The files of a child pipeline are included like those of any other configuration."""
    commit_file(fakeplat, "child.yml", DECLARED + JOBS, branch="main", message="[skip ci]")
    commit_file(fakeplat, "other.yml", "other: {script: x}", branch="main", message="[skip ci]")
    commit_file(fakeplat, "templates/part.yml", DECLARED + JOBS, branch="main", message="[skip ci]")
    commit_ci(fakeplat, f"go: {{trigger: {{include: [{include}]}}}}", branch="main")
    fakeplat.settle()

    assert ["go", *expected] == names_of(fakeplat)[-1 - len(expected) :]


@pytest.mark.fakeplat(version="15.11")
def test_the_files_of_a_child_pipeline_have_inputs_by_their_earlier_name(fakeplat: Fakeplat) -> None:
    """In 15.11, inputs are given under ``with``."""
    text = "spec: {inputs: {kind: }}\n---\njob-$[[ inputs.kind ]]: {script: x}\n"
    commit_file(fakeplat, "child.yml", text, branch="main", message="[skip ci]")
    commit_ci(fakeplat, "go: {trigger: {include: [{local: child.yml, with: {kind: a}}]}}", branch="main")
    fakeplat.settle()

    assert ["go", "job-a"] == names_of(fakeplat)[-2:]
