"""What pipelines were given and what they cost, where runners are installed, and which agents may be used.

Source: docs/platform/graphql.md, spec/requests/api/graphql/ci of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    post_query,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

JOBS = [
    {
        "name": "build",
        "stage": "build",
        "status": "success",
        "runner": {"token": "big-token"},
        "started_at": "2020-11-20T08:00:00Z",
        "finished_at": "2020-11-20T08:01:30Z",
    },
    {"name": "test", "stage": "test", "status": "success"},
]
PIPELINES = [
    {
        "iid": 1,
        "ref": "feature",
        "user": "dev",
        "status": "success",
        "duration": 90,
        "variables": [{"key": "A", "value": "1"}, {"key": "B", "value": "2"}],
        "jobs": JOBS,
    },
    {"iid": 2, "user": "dev", "status": "failed", "duration": 30, "yaml_errors": "jobs config is missing"},
]
SITE = {"path_with_namespace": "acme/site", "visibility": "private", "pipelines": PIPELINES}
RUNNERS = [{"description": "big", "runner_type": "instance_type", "token": "big-token"}]
SCENARIO: dict[str, Any] = {
    "extends": "starter",
    "instance": {"tier": "premium"},
    "runners": RUNNERS,
    "projects": [SITE],
}
pytestmark = pytest.mark.fakeplat(version="latest", scenario=SCENARIO)


def show_pipeline(fake: Fakeplat, by: str, iid: int, selection: str) -> Any:
    return query_project(fake, by, f'pipeline(iid: "{iid}") {{ {selection} }}')["pipeline"]


@pytest.mark.parametrize(
    ("user", "expected"),
    [("mia", ["1", "2"]), ("dev", ["1", "2"]), ("rep", [None, None])],
    ids=["maintainer", "who started it", "reporter"],
)
def test_variables_have_values_for_those_who_may_see_them(
    fakeplat: Fakeplat, user: str, expected: list[str | None]
) -> None:
    """Everybody sees the names of the variables of a pipeline, Maintainers and who started it also the values."""
    nodes = show_pipeline(fakeplat, user, 1, "manualVariables { nodes { id key value } }")["manualVariables"]["nodes"]

    assert ["A", "B"] == [node["key"] for node in nodes]
    assert expected == [node["value"] for node in nodes]
    assert 2 == len({node["id"] for node in nodes})


def test_a_pipeline_tells_its_errors(fakeplat: Fakeplat) -> None:
    """A pipeline of an invalid configuration has a message, others have none."""
    selection = "errorMessages { nodes { content } }"
    assert [{"content": "jobs config is missing"}] == show_pipeline(fakeplat, "rep", 2, selection)["errorMessages"][
        "nodes"
    ]
    assert [] == show_pipeline(fakeplat, "rep", 1, selection)["errorMessages"]["nodes"]


def test_minutes_are_those_on_runners_of_the_instance(fakeplat: Fakeplat) -> None:
    """The minutes of a pipeline are those of its jobs on runners of the instance; public projects cost nothing."""
    before = show_pipeline(fakeplat, "rep", 1, "computeMinutes triggeredByPath")
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "visibility": "public"}]})

    assert {"computeMinutes": 1.5, "triggeredByPath": ""} == before
    assert {"computeMinutes": 0.0} == show_pipeline(fakeplat, "rep", 1, "computeMinutes")


@pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {"tier": "free"}})
def test_minutes_are_paid(fakeplat: Fakeplat) -> None:
    """Without a paid tier no minutes are counted."""
    assert {"computeMinutes": None} == show_pipeline(fakeplat, "rep", 1, "computeMinutes")


@pytest.mark.fakeplat(version="13.8", releases="<13.9")
def test_a_project_adds_the_durations_up(fakeplat: Fakeplat) -> None:
    """The total duration is the sum of all pipelines, for those who read these."""
    assert {"totalPipelineDuration": 120} == query_project(fakeplat, "rep", "totalPipelineDuration")


def find_stage(fake: Fakeplat, by: str | None, id_: str) -> Any:
    query = "query($id: CiStageID!) { ciPipelineStage(id: $id) { id name jobs { nodes { name } } } }"
    return query_data(fake, by, query, id=id_)["ciPipelineStage"]


def test_a_stage_is_found_by_its_id(fakeplat: Fakeplat) -> None:
    """A stage with its jobs is found by its global id, for those who see it; others are null."""
    stages = show_pipeline(fakeplat, "rep", 1, "stages { nodes { id name } }")["stages"]["nodes"]
    id_ = stages[1]["id"]

    assert {"id": id_, "name": "test", "jobs": {"nodes": [{"name": "test"}]}} == find_stage(fakeplat, "rep", id_)
    assert [None, None] == [find_stage(fakeplat, None, id_), find_stage(fakeplat, "rep", f"{id_}9")]
    assert find_stage(fakeplat, "rep", "gid://gitlab/Ci::Stage/99") is None


# Runners


def test_platforms_of_runners_are_listed(fakeplat: Fakeplat) -> None:
    """Operating systems have kinds of machines with addresses of the program, containers have none."""
    query = "{ runnerPlatforms { nodes { name humanReadableName architectures { nodes { name downloadLocation } } } } }"
    nodes = {node["name"]: node for node in query_data(fakeplat, None, query)["runnerPlatforms"]["nodes"]}
    windows = {row["name"]: row["downloadLocation"] for row in nodes["windows"]["architectures"]["nodes"]}

    assert ["linux", "osx", "windows", "docker", "kubernetes", "aws"] == list(nodes)
    assert "macOS" == nodes["osx"]["humanReadableName"]
    assert windows["amd64"].endswith("windows-amd64.exe")
    assert nodes["docker"]["architectures"] is None
    paged = "{ runnerPlatforms(last: 1) { edges { cursor node { name } } pageInfo { startCursor } } }"
    page = query_data(fakeplat, None, paged)["runnerPlatforms"]
    assert [{"cursor": page["pageInfo"]["startCursor"], "node": {"name": "aws"}}] == page["edges"]


def post_setup(fake: Fakeplat, platform: str, architecture: str = "amd64") -> dict[str, Any]:
    query = """query($platform: String!, $architecture: String!) {
        runnerSetup(platform: $platform, architecture: $architecture) { installInstructions registerInstructions } }"""
    return post_query(fake, None, query, platform=platform, architecture=architecture)


def test_a_runner_is_set_up_with_commands(fakeplat: Fakeplat) -> None:
    """An operating system has commands with the address of the program and of the instance, Docker has a page."""
    linux = post_setup(fakeplat, "linux", "arm64")["data"]["runnerSetup"]
    docker = post_setup(fakeplat, "docker")["data"]["runnerSetup"]

    assert "linux-arm64" in linux["installInstructions"]
    assert f"register --url {fakeplat.url}/ --registration-token" in linux["registerInstructions"]
    assert docker["installInstructions"].endswith("docker.html")
    assert docker["registerInstructions"] is None


@pytest.mark.parametrize(
    ("platform", "architecture", "message"),
    [("beos", "amd64", "Invalid OS"), ("linux", "vax", "Architecture not found for OS")],
)
def test_unknown_machines_have_no_setup(fakeplat: Fakeplat, platform: str, architecture: str, message: str) -> None:
    """Unknown operating systems and machines are errors."""
    content = post_setup(fakeplat, platform, architecture)
    assert {"runnerSetup": None} == content["data"]
    assert [message] == list_messages(content)


# Settings and templates


def test_a_template_is_found_by_name(fakeplat: Fakeplat) -> None:
    """A template of configurations is that of REST; an unknown one is null."""
    rest = fakeplat.as_user("rep").get("templates/gitlab_ci_ymls/Python").json()

    assert rest == query_project(fakeplat, "rep", 'ciTemplate(name: "Python") { name content }')["ciTemplate"]
    assert query_project(fakeplat, "rep", 'ciTemplate(name: "Nothing") { name }')["ciTemplate"] is None


def test_administrators_see_settings_of_the_instance(fakeplat: Fakeplat) -> None:
    """The settings of the instance are shown to administrators only."""
    query = "{ ciApplicationSettings { keepLatestArtifact } }"

    assert {"keepLatestArtifact": True} == query_data(fakeplat, "root", query)["ciApplicationSettings"]
    assert query_data(fakeplat, "ada", query)["ciApplicationSettings"] is None


DISABLE = write_mutation("safeDisablePipelineVariables", "success")


def test_projects_without_variables_allow_none(fakeplat: Fakeplat) -> None:
    """Projects of a group whose pipelines never had variables allow none any more, others stay as they are."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/docs"}]})
    payload = query_data(fakeplat, "ada", DISABLE, input={"fullPath": "acme"})["safeDisablePipelineVariables"]
    roles = {
        path: fakeplat.as_user("root")
        .get(f"projects/acme%2F{path}")
        .json()["ci_pipeline_variables_minimum_override_role"]
        for path in ("site", "docs")
    }

    assert {"success": True, "errors": []} == payload
    assert {"site": "developer", "docs": "no_one_allowed"} == roles


