"""What later releases added to environments. Source: docs/platform/deployments.md."""

from typing import Any

import pytest

from fakeplat.domain.clusters.cluster_validation import NAMESPACE_TEXT
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    BLANK_DEPLOYMENTS_ARE_REFUSED,
    DASHBOARDS_NEED_AN_AGENT,
    FINISHED_DEPLOYMENTS_ARE_SORTED_SO,
    PROTECTED_ENVIRONMENTS_ARE_UNCHANGED,
)
from tests.api.deployment_jobs import build_deploy_job, build_stop_job, change_job, job_actions, jobs_of, run_pipeline
from tests.api.requests import FORBIDDEN, Outcome, invalid, invalid_record, outcome, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(
    scenario="starter",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
    tick=0,
    version="17.11",
    default_branch="master",
)
SITE = "projects/acme%2Fsite"
ENVIRONMENTS = f"{SITE}/environments"


def create(fake: Fakeplat, name: str = "live", **body: Any) -> dict[str, Any]:
    reply = fake.as_user("dev").post(ENVIRONMENTS, json={"name": name, **body})
    assert 201 == reply.status, reply.text
    return dict(reply.json())


@pytest.mark.fakeplat(version="18.9")
def test_a_single_environment_shows_its_project(fakeplat: Fakeplat) -> None:
    """A single environment shows its project, as those of a list do."""
    id_ = create(fakeplat)["id"]
    (listed,) = fakeplat.as_user("dev").get(ENVIRONMENTS).json()
    assert listed["project"] == fakeplat.as_user("dev").get(f"{ENVIRONMENTS}/{id_}").json()["project"]


def deployment(fake: Fakeplat, **fields: Any) -> dict[str, Any]:
    """Return a deployment of the newest commit of master."""
    sha = fake.as_user("dev").get(f"{SITE}/repository/commits/master").json()["id"]
    return {"environment": "live", "sha": sha, "ref": "master", "tag": False, "status": "success", **fields}


@by_release(BLANK_DEPLOYMENTS_ARE_REFUSED, "is_early", {"17.10": False, "17.11": True})
def test_deployments_need_an_environment_a_commit_and_a_ref(fakeplat: Fakeplat, is_early: bool) -> None:
    """Blank parameters of a deployment are refused before anything else."""
    sent = deployment(fakeplat, environment=" ", sha="", ref="")
    status, body = refusal(fakeplat, "dev", "POST", f"{SITE}/deployments", json=sent)
    expected = invalid("environment is empty, sha is empty, ref is empty")
    assert (400, is_early) == (status, expected == (status, body))
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{SITE}/deployments", json=sent)


@by_release(FINISHED_DEPLOYMENTS_ARE_SORTED_SO, "is_refused", {"18.8": False, "18.9": True})
def test_deployments_are_filtered_by_their_end(fakeplat: Fakeplat, is_refused: bool) -> None:
    """A filter by the end needs the status success, and the order by the end."""
    assert 201 == fakeplat.as_user("dev").post(f"{SITE}/deployments", json=deployment(fakeplat)).status
    path = f"{SITE}/deployments?finished_after=2019-01-01T00:00:00Z"
    by_status = "400 Bad request - `finished_at` filter must be combined with `success` status filter."
    by_order = "400 Bad request - `finished_at` filter requires `finished_at` sort."
    for query, text in (("", by_status), ("&status=failed", by_status), ("&status=success", by_order)):
        reply = fakeplat.as_user("dev").get(f"{path}{query}")
        assert (400, {"message": text}) == outcome(reply) if is_refused else 200 == reply.status, query
    order = "&order_by=finished_at" if is_refused else ""
    assert 1 == len(fakeplat.as_user("dev").get(f"{path}&status=success{order}").json())


