"""Triggers, and the pipelines that their tokens start.

Sources: docs/platform/pipelines-jobs.md; the platform's request specs of triggers.
"""

import json
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import TRIGGER_REFUSALS_SAY_WHY, TRIGGERS_GIVE_PAYLOADS
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    names,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

NOW = "2020-11-20T09:00:00.000Z"
SITE = "projects/acme%2Fsite"
TRIGGERS = f"{SITE}/triggers"
TRIGGER = f"{SITE}/trigger/pipeline"
SCENARIO = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "triggers": [
                {"owner": "mia", "token": "mia-secret", "description": "Deploy", "created_at": NOW},
                {"owner": "rep", "token": "rep-secret", "created_at": NOW},
            ],
        },
        {"path_with_namespace": "ada/notes", "triggers": [{"owner": "ada", "token": "ada-secret"}]},
    ],
    "users": [{"username": "dev", "tokens": [{"value": "running-job", "kind": "job", "project": "acme/site"}]}],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start=NOW)
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
UNKNOWN: Outcome = (404, {"message": "404 Not Found"})


def id_of(fake: Fakeplat, token: str = "mia-secret") -> int:
    return next(trigger.id for trigger in fake.bench.platform.view.triggers.all() if trigger.token == token)


def test_only_the_owner_sees_the_whole_token(fakeplat: Fakeplat) -> None:
    """Users other than the owner see the first four characters of a trigger's token."""
    tokens = {user: names(fakeplat.as_user(user).get(TRIGGERS).json(), "token") for user in ("mia", "ada", "root")}
    assert {"mia": ["mia-secret", "rep-"], "ada": ["mia-", "rep-"], "root": ["mia-", "rep-"]} == tokens


def test_the_form_of_a_trigger(fakeplat: Fakeplat) -> None:
    """A trigger shows its token, description, times and owner."""
    mia = fakeplat.as_user("mia")
    trigger = mia.get(f"{TRIGGERS}/{id_of(fakeplat)}").json()
    owner = trigger.pop("owner")

    expected = {
        "id": id_of(fakeplat),
        "token": "mia-secret",
        "description": "Deploy",
        "created_at": NOW,
        "updated_at": NOW,
        "last_used": None,
    }
    assert expected == trigger
    assert {"id", "name", "username", "state", "avatar_url", "web_url"} == owner.keys()
    assert "mia" == owner["username"]


def test_a_new_trigger_is_owned_by_its_creator(fakeplat: Fakeplat) -> None:
    """A new trigger belongs to its creator and has a token of thirty digits."""
    reply = fakeplat.as_user("ada").post(TRIGGERS, json={"description": "Nightly"})
    trigger = reply.json()

    assert (201, "Nightly", "ada", 30) == (
        reply.status,
        trigger["description"],
        trigger["owner"]["username"],
        len(trigger["token"]),
    )
    assert [] == [digit for digit in trigger["token"] if digit not in "0123456789abcdef"]


def test_the_owner_updates_a_trigger_and_maintainers_delete_it(fakeplat: Fakeplat) -> None:
    """An administrator does not update that of somebody else either."""
    trigger_path = f"{TRIGGERS}/{id_of(fakeplat)}"

    assert FORBIDDEN == refusal(fakeplat, "ada", "PUT", trigger_path, json={"description": "x"})
    assert FORBIDDEN == refusal(fakeplat, "root", "PUT", trigger_path, json={"description": "x"})
    assert "New" == fakeplat.as_user("mia").put(trigger_path, json={"description": "New"}).json()["description"]
    assert STALE == refusal(fakeplat, "ada", "DELETE", trigger_path, headers=LONG_AGO)
    assert 204 == fakeplat.as_user("ada").delete(trigger_path).status
    assert NOT_FOUND == refusal(fakeplat, "mia", "GET", trigger_path)


@pytest.mark.parametrize(
    ("user", "method", "path", "expected"),
    [
        (None, "GET", TRIGGERS, UNAUTHORIZED),
        ("eve", "GET", TRIGGERS, resource_not_found("Project")),
        ("dev", "GET", TRIGGERS, FORBIDDEN),
        ("dev", "POST", TRIGGERS, invalid("description is missing")),
        ("mia", "GET", f"{TRIGGERS}/5", NOT_FOUND),
        ("mia", "GET", f"{TRIGGERS}/x", invalid("trigger_id is invalid")),
        ("mia", "PUT", f"{TRIGGERS}/5", NOT_FOUND),
        ("mia", "DELETE", f"{TRIGGERS}/5", NOT_FOUND),
    ],
)
def test_refused_requests(fakeplat: Fakeplat, user: str | None, method: str, path: str, expected: Outcome) -> None:
    """Parameters are validated before the caller's rights."""
    assert expected == refusal(fakeplat, user, method, path)


