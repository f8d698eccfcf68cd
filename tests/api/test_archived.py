"""An archived project is read only, ability by ability.

Source: the platform's policy of projects. It forbids the abilities to create, update,
administer and destroy issues, boards, lists, merge requests, approvers, labels, milestones, snippets, notes and
pipelines; to push, to upload a file, to ask for access, to award an emoji and to resolve a discussion.
"""

from typing import Any

import pytest

from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.policy.abilities import May
from tests.api import role_rows
from tests.api.role_rows import Row
from tests.api.test_role_matrix import ALL, SITE, filled, known, operation_of
from tests.policy.test_abilities import holders
from tests.policy.test_rulings import team

__all__ = ["known"]

FORBIDDEN: dict[May, tuple[str, ...]] = {
    May.UPLOAD_FILE: (),
    May.CREATE_MERGE_REQUEST_IN: ("list_project_approval_rules",),
    May.CREATE_MERGE_REQUEST_FROM: ("create_merge_request",),
    May.UPDATE_MERGE_REQUEST: ("update_merge_request", "rebase_merge_request", "set_merge_request_time_estimate"),
    May.ADMIN_MERGE_REQUEST: ("update_merge_request",),
    May.DESTROY_MERGE_REQUEST: ("delete_merge_request",),
    May.CREATE_ISSUE: ("create_issue",),
    May.UPDATE_ISSUE: ("update_issue", "reorder_issue"),
    May.ADMIN_ISSUE: ("set_issue_time_estimate", "create_issue_link", "move_issue"),
    May.DESTROY_ISSUE: ("delete_issue",),
    May.CREATE_NOTE: (
        "create_issue_note",
        "create_merge_request_note",
        "create_issue_discussion",
        "create_commit_comment",
    ),
    May.ADMIN_NOTE: ("update_merge_request_note", "delete_merge_request_note"),
    May.RESOLVE_NOTE: ("resolve_merge_request_discussion",),
    May.AWARD_EMOJI: ("create_issue_award_emoji", "create_merge_request_award_emoji"),
    May.ADMIN_BOARD: (),
    May.ADMIN_BOARD_LIST: (),
    May.ADMIN_LABEL: (),
    May.ADMIN_MILESTONE: (),
    May.PUSH_CODE: (
        "create_branch",
        "delete_branch",
        "delete_merged_branches",
        "create_tag",
        "delete_tag",
        "create_commit",
        "cherry_pick_commit",
        "revert_commit",
    ),
    May.CREATE_PIPELINE: ("create_merge_request_pipeline",),
    May.UPDATE_APPROVERS: (),
    May.CREATE_SNIPPET: ("create_project_snippet",),
    May.UPDATE_SNIPPET: ("update_project_snippet", "delete_project_snippet"),
}
"""What an archived project forbids, and the operations that ask for it beside those that declare it."""

ALLOWED = {
    May.READ_PROJECT,
    May.READ_MEMBERS,
    May.READ_STATISTICS,
    May.READ_CUSTOM_ATTRIBUTE,
    May.UPDATE_CUSTOM_ATTRIBUTE,
    May.STAR_PROJECT,
    May.ADMIN_PROJECT,
    May.RENAME_PROJECT,
    May.CHANGE_VISIBILITY,
    May.CHANGE_NAMESPACE,
    May.ARCHIVE_PROJECT,
    May.REMOVE_PROJECT,
    May.ADMIN_MEMBERS,
    May.READ_MERGE_REQUESTS,
    May.READ_ISSUES,
    May.SET_ISSUE_TIMES,
    May.READ_CONFIDENTIAL_NOTES,
    May.SET_NOTE_TIMES,
    May.READ_USER_AGENT,
    May.READ_BOARD,
    May.ADMIN_BADGE,
    May.READ_LABEL,
    May.READ_MILESTONE,
    May.DOWNLOAD_CODE,
    May.ADMIN_PROTECTED,
    May.READ_PIPELINE,
    May.READ_SNIPPETS,
    May.READ_PRIVATE_SNIPPETS,
    May.FORK_PROJECT,
    May.REMOVE_FORK,
    May.ADMIN_SERVICES,
    May.READ_ALERT,
    May.UPDATE_ALERT,
    May.SEND_TEST_ALERT,
}
"""What an archived project leaves as it was."""

