"""How pipelines, stages, groups and jobs show their status. Source: docs/platform/pipelines-jobs.md."""

from typing import Any

import pytest
from attrs import asdict

from fakeplat.domain.ci import detailed_statuses
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.context import Caller, ReadContext
from tests.api.jobs import create_pipeline, job
from tests.api.merge_requests import get_json
from tests.api.pipelines import SITE, load_project, newest

WARNED = {"name": "w", "status": "failed", "allow_failure": True}


def build_context(fake: Fakeplat, username: str | None) -> ReadContext:
    """Return a context for reading the world as a user, or anonymously."""
    platform = fake.bench.platform
    user = fake.bench.platform.view.users.find("username", username) if username else None
    return ReadContext(platform.view, Caller(user), platform.services)


def get_detailed_status(fake: Fakeplat, name: str = "a", by: str | None = "dev") -> dict[str, Any]:
    """Return the detailed status of a job."""
    ctx, record = build_context(fake, by), job(fake, name)
    return asdict(detailed_statuses.of_job(ctx, ctx.world.projects[record.project_id], record))


def create_job(fake: Fakeplat, **attributes: Any) -> dict[str, Any]:
    """Create a job; return its detailed status."""
    create_pipeline(fake, {"name": "a", **attributes})
    return get_detailed_status(fake)


def select_values(status: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(status[name] for name in names)


def test_a_pipeline_with_allowed_failures_has_warnings(fakeplat: Fakeplat) -> None:
    """A pipeline with allowed failures passed with warnings."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"}, WARNED)
    status = get_json(fakeplat, f"{SITE}/pipelines/{newest(fakeplat).id}")["detailed_status"]
    assert {
        "icon": "status_warning",
        "text": "passed",
        "label": "passed with warnings",
        "group": "success-with-warnings",
        "tooltip": "passed with warnings",
        "has_details": True,
        "details_path": f"/acme/site/-/pipelines/{newest(fakeplat).id}",
        "illustration": None,
        "favicon": "/assets/ci_favicons/favicon_status_success.png",
    } == status


@pytest.mark.parametrize(
    ("status", "text", "label", "icon", "group"),
    [
        ("created", "created", "created", "status_created", "created"),
        ("waiting_for_resource", "waiting", "waiting for resource", "status_pending", "waiting-for-resource"),
        ("preparing", "preparing", "preparing", "status_preparing", "preparing"),
        ("pending", "pending", "pending", "status_pending", "pending"),
        ("running", "running", "running", "status_running", "running"),
        ("success", "passed", "passed", "status_success", "success"),
        ("canceled", "canceled", "canceled", "status_canceled", "canceled"),
        ("skipped", "skipped", "skipped", "status_skipped", "skipped"),
    ],
)
def test_a_job_shows_its_status(fakeplat: Fakeplat, status: str, text: str, label: str, icon: str, group: str) -> None:
    """The detailed status of a job has the platform's words and the path of its page."""
    load_project(fakeplat, runners="external")
    status_ = create_job(fakeplat, status=status)
    assert (text, label, label, icon, group) == select_values(status_, "text", "label", "tooltip", "icon", "group")
    assert f"/assets/ci_favicons/favicon_{icon}.png" == status_["favicon"]
    assert (True, f"/acme/site/-/jobs/{job(fakeplat, 'a').id}") == select_values(status_, "has_details", "details_path")


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("script_failure", "script failure"),
        ("api_failure", "API failure"),
        ("stuck_or_timeout_failure", "stuck or timeout failure"),
        ("runner_unsupported", "unsupported runner"),
        ("forward_deployment_failure", "forward deployment failure"),
        (None, "unknown failure"),
        ("downstream_pipeline_creation_failed", "downstream pipeline can not be created"),
    ],
)
def test_a_failed_job_says_why(fakeplat: Fakeplat, reason: str | None, text: str) -> None:
    """The tooltip of a failed job names the reason."""
    status = create_job(fakeplat, status="failed", failure_reason=reason)
    assert ("failed", "failed", f"failed - ({text})") == select_values(status, "text", "label", "tooltip")


def test_an_allowed_failure_is_a_warning(fakeplat: Fakeplat) -> None:
    """A failed job that may fail is shown as a warning with the favicon of a failure."""
    status = create_job(fakeplat, status="failed", allow_failure=True, failure_reason="script_failure")
    assert ("failed (allowed to fail)", "status_warning", "failed-with-warnings") == select_values(
        status, "label", "icon", "group"
    )
    assert "failed - (script failure) (allowed to fail)" == status["tooltip"]
    assert "/assets/ci_favicons/favicon_status_failed.png" == status["favicon"]


def test_a_retried_job_says_so(fakeplat: Fakeplat) -> None:
    """The tooltip of a retried job says that it was retried."""
    assert "passed (retried)" == create_job(fakeplat, status="success", retried=True)["tooltip"]


ACTIONS = [
    # status, further attributes, label, action
    ("running", {}, "running", ("cancel", "Cancel", "cancel", "Cancel this job")),
    ("created", {}, "created", ("cancel", "Cancel", "cancel", "Cancel this job")),
    ("success", {}, "passed", ("retry", "Retry", "retry", "Retry this job")),
    ("failed", {}, "failed", ("retry", "Retry", "retry", "Retry this job")),
    ("manual", {"when": "manual"}, "manual play action", ("play", "Play", "play", "Trigger this manual action")),
    ("success", {"when": "manual"}, "manual play action", ("play", "Play", "play", "Trigger this manual action")),
    (
        "manual",
        {"when": "manual", "environment": {"name": "x", "action": "stop"}},
        "manual stop action",
        ("stop", "Stop", "play", "Stop this environment"),
    ),
    (
        "scheduled",
        {"when": "delayed", "start_in": 60},
        "unschedule action",
        ("time-out", "Unschedule", "unschedule", "Unschedule job"),
    ),
]


