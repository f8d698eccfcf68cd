"""Pipelines of projects: lists, details and actions. Source: docs/platform/pipelines-jobs.md."""

from typing import Any

import pytest

from fakeplat.domain.ci import job_artifacts, pipelines
from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_ci
from tests.api.jobs import BRIDGE, create_pipeline, job, statuses
from tests.api.jobs import FULL as JOB
from tests.api.merge_requests import NOT_FOUND, commit, get_json
from tests.api.pipelines import BASIC, FULL, SITE, create_pipelines, load_project, newest, without_ci
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    invalid,
    names,
    outcome,
    refusal,
    resource_not_found,
)

LIST = f"{SITE}/pipelines"
INVALID_SCOPE = invalid("scope does not have a valid value")


def pipeline_path(fake: Fakeplat, tail: str = "") -> str:
    """Return a path of the newest pipeline."""
    return f"{LIST}/{newest(fake).id}{tail}"


def list_iids(fake: Fakeplat, query: str = "", key: str = "iid") -> list[Any]:
    """Return the numbers of the listed pipelines within the project, in their order."""
    rows = get_json(fake, f"{LIST}?{query}")
    return [fake.bench.platform.view.pipelines[row["id"]].iid for row in rows] if key == "iid" else names(rows, key)


@pytest.fixture
def several(fakeplat: Fakeplat) -> Fakeplat:
    """Five pipelines of different refs, statuses and users, and a child pipeline."""
    create_pipelines(
        fakeplat,
        {"iid": 1, "status": "success", "user": "dev", "created_at": "2020-11-01T10:00:00Z"},
        {"iid": 2, "status": "failed", "user": "mia", "ref": "master", "created_at": "2020-11-02T10:00:00Z"},
        {"iid": 3, "status": "running", "yaml_errors": "No", "created_at": "2020-11-03T10:00:00Z"},
        {
            "iid": 4,
            "status": "pending",
            "user": "dev",
            "ref": "v1.0",
            "tag": True,
            "created_at": "2020-11-04T10:00:00Z",
        },
        {"iid": 5, "status": "canceled", "sha": "b" * 40, "created_at": "2020-11-05T10:00:00Z"},
        {"iid": 6, "status": "success", "source": "parent_pipeline", "created_at": "2020-11-06T10:00:00Z"},
    )
    return fakeplat


def test_the_list_has_few_fields_and_no_child_pipelines(several: Fakeplat) -> None:
    """Pipelines are listed newest first with basic fields and without child pipelines."""
    assert BASIC == set(get_json(several, LIST)[0])
    assert [5, 4, 3, 2, 1] == list_iids(several)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("scope=running", [3]),
        ("scope=pending", [4]),
        ("scope=finished", [5, 2, 1]),
        ("scope=finished&per_page=1&page=2", [2]),
        ("status=failed", [2]),
        ("status=manual", []),
        ("ref=feature", [5, 3, 1]),
        ("ref=feature&status=running", [3]),
        ("ref=feature&scope=finished", [5, 1]),
        ("ref=gone", []),
        (f"sha={'b' * 40}", [5]),
        (f"sha={'b' * 40}&ref=feature", [5]),
        (f"sha={'b' * 40}&ref=master", []),
        ("yaml_errors=true", [3]),
        ("yaml_errors=false", [5, 4, 2, 1]),
        ("yaml_errors=false&ref=feature", [5, 1]),
        ("username=dev", [4, 1]),
        ("username=DEV", []),
        ("username=nobody", []),
        ("name=Dev%20Example", [4, 1]),
        ("name=dev", []),
        ("updated_after=2020-11-02T10:00:00Z", [5, 4, 3]),
        ("updated_before=2020-11-03T10:00:00Z", [2, 1]),
        ("updated_after=2020-11-01T12:00:00Z&updated_before=2020-11-04T00:00:00Z", [3, 2]),
        ("updated_after=2020-11-04T12:00:00Z&updated_before=2020-11-02T00:00:00Z", []),
        ("sort=asc", [1, 2, 3, 4, 5]),
        ("order_by=status", [1, 3, 4, 2, 5]),
        ("order_by=status&sort=asc", [5, 2, 4, 3, 1]),
        ("order_by=ref&sort=asc", [1, 3, 5, 2, 4]),
        ("order_by=ref&ref=feature", [5, 3, 1]),
        ("order_by=updated_at&sort=asc&per_page=2&page=2", [3, 4]),
        ("order_by=user_id&sort=asc", [2, 1, 4, 3, 5]),
        ("order_by=user_id", [5, 3, 4, 1, 2]),
        ("order_by=user_id&status=success", [1]),
        ("ref=&sha=&username=", [5, 4, 3, 2, 1]),
    ],
)
def test_pipelines_are_filtered_and_sorted(several: Fakeplat, query: str, expected: list[int]) -> None:
    """Pipelines are filtered and sorted by each parameter and several together."""
    order = expected if "user_id" not in query else sorted_by_user(several, query, expected)
    assert order == list_iids(several, query)


