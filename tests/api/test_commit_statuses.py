"""Statuses of commits. Source: docs/platform/pipelines-jobs.md."""

from typing import Any

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import STATUS_FLAGS_ARE_CHECKED, STATUSES_KEEP_TO_THEIR_PIPELINE
from tests.api.deployment_jobs import run_pipeline
from tests.api.marks import STARTER_AT_NINE
from tests.api.merge_requests import OPEN, SITE, get_json
from tests.api.pipelines import create_pipelines
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    missing_value,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = [pytest.mark.every_release, STARTER_AT_NINE]
BLOCKED = "is blocked: Only allowed schemes are http, https"


def sha_of(fake: Fakeplat, branch: str = "feature") -> str:
    return str(get_json(fake, f"{SITE}/repository/commits/{branch}")["id"])


def status_path(fake: Fakeplat, branch: str = "feature") -> str:
    return f"{SITE}/statuses/{sha_of(fake, branch)}"


def report_status(fake: Fakeplat, state: str, *, by: str = "dev", **fields: Any) -> dict[str, Any]:
    reply = fake.as_user(by).post(status_path(fake), json={"state": state, **fields})
    assert 201 == reply.status, reply
    return dict(reply.json())


def list_statuses(fake: Fakeplat, query: str = "") -> list[dict[str, Any]]:
    return list(get_json(fake, f"{SITE}/repository/commits/{sha_of(fake)}/statuses?{query}"))


def transition_refused(event: str, status: str) -> Outcome:
    cause = f'Status cannot transition via "{event}"'
    return 400, {"message": f"Cannot transition status via :{event} from :{status} (Reason(s): {cause})"}


@pytest.mark.parametrize("state", ["pending", "running", "success", "failed", "canceled"])
@pytest.mark.fakeplat(releases="<16.4")
def test_a_status_needs_a_state_only(fakeplat: Fakeplat, state: str) -> None:
    """A status that has only a state creates an external pipeline of the same status."""
    status = report_status(fakeplat, state)
    author = status.pop("author")
    times = {name: status.pop(name) for name in ("created_at", "started_at", "finished_at")}
    pipeline = get_json(fakeplat, f"{SITE}/repository/commits/feature")

    assert "dev" == author["username"]
    assert {
        "id": 9700001,
        "sha": sha_of(fakeplat),
        "ref": "feature",
        "status": state,
        "name": "default",
        "target_url": None,
        "description": None,
        "allow_failure": False,
        "coverage": None,
    } == status
    assert (True, state == "running", state in ("success", "failed", "canceled")) == tuple(map(bool, times.values()))
    assert (state, state, "feature") == (
        pipeline["status"],
        pipeline["last_pipeline"]["status"],
        pipeline["last_pipeline"]["ref"],
    )


@pytest.mark.parametrize("state", ["running", "success", "failed", "canceled"])
def test_a_pending_status_changes(fakeplat: Fakeplat, state: str) -> None:
    """A pending status is updated instead of replaced."""
    before, after = report_status(fakeplat, "pending"), report_status(fakeplat, state)

    assert (before["id"], state) == (after["id"], after["status"])


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        (("pending", "pending"), transition_refused("enqueue", "pending")),
        (("running", "running"), transition_refused("run", "running")),
        (("running", "pending"), transition_refused("enqueue", "running")),
    ],
)
def test_a_status_does_not_go_back(fakeplat: Fakeplat, states: tuple[str, str], expected: Outcome) -> None:
    """The message names the event and the present status."""
    report_status(fakeplat, states[0])

    assert expected == refusal(fakeplat, "dev", "POST", status_path(fakeplat), json={"state": states[1]})


def test_a_finished_status_is_followed_by_a_new_one(fakeplat: Fakeplat) -> None:
    """A status after a finished one replaces it, and `all` lists both."""
    first, second = report_status(fakeplat, "failed"), report_status(fakeplat, "success")

    assert first["id"] < second["id"]
    assert [second["id"]] == names(list_statuses(fakeplat), "id")
    assert [first["id"], second["id"]] == names(list_statuses(fakeplat, "all=1"), "id")
    assert "success" == get_json(fakeplat, f"{SITE}/repository/commits/feature")["status"]


def test_the_status_of_another_user_is_not_changed(fakeplat: Fakeplat) -> None:
    """A status of another user is replaced by a new one."""
    first, second = report_status(fakeplat, "pending"), report_status(fakeplat, "success", by="mia")

    assert [second["id"]] == names(list_statuses(fakeplat), "id")
    assert first["id"] != second["id"]


