"""Every ability, and what it asks for. Operations name an ability, never a role.

Source: docs/platform/specification.md ('Authentication').
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.model.levels import Level


class Ability(Enum):
    """What somebody may do; the value is the platform's word for it."""

    READ_PROJECT = "read_project"
    READ_MEMBERS = "read_members"
    READ_STATISTICS = "read_statistics"
    READ_CUSTOM_ATTRIBUTE = "read_custom_attribute"
    UPDATE_CUSTOM_ATTRIBUTE = "update_custom_attribute"
    STAR_PROJECT = "star_project"
    UPLOAD_FILE = "upload_file"
    ADMIN_PROJECT = "admin_project"
    RENAME_PROJECT = "rename_project"
    CHANGE_VISIBILITY = "change_visibility_level"
    CHANGE_NAMESPACE = "change_namespace"
    ARCHIVE_PROJECT = "archive_project"
    REMOVE_PROJECT = "remove_project"
    ADMIN_MEMBERS = "admin_members"
    CREATE_PROJECTS = "create_projects"
    CREATE_MERGE_REQUEST_IN = "create_merge_request_in"
    CREATE_MERGE_REQUEST_FROM = "create_merge_request_from"
    READ_MERGE_REQUESTS = "read_merge_request"
    UPDATE_MERGE_REQUEST = "update_merge_request"
    ADMIN_MERGE_REQUEST = "admin_merge_request"
    DESTROY_MERGE_REQUEST = "destroy_merge_request"
    READ_ISSUES = "read_issue"
    CREATE_ISSUE = "create_issue"
    UPDATE_ISSUE = "update_issue"
    ADMIN_ISSUE = "admin_issue"
    SET_ISSUE_TIMES = "set_issue_created_at"
    DESTROY_ISSUE = "destroy_issue"
    CREATE_NOTE = "create_note"
    ADMIN_NOTE = "admin_note"
    RESOLVE_NOTE = "resolve_note"
    READ_CONFIDENTIAL_NOTES = "read_confidential_notes"
    SET_NOTE_TIMES = "set_note_created_at"
    AWARD_EMOJI = "award_emoji"
    READ_USER_AGENT = "read_user_agent_detail"
    READ_BOARD = "read_board"
    ADMIN_BOARD = "admin_board"
    ADMIN_BOARD_LIST = "admin_list"
    ADMIN_BADGE = "admin_badge"
    READ_LABEL = "read_label"
    ADMIN_LABEL = "admin_label"
    READ_MILESTONE = "read_milestone"
    ADMIN_MILESTONE = "admin_milestone"
    DOWNLOAD_CODE = "download_code"
    PUSH_CODE = "push_code"
    ADMIN_PROTECTED = "admin_protected_branch"
    READ_PIPELINE = "read_pipeline"
    CREATE_PIPELINE = "create_pipeline"
    UPDATE_APPROVERS = "update_approvers"
    READ_SNIPPETS = "read_snippet"
    READ_PRIVATE_SNIPPETS = "read_private_snippet"
    CREATE_SNIPPET = "create_snippet"
    UPDATE_SNIPPET = "update_snippet"
    FORK_PROJECT = "fork_project"
    REMOVE_FORK = "remove_fork_project"
    ADMIN_SERVICES = "admin_services"
    READ_ALERT = "read_alert_management_alert"
    UPDATE_ALERT = "update_alert_management_alert"
    SEND_TEST_ALERT = "send_test_alert"
    COUNT_MEMBERS = "count_members"
    CREATE_GROUP = "create_group"
    CREATE_SUBGROUP = "create_subgroup"
    READ_GROUP = "read_group"
    ADMIN_GROUP = "admin_group"
    READ_NAMESPACE = "read_namespace"
    ADMIN_NAMESPACE = "admin_namespace"
    UPDATE_NAMESPACE = "update_namespace"
    SET_RUNNERS_MINUTES = "set_shared_runners_minutes_limit"
    READ_USER = "read_user"
    ADMIN_USERS = "admin_users"


VISIBLE: Final = -1
NOBODY: Final = 1000