@pytest.mark.fakeplat(tier="premium")
@by_release(PROTECTED_ENVIRONMENTS_ARE_UNCHANGED, "is_refused", {"19.2": False, "19.3": True})
def test_protected_environments_are_changed_by_those_who_deploy(fakeplat: Fakeplat, is_refused: bool) -> None:
    """Whoever may not deploy to an environment cannot change it either, and is told whom to ask."""
    path = f"{ENVIRONMENTS}/{create(fakeplat)['id']}"
    levels = [{"user_id": fakeplat.world.user("dev").id}]
    body = {"name": "live", "deploy_access_levels": levels}
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/protected_environments", json=body).status
    change = {"external_url": "https://live.example.com"}
    if is_refused:
        status, answer = refusal(fakeplat, "mia", "PUT", path, json=change)
        first, second, third = answer["message"].split("\n")
        start = "403 Forbidden - You do not have permission to modify the protected environment 'live'."
        assert (403, True) == (status, first.startswith(start))
        assert second.startswith("To resolve this, ask a project Maintainer or Owner to grant you access")
        assert third == f"Learn more: {fakeplat.url}/help/ci/environments/protected_environments.md"
    else:
        assert 200 == fakeplat.as_user("mia").put(path, json=change).status
    assert 200 == fakeplat.as_user("dev").put(path, json=change).status


def find_state(fake: Fakeplat, id_: int) -> str:
    return str(fake.as_user("dev").get(f"{ENVIRONMENTS}/{id_}").json()["state"])


def test_an_environment_has_a_dashboard(fakeplat: Fakeplat) -> None:
    """An environment has a description, and tells where it is in a cluster."""
    agent = fakeplat.as_user("mia").post(f"{SITE}/cluster_agents", json={"name": "edge"}).json()
    values = {"kubernetes_namespace": "web", "flux_resource_path": "helm/web", "description": "For users"}
    environment = create(fakeplat, cluster_agent_id=agent["id"], auto_stop_setting="with_action", **values)
    expected = {**values, "cluster_agent": agent, "auto_stop_setting": "with_action", "auto_stop_at": None}
    assert expected == {name: environment[name] for name in expected}
    path = f"{ENVIRONMENTS}/{environment['id']}"
    body = {"description": "Old", "cluster_agent_id": None, "kubernetes_namespace": None, "flux_resource_path": None}
    changed = fakeplat.as_user("dev").put(path, json=body).json()
    assert "Old" == changed["description"]
    assert set() == {"cluster_agent", "kubernetes_namespace", "flux_resource_path"} & {*changed}


def test_reporters_see_no_dashboard(fakeplat: Fakeplat) -> None:
    """Who does not read agents of clusters is not told where in a cluster an environment is."""
    agent = fakeplat.as_user("mia").post(f"{SITE}/cluster_agents", json={"name": "edge"}).json()["id"]
    id_ = create(fakeplat, cluster_agent_id=agent, kubernetes_namespace="web")["id"]
    secrets = {"cluster_agent", "kubernetes_namespace", "flux_resource_path"}
    visible = [secrets & {*fakeplat.as_user(user).get(f"{ENVIRONMENTS}/{id_}").json()} for user in ("dev", "rep")]
    assert [secrets, set()] == visible


@by_release(DASHBOARDS_NEED_AN_AGENT, "is_refused", {"17.10": False, "17.11": True})
def test_a_dashboard_needs_an_agent(fakeplat: Fakeplat, is_refused: bool) -> None:
    """A namespace needs an agent, and a Flux resource a namespace: when it is made and when one of them goes."""
    agent = fakeplat.as_user("mia").post(f"{SITE}/cluster_agents", json={"name": "edge"}).json()["id"]
    path = f"{ENVIRONMENTS}/{create(fakeplat, cluster_agent_id=agent, kubernetes_namespace='web')['id']}"
    no_agent = invalid_record(kubernetes_namespace=["cannot be set without a cluster agent"])
    no_namespace = invalid_record(flux_resource_path=["cannot be set without a kubernetes namespace"])
    name = {"kubernetes_namespace": "Web", "cluster_agent_id": agent}
    path_only = {"cluster_agent_id": agent, "flux_resource_path": "helm"}
    requests: list[tuple[str, str, dict[str, Any], Outcome]] = [
        ("POST", ENVIRONMENTS, {"name": "a", "kubernetes_namespace": "web"}, no_agent),
        ("POST", ENVIRONMENTS, {"name": "b", **path_only}, no_namespace),
        ("POST", ENVIRONMENTS, {"name": "c", **name}, invalid_record(kubernetes_namespace=[NAMESPACE_TEXT])),
        ("PUT", path, {"cluster_agent_id": None}, no_agent),
        (
            "PUT",
            path,
            {**path_only, "kubernetes_namespace": None},
            no_namespace,
        ),
    ]
    for method, to, body, expected in requests:
        reply = fakeplat.as_user("dev").request(method, to, json=body)
        assert expected == outcome(reply) if is_refused else 400 != reply.status, body


