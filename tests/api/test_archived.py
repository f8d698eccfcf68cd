"""An archived project is read only, ability by ability.

Source: the platform's policy of projects. It forbids the abilities to create, update,
administer and destroy issues, boards, lists, merge requests, approvers, labels, milestones, snippets, notes and
pipelines; to push, to upload a file, to ask for access, to award an emoji and to resolve a discussion.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.abilities import Ability
from tests.api import role_rows
from tests.api.role_rows import Row
from tests.api.test_role_matrix import ALL, SITE, Prepared, create_records_of_rows, fill_in, is_form, operation_of
from tests.policy.test_abilities import holders
from tests.policy.test_authorization import team

pytestmark = pytest.mark.every_release

FORBIDDEN: dict[Ability, tuple[str, ...]] = {
    Ability.UPLOAD_FILE: (),
    Ability.CREATE_MERGE_REQUEST_IN: (),
    Ability.CREATE_MERGE_REQUEST_FROM: ("create_merge_request",),
    Ability.UPDATE_MERGE_REQUEST: ("update_merge_request", "rebase_merge_request", "set_merge_request_time_estimate"),
    Ability.ADMIN_MERGE_REQUEST: ("update_merge_request",),
    Ability.DESTROY_MERGE_REQUEST: ("delete_merge_request",),
    Ability.CREATE_ISSUE: ("create_issue",),
    Ability.UPDATE_ISSUE: ("update_issue", "reorder_issue"),
    Ability.ADMIN_ISSUE: ("set_issue_time_estimate", "create_issue_link", "move_issue"),
    Ability.DESTROY_ISSUE: ("delete_issue",),
    Ability.IMPORT_ISSUES: (),
    Ability.CREATE_DESIGN: (),
    Ability.CREATE_NOTE: (
        "create_issue_note",
        "create_merge_request_note",
        "create_issue_discussion",
        "create_commit_comment",
    ),
    Ability.ADMIN_NOTE: ("update_merge_request_note", "delete_merge_request_note"),
    Ability.RESOLVE_NOTE: ("resolve_merge_request_discussion",),
    Ability.AWARD_EMOJI: ("create_issue_award_emoji", "create_merge_request_award_emoji"),
    Ability.ADMIN_BOARD: (),
    Ability.ADMIN_BOARD_LIST: (),
    Ability.ADMIN_LABEL: (),
    Ability.ADMIN_MILESTONE: (),
    Ability.PUSH_TO_DELETE_PROTECTED: (),
    Ability.PUSH_CODE: (
        "create_branch",
        "create_repository_file",
        "update_repository_file",
        "get_repository_health",
        "delete_branch",
        "delete_merged_branches",
        "create_tag",
        "delete_tag",
        "create_commit",
        "cherry_pick_commit",
        "revert_commit",
    ),
    Ability.CREATE_PIPELINE: ("create_merge_request_pipeline", "play_pipeline_schedule"),
    Ability.CREATE_PIPELINE_SCHEDULE: (),
    Ability.UPDATE_BUILD: (
        "update_pipeline_schedule",
        "delete_pipeline_schedule",
        "cancel_job",
        "keep_job_artifacts",
        "retry_job",
        "play_job",
        "keep_job_artifacts",
    ),
    Ability.ADMIN_PIPELINE: ("delete_pipeline_schedule (of another)", "list_pipeline_variables"),
    Ability.ADMIN_BUILD: ("erase_job",),
    Ability.ADMIN_CICD_VARIABLES: (),
    Ability.CREATE_COMMIT_STATUS: (),
    Ability.CREATE_ENVIRONMENT: ("create_deployment",),
    Ability.UPDATE_ENVIRONMENT: ("stop_environment",),
    Ability.DESTROY_ENVIRONMENT: ("delete_environment", "delete_environment_review_apps"),
    Ability.CREATE_DEPLOYMENT: (),
    Ability.UPDATE_DEPLOYMENT: ("update_deployment",),
    Ability.DESTROY_DEPLOYMENT: ("delete_deployment",),
    Ability.STOP_ENVIRONMENTS: (),
    Ability.UPDATE_RESOURCE_GROUP: (),
    Ability.UPDATE_PIPELINE: ("retry_pipeline", "cancel_pipeline"),
    Ability.DESTROY_PIPELINE: ("delete_pipeline",),
    Ability.UPDATE_APPROVERS: (),
    Ability.CREATE_RELEASE: ("create_release", "create_release_link", "create_tag_release", "collect_release_evidence"),
    Ability.UPDATE_RELEASE: ("update_release", "update_release_link", "update_tag_release"),
    Ability.DESTROY_RELEASE: ("delete_release", "delete_release_link"),
    Ability.CREATE_SNIPPET: ("create_project_snippet",),
    Ability.UPDATE_SNIPPET: ("update_project_snippet", "delete_project_snippet"),
    Ability.CREATE_WIKI: (),
    Ability.ADMIN_WIKI: (),
    Ability.DESTROY_CONTAINER_IMAGE: ("delete_registry_tag",),
    Ability.ADMIN_CONTAINER_IMAGE: ("delete_registry_repository", "delete_registry_tags"),
    Ability.UPDATE_CLUSTER: ("update_project_cluster",),
    Ability.ADMIN_CLUSTER: ("delete_project_cluster", "delete_cluster_agent", "delete_cluster_agent_token"),
    Ability.CREATE_TEST_CASE: (),
    Ability.CREATE_CLUSTER_AGENT: ("create_cluster_agent_token",),
}
"""What an archived project forbids, and the operations that ask for it beside those that declare it."""
SHOWN_ONLY = {
    Ability.IMPORT_ISSUES,
    Ability.CREATE_DESIGN,
    Ability.CREATE_TEST_CASE,
    Ability.PUSH_TO_DELETE_PROTECTED,
}
"""Abilities that GraphQL shows or asks for, and that no operation does."""

ALLOWED = {
    Ability.READ_PROJECT,
    Ability.READ_COMMIT_STATUS,
    Ability.READ_ENVIRONMENT,
    Ability.READ_DEPLOYMENT,
    Ability.READ_RESOURCE_GROUP,
    Ability.READ_MEMBERS,
    Ability.READ_MEMBER_ROLE,
    Ability.READ_STATISTICS,
    Ability.READ_DAILY_STATISTICS,
    Ability.READ_CUSTOM_ATTRIBUTE,
    Ability.UPDATE_CUSTOM_ATTRIBUTE,
    Ability.STAR_PROJECT,
    Ability.ADMIN_PROJECT,
    Ability.RENAME_PROJECT,
    Ability.CHANGE_VISIBILITY,
    Ability.CHANGE_NAMESPACE,
    Ability.ARCHIVE_PROJECT,
    Ability.ADD_CATALOG_RESOURCE,
    Ability.REMOVE_PROJECT,
    Ability.MOVE_REPOSITORY,
    Ability.READ_UPLOAD,
    Ability.DESTROY_UPLOAD,
    Ability.ADMIN_UPLOAD,
    Ability.ADMIN_MEMBERS,
    Ability.UPDATE_MEMBERS,
    Ability.ADMIN_SERVICE_ACCOUNT_MEMBERS,
    Ability.MANAGE_OWNERS,
    Ability.READ_MERGE_REQUESTS,
    Ability.READ_ISSUES,
    Ability.SET_ISSUE_TIMES,
    Ability.READ_DESIGN,
    Ability.MOVE_DESIGN,
    Ability.READ_CYCLE_ANALYTICS,
    Ability.READ_CONFIDENTIAL_NOTES,
    Ability.SET_NOTE_TIMES,
    Ability.READ_USER_AGENT,
    Ability.READ_BOARD,
    Ability.ADMIN_BADGE,
    Ability.READ_LABEL,
    Ability.READ_MILESTONE,
    Ability.DOWNLOAD_CODE,
    Ability.ADMIN_PROTECTED,
    Ability.READ_PIPELINE,
    Ability.READ_PIPELINE_SCHEDULE,
    Ability.READ_BUILD,
    Ability.DESTROY_ARTIFACTS,
    Ability.READ_RELEASE,
    Ability.READ_SNIPPETS,
    Ability.READ_PRIVATE_SNIPPETS,
    Ability.FORK_PROJECT,
    Ability.LINK_FORK,
    Ability.REMOVE_FORK,
    Ability.ADMIN_SERVICES,
    Ability.READ_FEATURE_FLAG,
    Ability.CREATE_FEATURE_FLAG,
    Ability.UPDATE_FEATURE_FLAG,
    Ability.DESTROY_FEATURE_FLAG,
    Ability.ADMIN_FEATURE_FLAGS_USER_LISTS,
    Ability.READ_DEPLOY_TOKEN,
    Ability.CREATE_DEPLOY_TOKEN,
    Ability.DESTROY_DEPLOY_TOKEN,
    Ability.READ_PACKAGE,
    Ability.CREATE_PACKAGE,
    Ability.DESTROY_PACKAGE,
    Ability.READ_TERRAFORM_STATE,
    Ability.ADMIN_TERRAFORM_STATE,
    Ability.READ_CLUSTER_AGENT,
    Ability.READ_SECURE_FILES,
    Ability.ADMIN_SECURE_FILES,
    Ability.READ_FREEZE_PERIOD,
    Ability.CREATE_FREEZE_PERIOD,
    Ability.UPDATE_FREEZE_PERIOD,
    Ability.DESTROY_FREEZE_PERIOD,
    Ability.READ_WIKI,
    Ability.DOWNLOAD_WIKI_CODE,
    Ability.ADMIN_TIMELINE_EVENT,
    Ability.ADMIN_RESOURCE_LINK,
    Ability.ADMIN_TIMELINE_EVENT_TAG,
    Ability.READ_ALERT,
    Ability.UPDATE_ALERT,
    Ability.UPDATE_ESCALATION_STATUS,
    Ability.SEND_TEST_ALERT,
    Ability.READ_CONTAINER_IMAGE,
    Ability.READ_CLUSTER,
    Ability.ADD_CLUSTER,
    Ability.READ_RESOURCE_ACCESS_TOKENS,
    Ability.CREATE_RESOURCE_ACCESS_TOKENS,
    Ability.DESTROY_RESOURCE_ACCESS_TOKENS,
    Ability.CHANGE_PUSH_RULES,
    Ability.READ_AUDIT_EVENTS,
    Ability.CREATE_TIMELOG,
    Ability.READ_GROUP_TIMELOGS,
    Ability.CREATE_CUSTOM_EMOJI,
    Ability.ADMIN_EPIC_BOARD,
    Ability.READ_SAVED_REPLIES,
    Ability.ADMIN_SAVED_REPLIES,
    Ability.READ_CRM_CONTACT,
    Ability.ADMIN_CRM_CONTACT,
    Ability.READ_CRM_ORGANIZATION,
    Ability.ADMIN_CRM_ORGANIZATION,
    Ability.ADMIN_CUSTOM_FIELD,
    Ability.ADMIN_DEPENDENCY_PROXY,
    Ability.ADMIN_TIMELOG,
    Ability.READ_ITERATION,
    Ability.ADMIN_PROTECTED_ENVIRONMENTS,
    Ability.ADMIN_CUSTOM_FIELD,
    Ability.ADMIN_PROTECTED_TIERS,
    Ability.READ_PAGES,
    Ability.READ_PAGES_CONTENT,
    Ability.CREATE_PAGES,
    Ability.REMOVE_PAGES,
    Ability.UPDATE_PAGES,
    Ability.ADMIN_PAGES,
    Ability.ADMIN_REMOTE_MIRROR,
    Ability.READ_DEPENDENCY,
    Ability.READ_DORA_METRICS,
    Ability.STAR_METRICS_DASHBOARD,
    Ability.ANNOTATE_DASHBOARDS,
    Ability.READ_SECURITY_SETTINGS,
    Ability.ADMIN_SECURITY_SETTINGS,
    Ability.ADMIN_OPERATIONS,
    Ability.ADMIN_SOFTWARE_LICENSES,
}
"""What an archived project leaves as it was."""

ELSEWHERE = {
    "admin_iteration",
    "create_iteration",
    "create_projects",
    "transfer_projects",
    "count_members",
    "override_members",
    "activate_members",
    "read_billable_members",
    "read_provisioned_users",
    "archive_group",
    "create_group",
    "create_subgroup",
    "read_group",
    "read_group_runners",
    "admin_group",
    "admin_package",
    "read_dependency_proxy",
    "remove_group",
    "read_namespace",
    "admin_namespace",
    "update_namespace",
    "set_shared_runners_minutes_limit",
    "read_user",
    "admin_users",
    "admin_deploy_keys",
    "admin_oauth_applications",
    "admin_deploy_tokens",
    "admin_appearance",
    "read_git_snapshot",
    "read_project_storage",
    "admin_broadcast_messages",
    "admin_licenses",
    "admin_member_roles",
    "admin_member_role",
    "admin_achievement",
    "award_achievement",
    "destroy_user_achievement",
    "admin_features",
    "admin_project_aliases",
    "admin_security_policies",
    "admin_runner_controllers",
    "read_instance",
    "read_all_resources",
    "admin_topics",
    "admin_database",
    "update_application_settings",
    "admin_instance_clusters",
    "admin_system_hooks",
    "admin_instance_variables",
    "create_instance_runner",
    "read_instance_audit_events",
    "read_epic",
    "admin_epic",
    "admin_epic_link",
    "admin_epic_link_relation",
    "read_epic_board",
    "admin_epic_note",
    "create_epic_note",
    "destroy_epic",
    "set_epic_created_at",
    "read_all_runners",
    "read_all_bills",
    "admin_service_accounts",
    "admin_instance_service_accounts",
}
"""Abilities that do not concern projects."""

ROWS = {row[0]: row for row in (*ALL, *role_rows.PAID) if row[2].startswith(SITE)}
REFUSALS = {
    "delete_environment_review_apps": 401,
    "move_issue": 400,
    "create_issue_award_emoji": 404,
    "create_merge_request_award_emoji": 404,
}
"""What the platform answers instead of 403."""


def list_rows(ability: Ability) -> list[str]:
    """The rows of operations on the project that declare an ability."""
    return [name for name in ROWS if OPERATIONS[operation_of(name)].ability is ability]


REFUSED = [(ability, name) for ability, names in FORBIDDEN.items() for name in (*names, *list_rows(ability))]
WRITING = {operation_of(name) for _, name in REFUSED}
SERVED = [
    name for name in ROWS if OPERATIONS[operation_of(name)].ability in ALLOWED and operation_of(name) not in WRITING
]


@pytest.fixture(scope="module")
def archives(fakeplat_factory: Callable[..., Fakeplat]) -> Callable[[Row], Prepared]:
    """Return a function that gives an archived project with what a row names: one for a tier and a release."""

    @cache
    def archive(*, is_paid: bool, version: str) -> Prepared:
        world = fakeplat_factory(tier="ultimate", version=version, default_branch="master")
        ids, root = create_records_of_rows(world), world.as_user("root")
        ids |= role_rows.create_records(root, ids) | (role_rows.create_paid_records(root) if is_paid else {})
        root.post(f"{SITE}/archive")
        return Prepared(world, ids)

    def archive_for(row: Row) -> Prepared:
        has_ended = bool(OPERATIONS[operation_of(row[0])].until)
        return archive(is_paid=row in role_rows.PAID, version="13.5.1" if has_ended else "latest")

    return archive_for


def send_row(archived: Prepared, row: Row) -> int:
    """Send a row's request as an administrator; return the status."""
    _, method, path, body, _ = row
    sent = body if is_form(body) else {"json": fill_in(body, archived.ids)}
    return int(archived.world.as_user("root").request(method, fill_in(path, archived.ids), **sent).status)