BODY = {"ref": "master", "token": "mia-secret"}
NOT_STRINGS: Outcome = (400, {"message": "variables needs to be a map of key-valued strings"})


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        (TRIGGER, {"ref": "master"}, invalid("token is missing")),
        (TRIGGER, {"token": "mia-secret"}, invalid("ref is missing, ref is empty")),
        (TRIGGER, {**BODY, "ref": " "}, invalid("ref is empty")),
        (TRIGGER, {**BODY, "variables": "x"}, invalid("variables is invalid")),
        (TRIGGER, {**BODY, "variables": {"key": ["1", "2"]}}, NOT_STRINGS),
        (TRIGGER, {**BODY, "variables": {"key": 1}}, NOT_STRINGS),
        (TRIGGER, {**BODY, "token": "unknown"}, UNKNOWN),
        (TRIGGER, {**BODY, "token": "ada-secret"}, UNKNOWN),
        ("projects/0/trigger/pipeline", BODY, UNKNOWN),
        ("projects/ada%2Fnotes/trigger/pipeline", BODY, UNKNOWN),
        ("projects/ada%2Fnotes/trigger/pipeline", {**BODY, "token": "running-job"}, UNKNOWN),
        (f"{SITE}/ref/master/trigger/pipeline", {}, invalid("token is missing")),
    ],
)
def test_triggers_that_start_no_pipeline(
    fakeplat: Fakeplat, path: str, body: dict[str, Any], expected: Outcome
) -> None:
    """A token of another project does not tell that the project exists."""
    assert expected == refusal(fakeplat, None, "POST", path, json=body)


def test_a_web_hook_for_pipelines_starts_none(fakeplat: Fakeplat) -> None:
    """A pipeline webhook as the trigger's caller starts no pipeline."""
    headers = {"X-Gitlab-Event": "Pipeline Hook"}
    assert FORBIDDEN == refusal(fakeplat, None, "POST", TRIGGER, json=BODY, headers=headers)


def test_the_token_of_a_job_that_has_ended_starts_nothing(fakeplat: Fakeplat) -> None:
    """The token of a finished job starts no pipeline."""
    world = fakeplat.bench.platform
    with world.acting() as ctx:
        token = next(token for token in ctx.world.tokens.all() if token.value == "running-job")
        ctx.world.tokens.change(token, revoked=True)

    expected = (400, {"message": "400 Job has to be running"})
    assert expected == refusal(fakeplat, None, "POST", TRIGGER, json={**BODY, "token": "running-job"})


@pytest.mark.parametrize("ref", ["master", "v1.0"])
def test_a_token_starts_a_pipeline_of_its_owner(fakeplat: Fakeplat, ref: str) -> None:
    """A trigger token starts a pipeline as its owner and records its last use."""
    reply = fakeplat.as_user(None).post(TRIGGER, json={**BODY, "ref": ref, "variables": {"KEY": "value"}})
    pipeline = reply.json()

    assert (201, "mia", ref) == (reply.status, pipeline["user"]["username"], pipeline["ref"])
    assert NOW[:19] == fakeplat.as_user("mia").get(f"{TRIGGERS}/{id_of(fakeplat)}").json()["last_used"][:19]
    root = fakeplat.as_user("root")
    variables = root.get(f"{SITE}/pipelines/{pipeline['id']}/variables").json()
    assert [{"variable_type": "env_var", "key": "KEY", "value": "value"}] == variables


@pytest.mark.parametrize("ref", ["master", "feature", "new%2Fmenu", "new/menu"])
def test_the_ref_in_the_path_counts(fakeplat: Fakeplat, ref: str) -> None:
    """The ref in the path of a trigger precedes that in the body."""
    fakeplat.as_user("root").post(f"{SITE}/repository/branches", json={"branch": "new/menu", "ref": "master"})
    path = f"{SITE}/ref/{ref}/trigger/pipeline?token=mia-secret"
    reply = fakeplat.as_user(None).post(path, json={"ref": "refs/heads/other"})

    assert (201, ref.replace("%2F", "/")) == (reply.status, reply.json()["ref"])


@pytest.mark.parametrize(
    ("token", "ref", "text"),
    [
        ("mia-secret", "gone", "Reference not found"),
        ("rep-secret", "master", "Insufficient permissions to create a new pipeline"),
    ],
)
def test_a_pipeline_that_cannot_be_created(fakeplat: Fakeplat, token: str, ref: str, text: str) -> None:
    """The owner of the trigger needs the right to create it; nothing changes, not even the time of the last use."""
    expected = (400, {"message": {"base": [text]}})
    assert expected == refusal(fakeplat, None, "POST", TRIGGER, json={"ref": ref, "token": token})


