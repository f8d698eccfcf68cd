"""Agents for clusters, their tokens, and the agents that jobs may use. Source: docs/platform/cluster-agents.md."""

from base64 import b64decode
from typing import Any

import pytest
from ruamel.yaml import YAML

from fakeplat.domain.ci.variable_lifetimes import LIFETIMES
from fakeplat.domain.clusters import agents
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CLUSTER_AGENTS_HAVE_TWO_TOKENS
from tests.api.ci_jobs import create_pipeline, find_project, jobs_of, wait_for_runner
from tests.api.company import COMPANY
from tests.api.deployment_jobs import build_deploy_job, change_job, job_actions
from tests.api.package_files import SITE, job_token, list_statuses
from tests.api.requests import FORBIDDEN, Outcome, invalid, outcome, refusal, resource_not_found
from tests.api.test_runner_protocol import take_one
from tests.by_release import by_release
from tests.graphql.queries import query_data, write_mutation

pytestmark = pytest.mark.fakeplat(
    clock="virtual", start="2020-11-20T09:00:00.000Z", tick=0, scenario=COMPANY, version="16.11"
)
AGENTS = f"{SITE}/cluster_agents"
NOW = "2020-11-20T09:00:00.000Z"
MISSING: Outcome = (404, {"message": "404 Not found"})


def bad_request(text: str) -> Outcome:
    return 400, {"message": f"400 Bad request - {text}"}


def create_agent(fake: Fakeplat, name: str = "edge", project: str = SITE) -> str:
    """Register an agent; return its path."""
    agent = fake.as_user("mia").post(f"{project}/cluster_agents", json={"name": name}).json()
    return f"{project}/cluster_agents/{agent['id']}"


def test_an_agent_is_registered_shown_and_deleted(fakeplat: Fakeplat) -> None:
    """An agent has a name, its project and who registered it."""
    status, agent = outcome(fakeplat.as_user("mia").post(AGENTS, json={"name": "edge"}))
    project = fakeplat.as_user("mia").get(SITE).json()
    keys = ("id", "description", "name", "name_with_namespace", "path", "path_with_namespace", "created_at")
    expected = {
        "id": agent["id"],
        "name": "edge",
        "config_project": {key: project[key] for key in keys},
        "created_at": NOW,
        "created_by_user_id": fakeplat.world.user("mia").id,
    }
    assert (201, expected) == (status, agent)
    path, caller = f"{AGENTS}/{agent['id']}", fakeplat.as_user("dev")
    assert [(200, [expected]), (200, expected)] == [outcome(caller.get(AGENTS)), outcome(caller.get(path))]
    assert 204 == fakeplat.as_user("mia").delete(path).status
    assert MISSING == outcome(caller.get(path))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, invalid("name is missing")),
        ("edge", bad_request('["Name has already been taken"]')),
        (
            "Edge_",
            bad_request(
                "[\"Name can contain only lowercase letters, digits, and '-', but cannot start or end with '-'\"]"
            ),
        ),
        ("x" * 64, bad_request('["Name is too long (maximum is 63 characters)"]')),
    ],
    ids=["missing", "taken", "form", "long"],
)
def test_names_of_agents_are_checked(fakeplat: Fakeplat, name: str | None, expected: Outcome) -> None:
    """A name is that of a label in DNS, and unique in its project."""
    create_agent(fakeplat)
    assert expected == refusal(fakeplat, "mia", "POST", AGENTS, json={} if name is None else {"name": name})


def test_roles_that_read_and_change_agents(fakeplat: Fakeplat) -> None:
    """Developers read agents and tokens, which others do not find; maintainers change them."""
    agent = create_agent(fakeplat)
    token = f"{agent}/tokens/{fakeplat.as_user('mia').post(f'{agent}/tokens', json={'name': 'a'}).json()['id']}"
    paths, reads = (AGENTS, agent, f"{agent}/tokens", token), "401 404 404 404 404 200 200 200 200"
    assert [reads] * 4 == [list_statuses(fakeplat, "GET", path) for path in paths]
    sent, writes = {"name": "new"}, "401 404 404 403 403 403"
    assert f"{writes} 201 201 201" == list_statuses(fakeplat, "POST", AGENTS, json=sent)
    assert f"{writes} 201 201 201" == list_statuses(fakeplat, "POST", f"{agent}/tokens", json=sent)
    assert [f"{writes} 204 204 204"] * 2 == [list_statuses(fakeplat, "DELETE", path) for path in (token, agent)]
    listed, shown = (refusal(fakeplat, "rep", "GET", path) for path in (AGENTS, agent))
    assert (resource_not_found("ClusterAgents"), MISSING) == (listed, shown)