def test_every_ability_is_classified_for_archived_projects() -> None:
    """A new ability is put into one of the three tables by hand."""
    assert set() == {*Ability} - {*FORBIDDEN} - ALLOWED - {ability for ability in Ability if ability.value in ELSEWHERE}


def test_every_forbidden_ability_is_met_by_an_operation() -> None:
    """Each ability that archived projects forbid is required by some operation."""
    assert {*FORBIDDEN} - SHOWN_ONLY == {ability for ability, _ in REFUSED}


@pytest.mark.parametrize("ability", FORBIDDEN, ids=lambda ability: ability.value)
def test_nobody_has_a_forbidden_ability(ability: Ability) -> None:
    """On an archived project nobody has a forbidden ability, not even administrators."""
    site = team("public", archived=True)
    assert [] == holders(site, ability, site.place("team/work"))


@pytest.mark.parametrize(("ability", "name"), REFUSED, ids=[f"{ability.value}-{name}" for ability, name in REFUSED])
def test_an_archived_project_refuses_what_writes(
    archives: Callable[[Row], Prepared], ability: Ability, name: str
) -> None:
    """Writes to an archived project are refused even to administrators and change nothing."""
    del ability
    archived = archives(ROWS[name])
    with archived.world.changes() as changes:
        assert REFUSALS.get(operation_of(name), 403) == send_row(archived, ROWS[name])
    assert (operation_of(name), {}, {}, {}) == (
        archived.world.requests[-1].operation,
        changes.created,
        changes.changed,
        changes.deleted,
    )


@pytest.mark.parametrize("name", SERVED)
def test_an_archived_project_serves_what_is_not_forbidden(archives: Callable[[Row], Prepared], name: str) -> None:
    """Administrators get what they get elsewhere."""
    archived = archives(ROWS[name])
    archived.world.snapshot()
    assert int(ROWS[name][4].split()[-1]) == send_row(archived, ROWS[name])
    archived.world.restore()


def test_archived_projects_take_no_access_requests(fakeplat: Any) -> None:
    """Access requests to an archived project answer 403."""
    root, eve = fakeplat.as_user("root"), fakeplat.as_user("eve")
    docs = "projects/acme%2Fdocs"
    root.post(f"{docs}/archive")
    refused = eve.post(f"{docs}/access_requests")
    assert (403, {"message": "403 Forbidden"}) == (refused.status, refused.json())
    root.post(f"{docs}/unarchive")
    assert 201 == eve.post(f"{docs}/access_requests").status