def test_details_are_kept_unless_they_are_sent_again(fakeplat: Fakeplat) -> None:
    """``context`` is another word for ``name``; a coverage of zero is one."""
    details: dict[str, Any] = {
        "ref": "feature",
        "target_url": "http://ci.test/1",
        "description": "first",
        "coverage": 0.0,
    }
    first = report_status(fakeplat, "running", context="coverage", **details)
    changes: dict[str, Any] = {"description": "second", "coverage": 90.5}
    second = report_status(fakeplat, "success", name="coverage", ref="feature", target_url="", **changes)

    assert {**details, "name": "coverage"} == {name: first[name] for name in (*details, "name")}
    assert {**first, **changes, "status": "success", "finished_at": second["finished_at"]} == second


def test_a_failed_status_records_why(fakeplat: Fakeplat) -> None:
    """A failed status that was reported by the API records `api_failure` as its reason."""
    id_ = report_status(fakeplat, "failed")["id"]

    assert "api_failure" == fakeplat.bench.platform.view.jobs[id_].failure_reason


def test_statuses_share_the_pipeline_of_their_commit_and_ref(fakeplat: Fakeplat) -> None:
    """Statuses of the same commit and ref share one pipeline and determine its status."""
    report_status(fakeplat, "success", name="one")
    report_status(fakeplat, "running", name="two")
    report_status(fakeplat, "failed", name="three", ref="other")
    pipelines = fakeplat.bench.platform.view.pipelines.all()

    assert [("feature", "external", "running"), ("other", "external", "failed")] == [
        (pipeline.ref, pipeline.source, pipeline.status) for pipeline in pipelines
    ]
    assert ["one", "two", "three"] == names(list_statuses(fakeplat), "name")
    assert ["three"] == names(list_statuses(fakeplat, "ref=other"), "name")
    assert ["two"] == names(list_statuses(fakeplat, "name=two&stage=external"), "name")
    assert [] == list_statuses(fakeplat, "stage=test")


def test_a_status_joins_an_existing_pipeline(fakeplat: Fakeplat) -> None:
    """A status joins the newest pipeline of its commit or the named one."""
    run_pipeline(fakeplat, PlannedJob(name="test"))
    create_pipelines(fakeplat, {"status": "running"})
    first, second = fakeplat.bench.platform.view.pipelines.all()
    report_status(fakeplat, "pending", name="newest")
    named = report_status(fakeplat, "pending", name="named", pipeline_id=first.id)
    jobs = fakeplat.bench.platform.view.jobs.all()
    body = {"state": "pending", "name": "test", "pipeline_id": first.id}

    assert [first.id, second.id, first.id] == [job.pipeline_id for job in jobs]
    assert named["id"] == jobs[2].id
    assert ["test", "newest", "named"] == names(list_statuses(fakeplat), "name")
    assert invalid_record(name=["has already been taken"]) == refusal(
        fakeplat, "dev", "POST", status_path(fakeplat), json=body
    )


def test_a_status_moves_on_a_merge_request(fakeplat: Fakeplat) -> None:
    """A reported status becomes the head pipeline, and a waiting merge follows it."""
    report_status(fakeplat, "running")
    running = get_json(fakeplat, OPEN)["head_pipeline"]["status"]
    waiting = fakeplat.as_user("mia").put(f"{OPEN}/merge", json={"merge_when_pipeline_succeeds": True}).json()
    report_status(fakeplat, "success")
    fakeplat.settle()
    merged = get_json(fakeplat, OPEN)

    assert ("running", "opened", True) == (running, waiting["state"], waiting["merge_when_pipeline_succeeds"])
    assert "merged" == merged["state"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid(missing_value("state"))),
        ({"state": "invalid"}, invalid("state does not have a valid value")),
        ({"state": "pending", "coverage": "much"}, invalid("coverage is invalid")),
        ({"state": "pending", "target_url": "invalid url"}, invalid_record(target_url=[BLOCKED])),
        ({"state": "pending", "name": " "}, invalid_record(name=["can't be blank"])),
        (
            {"state": "pending", "target_url": f"http://x.test/{'a' * 255}"},
            invalid_record(target_url=["is too long (maximum is 255 characters)"]),
        ),
    ],
    ids=range(6),
)
def test_invalid_statuses_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Commit statuses are validated by their parameters first, then by the model."""
    assert expected == refusal(fakeplat, "dev", "POST", status_path(fakeplat), json=body)


def test_unknown_commits_have_no_statuses(fakeplat: Fakeplat) -> None:
    """Statuses of an unknown commit answer 404."""
    assert resource_not_found("Commit") == refusal(
        fakeplat, "dev", "POST", f"{SITE}/statuses/none", json={"state": "running"}
    )
    assert resource_not_found("Commit") == refusal(fakeplat, "dev", "GET", f"{SITE}/repository/commits/none/statuses")
    assert [] == list_statuses(fakeplat)


def test_a_protected_branch_takes_statuses_from_those_who_may_change_it(fakeplat: Fakeplat) -> None:
    """Developers may neither push nor merge there."""
    body = {"state": "success", "ref": "master"}

    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", status_path(fakeplat, "master"), json=body)
    assert 201 == fakeplat.as_user("mia").post(status_path(fakeplat, "master"), json=body).status


@pytest.mark.parametrize(
    ("user", "read", "written"),
    [
        (None, UNAUTHORIZED, UNAUTHORIZED),
        ("eve", resource_not_found("Project"), resource_not_found("Project")),
        ("gus", FORBIDDEN, FORBIDDEN),
        ("rep", (200, []), FORBIDDEN),
    ],
)
def test_reporters_read_and_developers_write(
    fakeplat: Fakeplat, user: str | None, read: Outcome, written: Outcome
) -> None:
    """In a private project Reporters read commit statuses and Developers report them."""
    statuses = f"{SITE}/repository/commits/{sha_of(fakeplat)}/statuses"

    assert read == refusal(fakeplat, user, "GET", statuses)
    assert written == refusal(fakeplat, user, "POST", status_path(fakeplat), json={"state": "running"})


def test_statuses_do_without_ci(fakeplat: Fakeplat) -> None:
    """Commit statuses are reported even if the project's CI is disabled."""
    fakeplat.as_user("mia").put(SITE, json={"builds_access_level": "disabled"})

    assert [report_status(fakeplat, "success")["id"]] == names(list_statuses(fakeplat), "id")