def test_the_agent_of_an_environment_is_one_of_the_project(fakeplat: Fakeplat) -> None:
    """An agent of another project, or an unknown one, is refused."""
    agent = fakeplat.as_user("root").post("projects/acme%2Fdocs/cluster_agents", json={"name": "edge"}).json()
    text = "400 Bad request - cluster agent doesn't exist or cannot be associated with this environment"
    for id_ in (agent["id"], 1):
        sent = {"name": "live", "cluster_agent_id": id_}
        assert (400, {"message": text}) == refusal(fakeplat, "dev", "POST", ENVIRONMENTS, json=sent)
    expected = invalid("auto_stop_setting does not have a valid value")
    sent = {"name": "live", "auto_stop_setting": "never"}
    assert expected == refusal(fakeplat, "dev", "POST", ENVIRONMENTS, json=sent)


def deploy(fake: Fakeplat, *jobs: Any) -> Any:
    """Deploy with a job; return the environment."""
    pipeline = run_pipeline(fake, *jobs, by="dev")
    for action in (job_actions.run, job_actions.succeed):
        change_job(fake, action, jobs_of(fake, pipeline)["deploy"])
    return list(fake.bench.platform.view.environments.all())[-1], pipeline


def test_a_forced_stop_leaves_the_job_out(fakeplat: Fakeplat) -> None:
    """With force the environment stops, and the job that would stop it waits on."""
    environment, pipeline = deploy(fakeplat, build_deploy_job("review/x", on_stop="stop"), build_stop_job("review/x"))
    reply = fakeplat.as_user("dev").post(f"{ENVIRONMENTS}/{environment.id}/stop", json={"force": True})
    assert ("stopped", "manual") == (reply.json()["state"], jobs_of(fakeplat, pipeline)["stop"].status)


@pytest.mark.parametrize(
    ("setting", "expected"), [("always", "stopped"), ("with_action", "available")], ids=["always", "with_action"]
)
def test_an_environment_without_stop_job_may_stay(fakeplat: Fakeplat, setting: str, expected: str) -> None:
    """An environment that stops with an action only is kept at its time if there is none."""
    environment, _ = deploy(fakeplat, build_deploy_job("review/x", auto_stop_in=3600))
    path = f"{ENVIRONMENTS}/{environment.id}"
    fakeplat.as_user("dev").put(path, json={"auto_stop_setting": setting})
    assert "2020-11-20T10:00:00.000Z" == fakeplat.as_user("dev").get(path).json()["auto_stop_at"]
    fakeplat.clock.advance("61m")
    assert expected == find_state(fakeplat, environment.id)


# Stale environments

STALE = f"{ENVIRONMENTS}/stop_stale"


def test_stale_environments_are_stopped(fakeplat: Fakeplat) -> None:
    """What was neither changed nor deployed to since a time is stopped."""
    old, deployed = create(fakeplat, "old"), create(fakeplat, "deployed")
    fakeplat.clock.advance("20d")
    body = {"environment": "deployed", "sha": "feature", "ref": "feature", "tag": False, "status": "success"}
    fakeplat.as_user("mia").post(f"{SITE}/deployments", json=body)
    fakeplat.clock.advance("10d")
    reply = fakeplat.as_user("mia").post(STALE, json={"before": "2020-12-01T00:00:00Z"})
    assert (200, {"message": "Successfully scheduled stale environments to stop"}) == outcome(reply)
    assert ["stopped", "available"] == [find_state(fakeplat, each["id"]) for each in (old, deployed)]


@pytest.mark.fakeplat(tier="premium")
def test_protected_environments_are_not_stale(fakeplat: Fakeplat) -> None:
    """A protected environment is not stopped with the stale ones."""
    old = create(fakeplat, "old")
    sent = {"name": "old", "deploy_access_levels": [{"access_level": 40}]}
    fakeplat.as_user("mia").post(f"{SITE}/protected_environments", json=sent)
    fakeplat.clock.advance("30d")
    assert 200 == fakeplat.as_user("mia").post(STALE, json={"before": "2020-12-01T00:00:00Z"}).status
    assert "available" == find_state(fakeplat, old["id"])


