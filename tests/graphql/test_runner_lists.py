"""What lists of runners tell, and the projects and statuses of runners.

Source: spec/requests/api/graphql/mutations/ci/runner/update_spec.rb, spec/graphql/types/ci/runner_web_url_edge_spec.rb,
ee/spec/graphql/ee/resolvers/ci/runners_resolver_spec.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import RUNNER_STATUSES_LEAVE_PAUSES_OUT
from tests.api.pipelines import create_pipelines
from tests.by_release import by_release
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

RUNNERS = [
    {"description": "big", "runner_type": "instance_type", "token": "big-token"},
    {"description": "small", "runner_type": "instance_type", "token": "small-token"},
    {"description": "idle", "runner_type": "instance_type", "token": "idle-token"},
    {"description": "team", "runner_type": "group_type", "group": "acme", "token": "team-token"},
    {"description": "own", "runner_type": "project_type", "projects": ["acme/site"], "token": "own-token"},
]
SCENARIO: dict[str, Any] = {"extends": "starter", "runners": RUNNERS}
pytestmark = pytest.mark.fakeplat(version="latest", scenario=SCENARIO, tier="ultimate")


def find_id(fake: Fakeplat, description: str) -> int:
    (runner,) = [each for each in fake.bench.platform.view.runners.all() if each.description == description]
    return runner.id


def names_of(rows: dict[str, Any]) -> list[str]:
    return [row["description"] for row in rows["nodes"]]


# Where runners are shown


@pytest.mark.parametrize(
    ("kind", "path"), [("group", "groups/acme"), ("project", "acme/site")], ids=["group", "project"]
)
def test_an_edge_leads_to_the_runner_in_the_list_of_its_owner(fakeplat: Fakeplat, kind: str, path: str) -> None:
    """The addresses of a runner are those within the group or project that lists it."""
    full_path = path.removeprefix("groups/")
    query = f'{{ {kind}(fullPath: "{full_path}") {{ runners(search: "team") {{ edges {{ webUrl editUrl }} }} }} }}'
    (edge,) = query_data(fakeplat, "ada", query)[kind]["runners"]["edges"]
    url = f"{fakeplat.url}/{path}/-/runners/{find_id(fakeplat, 'team')}"

    assert {"webUrl": url, "editUrl": f"{url}/edit"} == edge


def test_an_edge_of_all_runners_leads_nowhere(fakeplat: Fakeplat) -> None:
    """A list that belongs to no group or project has no addresses."""
    edges = query_data(fakeplat, "root", "{ runners { edges { webUrl editUrl } } }")["runners"]["edges"]
    assert [{"webUrl": None, "editUrl": None}] * 5 == edges


# How long jobs waited

DURATIONS = "jobsStatistics { queuedDuration { p50 p75 p90 p95 p99 } }"


def build_job(seconds: int, runner: str = "big-token", **fields: Any) -> dict[str, Any]:
    times = {"queued_at": "2020-11-20T08:00:00Z", "started_at": f"2020-11-20T08:00:{seconds:02}Z"}
    return {"name": f"wait {seconds}", "status": "running", "runner": {"token": runner}, **times, **fields}


def test_administrators_see_how_long_jobs_waited(fakeplat: Fakeplat) -> None:
    """The times that jobs of the listed runners waited are told in percentiles, between two of them in proportion."""
    jobs = [build_job(each) for each in (10, 20, 30, 50)]
    create_pipelines(
        fakeplat, {"jobs": [*jobs, build_job(59, "team-token"), build_job(7, status="pending", started_at=None)]}
    )
    query = f"{{ runners(type: INSTANCE_TYPE) {{ {DURATIONS} }} }}"

    assert {"p50": 25.0, "p75": 35.0, "p90": 44.0, "p95": 47.0, "p99": 49.4} == query_data(fakeplat, "root", query)[
        "runners"
    ]["jobsStatistics"]["queuedDuration"]


def test_the_statistics_of_a_group_are_for_its_maintainers(fakeplat: Fakeplat) -> None:
    """Maintainers see those of the runners of the group, also without jobs; those of projects nobody sees."""
    create_pipelines(fakeplat, {"jobs": [build_job(10), build_job(30, "team-token")]})
    query = f'{{ group(fullPath: "acme") {{ runners {{ {DURATIONS} }} }} }}'
    shown = query_data(fakeplat, "mia", query)["group"]["runners"]["jobsStatistics"]["queuedDuration"]

    assert dict.fromkeys(("p50", "p75", "p90", "p95", "p99"), 30.0) == shown
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", query))
    assert {"runners": {"jobsStatistics": None}} == query_project(fakeplat, "root", f"runners {{ {DURATIONS} }}")


@pytest.mark.fakeplat(tier="premium")
def test_statistics_need_the_highest_tier(fakeplat: Fakeplat) -> None:
    """Below Ultimate there are no statistics, and no order by activity."""
    query = f"{{ runners {{ {DURATIONS} }} }}"
    assert {"runners": {"jobsStatistics": None}} == query_data(fakeplat, "root", query)
    assert ["runner_performance_insights feature is required for MOST_ACTIVE_DESC sorting"] == list_messages(
        query_refused(fakeplat, "root", MOST_ACTIVE)
    )
    of_group = '{ group(fullPath: "acme") { runners(sort: MOST_ACTIVE_DESC, membership: DIRECT) { count } } }'
    expected = "runner_performance_insights_for_namespace feature is required for MOST_ACTIVE_DESC sorting"
    assert [expected] == list_messages(query_refused(fakeplat, "ada", of_group))


@pytest.mark.fakeplat(version="15.8")
def test_without_jobs_there_are_no_times(fakeplat: Fakeplat) -> None:
    """Where no job was started, no time is told; in the first releases the times are a type of their own."""
    query = "{ runners { jobsStatistics { queuedDuration { __typename p50 p99 } } } }"
    shown = query_data(fakeplat, "root", query)["runners"]["jobsStatistics"]["queuedDuration"]
    assert {"__typename": "CiJobsDurationStatistics", "p50": None, "p99": None} == shown


# The order by activity

MOST_ACTIVE = "{ runners(sort: MOST_ACTIVE_DESC, type: INSTANCE_TYPE) { nodes { description } } }"


def test_runners_are_sorted_by_their_running_jobs(fakeplat: Fakeplat) -> None:
    """The runner with the most running jobs comes first; idle ones are left out."""
    jobs = [build_job(1, "small-token"), build_job(2, "small-token"), build_job(3), build_job(4, status="success")]
    create_pipelines(fakeplat, {"jobs": [*jobs, *(build_job(each, "team-token") for each in (5, 6, 7))]})
    of_group = (
        '{ group(fullPath: "acme") { runners(sort: MOST_ACTIVE_DESC, membership: DIRECT) { nodes { description } } } }'
    )

    assert ["small", "big"] == names_of(query_data(fakeplat, "root", MOST_ACTIVE)["runners"])
    assert ["team"] == names_of(query_data(fakeplat, "ada", of_group)["group"]["runners"])


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "runners(sort: MOST_ACTIVE_DESC) { count }",
            "MOST_ACTIVE_DESC sorting is only available for groups or when type is INSTANCE_TYPE",
        ),
        (
            'project(fullPath: "acme/site") { runners(sort: MOST_ACTIVE_DESC, type: PROJECT_TYPE) { count } }',
            "MOST_ACTIVE_DESC sorting is only available for groups or when type is INSTANCE_TYPE",
        ),
        (
            'group(fullPath: "acme") { runners(sort: MOST_ACTIVE_DESC) { count } }',
            "MOST_ACTIVE_DESC sorting is only supported on groups when membership is DIRECT",
        ),
    ],
    ids=["all", "project", "descendants"],
)
def test_not_all_runners_are_sorted_by_activity(fakeplat: Fakeplat, query: str, message: str) -> None:
    """Only runners of the instance and those of a group itself are sorted by their jobs."""
    assert [message] == list_messages(query_refused(fakeplat, "root", f"{{ {query} }}"))


@pytest.mark.fakeplat(version="15.3")
def test_membership_was_another_type_at_first(fakeplat: Fakeplat) -> None:
    """In early releases a list of a group is restricted to its own runners with an enumeration of another name."""
    query = """query($filter: RunnerMembershipFilter) {
        group(fullPath: "acme") { runners(membership: $filter) { nodes { description } } } }"""

    for membership, expected in (("DIRECT", {"team"}), ("DESCENDANTS", {"team", "own"})):
        rows = query_data(fakeplat, "ada", query, filter=membership)["group"]["runners"]
        assert expected == set(names_of(rows))


# Statuses and executors


def show_statuses(fake: Fakeplat, arguments: str = "") -> dict[str, str]:
    nodes = query_data(fake, "root", f"{{ runners {{ nodes {{ description status{arguments} }} }} }}")["runners"][
        "nodes"
    ]
    return {node["description"]: node["status"] for node in nodes}


WITH_STATUSES = {
    **SCENARIO,
    "runners": [
        {"description": "new", "runner_type": "instance_type"},
        {"description": "off", "runner_type": "instance_type", "active": False, "contacted_at": "2020-11-20T09:00:00Z"},
        {"description": "on", "runner_type": "instance_type", "contacted_at": "2020-11-20T09:00:00Z"},
    ],
}
LEGACY = {"new": "NOT_CONNECTED", "off": "PAUSED", "on": "ONLINE"}
LATER = {"new": "NEVER_CONTACTED", "off": "ONLINE", "on": "ONLINE"}


@pytest.mark.fakeplat(scenario=WITH_STATUSES, start="2020-11-20T09:00:00.000Z", releases="<15.0")
@by_release(RUNNER_STATUSES_LEAVE_PAUSES_OUT, "arguments", {"14.5": None, "14.6": "(legacyMode: null)"})
def test_the_legacy_mode_can_be_left(fakeplat: Fakeplat, arguments: str | None) -> None:
    """At first a status tells pauses; from 14.6 on, it does so unless the client asks for the new statuses."""
    assert LEGACY == show_statuses(fakeplat)
    assert ["new"] == names_of(
        query_data(fakeplat, "root", "{ runners(status: NOT_CONNECTED) { nodes { description } } }")["runners"]
    )
    if arguments is not None:
        assert LATER == show_statuses(fakeplat, arguments)


@pytest.mark.fakeplat(version="15.3", scenario=WITH_STATUSES, start="2020-11-20T09:00:00.000Z")
def test_the_legacy_mode_can_be_asked_for(fakeplat: Fakeplat) -> None:
    """From 15.0 on, statuses tell no pauses unless the client asks for those of 14.5."""
    assert LATER == show_statuses(fakeplat)
    assert {**LEGACY, "new": "NEVER_CONTACTED"} == show_statuses(fakeplat, '(legacyMode: "14.5")')


@pytest.mark.fakeplat(version="16.2")
@pytest.mark.parametrize(
    ("said", "expected"), [("docker+machine", "docker+machine"), ("abacus", "unknown"), ("", None)]
)
def test_a_runner_says_how_it_runs_jobs(fakeplat: Fakeplat, said: str, expected: str | None) -> None:
    """The executor is what the program said last; one that the platform does not know is unknown."""
    sent = {"token": "big-token", "system_id": "s_1", "info": {"executor": said, "version": "16.0.0"}}
    fakeplat.as_user(None).post("jobs/request", json=sent)
    query = f"""{{ runner(id: "gid://gitlab/Ci::Runner/{find_id(fakeplat, "big")}") {{
        executorName managers {{ nodes {{ executorName }} }} }} }}"""

    assert {"executorName": expected, "managers": {"nodes": [{"executorName": expected}]}} == query_data(
        fakeplat, "root", query
    )["runner"]


# Projects

UPDATE = write_mutation("runnerUpdate", "runner { description projects { nodes { fullPath } } }")


def build_input(fake: Fakeplat, runner: str, *projects: str, **changes: Any) -> dict[str, Any]:
    paths = [f"gid://gitlab/Project/{fake.world.project(path).id}" for path in projects]
    return {"id": f"gid://gitlab/Ci::Runner/{find_id(fake, runner)}", "associatedProjects": paths, **changes}


def test_a_runner_is_enabled_for_exactly_some_projects(fakeplat: Fakeplat) -> None:
    """The projects of a runner are those of the list and the one that it was enabled for first."""
    for projects in (("acme/docs", "acme/tools/kit"), ("acme/docs",), ()):
        given = build_input(fakeplat, "own", *projects, description="new")
        given["associatedProjects"].append("gid://gitlab/Project/1")
        payload = query_data(fakeplat, "ada", UPDATE, input=given)["runnerUpdate"]
        nodes = payload["runner"]["projects"]["nodes"]
        fakeplat.load({"runners": [{"token": "own-token", "description": "own"}]})

        assert [] == payload["errors"]
        assert {"acme/site", *projects} == {node["fullPath"] for node in nodes}


def test_without_a_list_the_projects_stay(fakeplat: Fakeplat) -> None:
    """A null list changes no projects."""
    query_data(fakeplat, "ada", UPDATE, input=build_input(fakeplat, "own", "acme/docs"))
    given = {**build_input(fakeplat, "own"), "associatedProjects": None}
    nodes = query_data(fakeplat, "ada", UPDATE, input=given)["runnerUpdate"]["runner"]["projects"]["nodes"]
    assert ["acme/site", "acme/docs"] == [node["fullPath"] for node in nodes]


def refuse(fake: Fakeplat, by: str, given: dict[str, Any]) -> list[str]:
    content = query_refused(fake, by, UPDATE, input=given)
    payload = content["data"]["runnerUpdate"]
    assert payload["runner"] is None
    errors: list[str] = payload["errors"]
    return errors


def test_who_may_not_add_a_runner_changes_nothing(fakeplat: Fakeplat) -> None:
    """Projects that the caller does not maintain are refused, and a locked runner stays as it is."""
    given = build_input(fakeplat, "own", "acme/docs", "ada/notes", description="new")
    assert ["user is not authorized to add runners to project"] == refuse(fakeplat, "mia", given)
    fakeplat.load({"runners": [{"token": "own-token", "locked": True}]})
    assert ["user not allowed to assign runner"] == refuse(fakeplat, "mia", build_input(fakeplat, "own", "acme/docs"))


@pytest.mark.parametrize(("runner", "kind"), [("big", "instance_type"), ("team", "group_type")])
def test_other_runners_have_no_projects(fakeplat: Fakeplat, runner: str, kind: str) -> None:
    """Only runners of projects are enabled for projects."""
    content = query_refused(fakeplat, "root", UPDATE, input=build_input(fakeplat, runner, "acme/docs"))
    assert [f"associatedProjects must not be specified for '{kind}' scope"] == list_messages(content)


def test_developers_change_no_runner(fakeplat: Fakeplat) -> None:
    """Who does not manage a runner does not find it."""
    content = query_refused(fakeplat, "dev", UPDATE, input=build_input(fakeplat, "own", "acme/docs"))
    assert [NOT_AVAILABLE] == list_messages(content)