def sorted_by_user(fake: Fakeplat, query: str, expected: list[int]) -> list[int]:
    """Users are sorted by id, which the starter does not fix: mia is older than dev."""
    assert fake.world.user("mia").id < fake.world.user("dev").id, query
    return expected


@pytest.mark.parametrize(("scope", "expected"), [("branches", [6, 2]), ("tags", [4]), ("branches&status=success", [6])])
def test_the_newest_of_each_ref_is_listed(several: Fakeplat, scope: str, expected: list[int]) -> None:
    """The platform does not leave child pipelines out here; refs that do not exist have none."""
    create_pipelines(several, {"ref": "gone", "sha": "c" * 40})
    assert expected == list_iids(several, f"scope={scope}")


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("scope=all", "scope does not have a valid value"),
        ("status=done", "status does not have a valid value"),
        ("order_by=sha", "order_by does not have a valid value"),
        ("sort=up", "sort does not have a valid value"),
        ("yaml_errors=maybe", "yaml_errors is invalid"),
        ("updated_after=soon", "updated_after is invalid"),
    ],
)
def test_unknown_values_are_refused(fakeplat: Fakeplat, query: str, error: str) -> None:
    """Unknown values of pipeline filters answer 400 with the parameter's name."""
    assert invalid(error) == refusal(fakeplat, "dev", "GET", f"{LIST}?{query}")


def test_a_changed_pipeline_moves_in_the_lists(several: Fakeplat) -> None:
    """A changed pipeline moves in cached lists."""
    assert [3] == list_iids(several, "status=running")
    with several.bench.platform.acting() as ctx:
        pipelines.set_status(ctx, next(p for p in ctx.world.pipelines.all() if p.iid == 3), "success")
    assert ([], [3, 1]) == (list_iids(several, "status=running"), list_iids(several, "status=success"))
    assert 3 == list_iids(several, "order_by=updated_at")[0]


