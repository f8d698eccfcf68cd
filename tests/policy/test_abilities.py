"""Who has which ability, written by hand from the platform's policies of projects and groups, complete over it."""

from operator import attrgetter
from typing import Any

import pytest

from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from tests.policy.test_authorization import LADDER, SEEN, VIEWERS, get_username, team

WHO = {
    "anyone": VIEWERS,
    "signed in": VIEWERS[1:],
    "guest": ["external_guest", *LADDER, "root"],
    **{role: [*LADDER[LADDER.index(role) :], "root"] for role in ("reporter", "developer", "maintainer", "owner")},
    "administrator": ["root"],
    "none": [],
}

ON_PROJECTS = {
    # ability: on a private project, on a public project
    Ability.READ_DEPENDENCY: ("developer", "developer"),
    Ability.READ_DORA_METRICS: ("reporter", "reporter"),
    Ability.STAR_METRICS_DASHBOARD: ("reporter", "reporter"),
    Ability.ANNOTATE_DASHBOARDS: ("developer", "developer"),
    Ability.READ_SECURITY_SETTINGS: ("developer", "developer"),
    Ability.ADMIN_SECURITY_SETTINGS: ("maintainer", "maintainer"),
    Ability.READ_PROJECT: ("guest", "anyone"),
    Ability.READ_MEMBERS: ("guest", "anyone"),
    Ability.READ_STATISTICS: ("reporter", "reporter"),
    Ability.READ_DAILY_STATISTICS: ("reporter", "reporter"),
    Ability.READ_CUSTOM_ATTRIBUTE: ("administrator", "administrator"),
    Ability.UPDATE_CUSTOM_ATTRIBUTE: ("administrator", "administrator"),
    Ability.STAR_PROJECT: ("guest", "signed in"),
    Ability.UPLOAD_FILE: ("guest", "signed in"),
    Ability.READ_UPLOAD: ("guest", "guest"),
    Ability.ADMIN_UPLOAD: ("maintainer", "maintainer"),
    Ability.DESTROY_UPLOAD: ("maintainer", "maintainer"),
    Ability.ADMIN_PROJECT: ("maintainer", "maintainer"),
    Ability.RENAME_PROJECT: ("owner", "owner"),
    Ability.CHANGE_VISIBILITY: ("owner", "owner"),
    Ability.CHANGE_NAMESPACE: ("owner", "owner"),
    Ability.ARCHIVE_PROJECT: ("owner", "owner"),
    Ability.ADD_CATALOG_RESOURCE: ("owner", "owner"),
    Ability.REMOVE_PROJECT: ("owner", "owner"),
    Ability.ADMIN_MEMBERS: ("maintainer", "maintainer"),
    Ability.UPDATE_MEMBERS: ("maintainer", "maintainer"),
    Ability.ADMIN_SERVICE_ACCOUNT_MEMBERS: ("maintainer", "maintainer"),
    Ability.MANAGE_OWNERS: ("owner", "owner"),
    Ability.CREATE_MERGE_REQUEST_IN: ("guest", "signed in"),
    Ability.CREATE_MERGE_REQUEST_FROM: ("developer", "developer"),
    Ability.READ_MERGE_REQUESTS: ("reporter", "anyone"),
    Ability.UPDATE_MERGE_REQUEST: ("developer", "developer"),
    Ability.ADMIN_MERGE_REQUEST: ("developer", "developer"),
    Ability.DESTROY_MERGE_REQUEST: ("owner", "owner"),
    Ability.READ_ISSUES: ("guest", "anyone"),
    Ability.READ_ITERATION: ("guest", "anyone"),
    Ability.CREATE_ISSUE: ("guest", "signed in"),
    Ability.UPDATE_ISSUE: ("reporter", "reporter"),
    Ability.CREATE_TEST_CASE: ("reporter", "reporter"),
    Ability.ADMIN_ISSUE: ("reporter", "reporter"),
    Ability.IMPORT_ISSUES: ("developer", "developer"),
    Ability.READ_DESIGN: ("guest", "anyone"),
    Ability.CREATE_DESIGN: ("developer", "developer"),
    Ability.MOVE_DESIGN: ("developer", "developer"),
    Ability.READ_CYCLE_ANALYTICS: ("guest", "anyone"),
    Ability.SET_ISSUE_TIMES: ("owner", "owner"),
    Ability.DESTROY_ISSUE: ("owner", "owner"),
    Ability.CREATE_NOTE: ("guest", "signed in"),
    Ability.ADMIN_NOTE: ("maintainer", "maintainer"),
    Ability.RESOLVE_NOTE: ("developer", "developer"),
    Ability.READ_CONFIDENTIAL_NOTES: ("reporter", "reporter"),
    Ability.SET_NOTE_TIMES: ("owner", "owner"),
    Ability.CREATE_TIMELOG: ("reporter", "reporter"),
    Ability.ADMIN_TIMELOG: ("maintainer", "maintainer"),
    Ability.AWARD_EMOJI: ("guest", "signed in"),
    Ability.READ_USER_AGENT: ("administrator", "administrator"),
    Ability.READ_BOARD: ("guest", "anyone"),
    Ability.ADMIN_BOARD: ("reporter", "reporter"),
    Ability.ADMIN_BOARD_LIST: ("reporter", "reporter"),
    Ability.ADMIN_BADGE: ("maintainer", "maintainer"),
    Ability.READ_LABEL: ("guest", "anyone"),
    Ability.ADMIN_LABEL: ("reporter", "reporter"),
    Ability.READ_MILESTONE: ("guest", "anyone"),
    Ability.ADMIN_MILESTONE: ("developer", "developer"),
    Ability.DOWNLOAD_CODE: ("reporter", "anyone"),
    Ability.PUSH_CODE: ("developer", "developer"),
    Ability.ADMIN_PROTECTED: ("maintainer", "maintainer"),
    Ability.READ_PIPELINE: ("guest", "anyone"),
    Ability.CREATE_PIPELINE: ("developer", "developer"),
    Ability.READ_PIPELINE_SCHEDULE: ("guest", "anyone"),
    Ability.CREATE_PIPELINE_SCHEDULE: ("developer", "developer"),
    Ability.UPDATE_BUILD: ("developer", "developer"),
    Ability.ADMIN_PIPELINE: ("maintainer", "maintainer"),
    Ability.DESTROY_ARTIFACTS: ("maintainer", "maintainer"),
    Ability.ADMIN_BUILD: ("maintainer", "maintainer"),
    Ability.ADMIN_CICD_VARIABLES: ("maintainer", "maintainer"),
    Ability.READ_COMMIT_STATUS: ("reporter", "anyone"),
    Ability.CREATE_COMMIT_STATUS: ("developer", "developer"),
    Ability.READ_ENVIRONMENT: ("reporter", "anyone"),
    Ability.CREATE_ENVIRONMENT: ("developer", "developer"),
    Ability.UPDATE_ENVIRONMENT: ("developer", "developer"),
    Ability.DESTROY_ENVIRONMENT: ("developer", "developer"),
    Ability.READ_DEPLOYMENT: ("reporter", "anyone"),
    Ability.CREATE_DEPLOYMENT: ("developer", "developer"),
    Ability.UPDATE_DEPLOYMENT: ("developer", "developer"),
    Ability.DESTROY_DEPLOYMENT: ("maintainer", "maintainer"),
    Ability.STOP_ENVIRONMENTS: ("maintainer", "maintainer"),
    Ability.READ_RESOURCE_GROUP: ("developer", "developer"),
    Ability.UPDATE_RESOURCE_GROUP: ("developer", "developer"),
    Ability.UPDATE_PIPELINE: ("developer", "developer"),
    Ability.DESTROY_PIPELINE: ("owner", "owner"),
    Ability.READ_BUILD: ("guest", "anyone"),
    Ability.UPDATE_APPROVERS: ("maintainer", "maintainer"),
    Ability.READ_SNIPPETS: ("guest", "anyone"),
    Ability.READ_PRIVATE_SNIPPETS: ("guest", "guest"),
    Ability.CREATE_SNIPPET: ("reporter", "reporter"),
    Ability.UPDATE_SNIPPET: ("maintainer", "maintainer"),
    Ability.FORK_PROJECT: ("reporter", "signed in"),
    Ability.LINK_FORK: ("maintainer", "maintainer"),
    Ability.REMOVE_FORK: ("owner", "owner"),
    Ability.ADMIN_SERVICES: ("maintainer", "maintainer"),
    Ability.READ_PACKAGE: ("reporter", "anyone"),
    Ability.CREATE_PACKAGE: ("developer", "developer"),
    Ability.DESTROY_PACKAGE: ("maintainer", "maintainer"),
    Ability.READ_TERRAFORM_STATE: ("developer", "developer"),
    Ability.ADMIN_TERRAFORM_STATE: ("maintainer", "maintainer"),
    Ability.READ_CLUSTER_AGENT: ("developer", "developer"),
    Ability.CREATE_CLUSTER_AGENT: ("maintainer", "maintainer"),
    Ability.READ_SECURE_FILES: ("developer", "developer"),
    Ability.ADMIN_SECURE_FILES: ("maintainer", "maintainer"),
    **dict.fromkeys(
        (
            Ability.READ_FEATURE_FLAG,
            Ability.CREATE_FEATURE_FLAG,
            Ability.UPDATE_FEATURE_FLAG,
            Ability.DESTROY_FEATURE_FLAG,
            Ability.ADMIN_FEATURE_FLAGS_USER_LISTS,
        ),
        ("developer", "developer"),
    ),
    **dict.fromkeys(
        (
            Ability.READ_DEPLOY_TOKEN,
            Ability.CREATE_DEPLOY_TOKEN,
            Ability.DESTROY_DEPLOY_TOKEN,
            Ability.READ_FREEZE_PERIOD,
            Ability.CREATE_FREEZE_PERIOD,
            Ability.UPDATE_FREEZE_PERIOD,
            Ability.DESTROY_FREEZE_PERIOD,
            Ability.ADMIN_CONTAINER_IMAGE,
            Ability.READ_CLUSTER,
            Ability.ADD_CLUSTER,
            Ability.UPDATE_CLUSTER,
            Ability.ADMIN_CLUSTER,
            Ability.CHANGE_PUSH_RULES,
            Ability.READ_AUDIT_EVENTS,
            Ability.ADMIN_PROTECTED_ENVIRONMENTS,
        ),
        ("maintainer", "maintainer"),
    ),
    Ability.DESTROY_ARTIFACTS: ("maintainer", "maintainer"),
    Ability.ADMIN_PAGES: ("administrator", "administrator"),
    Ability.CREATE_PAGES: ("none", "none"),
    Ability.READ_PAGES_CONTENT: ("guest", "guest"),
    **dict.fromkeys(
        (
            Ability.READ_PAGES,
            Ability.REMOVE_PAGES,
            Ability.PUSH_TO_DELETE_PROTECTED,
            Ability.UPDATE_PAGES,
            Ability.ADMIN_REMOTE_MIRROR,
            Ability.ADMIN_OPERATIONS,
            Ability.ADMIN_SOFTWARE_LICENSES,
        ),
        ("maintainer", "maintainer"),
    ),
    Ability.READ_RELEASE: ("guest", "anyone"),
    Ability.CREATE_RELEASE: ("developer", "developer"),
    Ability.UPDATE_RELEASE: ("developer", "developer"),
    Ability.DESTROY_RELEASE: ("maintainer", "maintainer"),
    Ability.READ_WIKI: ("guest", "anyone"),
    Ability.DOWNLOAD_WIKI_CODE: ("reporter", "anyone"),
    Ability.CREATE_WIKI: ("developer", "developer"),
    Ability.ADMIN_WIKI: ("maintainer", "maintainer"),
    Ability.ADMIN_RESOURCE_LINK: ("reporter", "reporter"),
    Ability.ADMIN_TIMELINE_EVENT: ("developer", "developer"),
    Ability.ADMIN_TIMELINE_EVENT_TAG: ("maintainer", "maintainer"),
    Ability.READ_ALERT: ("developer", "developer"),
    Ability.UPDATE_ALERT: ("developer", "developer"),
    Ability.UPDATE_ESCALATION_STATUS: ("developer", "developer"),
    Ability.SEND_TEST_ALERT: ("developer", "developer"),
    Ability.READ_CONTAINER_IMAGE: ("reporter", "anyone"),
    Ability.DESTROY_CONTAINER_IMAGE: ("developer", "developer"),
    Ability.READ_RESOURCE_ACCESS_TOKENS: ("maintainer", "maintainer"),
    Ability.CREATE_RESOURCE_ACCESS_TOKENS: ("maintainer", "maintainer"),
    Ability.DESTROY_RESOURCE_ACCESS_TOKENS: ("maintainer", "maintainer"),
}
ON_GROUPS = {
    # ability: on a private group, on a public group
    Ability.ANNOTATE_DASHBOARDS: ("developer", "developer"),
    Ability.READ_DEPENDENCY: ("developer", "developer"),
    Ability.READ_DORA_METRICS: ("reporter", "reporter"),
    Ability.ADMIN_SECURITY_SETTINGS: ("maintainer", "maintainer"),
    Ability.READ_MEMBERS: ("guest", "anyone"),
    Ability.ADMIN_MEMBERS: ("owner", "owner"),
    Ability.UPDATE_MEMBERS: ("owner", "owner"),
    Ability.OVERRIDE_MEMBERS: ("owner", "owner"),
    Ability.ACTIVATE_MEMBERS: ("owner", "owner"),
    Ability.READ_BILLABLE_MEMBERS: ("owner", "owner"),
    Ability.ADMIN_ACHIEVEMENT: ("maintainer", "maintainer"),
    Ability.AWARD_ACHIEVEMENT: ("maintainer", "maintainer"),
    Ability.DESTROY_USER_ACHIEVEMENT: ("owner", "owner"),
    Ability.READ_MEMBER_ROLE: ("guest", "guest"),
    Ability.ADMIN_GROUP_MEMBER_ROLE: ("owner", "owner"),
    Ability.ADMIN_SERVICE_ACCOUNT_MEMBERS: ("owner", "owner"),
    Ability.CREATE_PROJECTS: ("developer", "developer"),
    Ability.TRANSFER_PROJECTS: ("maintainer", "maintainer"),
    Ability.READ_ISSUES: ("guest", "anyone"),
    Ability.ADMIN_ISSUE: ("reporter", "reporter"),
    Ability.READ_PACKAGE: ("reporter", "anyone"),
    Ability.CREATE_PACKAGE: ("developer", "developer"),
    Ability.DESTROY_PACKAGE: ("maintainer", "maintainer"),
    Ability.READ_BOARD: ("guest", "anyone"),
    Ability.ADMIN_BOARD: ("reporter", "reporter"),
    Ability.ADMIN_BOARD_LIST: ("reporter", "reporter"),
    Ability.ADMIN_BADGE: ("owner", "owner"),
    Ability.READ_LABEL: ("guest", "anyone"),
    Ability.ADMIN_LABEL: ("reporter", "reporter"),
    Ability.READ_MILESTONE: ("guest", "anyone"),
    Ability.ADMIN_MILESTONE: ("developer", "developer"),
    Ability.ADMIN_BUILD: ("maintainer", "maintainer"),
    Ability.ADMIN_CICD_VARIABLES: ("maintainer", "maintainer"),
    Ability.READ_WIKI: ("guest", "anyone"),
    Ability.DOWNLOAD_WIKI_CODE: ("reporter", "anyone"),
    Ability.CREATE_WIKI: ("developer", "developer"),
    Ability.ADMIN_WIKI: ("maintainer", "maintainer"),
    Ability.READ_DEPLOY_TOKEN: ("maintainer", "maintainer"),
    Ability.CREATE_DEPLOY_TOKEN: ("maintainer", "maintainer"),
    Ability.DESTROY_DEPLOY_TOKEN: ("maintainer", "maintainer"),
    Ability.READ_CONTAINER_IMAGE: ("reporter", "reporter"),
    Ability.READ_CLUSTER: ("maintainer", "maintainer"),
    Ability.ADD_CLUSTER: ("maintainer", "maintainer"),
    Ability.UPDATE_CLUSTER: ("maintainer", "maintainer"),
    Ability.ADMIN_CLUSTER: ("maintainer", "maintainer"),
    Ability.CHANGE_PUSH_RULES: ("owner", "owner"),
    Ability.READ_AUDIT_EVENTS: ("owner", "owner"),
    Ability.READ_GROUP_TIMELOGS: ("reporter", "reporter"),
    Ability.READ_EPIC: ("guest", "anyone"),
    Ability.READ_SAVED_REPLIES: ("guest", "guest"),
    Ability.ADMIN_SAVED_REPLIES: ("developer", "developer"),
    Ability.READ_ITERATION: ("guest", "anyone"),
    Ability.READ_DEPENDENCY_PROXY: ("guest", "guest"),
    Ability.ADMIN_DEPENDENCY_PROXY: ("maintainer", "maintainer"),
    Ability.CREATE_CUSTOM_EMOJI: ("developer", "developer"),
    Ability.READ_CRM_CONTACT: ("reporter", "reporter"),
    Ability.ADMIN_CRM_CONTACT: ("developer", "developer"),
    Ability.READ_CRM_ORGANIZATION: ("reporter", "reporter"),
    Ability.ADMIN_CRM_ORGANIZATION: ("developer", "developer"),
    Ability.ADMIN_CUSTOM_FIELD: ("maintainer", "maintainer"),
    Ability.ADMIN_ITERATION: ("reporter", "reporter"),
    Ability.CREATE_ITERATION: ("developer", "developer"),
    Ability.ADMIN_EPIC: ("reporter", "reporter"),
    Ability.ADMIN_EPIC_LINK: ("reporter", "reporter"),
    Ability.LINK_EPICS: ("guest", "guest"),
    Ability.READ_EPIC_BOARD: ("guest", "anyone"),
    Ability.ADMIN_EPIC_BOARD: ("reporter", "reporter"),
    Ability.CREATE_EPIC_NOTE: ("guest", "signed in"),
    Ability.ADMIN_EPIC_NOTE: ("maintainer", "maintainer"),
    Ability.DESTROY_EPIC: ("owner", "owner"),
    Ability.SET_EPIC_TIMES: ("owner", "owner"),
    Ability.ADMIN_PROTECTED_TIERS: ("maintainer", "maintainer"),
    Ability.COUNT_MEMBERS: ("maintainer", "maintainer"),
    Ability.READ_PROVISIONED_USERS: ("maintainer", "maintainer"),
    Ability.ARCHIVE_GROUP: ("owner", "owner"),
    Ability.CREATE_SUBGROUP: ("maintainer", "maintainer"),
    Ability.READ_GROUP: ("guest", "anyone"),
    Ability.ADMIN_GROUP: ("owner", "owner"),
    Ability.READ_GROUP_RUNNERS: ("owner", "owner"),
    Ability.ADMIN_PACKAGE: ("maintainer", "maintainer"),
    Ability.READ_DEPENDENCY_PROXY: ("guest", "guest"),
    Ability.READ_UPLOAD: ("guest", "guest"),
    Ability.ADMIN_UPLOAD: ("maintainer", "maintainer"),
    Ability.DESTROY_UPLOAD: ("maintainer", "maintainer"),
    Ability.REMOVE_GROUP: ("owner", "owner"),
    Ability.READ_NAMESPACE: ("guest", "guest"),
    Ability.ADMIN_NAMESPACE: ("owner", "owner"),
    Ability.ADMIN_SERVICES: ("owner", "owner"),
    Ability.READ_RESOURCE_ACCESS_TOKENS: ("owner", "owner"),
    Ability.CREATE_RESOURCE_ACCESS_TOKENS: ("owner", "owner"),
    Ability.DESTROY_RESOURCE_ACCESS_TOKENS: ("owner", "owner"),
    Ability.ADMIN_SERVICE_ACCOUNTS: ("owner", "owner"),
}
ON_THE_INSTANCE = {
    "read_git_snapshot": "administrator",
    "read_project_storage": "administrator",
    "change_repository_storage": "administrator",
    "read_custom_attribute": "administrator",
    "update_custom_attribute": "administrator",
    "read_user_agent_detail": "administrator",
    "create_group": "signed in",
    "update_namespace": "administrator",
    "set_shared_runners_minutes_limit": "administrator",
    "admin_users": "administrator",
    "admin_deploy_keys": "administrator",
    "admin_oauth_applications": "administrator",
    "read_instance_audit_events": "administrator",
    "admin_deploy_tokens": "administrator",
    "admin_appearance": "administrator",
    "admin_broadcast_messages": "administrator",
    "admin_member_roles": "administrator",
    "admin_features": "administrator",
    "admin_project_aliases": "administrator",
    "admin_security_policies": "administrator",
    "admin_runner_controllers": "administrator",
    "admin_licenses": "administrator",
    "read_instance": "administrator",
    "read_all_resources": "administrator",
    "admin_topics": "administrator",
    "admin_database": "administrator",
    "update_application_settings": "administrator",
    "admin_instance_clusters": "administrator",
    "admin_system_hooks": "administrator",
    "admin_instance_variables": "administrator",
    "admin_instance_service_accounts": "administrator",
    "create_instance_runner": "administrator",
    "read_all_runners": "administrator",
    "read_all_bills": "administrator",
    "read_user": "anyone",
}
CLOSED_WITH = {
    # feature, and what nobody has without it
    "issues": {
        Ability.READ_ITERATION,
        Ability.READ_ISSUES,
        Ability.CREATE_ISSUE,
        Ability.CREATE_TEST_CASE,
        Ability.UPDATE_ISSUE,
        Ability.ADMIN_ISSUE,
        Ability.IMPORT_ISSUES,
        Ability.READ_DESIGN,
        Ability.DESTROY_ISSUE,
        Ability.READ_BOARD,
        Ability.ADMIN_BOARD,
        Ability.ADMIN_BOARD_LIST,
    },
    "merge_requests": {
        Ability.CREATE_MERGE_REQUEST_IN,
        Ability.CREATE_MERGE_REQUEST_FROM,
        Ability.READ_MERGE_REQUESTS,
        Ability.UPDATE_MERGE_REQUEST,
        Ability.ADMIN_MERGE_REQUEST,
        Ability.DESTROY_MERGE_REQUEST,
    },
    "repository": {
        Ability.DOWNLOAD_CODE,
        Ability.PUSH_CODE,
        Ability.READ_FEATURE_FLAG,
        Ability.CREATE_FEATURE_FLAG,
        Ability.UPDATE_FEATURE_FLAG,
        Ability.DESTROY_FEATURE_FLAG,
        Ability.ADMIN_FEATURE_FLAGS_USER_LISTS,
        Ability.READ_COMMIT_STATUS,
        Ability.CREATE_COMMIT_STATUS,
        Ability.READ_PACKAGE,
        Ability.CREATE_PACKAGE,
        Ability.DESTROY_PACKAGE,
        Ability.READ_CLUSTER,
        Ability.UPDATE_CLUSTER,
        Ability.ADMIN_CLUSTER,
        Ability.READ_RELEASE,
        Ability.CREATE_RELEASE,
        Ability.UPDATE_RELEASE,
        Ability.DESTROY_RELEASE,
    },
    "builds": {
        Ability.READ_PIPELINE,
        Ability.CREATE_PIPELINE,
        Ability.READ_PIPELINE_SCHEDULE,
        Ability.CREATE_PIPELINE_SCHEDULE,
        Ability.UPDATE_BUILD,
        Ability.ADMIN_PIPELINE,
        Ability.ADMIN_BUILD,
        Ability.ADMIN_CICD_VARIABLES,
        Ability.DESTROY_ARTIFACTS,
        Ability.READ_ENVIRONMENT,
        Ability.CREATE_ENVIRONMENT,
        Ability.UPDATE_ENVIRONMENT,
        Ability.DESTROY_ENVIRONMENT,
        Ability.READ_DEPLOYMENT,
        Ability.CREATE_DEPLOYMENT,
        Ability.DESTROY_DEPLOYMENT,
        Ability.STOP_ENVIRONMENTS,
        Ability.UPDATE_DEPLOYMENT,
        Ability.UPDATE_PIPELINE,
        Ability.DESTROY_PIPELINE,
        Ability.READ_BUILD,
        Ability.READ_CLUSTER,
        Ability.UPDATE_CLUSTER,
        Ability.ADMIN_CLUSTER,
    },
    "snippets": {Ability.READ_SNIPPETS, Ability.READ_PRIVATE_SNIPPETS, Ability.CREATE_SNIPPET, Ability.UPDATE_SNIPPET},
    "forking": {Ability.FORK_PROJECT},
    "pages": {Ability.READ_PAGES_CONTENT},
    "analytics": {Ability.READ_CYCLE_ANALYTICS},
    "wiki": {Ability.READ_WIKI, Ability.DOWNLOAD_WIKI_CODE, Ability.CREATE_WIKI, Ability.ADMIN_WIKI},
}
PLANNED = {
    Ability.READ_LABEL,
    Ability.ADMIN_LABEL,
    Ability.READ_MILESTONE,
    Ability.ADMIN_MILESTONE,
    Ability.READ_CYCLE_ANALYTICS,
}
"""What nobody has without both issues and merge requests."""


