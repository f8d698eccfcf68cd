"""Environments of projects. Source: docs/platform/deployments.md."""

import re
from typing import Any

import pytest

from fakeplat.domain.ci import job_actions
from fakeplat.domain.deployments.environments import generate_slug
from fakeplat.harness.fake import Fakeplat
from tests.api.deployment_jobs import build_deploy_job, build_stop_job, change_job, jobs_of, run_pipeline
from tests.api.environments import NAME_TEXT
from tests.api.marks import STARTER_AT_NINE
from tests.api.merge_requests import OPEN, SITE, get_json
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    refusal,
    resource_not_found,
)

pytestmark = STARTER_AT_NINE
PATH = f"{SITE}/environments"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


def create(fake: Fakeplat, name: str, **fields: Any) -> dict[str, Any]:
    reply = fake.as_user("dev").post(PATH, json={"name": name, **fields})
    assert 201 == reply.status, reply
    return dict(reply.json())


def test_a_new_environment_is_available(fakeplat: Fakeplat) -> None:
    """A new environment is available and shows its project."""
    environment = create(fakeplat, "production", external_url="https://site.test")
    project = environment.pop("project")

    assert {
        "id": 160001,
        "name": "production",
        "slug": "production",
        "external_url": "https://site.test",
        "state": "available",
    } == environment
    assert "acme/site" == project["path_with_namespace"]