def test_the_token_of_a_running_job_starts_a_pipeline(fakeplat: Fakeplat) -> None:
    """The token of a running job starts a pipeline as the job's user."""
    reply = fakeplat.as_user(None).post(TRIGGER, json={"ref": "feature", "token": "running-job"})
    assert (201, "dev") == (reply.status, reply.json()["user"]["username"])


def test_a_trigger_is_deleted_with_its_owner(fakeplat: Fakeplat) -> None:
    """Deleting a user deletes the user's triggers."""
    rep = fakeplat.world.user("rep").id
    assert 204 == fakeplat.as_user("root").delete(f"users/{rep}").status
    fakeplat.settle()
    assert ["mia-"] == names(fakeplat.as_user("root").get(TRIGGERS).json(), "token")


@pytest.mark.fakeplat(version="latest", default_branch="master", clock="virtual", start="2020-11-20T09:00:00Z")
def test_a_trigger_expires(fakeplat: Fakeplat) -> None:
    """After its expiry, the token of a trigger is unknown."""
    me = fakeplat.world.user("root").id
    fakeplat.as_user("root").post(f"{SITE}/members", json={"user_id": me, "access_level": 40})
    trigger = (
        fakeplat.as_user("root")
        .post(TRIGGERS, json={"description": "Soon", "expires_at": "2020-11-20T10:00:00.000Z"})
        .json()
    )
    body = {"ref": "master", "token": trigger["token"]}

    assert "2020-11-20T10:00:00.000Z" == trigger["expires_at"]
    assert 201 == fakeplat.as_user(None).post(TRIGGER, json=body).status
    fakeplat.clock.advance("1h")
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, None, "POST", TRIGGER, json=body)
    listed = fakeplat.as_user("root").get(TRIGGERS).json()
    assert trigger["id"] not in [each["id"] for each in listed]
    missing = (404, {"message": "404 Not found"})
    for method in ("GET", "PUT", "DELETE"):
        assert missing == refusal(fakeplat, "root", method, f"{TRIGGERS}/{trigger['id']}")


@pytest.mark.fakeplat(version="latest")
def test_a_trigger_expires_within_a_year(fakeplat: Fakeplat) -> None:
    """The expiry of a new trigger is less than a year away."""
    body = {"description": "Late", "expires_at": "2021-11-20T00:00:00.000Z"}
    refused = (400, {"message": '400 Bad request - {"expires_at":["must be before 2021-11-20"]}'})

    assert refused == refusal(fakeplat, "mia", "POST", TRIGGERS, json=body)
    body["expires_at"] = "2021-11-19T23:59:59.999Z"
    assert 201 == fakeplat.as_user("mia").post(TRIGGERS, json=body).status


@by_release(TRIGGERS_GIVE_PAYLOADS, "expected", {"13.8": [], "13.9": [("TRIGGER_PAYLOAD", "file")]})
def test_a_triggered_pipeline_has_the_request_as_a_file(fakeplat: Fakeplat, expected: list[tuple[str, str]]) -> None:
    """From 13.9 on, what a request says besides the token is a variable of the pipeline, with its variables, if any."""
    body = {"ref": "feature", "token": "mia-secret", "extra": {"a": [1]}}
    pipeline = fakeplat.as_user(None).post(TRIGGER, json=body).json()
    rows = fakeplat.as_user("root").get(f"{SITE}/pipelines/{pipeline['id']}/variables").json()

    assert expected == [(row["key"], row["variable_type"]) for row in rows]
    payload = {"ref": "feature", "extra": {"a": [1]}, "id": "acme/site", "variables": {}}
    assert [payload] * len(expected) == [json.loads(row["value"]) for row in rows]


@by_release(
    TRIGGER_REFUSALS_SAY_WHY,
    "text",
    {
        "18.8": "403 Forbidden",
        "18.9": "403 Forbidden - The current user is not authorized to update the pipeline trigger token",
    },
)
def test_who_does_not_own_a_trigger_does_not_update_it(fakeplat: Fakeplat, text: str) -> None:
    """Another Maintainer, and a Developer, may not update a trigger; later the refusal says so."""
    trigger_id = fakeplat.as_user("mia").get(TRIGGERS).json()[0]["id"]
    for user in ("ada", "dev"):
        assert (403, {"message": text}) == refusal(
            fakeplat, user, "PUT", f"{TRIGGERS}/{trigger_id}", json={"description": "x"}
        )