def holders(site: Any, ability: Ability, container: Any) -> list[str]:
    """The viewers who have an ability."""
    return [viewer for viewer in VIEWERS if can(site.context(get_username(viewer)), ability, container)]


def test_every_ability_has_its_holders() -> None:
    """Every ability is listed with its holders in the tables of these tests."""
    assert set() == {ability for ability in Ability if ability.value not in ON_THE_INSTANCE} - {*ON_PROJECTS} - {
        *ON_GROUPS
    }


@pytest.mark.parametrize("ability", ON_PROJECTS, ids=lambda ability: ability.value)
def test_who_has_an_ability_on_a_project(ability: Ability) -> None:
    """An ability on a project is granted from the expected role up, on private and on public projects."""
    private, public = ON_PROJECTS[ability]
    for visibility, who in (("private", private), ("public", public)):
        site = team(visibility)
        assert (visibility, WHO[who]) == (visibility, holders(site, ability, site.place("team/work")))


@pytest.mark.parametrize("ability", ON_GROUPS, ids=lambda ability: ability.value)
def test_who_has_an_ability_on_a_group(ability: Ability) -> None:
    """An ability on a group is granted from the expected role up, on private and on public groups."""
    private, public = ON_GROUPS[ability]
    for visibility, who in (("private", private), ("public", public)):
        site = team(visibility)
        assert (visibility, WHO[who]) == (visibility, holders(site, ability, site.place("team")))


