"""Which kind of record paths, keys and ids are about."""

import pytest

from fakeplat.tape.records import record_kinds


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/v4/projects", "project"),
        ("/api/v4/projects/:id", "project"),
        ("/api/v4/projects/:id/issues", "issue"),
        ("/api/v4/projects/:id/issues/:issue_iid/move", "issue"),
        ("/api/v4/projects/:id/members/all/:user_id", "user"),
        ("/api/v4/projects/:id/star", "project"),
        ("/api/v4/projects/user/:user_id", "project"),
        ("/api/v4/users/:user_id/starred_projects", "project"),
        ("/api/v4/groups/:id/descendant_groups", "namespace"),
        ("/api/v4/groups/:id/projects/shared", "project"),
        ("/api/v4/namespaces/:id", "namespace"),
        ("/api/v4/user", "user"),
        ("/api/v4/projects/:id/merge_requests/:merge_request_iid/approve", "merge_request"),
        ("/api/v4/projects/:id/merge_requests/:merge_request_iid/changes", "merge_request"),
        ("/api/v4/projects/:id/merge_requests/:merge_request_iid/closes_issues", "issue"),
        ("/api/v4/projects/:id/issues/:issue_iid/closed_by", "merge_request"),
        ("/api/v4/projects/:id/issues/:issue_id/related_merge_requests", "merge_request"),
        ("/api/v4/projects/:id/issues/:issue_iid/links", "issue"),
        ("/api/v4/projects/:id/hooks/:hook_id", "hook"),
    ],
)
def test_a_route_shows_records_of_a_kind(path: str, kind: str) -> None:
    """The last word of a path that is no action or parameter gives the kind of record."""
    assert kind == record_kinds.kind_shown_at(path)


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("author_id", "user"),
        ("assignee_ids", "user"),
        ("namespace_id", "namespace"),
        ("parent_id", "namespace"),
        ("group_id", "namespace"),
        ("forked_from_id", "project"),
        ("milestone_id", "milestone"),
        ("moved_to_id", "issue"),
        ("label_ids", "label"),
        ("id", None),
        ("iid", None),
        ("epic_iid", None),
        ("theme_id", None),
        ("title", None),
    ],
)
def test_a_key_refers_to_a_kind(key: str, kind: str | None) -> None:
    """A key of a body refers to a kind of record; group ids are namespaces, and iids are no ids."""
    assert kind == record_kinds.kind_of_key(key)


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/v4/projects/57/issues/3", ["57 project"]),
        ("PUT", "/api/v4/projects/57/members/9", ["57 project", "9 user"]),
        ("GET", "/api/v4/groups/4/milestones/8", ["4 namespace", "8 milestone"]),
        ("GET", "/api/v4/issues/70", ["70 issue"]),
        ("GET", "/api/v4/projects/57/issues/3/related_merge_requests", ["57 project"]),
        ("DELETE", "/api/v4/projects/57/issues/3/links/8", ["57 project", "8 issue_link"]),
        ("GET", "/api/v4/projects/57/merge_requests/3/notes/8", ["57 project", "8 note"]),
        ("DELETE", "/api/v4/nothing/70", []),
        ("GET", "/api/v4/projects/57/repository/branches/2020", ["57 project"]),
        ("GET", "/api/v4/projects/57/repository/commits/1234567", ["57 project"]),
        ("GET", "/api/v4/projects/57/protected_tags/1", ["57 project"]),
        ("GET", "/api/v4/projects/57/repository/archive.zip", ["57 project"]),
        ("GET", "/api/v4/projects/57/labels/8", ["57 project", "8 label"]),
    ],
)
def test_a_path_has_ids_of_kinds(method: str, path: str, expected: list[str]) -> None:
    """The ids in a path and their kinds follow from its route; names of branches are no ids."""
    parts = path.split("/")
    assert expected == [f"{parts[index]} {kind}" for index, kind in record_kinds.find_id_segments(method, path)]


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("/api/v4/projects/acme%2Fsite/issues", ("project", "acme/site")),
        ("/api/v4/groups/7", ("namespace", "7")),
        ("/api/v4/users/7/custom_attributes", ("user", "7")),
        ("/api/v4/projects/user/7", None),
        ("/api/v4/issues", None),
    ],
)
def test_a_path_goes_through_a_project_group_or_user(path: str, owner: tuple[str, str] | None) -> None:
    """A path names its project, group or user by id or by full path."""
    assert owner == record_kinds.owner_in_path(path)