def test_the_value_of_a_token_is_shown_once(fakeplat: Fakeplat) -> None:
    """Only the answer to its creation has the token; a list does not tell when it was used."""
    agent = create_agent(fakeplat)
    sent = {"name": "first", "description": "For the edge"}
    status, token = outcome(fakeplat.as_user("mia").post(f"{agent}/tokens", json=sent))
    value = token.pop("token")
    assert (201, True) == (status, value.startswith("glagent-"))
    assert {
        "id": token["id"],
        "name": "first",
        "description": "For the edge",
        "agent_id": int(agent.rpartition("/")[2]),
        "status": "active",
        "created_at": NOW,
        "created_by_user_id": fakeplat.world.user("mia").id,
        "last_used_at": None,
    } == token
    caller = fakeplat.as_user("dev")
    assert (200, token) == outcome(caller.get(f"{agent}/tokens/{token['id']}"))
    token.pop("last_used_at")
    assert (200, [token]) == outcome(caller.get(f"{agent}/tokens"))


def test_revoked_tokens_are_not_found(fakeplat: Fakeplat) -> None:
    """A revoked token is neither listed nor shown, but revoked again."""
    agent, caller = create_agent(fakeplat), fakeplat.as_user("mia")
    path = f"{agent}/tokens/{caller.post(f'{agent}/tokens', json={'name': 'first'}).json()['id']}"
    assert [204, 204] == [caller.delete(path).status, caller.delete(path).status]
    assert [(200, []), MISSING] == [outcome(caller.get(f"{agent}/tokens")), outcome(caller.get(path))]
    assert MISSING == refusal(fakeplat, "mia", "DELETE", f"{agent}/tokens/1")


@by_release(CLUSTER_AGENTS_HAVE_TWO_TOKENS, "expected", {"16.0": 201, "16.1": 400})
def test_an_agent_has_at_most_two_active_tokens(fakeplat: Fakeplat, expected: int) -> None:
    """From 16.1 on a third token is refused until one of the two is revoked."""
    agent, caller = create_agent(fakeplat), fakeplat.as_user("mia")
    first, _, third = (caller.post(f"{agent}/tokens", json={"name": name}) for name in ("a", "b", "c"))
    assert expected == third.status
    if expected == 400:
        assert bad_request("An agent can have only two active tokens at a time") == outcome(third)
        caller.delete(f"{agent}/tokens/{first.json()['id']}")
        assert 201 == caller.post(f"{agent}/tokens", json={"name": "c"}).status


def test_archived_projects_change_no_agents(fakeplat: Fakeplat) -> None:
    """The agents of an archived project are read only."""
    agent = create_agent(fakeplat)
    fakeplat.as_user("root").post(f"{SITE}/archive")
    caller = fakeplat.as_user("mia")
    assert [200, 403, 403] == [
        caller.get(agent).status,
        caller.delete(agent).status,
        caller.post(AGENTS, json={"name": "new"}).status,
    ]


# Where the platform reaches agents

RECEPTIVE = pytest.mark.fakeplat(
    version="17.4", tier="ultimate", scenario={**COMPANY, "settings": {"receptive_cluster_agents_enabled": True}}
)