@pytest.mark.parametrize("tail", ["", "/{id}", "/{id}/jobs", "/{id}/bridges", "/{id}/test_report", "/latest"])
def test_roles_that_read_pipelines(fakeplat: Fakeplat, tail: str) -> None:
    """Pipelines are public in public projects, and for Guests with public builds."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"}, ref="master")
    pipeline_path = LIST + tail.format(id=newest(fakeplat).id)
    for caller in (None, "eve"):
        assert resource_not_found("Project") == refusal(fakeplat, caller, "GET", pipeline_path)
    for caller in ("gus", "rep"):
        assert 200 == fakeplat.as_user(caller).get(pipeline_path).status
    load_project(fakeplat, visibility="public")
    assert 200 == fakeplat.as_user(None).get(pipeline_path).status
    load_project(fakeplat, public_builds=False)
    for caller in (None, "eve", "gus"):
        assert FORBIDDEN == refusal(fakeplat, caller, "GET", pipeline_path)
    assert 200 == fakeplat.as_user("rep").get(pipeline_path).status
    load_project(fakeplat, builds_access_level="disabled")
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", pipeline_path)


def test_a_pipeline_shows_all_fields(fakeplat: Fakeplat) -> None:
    """A single pipeline, also a child pipeline, shows all fields."""
    create_pipelines(fakeplat, {"source": "parent_pipeline"})
    assert FULL == set(get_json(fakeplat, pipeline_path(fakeplat)))


def test_the_coverage_is_the_average_of_the_jobs(fakeplat: Fakeplat) -> None:
    """The coverage of a pipeline is the average of its jobs that were not retried."""
    create_pipeline(
        fakeplat,
        {"name": "a", "status": "failed", "coverage": 10.0, "retried": True},
        {"name": "a", "status": "success", "coverage": 30.0},
        {"name": "b", "status": "success", "coverage": 31.015},
        {"name": "c", "status": "success"},
    )
    assert "30.51" == get_json(fakeplat, pipeline_path(fakeplat))["coverage"]


@pytest.mark.parametrize("tail", ["", "/jobs", "/bridges", "/variables", "/test_report"])
def test_a_missing_pipeline_is_not_found(fakeplat: Fakeplat, tail: str) -> None:
    """Unknown pipelines and those of other projects answer 404."""
    create_pipelines(fakeplat, {"sha": "a" * 40}, project="acme/docs")
    for id_ in (1, newest(fakeplat).id):
        assert NOT_FOUND == refusal(fakeplat, "ada", "GET", f"{LIST}/{id_}{tail}")
    assert invalid("pipeline_id is invalid") == refusal(fakeplat, "ada", "GET", f"{LIST}/x{tail}")


def test_the_latest_is_that_of_the_newest_commit(fakeplat: Fakeplat) -> None:
    """The latest pipeline of a branch is that of its newest commit without children."""
    without_ci(fakeplat)
    create_pipelines(
        fakeplat,
        {"iid": 1, "ref": "master"},
        {"iid": 2},
        {"iid": 3, "ref": "master"},
        {"iid": 4, "ref": "master", "source": "parent_pipeline"},
    )
    latest = get_json(fakeplat, f"{LIST}/latest")
    assert (FULL, "master") == (set(latest), latest["ref"])
    assert 3 == fakeplat.bench.platform.view.pipelines[latest["id"]].iid
    assert "feature" == get_json(fakeplat, f"{LIST}/latest?ref=feature")["ref"]
    commit(fakeplat, "feature")
    for ref in ("feature", "gone"):
        assert FORBIDDEN == refusal(fakeplat, "ada", "GET", f"{LIST}/latest?ref={ref}")


def test_a_pipeline_is_deleted_with_its_jobs(fakeplat: Fakeplat) -> None:
    """Owners delete a pipeline with its jobs; an unknown one answers 404 before 403."""
    create_pipeline(fakeplat, {"name": "a", "status": "running"})
    assert UNAUTHORIZED == refusal(fakeplat, None, "DELETE", pipeline_path(fakeplat))
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "DELETE", pipeline_path(fakeplat))
    for user in ("rep", "dev", "mia"):
        assert FORBIDDEN == refusal(fakeplat, user, "DELETE", pipeline_path(fakeplat))
        assert NOT_FOUND == refusal(fakeplat, user, "DELETE", f"{LIST}/1")
    assert STALE == refusal(fakeplat, "ada", "DELETE", pipeline_path(fakeplat), headers=LONG_AGO)
    assert 204 == fakeplat.as_user("ada").delete(pipeline_path(fakeplat)).status
    assert ([], 0) == (statuses(fakeplat), len(fakeplat.bench.platform.view.pipelines))
    fakeplat.settle()


def test_a_pipeline_is_retried(fakeplat: Fakeplat) -> None:
    """Retrying a pipeline repeats failed and canceled jobs only."""
    create_pipeline(
        fakeplat,
        {"name": "a", "status": "success"},
        {"name": "b", "status": "failed"},
        {"name": "c", "stage": "deploy", "status": "skipped"},
    )
    reply = fakeplat.as_user("dev").post(pipeline_path(fakeplat, "/retry"))
    assert (201, FULL, "running") == (reply.status, set(reply.json()), reply.json()["status"])
    assert [("a", "success"), ("b", "failed"), ("c", "created"), ("b", "pending")] == statuses(fakeplat)
    fakeplat.settle()
    assert "success" == newest(fakeplat).status
    again = fakeplat.as_user("dev").post(pipeline_path(fakeplat, "/retry"))
    assert (201, "success") == (again.status, again.json()["status"])


def test_a_pipeline_is_canceled(fakeplat: Fakeplat) -> None:
    """Canceling a pipeline answers 200 and keeps manual jobs."""
    create_pipeline(
        fakeplat,
        {"name": "a", "status": "running"},
        {"name": "b", "status": "manual", "when": "manual", "allow_failure": True},
        {"name": "c", "stage": "deploy", "status": "created"},
    )
    reply = fakeplat.as_user("dev").post(pipeline_path(fakeplat, "/cancel"))
    assert (200, FULL, "canceled") == (reply.status, set(reply.json()), reply.json()["status"])
    assert [("a", "canceled"), ("b", "manual"), ("c", "canceled")] == statuses(fakeplat)


@pytest.mark.parametrize("action", ["retry", "cancel"])
def test_roles_that_change_pipelines(fakeplat: Fakeplat, action: str) -> None:
    """Developers who may push to the branch; nobody in an archived project."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"})
    action_path = pipeline_path(fakeplat, f"/{action}")
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", action_path)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "POST", action_path)
    for user in ("gus", "rep"):
        assert FORBIDDEN == refusal(fakeplat, user, "POST", action_path)
    assert NOT_FOUND == refusal(fakeplat, "rep", "POST", f"{LIST}/1/{action}")
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", action_path)
    fakeplat.as_user("ada").post(f"{SITE}/unarchive")
    assert fakeplat.as_user("dev").post(action_path).status in (200, 201)
    create_pipeline(fakeplat, {"name": "a", "status": "success"}, ref="master")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", pipeline_path(fakeplat, f"/{action}"))
    assert fakeplat.as_user("mia").post(pipeline_path(fakeplat, f"/{action}")).status in (200, 201)


