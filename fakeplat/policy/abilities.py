"""Every ability, and what it requires. Operations name an ability, never a role.

Source: docs/platform/authentication.md.
"""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Final, Self

from fakeplat.core.store.frozen import frozen
from fakeplat.model.people import Level
from fakeplat.policy.behaviours import (
    AUDITORS_READ_BILLS,
    AUDITORS_READ_RUNNERS,
    DEVELOPERS_DELETE_RELEASES,
    DEVELOPERS_READ_CLUSTERS,
    DEVELOPERS_READ_OWN_AUDIT_EVENTS,
    GROUP_MAINTAINERS_READ_RUNNERS,
    GUESTS_MAY_PULL_PACKAGES,
    MAINTAINERS_CHANGE_PUSH_RULES,
    MAINTAINERS_REMOVE_PAGES,
    OWNERS_ADMINISTER_DEPENDENCY_PROXY,
    OWNERS_ADMINISTER_GROUP_VARIABLES,
    OWNERS_ADMINISTER_PACKAGES,
    OWNERS_CREATE_DEPLOY_TOKENS,
    OWNERS_LINK_FORKS,
    OWNERS_PROTECT_TIERS,
    PACKAGES_NEED_NO_REPOSITORY,
    PLANNERS,
    PLANNERS_READ_CODE,
    REPORTERS_MANAGE_DESIGNS,
    REPORTERS_MANAGE_MILESTONES,
    REPORTERS_READ_FREEZES,
)

if TYPE_CHECKING:
    from fakeplat.core.release import Lifetime
    from fakeplat.model.people import Group
    from fakeplat.model.projects import Project

# Outside of the range of levels (0 to 50): one is below them all, the other above, so even owners lack it.
VISIBLE: Final = -1
ANYBODY: Final = -2
"""Even who does not see the project."""
NOBODY: Final = 1000


@frozen
class Grant:
    """What an ability requires: the lowest level on a project or group; VISIBLE: it only has to be visible.

    ``login``: the caller must be signed in. ``writes``: not allowed while the project is archived.
    ``group_writes``: not allowed while the group is archived. ``admin``: only administrators. ``feature``: the
    project's feature that must be open to the caller; ``open``: if the feature is enabled and the project is not
    private, no level is needed, and for a repository that is for members only any level will do. ``any_feature``: one
    of these features must be open to the caller. ``also``: these further features must be open to the caller, too.
    ``group_needs``, ``project_needs``: compute the level from the group or project. ``deploy_scopes``: a deploy token
    of the project with one of these scopes is sufficient, too. ``later``: in these releases another level is needed,
    where one is, also instead of ``admin``. ``planner``: in these releases Planners have it, although Reporters or
    higher levels may lack it. ``owners``: in these releases groups need an Owner. ``auditors``: in these releases
    auditors have what is for administrators, too. ``separate``: in these releases ``feature`` does not matter, and this
    function computes the level from the project. ``switched``: in these releases a feature that is off by default
    makes a lower level sufficient, if it is on for the top-level namespace. ``unsynchronized``: not allowed on groups
    whose members come from an identity provider. ``unlocked``: only administrators have it on groups whose memberships
    are locked to one.
    """

    project: int = NOBODY
    group: int = NOBODY
    login: bool = False
    writes: bool = False
    group_writes: bool = False
    admin: bool = False
    feature: str = ""
    any_feature: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    open: bool = False
    group_needs: "Callable[[Group], int] | None" = None
    project_needs: "Callable[[Project], int] | None" = None
    deploy_scopes: tuple[str, ...] = ()
    planner: "Lifetime | None" = None
    later: "tuple[Lifetime, Level] | None" = None
    owners: "Lifetime | None" = None
    auditors: "Lifetime | None" = None
    separate: "tuple[Lifetime, Callable[[Project], int]] | None" = None
    switched: "tuple[Lifetime, str, Level] | None" = None
    unsynchronized: bool = False
    unlocked: bool = False


# Labels and milestones belong to both features: they are available while either of them is open.
_LABELLED: Final = ("issues", "merge_requests")
_PROJECTS: Final = {
    "noone": NOBODY,
    "administrator": NOBODY,
    "owner": Level.OWNER,
    "maintainer": Level.MAINTAINER,
    "developer": Level.DEVELOPER,
}
_SUBGROUPS: Final = {"owner": Level.OWNER, "maintainer": Level.MAINTAINER}


def _pipeline_readers(project: "Project") -> int:
    """Return the level for pipelines. With public builds, Guests, or everybody if the project is not private."""
    if not project.public_builds:
        return Level.REPORTER
    return Level.GUEST if project.visibility == "private" else VISIBLE


def _environment_readers(project: "Project") -> int:
    """Return the level for environments and deployments: everybody's, if the project is not private."""
    return Level.REPORTER if project.visibility == "private" else VISIBLE