@RECEPTIVE
def test_an_agent_is_reached_at_one_url(fakeplat: Fakeplat) -> None:
    """An agent has one URL at most; the platform makes a key for it, whose public half is shown."""
    path, caller = f"{create_agent(fakeplat)}/url_configurations", fakeplat.as_user("mia")
    assert (200, []) == outcome(caller.get(path))
    sent = {"url": "grpcs://edge.test:8443", "tls_host": "edge.test"}
    status, created = outcome(caller.post(path, json=sent))
    expected = {**sent, "agent_id": int(path.split("/")[-2]), "client_cert": None, "ca_cert": None}
    assert (201, expected) == (
        status,
        {key: value for key, value in created.items() if key not in ("id", "public_key")},
    )
    assert 32 == len(b64decode(created["public_key"]))
    cluster = f"{path}/{created['id']}"
    assert [(200, [created]), (200, created)] == [outcome(caller.get(each)) for each in (path, cluster)]
    taken = bad_request("URL configuration already exists for this agent")
    assert taken == refusal(fakeplat, "mia", "POST", path, json=sent)
    assert 204 == caller.delete(cluster).status
    nothing = (404, {"message": "404 Not Found"})
    assert [nothing] * 2 == [refusal(fakeplat, "mia", method, cluster) for method in ("GET", "DELETE")]


@RECEPTIVE
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({}, invalid("url is missing")),
        ({"url": "not.a.url"}, bad_request('["Url is not a valid URL"]')),
        ({"url": "https://edge.test"}, bad_request('["Url is not a valid URL"]')),
        (
            {"url": "grpc://edge.test", "ca_cert": "eA=="},
            bad_request('["Ca cert must be a valid PEM certificate"]'),
        ),
    ],
    ids=["missing", "no URL", "scheme", "certificate"],
)
def test_urls_of_agents_are_checked(fakeplat: Fakeplat, sent: dict[str, str], expected: Outcome) -> None:
    """A URL has the scheme grpc or grpcs, and certificates are PEM in base64."""
    path = f"{create_agent(fakeplat)}/url_configurations"
    assert expected == refusal(fakeplat, "mia", "POST", path, json=sent)
    assert (200, []) == outcome(fakeplat.as_user("mia").get(path))


@RECEPTIVE
def test_maintainers_say_where_agents_are_reached(fakeplat: Fakeplat) -> None:
    """Below Maintainer the URL of an agent is neither read nor set; without the agent it is 404."""
    path, sent = f"{create_agent(fakeplat)}/url_configurations", {"url": "grpc://edge.test"}
    roles = "401 404 404 403 403 403"
    assert f"{roles} 200 200 200" == list_statuses(fakeplat, "GET", path)
    assert f"{roles} 201 201 201" == list_statuses(fakeplat, "POST", path, json=sent)
    cluster = f"{path}/{fakeplat.as_user('mia').post(path, json=sent).json()['id']}"
    assert f"{roles} 200 200 200" == list_statuses(fakeplat, "GET", cluster)
    assert f"{roles} 204 204 204" == list_statuses(fakeplat, "DELETE", cluster)
    nothing = (404, {"message": "404 Not Found"})
    assert nothing == refusal(fakeplat, "mia", "GET", f"{AGENTS}/1/url_configurations")


@pytest.mark.fakeplat(version="17.4")
def test_agents_are_not_reached_unless_the_setting_is_on(fakeplat: Fakeplat) -> None:
    """While the setting is off, nothing is found, whatever the role."""
    path = f"{create_agent(fakeplat)}/url_configurations"
    nothing = (404, {"message": "404 Not Found"})
    assert [nothing] * 2 == [refusal(fakeplat, user, "GET", path) for user in ("dev", "root")]


# The agents that jobs may use


def configure(fake: Fakeplat, name: str, content: str, project: str = "acme/docs") -> None:
    """Give a project a repository with the configuration of an agent."""
    files = {f".gitlab/agents/{name}/config.yaml": content}
    commits = {"commits": [{"message": "Configure", "files": files}]}
    fake.load({"projects": [{"path_with_namespace": project, "repository": commits}]})


def list_allowed(fake: Fakeplat, token: str) -> list[tuple[str, Any]]:
    """Return the names of the projects of the agents that a job may use, and their configurations."""
    answer = fake.as_user(None).get("job/allowed_agents", headers={"JOB-TOKEN": token}).json()
    return [(agent["config_project"]["path"], agent["configuration"]) for agent in answer["allowed_agents"]]