def test_a_single_environment_has_its_last_deployment(fakeplat: Fakeplat) -> None:
    """A single environment shows its last deployment instead of its project."""
    environment = create(fakeplat, "production")
    path = f"{PATH}/{environment['id']}"
    before = get_json(fakeplat, path)
    run_pipeline(fakeplat, build_deploy_job())
    fakeplat.settle()
    after = get_json(fakeplat, path)
    (row,) = get_json(fakeplat, PATH)

    assert {**{name: environment[name] for name in environment if name != "project"}, "last_deployment": None} == before
    assert ("success", "feature", "deploy") == (
        after["last_deployment"]["status"],
        after["last_deployment"]["ref"],
        after["last_deployment"]["deployable"]["name"],
    )
    assert "environment" not in after["last_deployment"]
    assert environment == row


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["staging", "review/a", "review/b"]),
        ("name=staging", ["staging"]),
        ("name=stag", []),
        ("search=REV", ["review/a", "review/b"]),
        ("search=view", []),
        ("states=stopped", ["review/b"]),
        ("states=available", ["staging", "review/a"]),
    ],
)
def test_environments_are_listed_by_name_start_and_state(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Environments are listed oldest first and filtered by name, search and state."""
    *_, stopped = (create(fakeplat, name) for name in ("staging", "review/a", "review/b"))
    fakeplat.as_user("dev").post(f"{PATH}/{stopped['id']}/stop")

    assert expected == names(get_json(fakeplat, f"{PATH}?{query}"), "name")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("staging-12345678901234567", "staging-123456789-*"),
        ("9-staging-123456789012345", "env-9-staging-123-*"),
        ("staging-1234567890123456", "staging-1234567890123456"),
        ("staging-1234567890123456-", "staging-123456789-*"),
        ("production", "production"),
        ("PRODUCTION", "production-*"),
        ("review/1-foo", "review-1-foo-*"),
        ("1-foo", "env-1-foo-*"),
        ("foo-", "foo"),
        ("foo--bar", "foo-bar-*"),
        ("foo**bar", "foo-bar-*"),
        ("*-foo", "env-foo-*"),
        ("staging-12345678-", "staging-12345678"),
        ("staging-12345678-01234567", "staging-12345678-*"),
    ],
)
def test_a_slug_is_the_name_or_a_short_form_with_a_suffix(name: str, slug: str) -> None:
    """The suffix has six digits in base 36 and depends on the name alone."""
    assert re.fullmatch(slug.replace("*", "[0-9a-z]{6}"), generate_slug(name))
    assert generate_slug(name) == generate_slug(name)


def test_a_slug_does_not_change_with_the_name(fakeplat: Fakeplat) -> None:
    """Names and URLs can be updated, slugs cannot."""
    environment = create(fakeplat, "production", external_url="https://site.test")
    changed = fakeplat.as_user("dev").put(f"{PATH}/{environment['id']}", json={"name": "live", "external_url": ""})

    assert {**environment, "name": "live", "external_url": None} == changed.json()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("name is missing")),
        ({"name": "x", "slug": "x"}, invalid("slug is automatically generated and cannot be changed")),
        ({"name": "x", "slug": None}, invalid("slug is automatically generated and cannot be changed")),
        ({"name": "production"}, invalid_record(name=["has already been taken"], slug=["has already been taken"])),
        ({"name": "a:b"}, invalid_record(name=[NAME_TEXT])),
        ({"name": "/a"}, invalid_record(name=[NAME_TEXT])),
        ({"name": "a/"}, invalid_record(name=[NAME_TEXT])),
        ({"name": "a" * 256}, invalid_record(name=["is too long (maximum is 255 characters)"])),
        (
            {"name": "x", "external_url": "nowhere"},
            invalid_record(external_url=["is blocked: Only allowed schemes are http, https"]),
        ),
    ],
    ids=range(9),
)
def test_invalid_environments_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Environments are validated by their parameters first, then by the model."""
    create(fakeplat, "production")

    assert expected == refusal(fakeplat, "dev", "POST", PATH, json=body)


def test_a_list_is_filtered_by_name_or_search(fakeplat: Fakeplat) -> None:
    """Filtering environments by name and search together or by an unknown state is refused."""
    assert invalid("name, search cannot be used together") == refusal(fakeplat, "dev", "GET", f"{PATH}?name=a&search=b")
    assert invalid("states does not have a valid value") == refusal(fakeplat, "dev", "GET", f"{PATH}?states=gone")


def test_only_a_stopped_environment_is_deleted(fakeplat: Fakeplat) -> None:
    """Only a stopped environment can be deleted, and its deployments go with it."""
    run_pipeline(fakeplat, build_deploy_job())
    fakeplat.settle()
    (environment,) = get_json(fakeplat, PATH)
    path, dev = f"{PATH}/{environment['id']}", fakeplat.as_user("dev")

    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", path)
    assert "stopped" == dev.post(f"{path}/stop").json()["state"]
    assert STALE == refusal(fakeplat, "dev", "DELETE", path, headers=LONG_AGO)
    assert 204 == dev.delete(path).status
    assert NOT_FOUND == refusal(fakeplat, "dev", "DELETE", path)
    assert [] == get_json(fakeplat, f"{SITE}/deployments")


def test_an_alert_outlives_its_environment(fakeplat: Fakeplat) -> None:
    """An alert whose environment is deleted stays without an environment."""
    alerts = {"active": True, "received": [{"title": "Down", "environment": "production"}]}
    entry = {"path_with_namespace": "acme/site", "environments": [{"name": "production", "state": "stopped"}]}
    fakeplat.load({"projects": [{**entry, "alerts": alerts}]})
    fakeplat.as_user("dev").delete(f"{PATH}/160001")
    (alert,) = fakeplat.bench.platform.view.alerts.all()

    assert (None, "Down") == (alert.environment_id, alert.title)


def test_stopping_plays_the_stop_job_of_the_last_deployment(fakeplat: Fakeplat) -> None:
    """Stopping an environment plays its stop job as the caller; a second stop does nothing."""
    pipeline = run_pipeline(fakeplat, build_deploy_job(on_stop="stop"), build_stop_job())
    fakeplat.settle()
    waiting = jobs_of(fakeplat, pipeline)["stop"]
    (environment,) = get_json(fakeplat, PATH)
    replies = [fakeplat.as_user("dev").post(f"{PATH}/{environment['id']}/stop") for _ in range(2)]
    queued = jobs_of(fakeplat, pipeline)["stop"]
    fakeplat.settle()

    assert [(200, "stopped")] * 2 == [(reply.status, reply.json()["state"]) for reply in replies]
    assert ("manual", "pending", "success") == (
        waiting.status,
        queued.status,
        jobs_of(fakeplat, pipeline)["stop"].status,
    )
    assert "dev" == fakeplat.bench.platform.view.users[queued.user_id or 0].username


def test_a_stop_job_that_has_finished_runs_again(fakeplat: Fakeplat) -> None:
    """A stop job that has finished runs again as a copy."""
    pipeline = run_pipeline(fakeplat, build_deploy_job(on_stop="stop"), build_stop_job())
    fakeplat.settle()
    first = change_job(fakeplat, job_actions.play, jobs_of(fakeplat, pipeline)["stop"])
    fakeplat.settle()
    change_job(fakeplat, job_actions.retry, jobs_of(fakeplat, pipeline)["deploy"])
    fakeplat.settle()
    (environment,) = get_json(fakeplat, PATH)
    fakeplat.as_user("dev").post(f"{PATH}/{environment['id']}/stop")
    second = jobs_of(fakeplat, pipeline)["stop"]

    assert "available" == environment["state"]
    assert first.id < second.id
    assert "pending" == second.status


def test_a_stop_job_of_a_protected_branch_needs_its_rights(fakeplat: Fakeplat) -> None:
    """A Developer who can neither push nor merge there may not stop the environment."""
    run_pipeline(fakeplat, build_deploy_job(on_stop="stop"), build_stop_job(), ref="master")
    fakeplat.settle()

    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{PATH}/160001/stop")
    assert "stopped" == fakeplat.as_user("mia").post(f"{PATH}/160001/stop").json()["state"]


def test_a_stop_job_that_succeeds_stops_the_environment(fakeplat: Fakeplat) -> None:
    """A stop job that succeeds stops its environment, whoever played it."""
    pipeline = run_pipeline(fakeplat, build_deploy_job(on_stop="stop"), build_stop_job())
    fakeplat.settle()
    change_job(fakeplat, job_actions.play, jobs_of(fakeplat, pipeline)["stop"])
    (before,) = get_json(fakeplat, PATH)
    fakeplat.settle()
    (after,) = get_json(fakeplat, PATH)

    assert ("available", "stopped") == (before["state"], after["state"])


def deploy_review_app(fake: Fakeplat, **pipeline_fields: Any) -> None:
    """Deploy the branch ``feature`` to a review app that has a stop job."""
    run_pipeline(
        fake, build_deploy_job("review/feature", on_stop="stop"), build_stop_job("review/feature"), **pipeline_fields
    )
    fake.settle()


def get_state(fake: Fakeplat) -> str:
    return str(get_json(fake, PATH)[0]["state"])


def test_an_environment_stops_with_its_branch(fakeplat: Fakeplat) -> None:
    """Deleting a branch stops the environments that it deployed last and that have a stop job."""
    run_pipeline(fakeplat, build_deploy_job("unstoppable"))
    deploy_review_app(fakeplat)
    fakeplat.as_user("dev").delete(f"{SITE}/repository/branches/readme")
    before = get_json(fakeplat, PATH)
    fakeplat.as_user("dev").delete(f"{SITE}/repository/branches/feature")
    after = get_json(fakeplat, PATH)

    assert ["available", "available"] == names(before, "state")
    assert {"unstoppable": "available", "review/feature": "stopped"} == {row["name"]: row["state"] for row in after}


def test_an_environment_of_another_branch_by_now_stays(fakeplat: Fakeplat) -> None:
    """Deleting a branch keeps environments whose last deployment is of another branch."""
    deploy_review_app(fakeplat)
    deploy_review_app(fakeplat, ref="readme")
    fakeplat.as_user("dev").delete(f"{SITE}/repository/branches/feature")

    assert "available" == get_state(fakeplat)


@pytest.mark.parametrize("own_pipeline", [True, False])
def test_an_environment_stops_with_its_merge_request(fakeplat: Fakeplat, own_pipeline: bool) -> None:
    """Closing a merge request stops the environments that its own pipelines deployed."""
    merge_request_id = get_json(fakeplat, OPEN)["id"]
    deploy_review_app(fakeplat, **({"merge_request_id": merge_request_id} if own_pipeline else {}))
    fakeplat.as_user("dev").put(OPEN, json={"state_event": "close"})

    assert ("stopped" if own_pipeline else "available") == get_state(fakeplat)


def test_an_environment_stops_by_itself(fakeplat: Fakeplat) -> None:
    """An environment stops automatically when its time is over, as the user who created it."""
    pipeline = run_pipeline(fakeplat, build_deploy_job(on_stop="stop", auto_stop_in=3600), build_stop_job())
    states = []
    for step in ("59m", "3m"):
        fakeplat.clock.advance(step)
        states.append(get_json(fakeplat, PATH)[0]["state"])
    job = jobs_of(fakeplat, pipeline)["stop"]

    assert ["available", "stopped"] == states
    assert ("success", "mia") == (job.status, fakeplat.bench.platform.view.users[job.user_id or 0].username)


def test_settling_does_not_wait_for_an_environment_to_stop(fakeplat: Fakeplat) -> None:
    """Settling awaits jobs, but not the automatic stop of an environment."""
    run_pipeline(fakeplat, build_deploy_job(auto_stop_in=3600))
    fakeplat.settle()

    assert "available" == get_state(fakeplat)


@pytest.mark.parametrize(
    ("user", "method", "path", "body", "expected"),
    [
        (None, "GET", PATH, None, UNAUTHORIZED),
        ("eve", "GET", PATH, None, resource_not_found("Project")),
        ("gus", "GET", PATH, None, FORBIDDEN),
        ("rep", "POST", PATH, {"name": "x"}, FORBIDDEN),
        ("rep", "PUT", f"{PATH}/1", {"name": "x"}, FORBIDDEN),
        ("rep", "DELETE", f"{PATH}/1", None, NOT_FOUND),
        ("rep", "DELETE", f"{PATH}/160001", None, FORBIDDEN),
        ("rep", "POST", f"{PATH}/160001/stop", None, FORBIDDEN),
        ("dev", "PUT", f"{PATH}/1", {"name": "x"}, NOT_FOUND),
        ("dev", "POST", f"{PATH}/1/stop", None, NOT_FOUND),
        ("dev", "GET", f"{PATH}/x", None, invalid("environment_id is invalid")),
    ],
)
def test_refused_requests(
    fakeplat: Fakeplat, user: str | None, method: str, path: str, body: Any, expected: Outcome
) -> None:
    """Reporters read and Developers write environments; everybody else is refused."""
    create(fakeplat, "production")

    assert expected == refusal(fakeplat, user, method, path, json=body)


def test_without_ci_there_are_no_environments(fakeplat: Fakeplat) -> None:
    """Without CI the list of environments answers 403 even to Maintainers."""
    fakeplat.as_user("mia").put(SITE, json={"builds_access_level": "disabled"})

    assert FORBIDDEN == refusal(fakeplat, "mia", "GET", PATH)


NEWER = pytest.mark.fakeplat(scenario={"extends": "starter", "instance": {"version": "latest"}})


@NEWER
@pytest.mark.parametrize(
    ("name", "tier"),
    [
        ("production", "production"),
        ("Live/eu", "production"),
        ("PRD", "production"),
        ("staging", "staging"),
        ("stg-2", "staging"),
        ("demo", "staging"),
        ("pre-prod", "staging"),
        ("non-prod", "staging"),
        ("test", "testing"),
        ("qa", "testing"),
        ("acpt", "testing"),
        ("acceptance", "testing"),
        ("review/topic", "development"),
        ("dev-test", "development"),
        ("gprd", "production"),
        ("customer", "other"),
    ],
)
def test_the_tier_is_guessed_from_the_name(fakeplat: Fakeplat, name: str, tier: str) -> None:
    """Newer releases show it, in lists and for a single environment."""
    environment = create(fakeplat, name)

    assert tier == environment["tier"]
    assert tier == get_json(fakeplat, f"{PATH}/{environment['id']}")["tier"]


@pytest.mark.fakeplat(version="15.11")  # the last release in which environments can be renamed
def test_a_given_tier_stays(fakeplat: Fakeplat) -> None:
    """Another name does not change it; null guesses it again; an unknown one is refused."""
    environment = create(fakeplat, "production", tier="other")
    path = f"{PATH}/{environment['id']}"
    dev = fakeplat.as_user("dev")

    assert "other" == environment["tier"]
    assert "other" == dev.put(path, json={"name": "staging"}).json()["tier"]
    assert "staging" == dev.put(path, json={"tier": None}).json()["tier"]
    assert invalid("tier does not have a valid value") == refusal(fakeplat, "dev", "PUT", path, json={"tier": "best"})


@NEWER
def test_newer_environments_have_times(fakeplat: Fakeplat) -> None:
    """In newer releases environments show when they were created and updated."""
    environment = create(fakeplat, "production")

    assert ["2020-11-20T09:00:00.000Z"] * 2 == [environment["created_at"], environment["updated_at"]]