def _commit_status_readers(project: "Project") -> int:
    """Return the level for statuses of commits. They stay visible if CI is off, because other systems report them."""
    if project.visibility == "private":
        return Level.REPORTER
    return Level.GUEST if project.builds_access_level == "private" else VISIBLE


def _package_readers(project: "Project") -> int:
    """Return the level for packages: everybody's, if neither the project nor its repository is for members only."""
    needed = _separate_package_readers(project)
    return Level.REPORTER if needed == VISIBLE and project.repository_access_level == "private" else needed


def _separate_package_readers(project: "Project") -> int:
    """Return the level for packages, whatever that for the repository is; anybody's, if their registry is public."""
    if not project.packages_enabled:
        return NOBODY
    if project.package_registry_access_level == "public":
        return ANYBODY
    is_open = project.visibility != "private" and project.package_registry_access_level != "private"
    return VISIBLE if is_open else Level.REPORTER


def _package_publishers(project: "Project") -> int:
    return Level.DEVELOPER if project.packages_enabled else NOBODY


def _package_destroyers(project: "Project") -> int:
    return Level.MAINTAINER if project.packages_enabled else NOBODY


def _cluster_managers(project: "Project") -> int:
    """Return the level for clusters: nobody's without a repository."""
    return NOBODY if project.repository_access_level == "disabled" else Level.MAINTAINER


def _design_readers(project: "Project") -> int:
    """Return the level for designs, which are stored with Git LFS: nobody's without it."""
    return VISIBLE if project.lfs_enabled else NOBODY


def _design_creators(project: "Project") -> int:
    return Level.DEVELOPER if project.lfs_enabled else NOBODY


def _wiki_readers_of_group(group: "Group") -> int:
    """Return the level for the wiki of a group: everybody's, if the group is not private."""
    return Level.GUEST if group.visibility == "private" else VISIBLE


def _wiki_fetchers_of_group(group: "Group") -> int:
    """Return the level to fetch the repository of a group's wiki: everybody's, if the group is not private."""
    return Level.REPORTER if group.visibility == "private" else VISIBLE