@pytest.mark.fakeplat(version="latest")
def test_a_job_learns_where_it_is_and_which_agents_it_may_use(fakeplat: Fakeplat) -> None:
    """The answer describes the job, its project with the groups above, and its user with the roles below theirs."""
    agent = create_agent(fakeplat)
    token = job_token(fakeplat)
    answer = fakeplat.as_user(None).get("job/allowed_agents", headers={"JOB-TOKEN": token}).json()
    (job,) = fakeplat.bench.platform.view.jobs.all()
    identity = fakeplat.as_user("mia").get(agent).json()["config_project"]
    assert {
        "allowed_agents": [{"id": int(agent.rpartition("/")[2]), "config_project": identity, "configuration": {}}],
        "job": {"id": job.id},
        "pipeline": {"id": job.pipeline_id},
        "project": {"id": job.project_id, "groups": [{"id": fakeplat.world.group("acme").id}]},
        "user": {
            "id": fakeplat.world.user("dev").id,
            "username": "dev",
            "roles_in_project": ["guest", "reporter", "developer"],
        },
    } == answer
    assert resource_not_found("Job") == refusal(fakeplat, "dev", "GET", "job/allowed_agents")


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("ci_access: {projects: [{id: acme/site, default_namespace: web}]}", [{"default_namespace": "web"}]),
        ("ci_access: {groups: [{id: acme}]}", [{}]),
        ("ci_access: {groups: [{id: acme/tools}]}", []),
        ("ci_access: {projects: [{id: acme/site, access_as: {ci_job: {}}}]}", []),
        ("ci_access: {projects: [{id: acme/site, environments: [production]}]}", []),
        ("ci_access: {projects: [{id: acme/site, protected_branches_only: true}]}", []),
        ("ci_access: [", []),
        ("ci_access: none", []),
    ],
    ids=["project", "group", "other group", "paid identity", "environment", "protected", "syntax", "type"],
)
def test_configurations_let_other_projects_use_an_agent(
    fakeplat: Fakeplat, content: str, expected: list[dict[str, Any]]
) -> None:
    """A configuration names projects and groups whose jobs may use an agent, and restricts how."""
    create_agent(fakeplat, project="projects/acme%2Fdocs")
    configure(fakeplat, "edge", content)
    assert [("docs", each) for each in expected] == list_allowed(fakeplat, job_token(fakeplat))


@pytest.mark.fakeplat(version="latest")
def test_an_agent_for_an_environment_is_for_its_jobs(fakeplat: Fakeplat) -> None:
    """A job of a matching environment may use an agent that is only for that; the answer names the environment."""
    create_agent(fakeplat, project="projects/acme%2Fdocs")
    configure(fakeplat, "edge", "ci_access: {projects: [{id: acme/site, environments: [review/*]}]}")
    wait_for_runner(fakeplat)
    (job,) = jobs_of(fakeplat, create_pipeline(fakeplat, build_deploy_job("review/x")))
    change_job(fakeplat, job_actions.run, job)
    token = fakeplat.token("dev", "job", job=job.id)
    assert [("docs", {"environments": ["review/*"]})] == list_allowed(fakeplat, token)
    answer = fakeplat.as_user(None).get("job/allowed_agents", headers={"JOB-TOKEN": token}).json()
    (environment,) = fakeplat.bench.platform.view.environments.all()
    assert {"tier": "development", "slug": environment.slug} == answer["environment"]


def find_kubeconfig(fake: Fakeplat) -> dict[str, Any] | None:
    """Take a job and return its variable KUBECONFIG."""
    taken = take_one(fake)
    kubeconfigs = [variable for variable in taken["variables"] if variable["key"] == "KUBECONFIG"]
    return {**kubeconfigs[0], "token": taken["token"]} if kubeconfigs else None