@pytest.mark.parametrize(
    ("by", "body", "expected"),
    [
        ("mia", {}, invalid("before is missing")),
        ("mia", {"before": "soon"}, invalid("before is invalid")),
        ("mia", {"before": "2020-11-19T00:00:00Z"}, (400, {"message": "400 Bad request - Invalid Date"})),
        ("mia", {"before": "2010-11-01T00:00:00Z"}, (400, {"message": "400 Bad request - Invalid Date"})),
        ("dev", {"before": "2020-01-01T00:00:00Z"}, FORBIDDEN),
    ],
    ids=["missing", "no date", "too late", "too early", "developer"],
)
def test_stale_is_between_a_week_and_ten_years(
    fakeplat: Fakeplat, by: str, body: dict[str, str], expected: Outcome
) -> None:
    """Maintainers stop what is stale for a week at least and ten years at most."""
    assert expected == refusal(fakeplat, by, "POST", STALE, json=body)


# Review apps

REVIEW_APPS = f"{ENVIRONMENTS}/review_apps"
NOTHING = (
    "No environments found for scheduled deletion. Either your query did not match any environments (default "
    "parameters match environments that are 30 days or older), or you have insufficient permissions to delete "
    "matching environments."
)


def stop_review_app(fake: Fakeplat, name: str = "review/x") -> dict[str, Any]:
    environment = create(fake, name)
    fake.as_user("dev").post(f"{ENVIRONMENTS}/{environment['id']}/stop")
    return environment


def test_stopped_review_apps_are_deleted_in_a_week(fakeplat: Fakeplat) -> None:
    """Without a dry run the stopped environments below review are deleted after a week, and named once."""
    old = stop_review_app(fakeplat)
    create(fakeplat, "review/running")
    stop_review_app(fakeplat, "other/x")
    fakeplat.clock.advance("31d")
    young = stop_review_app(fakeplat, "review/young")
    caller = fakeplat.as_user("dev")
    trial = caller.delete(REVIEW_APPS)
    keys = ("id", "name", "slug", "external_url", "created_at")
    assert (200, []) == (trial.status, trial.json()["unprocessable_entries"])
    assert [{key: old[key] for key in keys}] == [
        {key: entry[key] for key in keys} for entry in trial.json()["scheduled_entries"]
    ]
    assert trial.json() == caller.delete(f"{REVIEW_APPS}?dry_run=false").json()
    assert 400 == caller.delete(f"{REVIEW_APPS}?dry_run=false").status
    fakeplat.clock.advance("7d")
    assert [404, 200] == [caller.get(f"{ENVIRONMENTS}/{each['id']}").status for each in (old, young)]


def test_a_review_app_that_runs_again_stays(fakeplat: Fakeplat) -> None:
    """An environment that is started before its time is not deleted."""
    old = stop_review_app(fakeplat)
    fakeplat.clock.advance("31d")
    fakeplat.as_user("dev").delete(f"{REVIEW_APPS}?dry_run=false")
    body = {"environment": "review/x", "sha": "feature", "ref": "feature", "tag": False, "status": "success"}
    fakeplat.as_user("mia").post(f"{SITE}/deployments", json=body)
    fakeplat.clock.advance("8d")
    assert "available" == find_state(fakeplat, old["id"])


def test_without_review_apps_nothing_is_scheduled(fakeplat: Fakeplat) -> None:
    """If nothing matches the answer is 400, and 401 for who may not delete environments."""
    entries: dict[str, Any] = {"scheduled_entries": [], "unprocessable_entries": []}
    assert (400, {"message": {**entries, "message": NOTHING}}) == refusal(fakeplat, "dev", "DELETE", REVIEW_APPS)
    text = "You do not have permission to destroy environments in this project"
    assert (401, {"message": {**entries, "message": text}}) == refusal(fakeplat, "rep", "DELETE", REVIEW_APPS)
    expected = invalid("limit does not have a valid value")
    assert expected == refusal(fakeplat, "dev", "DELETE", f"{REVIEW_APPS}?limit=0")