@pytest.mark.parametrize(
    "ability", [ability for ability in Ability if ability.value in ON_THE_INSTANCE], ids=lambda ability: ability.value
)
def test_who_has_an_ability_on_the_instance(ability: Ability) -> None:
    """An ability on the instance is granted to administrators, to signed-in users or to everybody."""
    assert WHO[ON_THE_INSTANCE[ability.value]] == holders(team(), ability, None)


NEEDING_A_ROLE = {
    Ability.READ_MERGE_REQUESTS,
    Ability.DOWNLOAD_CODE,
    Ability.DOWNLOAD_WIKI_CODE,
    Ability.FORK_PROJECT,
    Ability.READ_PACKAGE,
}
"""Abilities that Guests lack where their feature is private."""


@pytest.mark.parametrize("feature", CLOSED_WITH)
def test_a_disabled_feature_takes_its_abilities_away(feature: str) -> None:
    """A disabled feature takes its abilities, and no others, from everybody; a private one leaves them to members."""
    disabled, private, enabled = (
        team("public", **{f"{feature}_access_level": level}) for level in ("disabled", "private", "enabled")
    )
    for ability in ON_PROJECTS:
        before = holders(enabled, ability, enabled.place("team/work"))
        closed = ability in CLOSED_WITH[feature]
        members = [viewer for viewer in before if viewer in SEEN["private"]]
        assert (ability, [] if closed else before) == (ability, holders(disabled, ability, disabled.place("team/work")))
        if (feature, ability) == ("builds", Ability.READ_COMMIT_STATUS):
            # Other systems report statuses while the project's own CI is off, but not past a private one.
            assert (ability, members) == (ability, holders(private, ability, private.place("team/work")))
        elif not closed:
            assert (ability, before) == (ability, holders(private, ability, private.place("team/work")))
        elif ability not in NEEDING_A_ROLE:
            assert (ability, members) == (ability, holders(private, ability, private.place("team/work")))