@frozen
class Grant:
    """What an ability asks for: the lowest level on a project, on a group; VISIBLE means that seeing it is enough.

    ``login``: somebody must be signed in. ``writes``: not while the project is archived. ``admin``: only
    administrators. ``feature``: the project's feature that must be open to the caller; ``open``: where the feature
    is enabled and the project is not private, seeing it is enough. ``any_feature``: one of these features must be open
    to the caller. ``group_needs``, ``project_needs``: the level where
    the group or project says it.
    """

    project: int = NOBODY
    group: int = NOBODY
    login: bool = False
    writes: bool = False
    admin: bool = False
    feature: str = ""
    any_feature: tuple[str, ...] = ()
    open: bool = False
    group_needs: Callable[[Any], int] | None = None
    project_needs: Callable[[Any], int] | None = None


_PLANNED: Final = ("issues", "merge_requests")
_SUBGROUPS: Final = {"owner": Level.OWNER, "maintainer": Level.MAINTAINER}


def _pipeline_readers(project: Any) -> int:
    """Who sees pipelines: with public builds whoever sees a project that is not private, and its Guests."""
    if not project.public_builds:
        return Level.REPORTER
    return Level.GUEST if project.visibility == "private" else VISIBLE


_PROJECTS: Final = {"noone": NOBODY, "maintainer": Level.MAINTAINER, "developer": Level.DEVELOPER}