@pytest.mark.fakeplat(version="latest")
def test_a_job_gets_a_file_with_the_agents_that_it_may_use(fakeplat: Fakeplat) -> None:
    """The file KUBECONFIG has a context for each agent, named after its project, with the namespace of its access."""
    agent = create_agent(fakeplat, project="projects/acme%2Fdocs").rpartition("/")[2]
    configure(fakeplat, "edge", "ci_access: {projects: [{id: acme/site, default_namespace: web}]}")
    variable = find_kubeconfig(fakeplat)
    assert variable is not None
    value, token = variable.pop("value"), variable.pop("token")
    assert {"key": "KUBECONFIG", "public": False, "masked": False, "file": True} == variable
    assert {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "gitlab", "cluster": {"server": f"{fakeplat.url}/-/kubernetes-agent/k8s-proxy/"}}],
        "users": [{"name": f"agent:{agent}", "user": {"token": f"ci:{agent}:{token}"}}],
        "contexts": [
            {
                "name": "acme/docs:edge",
                "context": {"cluster": "gitlab", "namespace": "web", "user": f"agent:{agent}"},
            }
        ],
    } == YAML(typ="safe", pure=True).load(value)


@by_release(LIFETIMES["KUBECONFIG"], "expected", {"14.1": False, "14.2": True})
def test_the_file_of_agents_begins_with_a_release(fakeplat: Fakeplat, *, expected: bool) -> None:
    """Jobs have the file KUBECONFIG from 14.2 on, if an agent may be used."""
    with fakeplat.bench.platform.acting() as ctx:
        project = find_project(ctx.world, "acme/site")
        agents.create_agent(ctx, project, name="edge", creator_id=fakeplat.world.user("mia").id)
    assert expected == (find_kubeconfig(fakeplat) is not None)


@pytest.mark.fakeplat(version="latest")
def test_a_job_that_may_use_no_agent_has_no_file_of_agents(fakeplat: Fakeplat) -> None:
    """Without an agent for the job there is no KUBECONFIG, also if agents of other projects exist."""
    create_agent(fakeplat, project="projects/acme%2Fdocs")
    assert find_kubeconfig(fakeplat) is None


# GraphQL


def test_graphql_changes_agents_as_the_api_does(fakeplat: Fakeplat) -> None:
    """Agents are registered, shown with their tokens, and deleted by GraphQL."""
    create = write_mutation("createClusterAgent", "clusterAgent { id name }")
    sent = {"projectPath": "acme/site", "name": "edge"}
    agent = query_data(fakeplat, "mia", create, input=sent)["createClusterAgent"]["clusterAgent"]
    taken = query_data(fakeplat, "mia", create, input=sent)["createClusterAgent"]
    assert {"clusterAgent": None, "errors": ["Name has already been taken"]} == taken
    token = write_mutation("clusterAgentTokenCreate", "secret token { id name status }")
    made = query_data(fakeplat, "mia", token, input={"clusterAgentId": agent["id"], "name": "first"})
    created = made["clusterAgentTokenCreate"]
    assert (True, "ACTIVE") == (created["secret"].startswith("glagent-"), created["token"]["status"])
    query = """{ project(fullPath: "acme/site") { clusterAgents { nodes { name webPath project { path }
        createdByUser { username } tokens { nodes { name createdByUser { username } } } } }
        clusterAgent(name: "edge") { id } } }"""
    project = query_data(fakeplat, "dev", query)["project"]
    assert agent["id"] == project["clusterAgent"]["id"]
    assert [
        {
            "name": "edge",
            "webPath": "/acme/site/-/cluster_agents/edge",
            "project": {"path": "site"},
            "createdByUser": {"username": "mia"},
            "tokens": {"nodes": [{"name": "first", "createdByUser": {"username": "mia"}}]},
        }
    ] == project["clusterAgents"]["nodes"]
    for name, id_ in (("clusterAgentTokenRevoke", created["token"]["id"]), ("clusterAgentDelete", agent["id"])):
        assert {name: {"errors": []}} == query_data(fakeplat, "mia", write_mutation(name, ""), input={"id": id_})
    assert [] == query_data(fakeplat, "dev", query)["project"]["clusterAgents"]["nodes"]


def test_graphql_hides_agents_below_developers(fakeplat: Fakeplat) -> None:
    """Who may not read agents gets none, and may not change them."""
    create_agent(fakeplat)
    query = '{ project(fullPath: "acme/site") { clusterAgents { nodes { id } } clusterAgent(name: "edge") { id } } }'
    assert {"clusterAgents": {"nodes": []}, "clusterAgent": None} == query_data(fakeplat, "rep", query)["project"]
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", AGENTS, json={"name": "new"})