def test_only_owners_disable_variables(fakeplat: Fakeplat) -> None:
    """Who does not administer the group does not change its projects."""
    content = query_refused(fakeplat, "mia", DISABLE, input={"fullPath": "acme"})
    assert [NOT_AVAILABLE] == list_messages(content)


# Agents

CONFIGURATION = """
ci_access: {projects: [{id: acme/site, default_namespace: web}]}
user_access: {access_as: {agent: {}}, groups: [{id: acme}]}
"""
AGENTS = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/agents",
            "repository": {
                "commits": [{"message": "Add", "files": {".gitlab/agents/edge/config.yaml": CONFIGURATION}}]
            },
            "cluster_agents": [{"name": "edge"}, {"name": "other"}],
        }
    ],
}
AUTHORIZED = """ciAccessAuthorizedAgents { nodes { agent { name } config } }
    userAccessAuthorizedAgents { nodes { agent { name } config } }"""


@pytest.mark.fakeplat(scenario=AGENTS)
def test_agents_are_authorized_by_their_configurations(fakeplat: Fakeplat) -> None:
    """A project shows the agents that its jobs and its Developers may use, and how, to those who see the agents."""
    project = query_project(fakeplat, "root", AUTHORIZED)

    assert [{"agent": {"name": "edge"}, "config": {"default_namespace": "web"}}] == project["ciAccessAuthorizedAgents"][
        "nodes"
    ]
    expected = [{"agent": {"name": "edge"}, "config": {"access_as": {"agent": {}}}}]
    assert expected == project["userAccessAuthorizedAgents"]["nodes"]
    hidden = query_project(fakeplat, "rep", AUTHORIZED)
    assert [[], []] == [connection["nodes"] for connection in hidden.values()]