@pytest.mark.parametrize(("status", "more", "label", "action"), ACTIONS)
def test_a_job_shows_what_the_caller_can_do(
    fakeplat: Fakeplat, status: str, more: dict[str, Any], label: str, action: tuple[str, ...]
) -> None:
    """The button with its texts and its path, for those who may update the job."""
    load_project(fakeplat, runners="external")
    view = create_job(fakeplat, status=status, **more)
    icon, title, tail, button = action
    path = f"/acme/site/-/jobs/{job(fakeplat, 'a').id}/{tail}"
    assert label == view["label"]
    texts = {"title": title, "button_title": button, "confirmation_message": None}
    id_ = f"Ci::Build-{view['group']}-{job(fakeplat, 'a').id}"
    assert {"id": id_, "icon": icon, "path": path, "method": "post", **texts} == view["action"]
    assert get_detailed_status(fakeplat, by="rep")["action"] is None


@pytest.mark.parametrize("status", ["skipped"])
def test_nothing_can_be_done_about_some_jobs(fakeplat: Fakeplat, status: str) -> None:
    """A skipped job offers no action."""
    assert create_job(fakeplat, status=status)["action"] is None


def test_a_manual_job_says_that_playing_is_not_allowed(fakeplat: Fakeplat) -> None:
    """The status of a manual job tells those who may not play it that it is not allowed."""
    create_pipeline(fakeplat, {"name": "a", "status": "manual", "when": "manual"})
    assert "manual play action (not allowed)" == get_detailed_status(fakeplat, by="rep")["label"]
    create_pipeline(fakeplat, {"name": "a", "status": "manual", "when": "manual"}, ref="master")
    assert "manual play action (not allowed)" == get_detailed_status(fakeplat, by="dev")["label"]
    assert "manual play action" == get_detailed_status(fakeplat, by="mia")["label"]


def test_the_details_of_a_bridge_are_its_pipeline(fakeplat: Fakeplat) -> None:
    """The status of a bridge links its pipeline if the caller can read it."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/docs", "pipelines": [{"iid": 2, "sha": "a" * 40}]}]})
    downstream = newest(fakeplat).id
    bridge = {"status": "success", "trigger": {"project": "acme/docs"}}
    create_pipeline(fakeplat, {"name": "a", **bridge, "downstream_pipeline": "acme/docs#2"}, {"name": "b", **bridge})
    assert (True, f"/acme/docs/-/pipelines/{downstream}", None) == select_values(
        get_detailed_status(fakeplat), "has_details", "details_path", "action"
    )
    assert (False, None) == select_values(get_detailed_status(fakeplat, "b"), "has_details", "details_path")
    load_project(fakeplat, "acme/docs", public_builds=False)
    assert get_detailed_status(fakeplat, by=None)["has_details"] is False


def test_a_status_from_outside_shows_its_description(fakeplat: Fakeplat) -> None:
    """An external status shows its description and links its URL."""
    view = create_job(fakeplat, kind="external", status="success", description="Covered", target_url="https://x.test")
    assert ("Covered", "passed", True, "https://x.test", None) == select_values(
        view, "label", "text", "has_details", "details_path", "action"
    )


@pytest.mark.parametrize(
    ("jobs", "group", "label"),
    [
        ([{"name": "a", "status": "success"}, WARNED], "success-with-warnings", "passed with warnings"),
        ([{"name": "a", "status": "failed"}, {"name": "b", "status": "running"}], "running", "running"),
        ([{"name": "a", "status": "manual", "when": "manual"}], "manual", "manual action"),
    ],
)
def test_a_stage_shows_the_status_of_its_jobs(
    fakeplat: Fakeplat, jobs: list[dict[str, Any]], group: str, label: str
) -> None:
    """The status of a stage links its place on the page of the pipeline."""
    pipeline = create_pipeline(fakeplat, *jobs)
    world = fakeplat.bench.platform.view
    status = detailed_statuses.of_stage(world, pipeline, "check", list(world.jobs.where("latest", pipeline.id)))
    assert (group, label, f"/acme/site/-/pipelines/{pipeline.id}#check") == (
        status.group,
        status.label,
        status.details_path,
    )


def test_a_group_of_one_job_shows_that_of_the_job(fakeplat: Fakeplat) -> None:
    """Several show their common status, which leads nowhere."""
    pipeline = create_pipeline(fakeplat, {"name": "a", "status": "success"}, {"name": "b", "status": "failed"})
    ctx = build_context(fakeplat, "dev")
    project, members = ctx.world.projects[pipeline.project_id], list(ctx.world.jobs.where("latest", pipeline.id))
    assert detailed_statuses.of_job(ctx, project, members[0]) == detailed_statuses.of_group(ctx, project, members[:1])
    both = detailed_statuses.of_group(ctx, project, members)
    assert ("failed", False, None, None) == (both.group, both.has_details, both.details_path, both.action)