class Ability(Enum):
    """An ability: its name on the platform (the value), and what it requires (``grant``)."""

    _value_: str
    grant: Grant

    def __new__(cls, name: str, grant: Grant) -> Self:
        """Create an ability whose value is its name."""
        ability = object.__new__(cls)
        ability._value_ = name
        ability.grant = grant
        return ability

    READ_PROJECT = "read_project", Grant(project=VISIBLE)
    READ_MEMBERS = "read_members", Grant(project=VISIBLE, group=VISIBLE)
    READ_STATISTICS = "read_statistics", Grant(project=Level.REPORTER)
    ADMIN_OAUTH_APPLICATIONS = "admin_oauth_applications", Grant(admin=True)
    READ_DAILY_STATISTICS = "daily_statistics", Grant(project=Level.REPORTER)
    READ_SNAPSHOT = "read_git_snapshot", Grant(admin=True)
    READ_STORAGE = "read_project_storage", Grant(admin=True)
    READ_CUSTOM_ATTRIBUTE = "read_custom_attribute", Grant(admin=True)
    UPDATE_CUSTOM_ATTRIBUTE = "update_custom_attribute", Grant(admin=True)
    STAR_PROJECT = "star_project", Grant(project=VISIBLE, login=True)
    UPLOAD_FILE = "upload_file", Grant(project=VISIBLE, login=True, writes=True)
    READ_UPLOAD = "read_upload", Grant(project=Level.GUEST, group=Level.GUEST, login=True)
    ADMIN_UPLOAD = "admin_upload", Grant(project=Level.MAINTAINER, group=Level.MAINTAINER)
    DESTROY_UPLOAD = "destroy_upload", Grant(project=Level.MAINTAINER, group=Level.MAINTAINER)
    MOVE_REPOSITORY = "change_repository_storage", Grant(admin=True)
    ADMIN_PROJECT = "admin_project", Grant(project=Level.MAINTAINER)
    RENAME_PROJECT = "rename_project", Grant(project=Level.OWNER)
    CHANGE_VISIBILITY = "change_visibility_level", Grant(project=Level.OWNER)
    CHANGE_NAMESPACE = "change_namespace", Grant(project=Level.OWNER)
    ARCHIVE_PROJECT = "archive_project", Grant(project=Level.OWNER)
    ADD_CATALOG_RESOURCE = "add_catalog_resource", Grant(project=Level.OWNER)
    REMOVE_PROJECT = "remove_project", Grant(project=Level.OWNER)
    ADMIN_MEMBERS = (
        "admin_members",
        Grant(project=Level.MAINTAINER, group=Level.OWNER, unsynchronized=True, unlocked=True),
    )
    UPDATE_MEMBERS = "update_members", Grant(project=Level.MAINTAINER, group=Level.OWNER, unlocked=True)
    OVERRIDE_MEMBERS = "override_members", Grant(group=Level.OWNER, unlocked=True)
    ACTIVATE_MEMBERS = "activate_members", Grant(group=Level.OWNER, unsynchronized=True, unlocked=True)
    READ_BILLABLE_MEMBERS = "read_billable_members", Grant(group=Level.OWNER)
    ADMIN_ACHIEVEMENT = "admin_achievement", Grant(group=Level.MAINTAINER, group_writes=True)
    AWARD_ACHIEVEMENT = "award_achievement", Grant(group=Level.MAINTAINER, group_writes=True)
    DESTROY_USER_ACHIEVEMENT = "destroy_user_achievement", Grant(group=Level.OWNER, group_writes=True)
    READ_MEMBER_ROLE = "read_member_role", Grant(project=Level.GUEST, group=Level.GUEST)
    ADMIN_GROUP_MEMBER_ROLE = "admin_member_role", Grant(group=Level.OWNER, group_writes=True)
    ADMIN_SERVICE_ACCOUNT_MEMBERS = (
        "admin_service_account_members",
        Grant(project=Level.MAINTAINER, group=Level.OWNER),
    )
    MANAGE_OWNERS = "manage_owners", Grant(project=Level.OWNER)
    CREATE_PROJECTS = (
        "create_projects",
        Grant(
            group=Level.DEVELOPER, group_writes=True, group_needs=lambda group: _PROJECTS[group.project_creation_level]
        ),
    )
    TRANSFER_PROJECTS = (
        "transfer_projects",
        Grant(
            group=Level.MAINTAINER,
            group_needs=lambda group: max(Level.MAINTAINER, _PROJECTS[group.project_creation_level]),
        ),
    )
    CREATE_MERGE_REQUEST_IN = (
        "create_merge_request_in",
        Grant(project=VISIBLE, login=True, writes=True, feature="merge_requests"),
    )
    CREATE_MERGE_REQUEST_FROM = (
        "create_merge_request_from",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="merge_requests"),
    )
    READ_MERGE_REQUESTS = (
        "read_merge_request",
        Grant(project=Level.REPORTER, feature="merge_requests", open=True, planner=PLANNERS),
    )
    UPDATE_MERGE_REQUEST = "update_merge_request", Grant(project=Level.DEVELOPER, writes=True, feature="merge_requests")
    ADMIN_MERGE_REQUEST = "admin_merge_request", Grant(project=Level.DEVELOPER, writes=True, feature="merge_requests")
    DESTROY_MERGE_REQUEST = "destroy_merge_request", Grant(project=Level.OWNER, writes=True, feature="merge_requests")
    READ_ISSUES = "read_issue", Grant(project=VISIBLE, group=VISIBLE, feature="issues")
    CREATE_ISSUE = "create_issue", Grant(project=VISIBLE, login=True, writes=True, feature="issues")
    CREATE_TEST_CASE = (
        "create_test_case",
        Grant(project=Level.REPORTER, writes=True, feature="issues", planner=PLANNERS),
    )
    UPDATE_ISSUE = "update_issue", Grant(project=Level.REPORTER, writes=True, feature="issues", planner=PLANNERS)
    ADMIN_ISSUE = (
        "admin_issue",
        Grant(project=Level.REPORTER, group=Level.REPORTER, writes=True, feature="issues", planner=PLANNERS),
    )
    IMPORT_ISSUES = (
        "import_issues",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="issues", planner=PLANNERS),
    )
    READ_DESIGN = "read_design", Grant(feature="issues", project_needs=_design_readers)
    CREATE_DESIGN = (
        "create_design",
        Grant(
            project_needs=_design_creators,
            writes=True,
            planner=PLANNERS,
            later=(REPORTERS_MANAGE_DESIGNS, Level.REPORTER),
        ),
    )
    MOVE_DESIGN = (
        "move_design",
        Grant(project_needs=_design_creators, planner=PLANNERS, later=(REPORTERS_MANAGE_DESIGNS, Level.REPORTER)),
    )
    SET_ISSUE_TIMES = "set_issue_created_at", Grant(project=Level.OWNER)
    DESTROY_ISSUE = "destroy_issue", Grant(project=Level.OWNER, writes=True, feature="issues", planner=PLANNERS)
    CREATE_NOTE = "create_note", Grant(project=VISIBLE, login=True, writes=True)
    ADMIN_NOTE = "admin_note", Grant(project=Level.MAINTAINER, login=True, writes=True)
    RESOLVE_NOTE = "resolve_note", Grant(project=Level.DEVELOPER, login=True, writes=True)
    READ_CONFIDENTIAL_NOTES = "read_confidential_notes", Grant(project=Level.REPORTER, planner=PLANNERS)
    SET_NOTE_TIMES = "set_note_created_at", Grant(project=Level.OWNER)
    CREATE_TIMELOG = "create_timelog", Grant(project=Level.REPORTER, login=True, planner=PLANNERS)
    READ_GROUP_TIMELOGS = "read_group_timelogs", Grant(group=Level.REPORTER)
    ADMIN_TIMELOG = "admin_timelog", Grant(project=Level.MAINTAINER, login=True)
    AWARD_EMOJI = "award_emoji", Grant(project=VISIBLE, login=True, writes=True)
    READ_USER_AGENT = "read_user_agent_detail", Grant(admin=True)
    READ_BOARD = "read_board", Grant(project=VISIBLE, group=VISIBLE, feature="issues")
    ADMIN_BOARD = (
        "admin_board",
        Grant(project=Level.REPORTER, group=Level.REPORTER, writes=True, feature="issues", planner=PLANNERS),
    )
    ADMIN_BOARD_LIST = (
        "admin_list",
        Grant(project=Level.REPORTER, group=Level.REPORTER, writes=True, feature="issues", planner=PLANNERS),
    )
    ADMIN_BADGE = "admin_badge", Grant(project=Level.MAINTAINER, group=Level.OWNER)
    READ_LABEL = "read_label", Grant(project=VISIBLE, group=VISIBLE, any_feature=_LABELLED)
    ADMIN_LABEL = (
        "admin_label",
        Grant(project=Level.REPORTER, group=Level.REPORTER, writes=True, any_feature=_LABELLED, planner=PLANNERS),
    )
    READ_MILESTONE = "read_milestone", Grant(project=VISIBLE, group=VISIBLE, any_feature=_LABELLED)
    ADMIN_MILESTONE = (
        "admin_milestone",
        Grant(
            project=Level.DEVELOPER,
            group=Level.DEVELOPER,
            writes=True,
            any_feature=_LABELLED,
            planner=PLANNERS,
            later=(REPORTERS_MANAGE_MILESTONES, Level.REPORTER),
        ),
    )
    DOWNLOAD_CODE = (
        "download_code",
        Grant(project=Level.REPORTER, feature="repository", open=True, planner=PLANNERS_READ_CODE),
    )
    PUSH_CODE = "push_code", Grant(project=Level.DEVELOPER, login=True, writes=True, feature="repository")
    PUSH_TO_DELETE_PROTECTED = "push_to_delete_protected_branch", Grant(project=Level.MAINTAINER, writes=True)
    ADMIN_PROTECTED = "admin_protected_branch", Grant(project=Level.MAINTAINER)
    READ_AUDIT_EVENTS = (
        "read_audit_events",
        Grant(project=Level.MAINTAINER, group=Level.OWNER, later=(DEVELOPERS_READ_OWN_AUDIT_EVENTS, Level.DEVELOPER)),
    )
    CHANGE_PUSH_RULES = (
        "change_push_rules",
        Grant(project=Level.MAINTAINER, group=Level.OWNER, later=(MAINTAINERS_CHANGE_PUSH_RULES, Level.MAINTAINER)),
    )
    READ_PIPELINE = "read_pipeline", Grant(feature="builds", project_needs=_pipeline_readers)
    CREATE_PIPELINE = "create_pipeline", Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds")
    READ_PIPELINE_SCHEDULE = "read_pipeline_schedule", Grant(feature="builds", project_needs=_pipeline_readers)
    CREATE_PIPELINE_SCHEDULE = (
        "create_pipeline_schedule",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds"),
    )
    UPDATE_BUILD = "update_build", Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds")
    ADMIN_PIPELINE = "admin_pipeline", Grant(project=Level.MAINTAINER, writes=True, feature="builds")
    ADMIN_BUILD = (
        "admin_build",
        Grant(project=Level.MAINTAINER, group=Level.MAINTAINER, writes=True, feature="builds"),
    )
    ADMIN_CICD_VARIABLES = (
        "admin_cicd_variables",
        Grant(
            project=Level.MAINTAINER,
            group=Level.MAINTAINER,
            writes=True,
            feature="builds",
            owners=OWNERS_ADMINISTER_GROUP_VARIABLES,
        ),
    )
    UPDATE_PIPELINE = "update_pipeline", Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds")
    DESTROY_ARTIFACTS = "destroy_artifacts", Grant(project=Level.MAINTAINER, feature="builds")
    DESTROY_PIPELINE = "destroy_pipeline", Grant(project=Level.OWNER, login=True, writes=True, feature="builds")
    READ_BUILD = "read_build", Grant(feature="builds", project_needs=_pipeline_readers)
    READ_COMMIT_STATUS = "read_commit_status", Grant(feature="repository", project_needs=_commit_status_readers)
    CREATE_COMMIT_STATUS = (
        "create_commit_status",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="repository"),
    )
    READ_ENVIRONMENT = (
        "read_environment",
        Grant(feature="builds", project_needs=_environment_readers, also=("environments",)),
    )
    CREATE_ENVIRONMENT = (
        "create_environment",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds", also=("environments",)),
    )
    UPDATE_ENVIRONMENT = (
        "update_environment",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds", also=("environments",)),
    )
    DESTROY_ENVIRONMENT = (
        "destroy_environment",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds", also=("environments",)),
    )
    ADMIN_PROTECTED_ENVIRONMENTS = (
        "admin_protected_environments",
        Grant(project=Level.MAINTAINER),
    )
    ADMIN_PROTECTED_TIERS = (
        "admin_group_protected_environments",
        Grant(group=Level.MAINTAINER, later=(OWNERS_PROTECT_TIERS, Level.OWNER)),
    )
    READ_DEPLOYMENT = (
        "read_deployment",
        Grant(feature="builds", project_needs=_environment_readers, also=("environments",)),
    )
    CREATE_DEPLOYMENT = (
        "create_deployment",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds", also=("environments",)),
    )
    STOP_ENVIRONMENTS = (
        "stop_environment",
        Grant(project=Level.MAINTAINER, login=True, writes=True, feature="builds", also=("environments",)),
    )
    DESTROY_DEPLOYMENT = (
        "destroy_deployment",
        Grant(project=Level.MAINTAINER, login=True, writes=True, feature="builds", also=("environments",)),
    )
    UPDATE_DEPLOYMENT = (
        "update_deployment",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds", also=("environments",)),
    )
    READ_RESOURCE_GROUP = "read_resource_group", Grant(project=Level.DEVELOPER, login=True)
    UPDATE_RESOURCE_GROUP = "update_resource_group", Grant(project=Level.DEVELOPER, login=True, writes=True)
    UPDATE_APPROVERS = "update_approvers", Grant(project=Level.MAINTAINER, writes=True)
    READ_SNIPPETS = "read_snippet", Grant(project=VISIBLE, feature="snippets")
    READ_PRIVATE_SNIPPETS = "read_private_snippet", Grant(project=Level.GUEST, feature="snippets")
    CREATE_SNIPPET = "create_snippet", Grant(project=Level.REPORTER, login=True, writes=True, feature="snippets")
    UPDATE_SNIPPET = "update_snippet", Grant(project=Level.MAINTAINER, login=True, writes=True, feature="snippets")
    FORK_PROJECT = "fork_project", Grant(project=Level.REPORTER, login=True, feature="forking", open=True)
    LINK_FORK = "link_forked_project", Grant(project=Level.MAINTAINER, later=(OWNERS_LINK_FORKS, Level.OWNER))
    REMOVE_FORK = "remove_fork_project", Grant(project=Level.OWNER)
    ADMIN_SERVICES = "admin_services", Grant(project=Level.MAINTAINER, group=Level.OWNER)
    READ_FEATURE_FLAG = (
        "read_feature_flag",
        Grant(project=Level.DEVELOPER, feature="repository", also=("feature_flags",)),
    )
    CREATE_FEATURE_FLAG = (
        "create_feature_flag",
        Grant(project=Level.DEVELOPER, feature="repository", also=("feature_flags",)),
    )
    UPDATE_FEATURE_FLAG = (
        "update_feature_flag",
        Grant(project=Level.DEVELOPER, feature="repository", also=("feature_flags",)),
    )
    DESTROY_FEATURE_FLAG = (
        "destroy_feature_flag",
        Grant(project=Level.DEVELOPER, feature="repository", also=("feature_flags",)),
    )
    ADMIN_FEATURE_FLAGS_USER_LISTS = (
        "admin_feature_flags_user_lists",
        Grant(project=Level.DEVELOPER, feature="repository", also=("feature_flags",)),
    )
    READ_RELEASE = "read_release", Grant(project=VISIBLE, feature="repository", also=("releases",))
    CREATE_RELEASE = (
        "create_release",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="repository", also=("releases",)),
    )
    UPDATE_RELEASE = (
        "update_release",
        Grant(project=Level.DEVELOPER, login=True, writes=True, feature="repository", also=("releases",)),
    )
    DESTROY_RELEASE = (
        "destroy_release",
        Grant(
            project=Level.MAINTAINER,
            login=True,
            writes=True,
            feature="repository",
            also=("releases",),
            later=(DEVELOPERS_DELETE_RELEASES, Level.DEVELOPER),
        ),
    )
    READ_DEPLOY_TOKEN = "read_deploy_token", Grant(project=Level.MAINTAINER, group=Level.MAINTAINER)
    CREATE_DEPLOY_TOKEN = (
        "create_deploy_token",
        Grant(project=Level.MAINTAINER, group=Level.MAINTAINER, owners=OWNERS_CREATE_DEPLOY_TOKENS),
    )
    DESTROY_DEPLOY_TOKEN = (
        "destroy_deploy_token",
        Grant(project=Level.MAINTAINER, group=Level.MAINTAINER, owners=OWNERS_CREATE_DEPLOY_TOKENS),
    )
    READ_FREEZE_PERIOD = (
        "read_freeze_period",
        Grant(
            project=Level.MAINTAINER,
            later=(REPORTERS_READ_FREEZES, Level.REPORTER),
        ),
    )
    CREATE_FREEZE_PERIOD = "create_freeze_period", Grant(project=Level.MAINTAINER)
    UPDATE_FREEZE_PERIOD = "update_freeze_period", Grant(project=Level.MAINTAINER)
    DESTROY_FREEZE_PERIOD = "destroy_freeze_period", Grant(project=Level.MAINTAINER)
    READ_TERRAFORM_STATE = "read_terraform_state", Grant(project=Level.DEVELOPER, also=("infrastructure",))
    ADMIN_TERRAFORM_STATE = "admin_terraform_state", Grant(project=Level.MAINTAINER, also=("infrastructure",))
    READ_CLUSTER_AGENT = "read_cluster_agent", Grant(project=Level.DEVELOPER, also=("infrastructure",))
    CREATE_CLUSTER_AGENT = (
        "create_cluster",
        Grant(project=Level.MAINTAINER, writes=True, also=("infrastructure",)),
    )
    READ_SECURE_FILES = "read_secure_files", Grant(project=Level.DEVELOPER)
    ADMIN_SECURE_FILES = "admin_secure_files", Grant(project=Level.MAINTAINER)
    ADMIN_PACKAGE = (
        "admin_package",
        Grant(group=Level.MAINTAINER, later=(OWNERS_ADMINISTER_PACKAGES, Level.OWNER)),
    )
    READ_PACKAGE = (
        "read_package",
        Grant(
            feature="repository",
            project_needs=_package_readers,
            separate=(PACKAGES_NEED_NO_REPOSITORY, _separate_package_readers),
            group_needs=lambda group: VISIBLE if group.visibility == "public" else Level.REPORTER,
            deploy_scopes=("read_package_registry", "write_package_registry"),
            switched=(GUESTS_MAY_PULL_PACKAGES, "allow_guest_plus_roles_to_pull_packages", Level.GUEST),
        ),
    )
    CREATE_PACKAGE = (
        "create_package",
        Grant(
            login=True,
            feature="repository",
            project_needs=_package_publishers,
            separate=(PACKAGES_NEED_NO_REPOSITORY, _package_publishers),
            group=Level.DEVELOPER,
            deploy_scopes=("write_package_registry",),
        ),
    )
    DESTROY_PACKAGE = (
        "destroy_package",
        Grant(
            login=True,
            feature="repository",
            project_needs=_package_destroyers,
            separate=(PACKAGES_NEED_NO_REPOSITORY, _package_destroyers),
            group=Level.MAINTAINER,
        ),
    )
    READ_WIKI = "read_wiki", Grant(project=VISIBLE, feature="wiki", group_needs=_wiki_readers_of_group)
    DOWNLOAD_WIKI_CODE = (
        "download_wiki_code",
        Grant(project=Level.REPORTER, feature="wiki", open=True, group_needs=_wiki_fetchers_of_group, planner=PLANNERS),
    )
    CREATE_WIKI = (
        "create_wiki",
        Grant(
            project=Level.DEVELOPER, group=Level.DEVELOPER, login=True, writes=True, feature="wiki", planner=PLANNERS
        ),
    )
    ADMIN_WIKI = (
        "admin_wiki",
        Grant(
            project=Level.MAINTAINER, group=Level.MAINTAINER, login=True, writes=True, feature="wiki", planner=PLANNERS
        ),
    )
    ADMIN_TIMELINE_EVENT = "admin_incident_management_timeline_event", Grant(project=Level.DEVELOPER)
    ADMIN_TIMELINE_EVENT_TAG = "admin_incident_management_timeline_event_tag", Grant(project=Level.MAINTAINER)
    ADMIN_RESOURCE_LINK = "admin_issuable_resource_link", Grant(project=Level.REPORTER)
    READ_ALERT = "read_alert_management_alert", Grant(project=Level.DEVELOPER, also=("monitor",))
    UPDATE_ALERT = "update_alert_management_alert", Grant(project=Level.DEVELOPER, also=("monitor",))
    UPDATE_ESCALATION_STATUS = "update_escalation_status", Grant(project=Level.DEVELOPER, login=True, writes=True)
    SEND_TEST_ALERT = "send_test_alert", Grant(project=Level.DEVELOPER, also=("monitor",))
    ADMIN_DEPENDENCY_PROXY = (
        "admin_dependency_proxy",
        Grant(group=Level.MAINTAINER, later=(OWNERS_ADMINISTER_DEPENDENCY_PROXY, Level.OWNER)),
    )
    CREATE_CUSTOM_EMOJI = "create_custom_emoji", Grant(group=Level.DEVELOPER, group_writes=True)
    READ_DEPENDENCY_PROXY = "read_dependency_proxy", Grant(group=Level.GUEST)
    READ_CONTAINER_IMAGE = (
        "read_container_image",
        Grant(project=Level.REPORTER, group=Level.REPORTER, feature="container_registry", open=True),
    )
    DESTROY_CONTAINER_IMAGE = (
        "destroy_container_image",
        Grant(project=Level.DEVELOPER, writes=True, feature="container_registry"),
    )
    ADMIN_CONTAINER_IMAGE = (
        "admin_container_image",
        Grant(project=Level.MAINTAINER, writes=True, feature="container_registry"),
    )
    READ_CLUSTER = (
        "read_cluster",
        Grant(
            group=Level.MAINTAINER,
            feature="builds",
            project_needs=_cluster_managers,
            also=("infrastructure",),
            later=(DEVELOPERS_READ_CLUSTERS, Level.DEVELOPER),
        ),
    )
    ADD_CLUSTER = "add_cluster", Grant(project=Level.MAINTAINER, group=Level.MAINTAINER, also=("infrastructure",))
    UPDATE_CLUSTER = (
        "update_cluster",
        Grant(
            group=Level.MAINTAINER,
            writes=True,
            feature="builds",
            project_needs=_cluster_managers,
            also=("infrastructure",),
        ),
    )
    ADMIN_CLUSTER = (
        "admin_cluster",
        Grant(
            group=Level.MAINTAINER,
            writes=True,
            feature="builds",
            project_needs=_cluster_managers,
            also=("infrastructure",),
        ),
    )
    ADMIN_SOFTWARE_LICENSES = "admin_software_license_policy", Grant(project=Level.MAINTAINER)
    ADMIN_OPERATIONS = "admin_operations", Grant(project=Level.MAINTAINER)
    STAR_METRICS_DASHBOARD = (
        "create_metrics_user_starred_dashboard",
        Grant(project=Level.REPORTER, login=True),
    )
    ANNOTATE_DASHBOARDS = (
        "admin_metrics_dashboard_annotation",
        Grant(project=Level.DEVELOPER, group=Level.DEVELOPER, login=True),
    )
    READ_PAGES = "read_pages", Grant(project=Level.MAINTAINER)
    UPDATE_PAGES = "update_pages", Grant(project=Level.MAINTAINER)
    ADMIN_PAGES = "admin_pages", Grant(admin=True, later=(MAINTAINERS_REMOVE_PAGES, Level.MAINTAINER))
    REMOVE_PAGES = "remove_pages", Grant(project=Level.MAINTAINER)
    CREATE_PAGES = "create_pages", Grant()
    """No role has it: sites are deployed by the jobs of pipelines."""
    READ_PAGES_CONTENT = "read_pages_content", Grant(project=VISIBLE, feature="pages")
    READ_CYCLE_ANALYTICS = "read_cycle_analytics", Grant(project=VISIBLE, feature="analytics", any_feature=_LABELLED)
    ADMIN_REMOTE_MIRROR = "admin_remote_mirror", Grant(project=Level.MAINTAINER)
    ADMIN_INSTANCE_CLUSTERS = "admin_instance_clusters", Grant(admin=True)
    READ_ITERATION = "read_iteration", Grant(project=VISIBLE, group=VISIBLE, feature="issues")
    ADMIN_ITERATION = "admin_iteration", Grant(group=Level.REPORTER, login=True)
    CREATE_ITERATION = "create_iteration", Grant(group=Level.DEVELOPER, login=True)
    ADMIN_CUSTOM_FIELD = "admin_custom_field", Grant(group=Level.MAINTAINER, login=True)
    READ_CRM_CONTACT = "read_crm_contact", Grant(group=Level.REPORTER, planner=PLANNERS)
    ADMIN_CRM_CONTACT = "admin_crm_contact", Grant(group=Level.DEVELOPER)
    READ_CRM_ORGANIZATION = "read_crm_organization", Grant(group=Level.REPORTER, planner=PLANNERS)
    ADMIN_CRM_ORGANIZATION = "admin_crm_organization", Grant(group=Level.DEVELOPER)
    READ_SAVED_REPLIES = "read_saved_replies", Grant(project=Level.GUEST, group=Level.GUEST)
    ADMIN_SAVED_REPLIES = (
        "update_saved_replies",
        Grant(project=Level.DEVELOPER, group=Level.DEVELOPER, group_writes=True),
    )
    READ_EPIC = "read_epic", Grant(group=VISIBLE)
    ADMIN_EPIC = "admin_epic", Grant(group=Level.REPORTER, login=True, group_writes=True, planner=PLANNERS)
    ADMIN_EPIC_LINK = "admin_epic_link", Grant(group=Level.REPORTER, login=True, group_writes=True, planner=PLANNERS)
    LINK_EPICS = "admin_epic_link_relation", Grant(group=Level.GUEST, login=True, group_writes=True)
    READ_EPIC_BOARD = "read_epic_board", Grant(group=VISIBLE)
    ADMIN_EPIC_BOARD = "admin_epic_board", Grant(group=Level.REPORTER, login=True, planner=PLANNERS)
    CREATE_EPIC_NOTE = "create_epic_note", Grant(group=VISIBLE, login=True, group_writes=True)
    ADMIN_EPIC_NOTE = "admin_epic_note", Grant(group=Level.MAINTAINER, login=True, group_writes=True)
    DESTROY_EPIC = "destroy_epic", Grant(group=Level.OWNER, login=True, planner=PLANNERS)
    SET_EPIC_TIMES = "set_epic_created_at", Grant(group=Level.OWNER)
    COUNT_MEMBERS = "count_members", Grant(group=Level.MAINTAINER)
    READ_PROVISIONED_USERS = "read_provisioned_users", Grant(group=Level.MAINTAINER)
    CREATE_GROUP = "create_group", Grant(login=True)
    CREATE_SUBGROUP = (
        "create_subgroup",
        Grant(
            group=Level.MAINTAINER,
            group_needs=lambda group: _SUBGROUPS[group.subgroup_creation_level],
            group_writes=True,
        ),
    )
    READ_GROUP = "read_group", Grant(group=VISIBLE)
    ADMIN_GROUP = "admin_group", Grant(group=Level.OWNER)
    READ_GROUP_RUNNERS = (
        "read_group_runners",
        Grant(group=Level.OWNER, later=(GROUP_MAINTAINERS_READ_RUNNERS, Level.MAINTAINER)),
    )
    ARCHIVE_GROUP = "archive_group", Grant(group=Level.OWNER)
    REMOVE_GROUP = "remove_group", Grant(group=Level.OWNER)
    READ_NAMESPACE = "read_namespace", Grant(group=Level.GUEST)
    ADMIN_NAMESPACE = "admin_namespace", Grant(group=Level.OWNER)
    UPDATE_NAMESPACE = "update_namespace", Grant(admin=True)
    SET_RUNNERS_MINUTES = "set_shared_runners_minutes_limit", Grant(admin=True)
    READ_USER = "read_user", Grant()
    ADMIN_USERS = "admin_users", Grant(admin=True)
    READ_RESOURCE_ACCESS_TOKENS = (
        "read_resource_access_tokens",
        Grant(project=Level.MAINTAINER, group=Level.OWNER),
    )
    CREATE_RESOURCE_ACCESS_TOKENS = (
        "create_resource_access_tokens",
        Grant(project=Level.MAINTAINER, group=Level.OWNER),
    )
    DESTROY_RESOURCE_ACCESS_TOKENS = (
        "destroy_resource_access_tokens",
        Grant(project=Level.MAINTAINER, group=Level.OWNER),
    )
    ADMIN_INSTANCE_SERVICE_ACCOUNTS = "admin_instance_service_accounts", Grant(admin=True)
    ADMIN_SERVICE_ACCOUNTS = "admin_service_accounts", Grant(group=Level.OWNER)
    ADMIN_INSTANCE_VARIABLES = "admin_instance_variables", Grant(admin=True)
    CREATE_INSTANCE_RUNNER = "create_instance_runner", Grant(admin=True)
    ADMIN_RUNNER_CONTROLLERS = "admin_runner_controllers", Grant(admin=True)
    READ_ALL_RUNNERS = "read_all_runners", Grant(admin=True, auditors=AUDITORS_READ_RUNNERS)
    READ_ALL_BILLS = "read_all_bills", Grant(admin=True, auditors=AUDITORS_READ_BILLS)
    READ_INSTANCE_AUDIT_EVENTS = "read_instance_audit_events", Grant(admin=True)
    ADMIN_DEPLOY_KEYS = "admin_deploy_keys", Grant(admin=True)
    ADMIN_DEPLOY_TOKENS = "admin_deploy_tokens", Grant(admin=True)
    ADMIN_MEMBER_ROLES = "admin_member_roles", Grant(admin=True)
    ADMIN_BROADCAST_MESSAGES = "admin_broadcast_messages", Grant(admin=True)
    ADMIN_SYSTEM_HOOKS = "admin_system_hooks", Grant(admin=True)
    ADMIN_SETTINGS = "update_application_settings", Grant(admin=True)
    ADMIN_APPEARANCE = "admin_appearance", Grant(admin=True)
    ADMIN_FEATURES = "admin_features", Grant(admin=True)
    ADMIN_LICENSES = "admin_licenses", Grant(admin=True)
    READ_INSTANCE = "read_instance", Grant(admin=True)
    READ_ALL_RESOURCES = "read_all_resources", Grant(admin=True)
    READ_DEPENDENCY = "read_dependency", Grant(project=Level.DEVELOPER, group=Level.DEVELOPER)
    READ_DORA_METRICS = "read_dora4_analytics", Grant(project=Level.REPORTER, group=Level.REPORTER)
    READ_SECURITY_SETTINGS = "read_security_settings", Grant(project=Level.DEVELOPER)
    ADMIN_SECURITY_SETTINGS = (
        "manage_security_settings",
        Grant(project=Level.MAINTAINER, group=Level.MAINTAINER),
    )
    ADMIN_SECURITY_POLICIES = "admin_security_policies", Grant(admin=True)
    ADMIN_PROJECT_ALIASES = "admin_project_aliases", Grant(admin=True)
    ADMIN_TOPICS = "admin_topics", Grant(admin=True)
    ADMIN_DATABASE = "admin_database", Grant(admin=True)
