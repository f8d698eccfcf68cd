"""Inputs and variables that are given to jobs and schedules.

Sources: doc/ci/jobs/job_inputs.md, doc/api/jobs.md and doc/api/pipeline_schedules.md of 19.3;
spec/services/ci/inputs/processor_service_spec.rb, spec/requests/api/ci/{jobs,pipeline_schedules}_spec.rb.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Job
from fakeplat.policy.behaviours import SCHEDULE_INPUTS_ARE_HIDDEN
from tests.api.ci_files import commit_ci
from tests.api.ci_jobs import find_project, wait_for_runner
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, outcome, resource_not_found
from tests.by_release import by_release

SITE = "projects/acme%2Fsite"
SCENARIO = {
    "extends": "starter",
    "users": ["dan"],
    "projects": [{"path_with_namespace": "acme/site", "members": {"dan": "developer"}}],
    "runners": [{"token": "runner-1", "run_untagged": True}],
}
pytestmark = pytest.mark.fakeplat(
    scenario=SCENARIO, clock="virtual", tick=0, version="latest", default_branch="main", start="2020-11-20T09:00:00Z"
)
CONFIGURATION = """
deploy:
  when: manual
  inputs:
    target: {default: staging, options: [staging, production]}
    debug: {type: boolean, default: false}
    count: {type: number, default: 2}
    tags: {type: array, default: [a]}
  script: ['echo ${{ job.inputs.target }}']