def test_variables_are_for_maintainers_and_who_started_the_pipeline(fakeplat: Fakeplat) -> None:
    """The variables of a pipeline are shown to Maintainers and to whoever started it."""
    rows = [
        {"variable_type": "env_var", "key": "A", "value": "1"},
        {"variable_type": "file", "key": "B", "value": "text"},
    ]
    create_pipelines(fakeplat, {"user": "dev", "variables": rows})
    for user in ("mia", "dev"):
        assert rows == get_json(fakeplat, pipeline_path(fakeplat, "/variables"), by=user)
    create_pipelines(fakeplat, {"user": "mia", "variables": rows})
    for user in ("gus", "rep", "dev"):
        assert FORBIDDEN == refusal(fakeplat, user, "GET", pipeline_path(fakeplat, "/variables"))
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", pipeline_path(fakeplat, "/variables"))
    create_pipelines(fakeplat, {})
    assert [] == get_json(fakeplat, pipeline_path(fakeplat, "/variables"), by="mia")


JOBS_OF_ONE = (
    {"name": "a", "status": "failed", "retried": True},
    {"name": "a", "status": "success"},
    {"name": "b", "status": "pending"},
    {"name": "c", "status": "running", "trigger": {"project": "acme/docs"}},
    {"name": "d", "status": "success", "kind": "external"},
    {"name": "e", "status": "failed", "trigger": {"project": "acme/docs"}},
)


@pytest.mark.fakeplat(clock="virtual")
def test_jobs_of_a_pipeline_are_listed_in_their_order(fakeplat: Fakeplat) -> None:
    """Jobs of a pipeline are listed without retried ones and bridges."""
    create_pipeline(fakeplat, {"name": "x", "status": "success"})
    create_pipeline(fakeplat, *JOBS_OF_ONE)
    rows = get_json(fakeplat, pipeline_path(fakeplat, "/jobs"))
    assert ([("a", "success"), ("b", "pending")], JOB) == (
        [(row["name"], row["status"]) for row in rows],
        set(rows[0]),
    )
    assert ["a", "b"] == names(get_json(fakeplat, pipeline_path(fakeplat, "/jobs?include_retried=true")), "name")
    assert ["b"] == names(get_json(fakeplat, pipeline_path(fakeplat, "/jobs?scope[]=pending&scope[]=running")), "name")
    assert ["a"] == names(get_json(fakeplat, pipeline_path(fakeplat, "/jobs?scope=success")), "name")


@pytest.mark.fakeplat(version="13.9.0")
def test_newer_releases_list_retried_jobs_on_request(fakeplat: Fakeplat) -> None:
    """From 13.9 on `include_retried` lists retried jobs, too."""
    create_pipeline(fakeplat, *JOBS_OF_ONE)
    assert ["a", "a", "b"] == names(get_json(fakeplat, pipeline_path(fakeplat, "/jobs?include_retried=true")), "name")
    assert ["a", "b"] == names(get_json(fakeplat, pipeline_path(fakeplat, "/jobs")), "name")