@pytest.mark.fakeplat(version="latest", default_branch="master")
def test_statuses_by_pipeline_and_order(fakeplat: Fakeplat) -> None:
    """Statuses show their pipeline, are filtered by it, and sorted by id or pipeline."""
    create_pipelines(fakeplat, {"status": "running", "iid": 80}, {"status": "running", "iid": 81})
    ids = {row.iid: row.id for row in fakeplat.bench.platform.view.pipelines.all()}
    for iid, name in ((81, "a"), (80, "b"), (81, "c")):
        report_status(fakeplat, "pending", name=name, pipeline_id=ids[iid])
    path = f"{SITE}/repository/commits/{sha_of(fakeplat)}/statuses?ref=feature"

    assert ["a", "b", "c"] == names(get_json(fakeplat, path), "name")[-3:]
    assert ["c", "b", "a"] == names(get_json(fakeplat, f"{path}&sort=desc"), "name")[:3]
    assert ["b", "a", "c"] == names(get_json(fakeplat, f"{path}&order_by=pipeline_id"), "name")[-3:]
    rows = get_json(fakeplat, f"{path}&pipeline_id={ids[81]}")
    assert [("a", ids[81]), ("c", ids[81])] == [(row["name"], row["pipeline_id"]) for row in rows]


SKIPPED = Lifetime(since="<=18.4")


@by_release(SKIPPED, "expected", {"18.3": invalid("state does not have a valid value"), "18.4": (201, "skipped")})
def test_a_status_can_be_skipped(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Later releases take statuses of what was skipped, but not of what runs already."""
    reply = fakeplat.as_user("dev").post(status_path(fakeplat), json={"state": "skipped"})
    assert expected == (reply.status, reply.json().get("status", reply.json()))
    if reply.status == 201:
        assert "skipped" == get_json(fakeplat, f"{SITE}/repository/commits/feature")["status"]
        report_status(fakeplat, "running", name="tests")
        body = {"state": "skipped", "name": "tests"}
        refused = refusal(fakeplat, "dev", "POST", status_path(fakeplat), json=body)
        assert transition_refused("skip", "running") == refused


@by_release(STATUSES_KEEP_TO_THEIR_PIPELINE, "is_kept", {"18.3": False, "18.4": True})
def test_a_status_of_an_unknown_pipeline(fakeplat: Fakeplat, is_kept: bool) -> None:
    """Later releases make no pipeline for a status that names one which the commit and ref do not have."""
    create_pipelines(fakeplat, {"status": "running"})
    reply = fakeplat.as_user("dev").post(status_path(fakeplat), json={"state": "running", "pipeline_id": 1})
    expected = resource_not_found("Pipeline for pipeline_id, sha and ref")
    assert is_kept == (expected == outcome(reply))
    assert is_kept or 201 == reply.status


@by_release(STATUS_FLAGS_ARE_CHECKED, "expected", {"17.10": (200, []), "17.11": invalid("all is invalid")})
def test_the_flag_for_all_statuses(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Older releases take any text that is not true for false."""
    path = f"{SITE}/repository/commits/{sha_of(fakeplat)}/statuses"
    assert expected == refusal(fakeplat, "rep", "GET", f"{path}?all=maybe")
    assert (200, []) == refusal(fakeplat, "rep", "GET", f"{path}?all=False")
