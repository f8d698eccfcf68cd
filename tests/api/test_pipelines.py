"""Pipelines as commits and merge requests show them.

Source: docs/platform/merge-requests.md, docs/platform/pipelines-jobs.md.
"""

import pytest

from fakeplat.domain.ci import pipelines
from fakeplat.harness.fake import Fakeplat
from tests.api.fields import USER
from tests.api.merge_requests import MRS, NOT_FOUND, commit, create_merge_request, get_json, merge
from tests.api.pipelines import (
    BASIC,
    FULL,
    OPEN,
    SITE,
    create_pipelines,
    get_head_pipeline,
    load_project,
    newest,
    set_statuses,
    without_ci,
)
from tests.api.requests import FORBIDDEN, NO_ROUTE, UNAUTHORIZED, names, outcome, refusal, resource_not_found
from tests.signals import SentSignals

LIST = f"{OPEN}/pipelines"
NOT_ALLOWED = (405, {"message": "405 Method Not Allowed"})


def test_without_any_there_is_none(fakeplat: Fakeplat) -> None:
    """Without pipelines, lists are empty and fields of merge requests and commits null."""
    merge_request = get_json(fakeplat)

    assert [] == get_json(fakeplat, LIST)
    assert (None, None, None) == (
        merge_request["pipeline"],
        merge_request["head_pipeline"],
        merge_request["latest_build_started_at"],
    )
    commit = get_json(fakeplat, f"{SITE}/repository/commits/feature")
    assert (None, None) == (commit["status"], commit["last_pipeline"])


def test_pipelines_of_a_merge_request_are_shown(fakeplat: Fakeplat) -> None:
    """Few fields in lists and beside commits, all of them as the head pipeline."""
    create_pipelines(
        fakeplat,
        {
            "status": "success",
            "user": "dev",
            "created_at": "2020-11-01T10:00:00Z",
            "started_at": "2020-11-01T10:00:05Z",
            "finished_at": "2020-11-01T10:01:05Z",
            "duration": 60,
            "coverage": 87.5,
        },
    )
    merge_request = get_json(fakeplat)
    (row,) = get_json(fakeplat, LIST)
    whole, id_ = merge_request["head_pipeline"], newest(fakeplat).id

    assert (BASIC, FULL) == (set(row), set(whole))
    assert row == merge_request["pipeline"] == {name: whole[name] for name in BASIC}
    assert (merge_request["sha"], "feature", "success") == (row["sha"], row["ref"], row["status"])
    assert f"{fakeplat.url}/acme/site/-/pipelines/{id_}" == row["web_url"]
    assert (USER, "dev") == (set(whole["user"]), whole["user"]["username"])
    assert (60, "87.50", False, "0" * 40, None) == tuple(
        whole[name] for name in ("duration", "coverage", "tag", "before_sha", "yaml_errors")
    )
    assert ("2020-11-01T10:00:05.000Z", "2020-11-01T10:01:05.000Z") == (
        merge_request["latest_build_started_at"],
        merge_request["latest_build_finished_at"],
    )
    assert {
        "icon": "status_success",
        "text": "passed",
        "label": "passed",
        "group": "success",
        "tooltip": "passed",
        "has_details": True,
        "details_path": f"/acme/site/-/pipelines/{id_}",
        "illustration": None,
        "favicon": "/assets/ci_favicons/favicon_status_success.png",
    } == whole["detailed_status"]
    commit = get_json(fakeplat, f"{SITE}/repository/commits/feature")
    assert ("success", row) == (commit["status"], commit["last_pipeline"])


@pytest.mark.parametrize(
    ("status", "text", "label", "group", "icon"),
    [
        ("created", "created", "created", "created", "status_created"),
        ("waiting_for_resource", "waiting", "waiting for resource", "waiting-for-resource", "status_pending"),
        ("pending", "pending", "pending", "pending", "status_pending"),
        ("running", "running", "running", "running", "status_running"),
        ("failed", "failed", "failed", "failed", "status_failed"),
        ("canceled", "canceled", "canceled", "canceled", "status_canceled"),
        ("skipped", "skipped", "skipped", "skipped", "status_skipped"),
        ("manual", "blocked", "waiting for manual action", "manual", "status_manual"),
        ("scheduled", "delayed", "waiting for delayed job", "scheduled", "status_scheduled"),
    ],
)
def test_each_status_has_its_words(
    fakeplat: Fakeplat, status: str, text: str, label: str, group: str, icon: str
) -> None:
    """The detailed status of each pipeline has the words of the platform's pages."""
    create_pipelines(fakeplat, {"status": status})
    detailed_status = get_head_pipeline(fakeplat)["detailed_status"]
    assert (text, label, label, group, icon) == tuple(
        detailed_status[name] for name in ("text", "label", "tooltip", "group", "icon")
    )