@pytest.mark.parametrize("tail", ["/jobs", "/bridges"])
@pytest.mark.parametrize("query", ["scope=unknown", "scope[]=unknown&scope[]=running", "scope[a]=running"])
def test_unknown_statuses_of_jobs_are_refused(fakeplat: Fakeplat, tail: str, query: str) -> None:
    """Unknown statuses of a pipeline's jobs answer 400."""
    create_pipeline(fakeplat)
    assert INVALID_SCOPE == refusal(fakeplat, "dev", "GET", pipeline_path(fakeplat, f"{tail}?{query}"))


@pytest.mark.fakeplat(version="19.2", default_branch="master")
def test_bridges_have_a_later_name(fakeplat: Fakeplat) -> None:
    """Later releases list the jobs that trigger other pipelines at another address, too."""
    create_pipelines(fakeplat, {"jobs": [{"name": "a"}, {"name": "b", "kind": "bridge"}]})
    assert ["b"] == names(get_json(fakeplat, pipeline_path(fakeplat, "/trigger_jobs")), "name")


def test_bridges_show_the_pipeline_that_they_created(fakeplat: Fakeplat) -> None:
    """Null if there is none yet."""
    create_pipelines(fakeplat, {"iid": 3, "status": "success", "sha": "c" * 40}, project="acme/docs")
    downstream = newest(fakeplat)
    linked = {**JOBS_OF_ONE[3], "downstream_pipeline": "acme/docs#3"}
    create_pipeline(fakeplat, linked, JOBS_OF_ONE[5], JOBS_OF_ONE[1])
    first, second = get_json(fakeplat, pipeline_path(fakeplat, "/bridges"))
    assert (BRIDGE, "c", "e", None) == (set(first), first["name"], second["name"], second["downstream_pipeline"])
    assert (BASIC, downstream.id) == (set(first["downstream_pipeline"]), first["downstream_pipeline"]["id"])
    assert ["e"] == names(get_json(fakeplat, pipeline_path(fakeplat, "/bridges?scope=failed")), "name")
    assert job(fakeplat, "c").id == fakeplat.bench.platform.view.pipelines[downstream.id].source_job_id