@pytest.mark.fakeplat(scenario=AGENTS)
@pytest.mark.parametrize(
    ("access", "expected"),
    [
        ("{access_as: {agent: {}}, groups: [{id: ACME}]}", {"access_as": {"agent": {}}}),
        ("{projects: [{id: acme/site}]}", {}),
        ("{access_as: {user: {}}, projects: [{id: acme/gone}, {id: ada/notes}]}", None),
        ("{}", None),
    ],
    ids=["group", "project", "outside", "nothing"],
)
def test_an_agent_tells_who_may_use_it(fakeplat: Fakeplat, access: str, expected: dict[str, Any] | None) -> None:
    """An agent whose configuration names a project or group below its top-level group shows how users may use it."""
    commit = {"message": "Change", "files": {".gitlab/agents/edge/config.yaml": f"user_access: {access}"}}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/agents", "repository": {"commits": [commit]}}]})
    query = 'clusterAgent(name: "edge") { userAccessAuthorizations { agent { name } config } }'
    shown = query_project(fakeplat, "root", query, "acme/agents")["clusterAgent"]["userAccessAuthorizations"]

    assert (None if expected is None else {"agent": {"name": "edge"}, "config": expected}) == shown


def test_there_is_no_server_of_agents(fakeplat: Fakeplat) -> None:
    """Without a server of agents there are no addresses of it."""
    kas = query_data(fakeplat, "dev", "{ metadata { kas { enabled externalUrl externalK8sProxyUrl } } }")["metadata"][
        "kas"
    ]
    assert {"enabled": False, "externalUrl": None, "externalK8sProxyUrl": None} == kas


@pytest.mark.fakeplat(scenario=AGENTS)
def test_configurations_are_those_of_the_repository(fakeplat: Fakeplat) -> None:
    """A project lists the agents with a configuration in its repository, whether or not they are registered."""
    query = "agentConfigurations { nodes { agentName } }"
    configurations = query_project(fakeplat, "root", query, "acme/agents")["agentConfigurations"]["nodes"]

    assert [{"agentName": "edge"}] == configurations
    assert [] == query_project(fakeplat, "root", query)["agentConfigurations"]["nodes"]


@pytest.mark.fakeplat(version="14.9", releases="<15.0", scenario=AGENTS)
def test_tokens_of_agents_are_deleted(fakeplat: Fakeplat) -> None:
    """Until 15.0 a token of an agent is deleted by who administers the cluster, and by nobody else."""
    agent = 'clusterAgent(name: "edge") { id tokens { nodes { id } } }'
    id_ = query_project(fakeplat, "root", agent, "acme/agents")["clusterAgent"]["id"]
    create = write_mutation("clusterAgentTokenCreate", "token { id }")
    token = query_data(fakeplat, "root", create, input={"clusterAgentId": id_, "name": "one"})[
        "clusterAgentTokenCreate"
    ]
    delete, given = write_mutation("clusterAgentTokenDelete", ""), {"id": token["token"]["id"]}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "rep", delete, input=given))
    assert {"errors": []} == query_data(fakeplat, "root", delete, input=given)["clusterAgentTokenDelete"]
    assert [] == query_project(fakeplat, "root", agent, "acme/agents")["clusterAgent"]["tokens"]["nodes"]
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "root", delete, input=given))