GRANTS: Final[dict[Ability, Grant]] = {
    Ability.READ_PROJECT: Grant(project=VISIBLE),
    Ability.READ_MEMBERS: Grant(project=VISIBLE, group=VISIBLE),
    Ability.READ_STATISTICS: Grant(project=Level.REPORTER),
    Ability.READ_CUSTOM_ATTRIBUTE: Grant(admin=True),
    Ability.UPDATE_CUSTOM_ATTRIBUTE: Grant(admin=True),
    Ability.STAR_PROJECT: Grant(project=VISIBLE, login=True),
    Ability.UPLOAD_FILE: Grant(project=VISIBLE, login=True, writes=True),
    Ability.ADMIN_PROJECT: Grant(project=Level.MAINTAINER),
    Ability.RENAME_PROJECT: Grant(project=Level.OWNER),
    Ability.CHANGE_VISIBILITY: Grant(project=Level.OWNER),
    Ability.CHANGE_NAMESPACE: Grant(project=Level.OWNER),
    Ability.ARCHIVE_PROJECT: Grant(project=Level.OWNER),
    Ability.REMOVE_PROJECT: Grant(project=Level.OWNER),
    Ability.ADMIN_MEMBERS: Grant(project=Level.MAINTAINER, group=Level.OWNER),
    Ability.CREATE_PROJECTS: Grant(
        group=Level.DEVELOPER, group_needs=lambda group: _PROJECTS[group.project_creation_level]
    ),
    Ability.CREATE_MERGE_REQUEST_IN: Grant(project=VISIBLE, login=True, writes=True, feature="merge_requests"),
    Ability.CREATE_MERGE_REQUEST_FROM: Grant(
        project=Level.DEVELOPER, login=True, writes=True, feature="merge_requests"
    ),
    Ability.READ_MERGE_REQUESTS: Grant(project=Level.REPORTER, feature="merge_requests", open=True),
    Ability.UPDATE_MERGE_REQUEST: Grant(project=Level.DEVELOPER, writes=True, feature="merge_requests"),
    Ability.ADMIN_MERGE_REQUEST: Grant(project=Level.DEVELOPER, writes=True, feature="merge_requests"),
    Ability.DESTROY_MERGE_REQUEST: Grant(project=Level.OWNER, writes=True, feature="merge_requests"),
    Ability.READ_ISSUES: Grant(project=VISIBLE, group=VISIBLE, feature="issues"),
    Ability.CREATE_ISSUE: Grant(project=VISIBLE, login=True, writes=True, feature="issues"),
    Ability.UPDATE_ISSUE: Grant(project=Level.REPORTER, writes=True, feature="issues"),
    Ability.ADMIN_ISSUE: Grant(project=Level.REPORTER, writes=True, feature="issues"),
    Ability.SET_ISSUE_TIMES: Grant(project=Level.OWNER),
    Ability.DESTROY_ISSUE: Grant(project=Level.OWNER, writes=True, feature="issues"),
    Ability.CREATE_NOTE: Grant(project=VISIBLE, login=True, writes=True),
    Ability.ADMIN_NOTE: Grant(project=Level.MAINTAINER, login=True, writes=True),
    Ability.RESOLVE_NOTE: Grant(project=Level.DEVELOPER, login=True, writes=True),
    Ability.READ_CONFIDENTIAL_NOTES: Grant(project=Level.REPORTER),
    Ability.SET_NOTE_TIMES: Grant(project=Level.OWNER),
    Ability.AWARD_EMOJI: Grant(project=VISIBLE, login=True, writes=True),
    Ability.READ_USER_AGENT: Grant(admin=True),
    Ability.READ_BOARD: Grant(project=VISIBLE, group=VISIBLE, feature="issues"),
    Ability.ADMIN_BOARD: Grant(project=Level.REPORTER, group=Level.REPORTER, writes=True, feature="issues"),
    Ability.ADMIN_BOARD_LIST: Grant(project=Level.REPORTER, group=Level.REPORTER, writes=True, feature="issues"),
    Ability.ADMIN_BADGE: Grant(project=Level.MAINTAINER, group=Level.OWNER),
    Ability.READ_LABEL: Grant(project=VISIBLE, group=VISIBLE, any_feature=_PLANNED),
    Ability.ADMIN_LABEL: Grant(project=Level.REPORTER, group=Level.REPORTER, writes=True, any_feature=_PLANNED),
    Ability.READ_MILESTONE: Grant(project=VISIBLE, group=VISIBLE, any_feature=_PLANNED),
    Ability.ADMIN_MILESTONE: Grant(project=Level.DEVELOPER, group=Level.DEVELOPER, writes=True, any_feature=_PLANNED),
    Ability.DOWNLOAD_CODE: Grant(project=Level.REPORTER, feature="repository", open=True),
    Ability.PUSH_CODE: Grant(project=Level.DEVELOPER, login=True, writes=True, feature="repository"),
    Ability.ADMIN_PROTECTED: Grant(project=Level.MAINTAINER),
    Ability.READ_PIPELINE: Grant(feature="builds", project_needs=_pipeline_readers),
    Ability.CREATE_PIPELINE: Grant(project=Level.DEVELOPER, login=True, writes=True, feature="builds"),
    Ability.UPDATE_APPROVERS: Grant(project=Level.MAINTAINER, writes=True),
    Ability.READ_SNIPPETS: Grant(project=VISIBLE, feature="snippets"),
    Ability.READ_PRIVATE_SNIPPETS: Grant(project=Level.GUEST, feature="snippets"),
    Ability.CREATE_SNIPPET: Grant(project=Level.REPORTER, login=True, writes=True, feature="snippets"),
    Ability.UPDATE_SNIPPET: Grant(project=Level.MAINTAINER, login=True, writes=True, feature="snippets"),
    Ability.FORK_PROJECT: Grant(project=Level.REPORTER, login=True, feature="forking", open=True),
    Ability.REMOVE_FORK: Grant(project=Level.OWNER),
    Ability.ADMIN_SERVICES: Grant(project=Level.MAINTAINER),
    Ability.READ_ALERT: Grant(project=Level.DEVELOPER),
    Ability.UPDATE_ALERT: Grant(project=Level.DEVELOPER),
    Ability.SEND_TEST_ALERT: Grant(project=Level.DEVELOPER),
    Ability.COUNT_MEMBERS: Grant(group=Level.MAINTAINER),
    Ability.CREATE_GROUP: Grant(login=True),
    Ability.CREATE_SUBGROUP: Grant(
        group=Level.MAINTAINER, group_needs=lambda group: _SUBGROUPS[group.subgroup_creation_level]
    ),
    Ability.READ_GROUP: Grant(group=VISIBLE),
    Ability.ADMIN_GROUP: Grant(group=Level.OWNER),
    Ability.READ_NAMESPACE: Grant(group=Level.GUEST),
    Ability.ADMIN_NAMESPACE: Grant(group=Level.OWNER),
    Ability.UPDATE_NAMESPACE: Grant(admin=True),
    Ability.SET_RUNNERS_MINUTES: Grant(admin=True),
    Ability.READ_USER: Grant(),
    Ability.ADMIN_USERS: Grant(admin=True),
}