def test_an_empty_test_report_has_zeros(fakeplat: Fakeplat) -> None:
    """The test report of a pipeline without report files has only zeros."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"})
    zeros = dict.fromkeys(["total_count", "success_count", "failed_count", "skipped_count", "error_count"], 0)
    assert {"total_time": 0, **zeros, "test_suites": []} == get_json(fakeplat, pipeline_path(fakeplat, "/test_report"))


def test_the_test_report_has_all_junit_files_of_a_job(fakeplat: Fakeplat) -> None:
    """The test report includes all JUnit files of jobs that were not retried."""
    cases = ['<testcase name="opens" time="0.5"/>', '<testcase name="closes"><failure>stuck</failure></testcase>']
    files = {f"{i}.xml": f"<testsuite>{case}</testsuite>" for i, case in enumerate(cases)}
    create_pipeline(fakeplat, {"name": "a", "status": "failed"}, {"name": "b", "status": "failed", "retried": True})
    with fakeplat.bench.platform.acting() as ctx:
        for name in ("a", "b"):
            job_artifacts.add_report(ctx, job(fakeplat, name), "junit", files)

    report = get_json(fakeplat, pipeline_path(fakeplat, "/test_report"))
    assert (2, 1, 1, 0.5) == tuple(
        report[key] for key in ("total_count", "success_count", "failed_count", "total_time")
    )
    (suite,) = report["test_suites"]
    assert ("a", {("opens", "success"), ("closes", "failed")}) == (
        suite["name"],
        {(case["name"], case["status"]) for case in suite["test_cases"]},
    )


CREATE = f"{SITE}/pipeline"


def test_roles_that_create_pipelines(fakeplat: Fakeplat) -> None:
    """Developers create pipelines unless the project is archived or builds are disabled."""
    body = {"ref": "feature"}
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", CREATE, json=body)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "POST", CREATE, json=body)
    for user in ("gus", "rep"):
        assert FORBIDDEN == refusal(fakeplat, user, "POST", CREATE, json=body)
    load_project(fakeplat, builds_access_level="disabled")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", CREATE, json=body)
    load_project(fakeplat, builds_access_level="enabled")
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", CREATE, json=body)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, "ref is missing"),
        ({"ref": "feature", "variables": "x"}, "variables is invalid"),
        ({"ref": "feature", "variables": [{"value": "1"}]}, "variables[0][key] is missing"),
        (
            {"ref": "feature", "variables": [{"key": "A", "variable_type": "x"}]},
            "variables[0][variable_type] does not have a valid value",
        ),
    ],
)
def test_parameters_of_new_pipelines_are_checked(fakeplat: Fakeplat, body: dict[str, Any], error: str) -> None:
    """Invalid parameters of a new pipeline answer 400."""
    assert invalid(error) == refusal(fakeplat, "dev", "POST", CREATE, json=body)


def test_a_pipeline_is_created(fakeplat: Fakeplat) -> None:
    """A created pipeline has the source `api` and hidden variables."""
    load_project(fakeplat, ci_config_path="ci.yml")
    sha = commit(fakeplat, "feature", "ci.yml", content="test: {script: [make]}")
    variables = [{"variable_type": "file", "key": "UPLOAD", "value": "true"}]
    reply = fakeplat.as_user("dev").post(CREATE, json={"ref": "feature", "variables": variables})
    assert (201, FULL, sha, "dev") == (
        reply.status,
        set(reply.json()),
        reply.json()["sha"],
        reply.json()["user"]["username"],
    )
    assert "api" == newest(fakeplat).source
    assert variables == get_json(fakeplat, pipeline_path(fakeplat, "/variables"), by="dev")


@pytest.mark.parametrize(("ref", "error"), [("gone", "Reference not found"), ("feature", "Missing CI config file")])
def test_a_pipeline_that_cannot_be_created_is_refused(fakeplat: Fakeplat, ref: str, error: str) -> None:
    """A pipeline that cannot be created answers 400 and is not stored."""
    load_project(fakeplat, auto_devops_enabled=False, ci_config_path="other.yml")
    assert (400, {"message": {"base": [error]}}) == refusal(fakeplat, "dev", "POST", CREATE, json={"ref": ref})


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("A B", ["can contain only letters, digits and '_'."]),
        ("!?", ["can contain only letters, digits and '_'."]),
        ("", ["can't be blank", "can contain only letters, digits and '_'."]),
        ("K" * 256, ["is too long (maximum is 255 characters)"]),
    ],
    ids=["space", "signs", "blank", "long"],
)
def test_keys_of_variables_of_new_pipelines_are_checked(fakeplat: Fakeplat, key: str, texts: list[str]) -> None:
    """A variable with an invalid key keeps its pipeline from being saved, whoever creates it."""
    commit_ci(fakeplat, "build: {script: x}")
    sentence = ", ".join(f"Variables key {text}" for text in texts)
    base = [f"Failed to persist the pipeline: Validation failed: {sentence}"]
    expected = (400, {"message": {"variables.key": texts, "base": base}})
    body = {"ref": "master", "variables": [{"key": "GOOD", "value": "x"}, {"key": key, "value": "x"}]}
    assert expected == refusal(fakeplat, "mia", "POST", f"{SITE}/pipeline", json=body)

    token = fakeplat.as_user("mia").post(f"{SITE}/triggers", json={"description": "d"}).json()["token"]
    triggered = {"ref": "master", "token": token, "variables": {key: "x"}}
    assert expected == refusal(fakeplat, None, "POST", f"{SITE}/trigger/pipeline", json=triggered)


def test_commits_show_the_newest_pipeline_that_is_no_child(fakeplat: Fakeplat) -> None:
    """A commit shows its newest pipeline that is no child."""
    create_pipelines(fakeplat, {"status": "failed"}, {"status": "success", "source": "parent_pipeline"})
    commit = get_json(fakeplat, f"{SITE}/repository/commits/feature")
    assert ("failed", "failed") == (commit["status"], commit["last_pipeline"]["status"])


def test_a_list_of_many_pipelines_is_paged(fakeplat: Fakeplat) -> None:
    """The headers count all rows."""
    create_pipelines(fakeplat, *({"sha": "d" * 40, "status": "success"} for _ in range(25)))
    reply = fakeplat.as_user("dev").get(f"{LIST}?per_page=10&page=3")
    assert ("25", "3", 5) == (reply.headers["X-Total"], reply.headers["X-Total-Pages"], len(reply.json()))
    assert outcome(reply)[0] == 200