def test_a_disabled_container_registry_is_closed_to_everybody() -> None:
    """A disabled container registry takes all abilities on images from everybody."""
    site = team("public", container_registry_enabled=False)
    images = (Ability.READ_CONTAINER_IMAGE, Ability.DESTROY_CONTAINER_IMAGE, Ability.ADMIN_CONTAINER_IMAGE)
    assert [[], [], []] == [holders(site, ability, site.place("team/work")) for ability in images]


@pytest.mark.parametrize("feature", ["merge_requests", "forking"])
def test_a_private_feature_asks_for_a_role(feature: str) -> None:
    """A private feature of a public project requires the role Reporter."""
    site = team("public", **{f"{feature}_access_level": "private"})
    ability = {"merge_requests": Ability.READ_MERGE_REQUESTS, "forking": Ability.FORK_PROJECT}[feature]
    assert WHO["reporter"] == holders(site, ability, site.place("team/work"))


@pytest.mark.parametrize(
    ("visibility", "lowest"), [("public", "guest"), ("internal", "guest"), ("private", "reporter")]
)
def test_guests_read_private_repositories_of_open_projects(visibility: str, lowest: str) -> None:
    """A repository for members only is open to Guests, unless the project itself is private."""
    site = team(visibility, repository_access_level="private")
    assert WHO[lowest] == holders(site, Ability.DOWNLOAD_CODE, site.place("team/work"))