def test_a_changed_status_of_a_pipeline_sends_a_signal(fakeplat: Fakeplat, sent_signals: SentSignals) -> None:
    """Setting the status that a pipeline has already sends no signal; numbers count within the project."""
    create_pipelines(fakeplat, {"iid": 4})
    with fakeplat.bench.platform.acting() as ctx:
        project = ctx.world.projects[newest(fakeplat).project_id]
        pipeline = pipelines.create(ctx, project, ref="feature", sha="a" * 40, source="api")
        moved = pipelines.set_status(ctx, pipeline, "pending")
        pipelines.set_status(ctx, moved, "pending")
    assert [("pipeline_status_changed", (pipeline, moved))] == list(sent_signals)
    assert (5, "pending", "api") == (moved.iid, moved.status, moved.source)


def test_the_head_is_the_newest_of_the_newest_commit(fakeplat: Fakeplat) -> None:
    """The head pipeline is the newest of the newest commit, the request's own first."""
    without_ci(fakeplat)
    create_pipelines(
        fakeplat,
        {"status": "failed"},
        {"status": "success"},
        {"ref": "master"},
        {"ref": "feature", "tag": True, "sha": "a" * 40},
    )
    listed = get_json(fakeplat, LIST)
    assert (["success", "failed"], "success") == (names(listed, "status"), get_head_pipeline(fakeplat)["status"])
    commit(fakeplat, "feature")
    assert (["success", "failed"], None) == (names(get_json(fakeplat, LIST), "status"), get_head_pipeline(fakeplat))
    sha = get_json(fakeplat)["sha"]
    create_pipelines(
        fakeplat,
        {"status": "running", "merge_request": "acme/site!1", "ref": "refs/merge-requests/1/head", "sha": sha},
        {"status": "pending"},
    )
    assert ["running", "pending", "success", "failed"] == names(get_json(fakeplat, LIST), "status")
    assert "running" == get_head_pipeline(fakeplat)["status"]


def test_builds_begin_and_end(fakeplat: Fakeplat) -> None:
    """Times are noted as it moves; an end shows when it succeeded; a retry goes on."""
    create_pipelines(fakeplat, {"status": "created"})
    assert (None, None) == (get_json(fakeplat)["pipeline"], get_json(fakeplat)["latest_build_started_at"])
    set_statuses(fakeplat, "pending", "running")
    begun = get_json(fakeplat)
    assert begun["head_pipeline"]["started_at"] == begun["latest_build_started_at"] == begun["pipeline"]["updated_at"]
    set_statuses(fakeplat, "failed")
    failed = get_json(fakeplat)
    assert (1, None) == (failed["head_pipeline"]["duration"], failed["latest_build_finished_at"])
    set_statuses(fakeplat, "running")
    assert (None, None) == tuple(get_head_pipeline(fakeplat)[name] for name in ("finished_at", "duration"))
    set_statuses(fakeplat, "success")
    done = get_json(fakeplat)
    assert done["head_pipeline"]["finished_at"] == done["latest_build_finished_at"]
    assert (begun["latest_build_started_at"], 3) == (done["latest_build_started_at"], done["head_pipeline"]["duration"])


@pytest.mark.parametrize(
    ("visibility", "public_builds", "readers", "others"),
    [
        ("private", True, ("gus", "rep"), ()),
        ("private", False, ("rep", "dev"), ("gus",)),
        ("public", True, ("eve", "gus", "rep"), ()),
        ("public", False, ("rep",), ("eve", "gus")),
    ],
)
def test_roles_that_see_pipelines(
    fakeplat: Fakeplat, visibility: str, public_builds: bool, readers: tuple[str, ...], others: tuple[str, ...]
) -> None:
    """Public builds show pipelines to everybody who sees the project, else to Reporters."""
    create_pipelines(fakeplat, {"status": "failed"})
    load_project(fakeplat, visibility="public")  # a group of its own would hide it
    fakeplat.load({"groups": [{"path": "acme", "visibility": "public"}]})
    load_project(fakeplat, visibility=visibility, public_builds=public_builds)
    page = f"{fakeplat.url}/acme/site/-/pipelines/{newest(fakeplat).id}"
    for user in readers:
        assert 200 == fakeplat.as_user(user).get(page).status, user
    for user in others:
        assert NO_ROUTE[0] == fakeplat.as_user(user).get(page).status, user
    for user in (*readers, *others):
        reply = fakeplat.as_user(user).get(LIST)
        if user == "gus" and visibility == "private":
            assert FORBIDDEN == outcome(reply)
            continue
        assert (200 if user in readers else 403) == reply.status, user
        merge_request = get_json(fakeplat, by=user)
        assert (user in readers, True) == ("head_pipeline" in merge_request, "pipeline" in merge_request)