plain: {when: manual, script: x}
"""


def jobs_of_site(fake: Fakeplat) -> list[Job]:
    id_ = find_project(fake.bench.platform.view).id
    return [job for job in fake.bench.platform.view.jobs.all() if job.project_id == id_]


def find_job(fake: Fakeplat, name: str) -> Job:
    """Return the newest job with a name."""
    return [job for job in jobs_of_site(fake) if job.name == name][-1]


@pytest.fixture
def fake(fakeplat: Fakeplat) -> Fakeplat:
    """Return a fake whose project has manual jobs with and without inputs."""
    wait_for_runner(fakeplat)
    commit_ci(fakeplat, CONFIGURATION, branch="main")
    return fakeplat


def act(fake: Fakeplat, action: str, name: str = "deploy", *, user: str = "ada", **body: Any) -> Outcome:
    return outcome(fake.as_user(user).post(f"{SITE}/jobs/{find_job(fake, name).id}/{action}", json=body))


def take_job(fake: Fakeplat) -> dict[str, Any]:
    """Return the next job as a runner gets it."""
    reply = fake.as_user(None).post("/jobs/request", json={"token": "runner-1"})
    assert 201 == reply.status
    return dict(reply.json())


def test_a_runner_gets_the_inputs_with_their_types(fake: Fakeplat) -> None:
    """A runner gets each input with its type and value: the given one, else the default."""
    assert 200 == act(fake, "play", job_inputs={"target": "production", "tags": ["b", "c"]})[0]

    def describe(kind: str, content: object) -> dict[str, object]:
        return {"type": kind, "content": content, "sensitive": False}

    assert [
        {"key": "target", "value": describe("string", "production")},
        {"key": "debug", "value": describe("boolean", False)},
        {"key": "count", "value": describe("number", 2)},
        {"key": "tags", "value": describe("array", ["b", "c"])},
    ] == take_job(fake)["inputs"]


@pytest.mark.parametrize(
    ("inputs", "kept"),
    [
        ({}, {}),
        ({"target": "production", "debug": True}, {"target": "production", "debug": True}),
        ({"target": "staging", "debug": True}, {"debug": True}),
        ({"target": "staging", "debug": False}, {}),
    ],
)
def test_inputs_that_have_their_default_are_not_kept(
    fake: Fakeplat, inputs: dict[str, Any], kept: dict[str, Any]
) -> None:
    """Only the inputs that differ from their defaults are kept."""
    assert 200 == act(fake, "play", job_inputs=inputs)[0]
    assert kept == find_job(fake, "deploy").inputs


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ({"target": "production", "other": 1}, "Unknown input: other"),
        ({"one": 1, "two": 2}, "Unknown inputs: one, two"),
        (
            {"target": "development"},
            "`target` input: `development` cannot be used because it is not in the list of allowed options",
        ),
        ({"debug": "maybe"}, "`debug` input: provided value is not a boolean"),
        (
            {"count": "many", "tags": 1},
            "`count` input: provided value is not a number, `tags` input: provided value is not an array",
        ),
    ],
)
@pytest.mark.parametrize("action", ["play", "retry"])
def test_wrong_inputs_are_refused(fake: Fakeplat, action: str, inputs: dict[str, Any], text: str) -> None:
    """What a job does not declare so is refused with all mistakes, and nothing happens."""
    if action == "retry":
        act(fake, "play")
        act(fake, "cancel")
    before = jobs_of_site(fake)

    refusal = act(fake, "play", job_inputs=inputs) if action == "play" else act(fake, "retry", inputs=inputs)
    assert (400, {"message": f"400 Bad request - {text}"}) == refusal
    assert before == jobs_of_site(fake)


def test_a_repeated_job_has_the_inputs_of_the_first_unless_others_are_given(fake: Fakeplat) -> None:
    """A retry takes over the inputs; those that are given take their place."""
    act(fake, "play", job_inputs={"target": "production"})
    act(fake, "cancel")
    assert 201 == act(fake, "retry")[0]
    assert {"target": "production"} == find_job(fake, "deploy").inputs

    act(fake, "cancel")
    assert 201 == act(fake, "retry", inputs={"count": 5})[0]
    assert {"count": 5} == find_job(fake, "deploy").inputs


@pytest.mark.fakeplat(version="18.9")
def test_earlier_releases_have_no_inputs_of_jobs(fakeplat: Fakeplat) -> None:
    """Before 18.10, a job with inputs is invalid."""
    reply = fakeplat.as_user("ada").post(f"{SITE}/ci/lint", json={"content": CONFIGURATION})

    assert ["jobs:deploy config contains unknown keys: inputs"] == reply.json()["errors"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("{}", "jobs:job:inputs:x must have a default value"),
        ("{type: number}", "jobs:job:inputs:x must have a default value"),
        ("{default: 1, type: object}", "jobs:job:inputs:x input type unknown value: object"),
        ("{default: 1, required: true}", "jobs:job:inputs:x config contains unknown keys: required"),
        ("{default: a, options: [a, null]}", "jobs:job:inputs:x config options array cannot contain null values"),
        ("{default: a, type: number}", "jobs:job inputs `x` input: default value is not a number"),
        ("a", "jobs:job:inputs:x config should be a hash"),
    ],
)
def test_the_inputs_of_a_job_need_a_default_of_their_type(fakeplat: Fakeplat, spec: str, expected: str) -> None:
    """An input of a job is declared like one of a configuration, and has a default."""
    content = f"job: {{inputs: {{x: {spec}}}, script: x}}"
    reply = fakeplat.as_user("ada").post(f"{SITE}/ci/lint", json={"content": content})

    assert [expected] == reply.json()["errors"]


# Variables of jobs


def test_variables_of_who_plays_a_job_win(fake: Fakeplat) -> None:
    """The variables that a job is played with come after all others but those of the environment."""
    act(fake, "play", "plain", job_variables_attributes=[{"key": "CI_COMMIT_BRANCH", "value": "other"}])
    variables = take_job(fake)["variables"]

    assert ["main", "other"] == [row["value"] for row in variables if row["key"] == "CI_COMMIT_BRANCH"]


def test_who_may_not_set_variables_plays_without_them(fake: Fakeplat) -> None:
    """Variables of a job need the role that the project asks of those who set variables of pipelines."""
    fake.as_user("ada").put(SITE, json={"ci_pipeline_variables_minimum_override_role": "maintainer"})
    fake.as_user("ada").post(f"{SITE}/protected_branches", json={"name": "main", "push_access_level": 30})
    fake.as_user("ada").delete(f"{SITE}/protected_branches/main")

    assert FORBIDDEN == act(fake, "play", "plain", user="dan", job_variables_attributes=[{"key": "A", "value": "b"}])
    assert "manual" == find_job(fake, "plain").status
    assert 200 == act(fake, "play", "plain", user="dan")[0]


def test_a_variable_needs_a_key_and_a_value(fake: Fakeplat) -> None:
    """Variables without a key or value are refused."""
    text = "job_variables_attributes[0][value] is missing"

    assert (400, {"error": text}) == act(fake, "play", "plain", job_variables_attributes=[{"key": "A"}])


# Cancel, list, archive


def test_only_maintainers_force_the_end_of_a_job(fake: Fakeplat) -> None:
    """Maintainers alone cancel by force, which ends only jobs that are being canceled."""
    fake.as_user("ada").delete(f"{SITE}/protected_branches/main")
    act(fake, "play", "plain")

    assert FORBIDDEN == act(fake, "cancel", "plain", user="dan", force=True)
    assert "pending" == find_job(fake, "plain").status
    assert 201 == act(fake, "cancel", "plain", force=True)[0]
    assert "pending" == find_job(fake, "plain").status


def test_jobs_are_listed_by_ref(fake: Fakeplat) -> None:
    """The list of jobs may be that of one branch."""
    commit_ci(fake, "other: {script: x}", branch="topic", start="main")
    client = fake.as_user("ada")

    assert ["other"] == [row["name"] for row in client.get(f"{SITE}/jobs?ref=topic").json()]
    assert [] == client.get(f"{SITE}/jobs?ref=missing").json()


def test_jobs_and_pipelines_tell_whether_they_are_archived(fake: Fakeplat) -> None:
    """Old jobs and pipelines are archived once the instance says after how long."""
    job = find_job(fake, "plain")
    paths = [f"{SITE}/jobs/{job.id}", f"{SITE}/pipelines/{job.pipeline_id}"]
    assert [False, False] == [fake.as_user("ada").get(path).json()["archived"] for path in paths]

    fake.as_user("root").put("application/settings", json={"archive_builds_in_human_readable": "1 day"})
    fake.clock.advance("2d")
    assert [True, True] == [fake.as_user("ada").get(path).json()["archived"] for path in paths]


# Schedules

SCHEDULES = f"{SITE}/pipeline_schedules"
BODY = {"description": "Nightly", "ref": "main", "cron": "0 4 * * *"}
DECLARED = "spec: {inputs: {kind: {default: a}, size: {type: number, default: 1}}}\n---\n"


def create_schedule(fake: Fakeplat, **body: Any) -> dict[str, Any]:
    """Create a schedule; return it as its owner reads it."""
    reply = fake.as_user("ada").post(SCHEDULES, json={**BODY, **body})
    assert 201 == reply.status, reply.json()
    return dict(fake.as_user("ada").get(f"{SCHEDULES}/{reply.json()['id']}").json())


def change_schedule(fake: Fakeplat, path: str, **body: Any) -> dict[str, Any]:
    """Change a schedule; return it as its owner reads it."""
    assert 200 == fake.as_user("ada").put(path, json=body).status
    return dict(fake.as_user("ada").get(path).json())


def pairs_of(schedule: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each["value"] for each in schedule["inputs"]}


def test_a_schedule_gives_inputs_to_its_pipelines(fakeplat: Fakeplat) -> None:
    """The pipeline of a schedule has the inputs of the schedule."""
    wait_for_runner(fakeplat)
    commit_ci(fakeplat, f"{DECLARED}job-$[[ inputs.kind ]]-$[[ inputs.size ]]: {{script: x}}", branch="main")
    inputs = [{"name": "kind", "value": "b"}, {"name": "size", "value": 3}]
    schedule = create_schedule(fakeplat, inputs=inputs)
    fakeplat.as_user("ada").post(f"{SCHEDULES}/{schedule['id']}/play")
    fakeplat.settle()

    assert inputs == schedule["inputs"]
    assert "job-b-3" == jobs_of_site(fakeplat)[-1].name


def test_a_null_in_place_of_the_inputs_of_a_schedule_is_none_of_them(fakeplat: Fakeplat) -> None:
    """A null for all inputs gives a new schedule none, and leaves those of another one as they are."""
    assert [] == create_schedule(fakeplat, inputs=None)["inputs"]
    schedule = create_schedule(fakeplat, inputs=[{"name": "a", "value": 1}])
    kept = change_schedule(fakeplat, f"{SCHEDULES}/{schedule['id']}", inputs=None)
    assert {"a": 1} == pairs_of(kept)


def test_inputs_of_a_schedule_change_one_by_one(fakeplat: Fakeplat) -> None:
    """An update adds, changes and removes inputs by name, and leaves the others."""
    path = f"{SCHEDULES}/{create_schedule(fakeplat, inputs=[{'name': 'a', 'value': [1]}])['id']}"

    added = change_schedule(fakeplat, path, inputs=[{"name": "b", "value": True}])
    assert {"a": [1], "b": True} == pairs_of(added)
    changed = change_schedule(fakeplat, path, inputs=[{"name": "a", "value": "x"}])
    assert {"a": "x", "b": True} == pairs_of(changed)
    removed = change_schedule(fakeplat, path, inputs=[{"name": "b", "destroy": True}, {"name": "c", "destroy": True}])
    assert {"a": "x"} == pairs_of(removed)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ([{"name": "a"}], {"error": "inputs[0][value] is missing"}),
        ([{"value": "a"}], {"error": "inputs[0][name] is missing"}),
        ([{"name": " ", "value": "a"}], {"message": {"inputs.name": ["can't be blank"]}}),
        (
            [{"name": "a" * 256, "value": "a"}],
            {"message": {"inputs.name": ["is too long (maximum is 255 characters)"]}},
        ),
        (
            [{"name": "a", "value": "a" * 1_023}],
            {"message": {"inputs.value": ["exceeds max serialized size: 1024 characters"]}},
        ),
        (
            [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}],
            {"message": {"inputs.name": ["has already been taken"]}},
        ),
    ],
)
def test_wrong_inputs_of_a_schedule_are_refused(
    fakeplat: Fakeplat, inputs: list[dict[str, Any]], expected: dict[str, Any]
) -> None:
    """An input of a schedule has a name of its own, and a value of at most 1024 characters."""
    reply = fakeplat.as_user("ada").post(SCHEDULES, json={**BODY, "inputs": inputs})

    assert (400, expected) == (reply.status, reply.json())
    assert [] == fakeplat.as_user("ada").get(SCHEDULES).json()


@by_release(SCHEDULE_INPUTS_ARE_HIDDEN, "is_hidden", {"19.1": False, "19.2": True})
def test_later_releases_hide_the_inputs_of_a_schedule(fakeplat: Fakeplat, *, is_hidden: bool) -> None:
    """In the newest releases, other developers see no inputs of a schedule, and answers to changes have none."""
    path = f"{SCHEDULES}/{create_schedule(fakeplat, inputs=[{'name': 'a', 'value': 'b'}])['id']}"
    changed = fakeplat.as_user("ada").put(path, json={"active": False}).json()
    assert is_hidden == ("inputs" not in changed)

    assert is_hidden == ("inputs" not in fakeplat.as_user("dan").get(path).json())
    assert {"a": "b"} == pairs_of(fakeplat.as_user("ada").get(path).json())


def test_only_owners_and_maintainers_read_a_variable_of_a_schedule(fakeplat: Fakeplat) -> None:
    """Other developers may not read a single variable of a schedule."""
    path = f"{SCHEDULES}/{create_schedule(fakeplat)['id']}"
    fakeplat.as_user("ada").post(f"{path}/variables", json={"key": "A", "value": "b"})
    variable = f"{path}/variables/A"

    assert FORBIDDEN == outcome(fakeplat.as_user("dan").get(variable))
    assert UNAUTHORIZED == outcome(fakeplat.as_user(None).get(variable))
    shown = {"key": "A", "value": "b", "variable_type": "env_var", "raw": False}
    assert shown == fakeplat.as_user("ada").get(variable).json()
    missing = outcome(fakeplat.as_user("ada").get(f"{path}/variables/B"))
    assert resource_not_found("Pipeline Schedule Variable") == missing