ELSEWHERE = {
    "create_projects",
    "count_members",
    "create_group",
    "create_subgroup",
    "read_group",
    "admin_group",
    "read_namespace",
    "admin_namespace",
    "update_namespace",
    "set_shared_runners_minutes_limit",
    "read_user",
    "admin_users",
}
"""What is never asked of a project."""

ROWS = {row[0]: row for row in (*ALL, *role_rows.PAID) if row[2].startswith(SITE)}
REFUSALS = {
    "create_issue_link": 404,
    "move_issue": 400,
    "create_issue_award_emoji": 404,
    "create_merge_request_award_emoji": 404,
}
"""What the platform answers instead of 403."""


def declared(may: May) -> list[str]:
    """The rows of operations on the project that declare an ability."""
    return [name for name in ROWS if OPERATIONS[operation_of(name)].may is may]


REFUSED = [(may, name) for may, names in FORBIDDEN.items() for name in (*names, *declared(may))]
WRITING = {operation_of(name) for _, name in REFUSED}
SERVED = [name for name in ROWS if OPERATIONS[operation_of(name)].may in ALLOWED and operation_of(name) not in WRITING]


def archive(fakeplat: Any, known: dict[str, Any], row: Row) -> Any:
    """Create what a row names and archive the project; return the administrator's client."""
    root = fakeplat.as_user("root")
    known.update(role_rows.create_records(root, known))
    if row in role_rows.PAID:
        known.update(role_rows.create_paid_records(root))
    root.post(f"{SITE}/archive")
    return root


def send(root: Any, known: dict[str, Any], row: Row) -> int:
    """Send a row's request; return the status."""
    _, method, path, body, _ = row
    sent = body if body is role_rows.UPLOAD else {"json": filled(body, known)}
    return int(root.request(method, filled(path, known), **sent).status)


def test_every_ability_says_what_archiving_means_for_it() -> None:
    """A new ability is put into one of the three tables by hand."""
    assert set() == {*May} - {*FORBIDDEN} - ALLOWED - {may for may in May if may.value in ELSEWHERE}


def test_every_forbidden_ability_is_met_by_an_operation() -> None:
    """What no operation asks for cannot be refused."""
    assert {*FORBIDDEN} == {may for may, _ in REFUSED}


@pytest.mark.parametrize("may", FORBIDDEN, ids=lambda may: may.value)
def test_nobody_has_a_forbidden_ability(may: May) -> None:
    """Not even administrators."""
    site = team("public", archived=True)
    assert [] == holders(site, may, site.place("team/work"))


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(("may", "name"), REFUSED, ids=[f"{may.value}-{name}" for may, name in REFUSED])
def test_an_archived_project_refuses_what_writes(fakeplat: Any, known: dict[str, Any], may: May, name: str) -> None:
    """Even administrators are refused, and nothing changes."""
    del may
    root = archive(fakeplat, known, ROWS[name])
    with fakeplat.changes() as changes:
        assert REFUSALS.get(operation_of(name), 403) == send(root, known, ROWS[name])
    assert (operation_of(name), {}, {}, {}) == (
        fakeplat.requests[-1].operation,
        changes.created,
        changes.changed,
        changes.deleted,
    )


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize("name", SERVED)
def test_an_archived_project_serves_what_is_not_forbidden(fakeplat: Any, known: dict[str, Any], name: str) -> None:
    """Administrators get what they get elsewhere."""
    root = archive(fakeplat, known, ROWS[name])
    assert int(ROWS[name][4].split()[-1]) == send(root, known, ROWS[name])


def test_nobody_asks_to_be_let_into_an_archived_project(fakeplat: Any) -> None:
    """403, where the same project takes requests once it is unarchived."""
    root, eve = fakeplat.as_user("root"), fakeplat.as_user("eve")
    docs = "projects/acme%2Fdocs"
    root.post(f"{docs}/archive")
    refused = eve.post(f"{docs}/access_requests")
    assert (403, {"message": "403 Forbidden"}) == (refused.status, refused.json())
    root.post(f"{docs}/unarchive")
    assert 201 == eve.post(f"{docs}/access_requests").status