def test_fields_of_builds_are_absent_where_builds_are_off(fakeplat: Fakeplat) -> None:
    """Fields of builds are absent where builds are disabled or hidden."""
    create_pipelines(fakeplat, {"status": "success"})
    fields = {
        "pipeline",
        "head_pipeline",
        "latest_build_started_at",
        "latest_build_finished_at",
        "first_deployed_to_production_at",
    }
    assert fields <= set(get_json(fakeplat))
    load_project(fakeplat, builds_access_level="disabled")
    assert set() == fields & set(get_json(fakeplat, by="ada"))


def test_refusals_of_the_list(fakeplat: Fakeplat) -> None:
    """Lists of pipelines answer 401, 404 or 403 to those who may not read them."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", LIST)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", LIST)
    assert NOT_FOUND == refusal(fakeplat, "dev", "GET", f"{MRS}/99/pipelines")
    load_project(fakeplat, builds_access_level="disabled")
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", LIST)


def test_a_pipeline_is_created_if_it_has_jobs(fakeplat: Fakeplat) -> None:
    """Creating a pipeline answers 405 without jobs for it."""
    assert NOT_ALLOWED == refusal(fakeplat, "dev", "POST", LIST)
    load_project(fakeplat, ci_config_path="elsewhere.yml")
    assert NOT_ALLOWED == refusal(fakeplat, "dev", "POST", LIST)
    commit(fakeplat, "feature", "elsewhere.yml", content="test: {script: [make], only: [merge_requests]}")
    reply = fakeplat.as_user("dev").post(LIST)
    assert (200, "refs/merge-requests/1/head") == (reply.status, reply.json()["ref"])
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "same", "ref": "master"})
    empty = create_merge_request(fakeplat, "same")
    assert NOT_ALLOWED == refusal(fakeplat, "dev", "POST", f"{MRS}/{empty['iid']}/pipelines")


def test_roles_that_create_a_pipeline(fakeplat: Fakeplat) -> None:
    """Developers create pipelines of merge requests, and nobody in an archived project."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", LIST)
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", LIST)
    assert FORBIDDEN == refusal(fakeplat, "gus", "POST", LIST)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "POST", LIST)
    assert FORBIDDEN == refusal(fakeplat, "root", "POST", f"{LIST}?sudo=rep")
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", LIST)


def test_pipelines_are_deleted_with_their_owner(fakeplat: Fakeplat) -> None:
    """Pipelines are deleted with their merge request or project."""
    create_pipelines(fakeplat, {"status": "failed", "user": "dev"}, {"merge_request": "acme/site!1"})
    fakeplat.as_user("root").delete(f"users/{fakeplat.world.user('dev').id}?hard_delete=false")
    fakeplat.settle()
    assert ["feature", "feature"] == names(list(fakeplat.world.project("acme/site").pipelines), "ref")
    fakeplat.as_user("ada").delete(OPEN)
    assert 1 == len(fakeplat.bench.platform.view.pipelines)
    fakeplat.as_user("ada").delete(SITE)
    assert 0 == len(fakeplat.bench.platform.view.pipelines)


def test_conditional_requests_see_a_pipeline_move(fakeplat: Fakeplat) -> None:
    """A tag holds until the status is another; so of the list and of the merge request."""
    create_pipelines(fakeplat, {"status": "pending"})
    for path in (OPEN, LIST):
        tag = fakeplat.as_user("dev").get(path).headers["ETag"]
        assert 304 == fakeplat.as_user("dev").get(path, headers={"If-None-Match": tag}).status
        set_statuses(fakeplat, "running" if path == OPEN else "failed")
        assert 200 == fakeplat.as_user("dev").get(path, headers={"If-None-Match": tag}).status


def test_a_merged_request_keeps_its_pipeline(fakeplat: Fakeplat) -> None:
    """A merged request keeps its pipeline when its branch is deleted."""
    create_pipelines(fakeplat, {"status": "success"})
    merge(fakeplat, should_remove_source_branch=True)
    assert "success" == get_head_pipeline(fakeplat)["status"]