@pytest.mark.parametrize("ability", sorted(PLANNED, key=attrgetter("value")), ids=attrgetter("value"))
def test_labels_and_milestones_need_issues_or_merge_requests(ability: Ability) -> None:
    """Labels and milestones are available if issues or merge requests are enabled."""
    levels = {"issues_access_level": "disabled", "merge_requests_access_level": "disabled"}
    expected = WHO[ON_PROJECTS[ability][1]]
    for enabled in levels:
        site = team("public", **{**levels, enabled: "enabled"})
        assert expected == holders(site, ability, site.place("team/work"))
    site = team("public", **levels)
    assert [] == holders(site, ability, site.place("team/work"))


@pytest.mark.parametrize(
    ("public_builds", "private", "public"), [(True, "guest", "anyone"), (False, "reporter", "reporter")]
)
def test_private_builds_are_for_reporters(public_builds: bool, private: str, public: str) -> None:
    """Without public builds reading pipelines requires the role Reporter, also in public projects."""
    for visibility, who in (("private", private), ("public", public)):
        site = team(visibility, public_builds=public_builds)
        assert WHO[who] == holders(site, Ability.READ_PIPELINE, site.place("team/work"))


@pytest.mark.parametrize(("level", "lowest"), [("maintainer", "maintainer"), ("owner", "owner")])
def test_a_group_says_who_creates_subgroups(level: str, lowest: str) -> None:
    """``subgroup_creation_level`` sets the lowest role that can create subgroups."""
    site = team()
    with site.platform.acting() as ctx:
        ctx.world.namespaces.change(site.place("team"), subgroup_creation_level=level)
    assert WHO[lowest] == holders(site, Ability.CREATE_SUBGROUP, site.place("team"))
