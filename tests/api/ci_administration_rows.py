"""Permissions by role for CI variables, triggers, pipeline schedules and runners, in the form of `role_rows.py`.

Sources: docs/platform/pipelines-jobs.md; the platform's policies of projects, groups and pipeline schedules.
"""

from typing import Any

SITE, ACME = "projects/acme%2Fsite", "groups/acme"
LISTED = "401 404 404 200 200 200 200 200 200"
SIGNED_IN = "401 200 200 200 200 200 200 200 200"
ADMIN = "401 403 403 403 403 403 403 403"
BELOW_MAINTAINER = "401 404 404 403 403 403"
BELOW_MAINTAINER_ELSEWHERE = "401 403 403 403 403 403"
VARIABLE = {"key": "NEW", "value": "x"}
SCHEDULE = {"description": "x", "ref": "master", "cron": "0 4 * * *"}
OPEN_SCHEDULE = {**SCHEDULE, "ref": "feature"}

PROJECT = [
    ("list_project_variables", "GET", "/variables", None, f"{BELOW_MAINTAINER} 200 200 200"),
    ("get_project_variable", "GET", "/variables/OLD", None, f"{BELOW_MAINTAINER} 200 200 200"),
    ("create_project_variable", "POST", "/variables", VARIABLE, f"{BELOW_MAINTAINER} 201 201 201"),
    ("update_project_variable", "PUT", "/variables/OLD", {"value": "y"}, f"{BELOW_MAINTAINER} 200 200 200"),
    ("delete_project_variable", "DELETE", "/variables/OLD", None, f"{BELOW_MAINTAINER} 204 204 204"),
    ("list_pipeline_triggers", "GET", "/triggers", None, f"{BELOW_MAINTAINER} 200 200 200"),
    ("get_pipeline_trigger", "GET", "/triggers/{trigger}", None, f"{BELOW_MAINTAINER} 200 200 200"),
    ("create_pipeline_trigger", "POST", "/triggers", {"description": "x"}, f"{BELOW_MAINTAINER} 201 201 201"),
    # It is owned by the administrator.
    ("update_pipeline_trigger", "PUT", "/triggers/{trigger}", {}, f"{BELOW_MAINTAINER} 403 403 200"),
    ("delete_pipeline_trigger", "DELETE", "/triggers/{trigger}", None, f"{BELOW_MAINTAINER} 204 204 204"),
    ("list_pipeline_schedules", "GET", "/pipeline_schedules", None, LISTED),
    ("get_pipeline_schedule", "GET", "/pipeline_schedules/{schedule}", None, LISTED),
    (
        "create_pipeline_schedule",
        "POST",
        "/pipeline_schedules",
        SCHEDULE,
        # The branch is protected, from 16.0 on also for administrators.
        "401 404 404 403 403 400 201 201 400",
    ),
    (
        "create_pipeline_schedule (of an open branch)",
        "POST",
        "/pipeline_schedules",
        OPEN_SCHEDULE,
        "401 404 404 403 403 201 201 201 201",
    ),
    # It is owned by the administrator.
    (
        "update_pipeline_schedule",
        "PUT",
        "/pipeline_schedules/{schedule}",
        {"description": "x"},
        f"{BELOW_MAINTAINER} 403 403 200",
    ),
    (
        "update_pipeline_schedule (of a protected branch)",
        "PUT",
        "/pipeline_schedules/{schedule_of_ada}",
        {"description": "x"},
        f"{BELOW_MAINTAINER} 403 200 403",
    ),
    (
        "take_pipeline_schedule_ownership",
        "POST",
        "/pipeline_schedules/{schedule}/take_ownership",
        None,
        # The rows are tested with the newest release, which tells the owner that nothing changes.
        f"{BELOW_MAINTAINER} 201 201 200",
    ),
    (
        "play_pipeline_schedule",
        "POST",
        "/pipeline_schedules/{schedule_of_ada}/play",
        None,
        # The branch is protected, from 16.0 on also for administrators.
        f"{BELOW_MAINTAINER} 201 201 403",
    ),
    ("delete_pipeline_schedule", "DELETE", "/pipeline_schedules/{schedule}", None, f"{BELOW_MAINTAINER} 204 204 204"),
    (
        "delete_pipeline_schedule (of another)",
        "DELETE",
        "/pipeline_schedules/{schedule_of_ada}",
        None,
        f"{BELOW_MAINTAINER} 204 204 204",
    ),
    ("list_project_runners", "GET", "/runners", None, f"{BELOW_MAINTAINER} 200 200 200"),
    (
        "reset_project_runners_token",
        "POST",
        "/runners/reset_registration_token",
        None,
        f"{BELOW_MAINTAINER} 201 201 201",
    ),
    ("enable_project_runner", "POST", "/runners", {"runner_id": "{runner}"}, f"{BELOW_MAINTAINER} 201 201 201"),
    # It is not enabled for the project.
    ("disable_project_runner", "DELETE", "/runners/{runner}", None, f"{BELOW_MAINTAINER} 404 404 404"),
]
GROUP = [
    ("list_group_variables", "GET", "/variables", None, f"{BELOW_MAINTAINER_ELSEWHERE} 403 200 200"),
    ("get_group_variable", "GET", "/variables/OLD", None, f"{BELOW_MAINTAINER_ELSEWHERE} 403 200 200"),
    ("create_group_variable", "POST", "/variables", VARIABLE, f"{BELOW_MAINTAINER_ELSEWHERE} 403 201 201"),
    ("update_group_variable", "PUT", "/variables/OLD", {"value": "y"}, f"{BELOW_MAINTAINER_ELSEWHERE} 403 200 200"),
    ("delete_group_variable", "DELETE", "/variables/OLD", None, f"{BELOW_MAINTAINER_ELSEWHERE} 403 204 204"),
    ("list_group_runners", "GET", "/runners", None, f"{BELOW_MAINTAINER_ELSEWHERE} 200 200 200"),
    (
        "reset_group_runners_token",
        "POST",
        "/runners/reset_registration_token",
        None,
        f"{BELOW_MAINTAINER_ELSEWHERE} 403 201 201",
    ),
]
ELSEWHERE = [
    ("list_instance_variables", "GET", "admin/ci/variables", None, f"{ADMIN} 200"),
    ("get_instance_variable", "GET", "admin/ci/variables/OLD", None, f"{ADMIN} 200"),
    ("create_instance_variable", "POST", "admin/ci/variables", VARIABLE, f"{ADMIN} 201"),
    ("update_instance_variable", "PUT", "admin/ci/variables/OLD", {"value": "y"}, f"{ADMIN} 200"),
    ("delete_instance_variable", "DELETE", "admin/ci/variables/OLD", None, f"{ADMIN} 204"),
    ("list_runners", "GET", "runners", None, SIGNED_IN),
    ("reset_runners_token", "POST", "runners/reset_registration_token", None, f"{ADMIN} 201"),
    (
        "reset_runner_authentication_token_by_id",
        "POST",
        "runners/{runner}/reset_authentication_token",
        None,
        f"{BELOW_MAINTAINER_ELSEWHERE} 201 201 201",
    ),
    ("list_runner_projects", "GET", "runners/{runner}/projects", None, f"{BELOW_MAINTAINER_ELSEWHERE} 200 200 200"),
    ("list_runner_managers", "GET", "runners/{runner}/managers", None, f"{BELOW_MAINTAINER_ELSEWHERE} 200 200 200"),
    ("list_all_runners", "GET", "runners/all", None, f"{ADMIN} 200"),
    ("get_runner", "GET", "runners/{runner}", None, f"{BELOW_MAINTAINER_ELSEWHERE} 200 200 200"),
    (
        "update_runner",
        "PUT",
        "runners/{runner}",
        {"active": False},
        f"{BELOW_MAINTAINER_ELSEWHERE} 200 200 200",
    ),
    ("delete_runner", "DELETE", "runners/{runner}", None, f"{BELOW_MAINTAINER_ELSEWHERE} 204 204 204"),
    ("create_current_user_runner", "POST", "user/runners", {"runner_type": "instance_type"}, f"{ADMIN} 201"),
    (
        "create_current_user_runner (group)",
        "POST",
        "user/runners",
        {"runner_type": "group_type", "group_id": "{acme}"},
        "401 403 403 403 403 403 403 201 201",
    ),
]
ROWS = [
    *((name, method, SITE + path, body, statuses) for name, method, path, body, statuses in PROJECT),
    *((name, method, ACME + path, body, statuses) for name, method, path, body, statuses in GROUP),
    *ELSEWHERE,
]


def create_records(root: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Create what the rows name; return the ids."""
    for path in (SITE, ACME, "admin/ci"):
        root.post(f"{path}/variables", json={"key": "OLD", "value": "x"})
    schedules = f"{SITE}/pipeline_schedules"
    return {
        "trigger": root.post(f"{SITE}/triggers", json={"description": "x"}).json()["id"],
        "schedule": root.post(schedules, json=OPEN_SCHEDULE).json()["id"],
        "schedule_of_ada": root.post(f"{schedules}?sudo={known['ada']}", json=SCHEDULE).json()["id"],
        "runner": _register_runner(root),
    }


def _register_runner(root: Any) -> int:
    """Register a runner of another project of the group; return its id."""
    token = root.get("projects/acme%2Fdocs").json()["runners_token"]
    return int(root.post("runners", json={"token": token}).json()["id"])
