"""Merge requests in scenarios. Source: docs/contract.md ('Scenarios')."""

from typing import Any

import pytest

from fakeplat import scenario
from fakeplat.scenario import ScenarioError
from tests.scenario.answers import collect_responses, compare_values
from tests.scenario.worlds import create_platform, reload_export, write

VIEWERS = ("root", "dev", "gus")
SITE = "projects/acme%2Fsite"


def build_merge_request_scenario(*merge_requests: dict[str, Any]) -> dict[str, Any]:
    return {
        "extends": "starter",
        "projects": [{"path_with_namespace": "acme/site", "merge_requests": [*merge_requests]}],
    }


FULL: dict[str, Any] = {
    "title": "All of it",
    "iid": 7,
    "description": "Closes #1\n\n- [x] a",
    "source_branch": "feature",
    "target_branch": "readme",
    "author": "rep",
    "assignees": ["ada"],
    "labels": ["bug", "new one"],
    "milestone": "v1.0",
    "state": "closed",
    "closed_by": "mia",
    "closed_at": "2020-11-19T08:00:00Z",
    "created_at": "2020-11-18T08:00:00Z",
    "squash": True,
    "force_remove_source_branch": True,
    "discussion_locked": True,
    "time_estimate": 3600,
    "approved_by": ["dev", {"user": "mia", "created_at": "2020-11-18T09:00:00Z"}],
    "closes": ["acme/docs#1"],
    "award_emoji": [{"name": "thumbsup", "user": "mia"}],
    "subscribers": {"gus": True},
    "notes": [{"author": "ada", "body": "Fine"}],
    "resource_state_events": [{"user": "mia", "state": "closed"}],
}


def list_changes(platform: Any) -> list[str]:
    """What answers otherwise after a round trip."""
    return list(
        compare_values(collect_responses(platform, VIEWERS), collect_responses(reload_export(platform), VIEWERS))
    )


def list_closed_issues(platform: Any) -> list[list[int]]:
    """The numbers of the issues that each merge request wants closed."""
    world = platform.view
    return [[world.issues[id_].iid for id_ in merge_request.closes_ids] for merge_request in world.merge_requests.all()]


def test_declared_keys_are_shown_and_exported() -> None:
    """Every declared key of a merge request is exported, and the export loads to the same responses."""
    platform = create_platform(
        build_merge_request_scenario(
            FULL, {"title": "Merged", "source_branch": "v1.0", "state": "merged", "merged_by": "mia"}
        )
    )
    assert [] == list_changes(platform)
    (site,) = [
        project
        for project in scenario.export_world(platform)["projects"]
        if project["path_with_namespace"] == "acme/site"
    ]
    exported = next(row for row in site["merge_requests"] if row["iid"] == 7)
    names = set(FULL) - {"approved_by", "notes", "subscribers", "resource_state_events", "award_emoji", "labels"}
    expected = {name: FULL[name] for name in names}
    times = {name: f"{FULL[name][:19]}.000Z" for name in ("created_at", "closed_at")}
    assert expected | times == {name: exported[name] for name in names}
    assert ["dev", "mia"] == [approval["user"] for approval in exported["approved_by"]]


def test_a_declared_commit_can_want_an_issue_closed() -> None:
    """Commits and texts of an open merge request close issues; when it is over, only its texts count."""
    commits = [
        {"message": "Begin", "files": {"a": "1"}},
        {"message": "Work\n\nFixes #1", "branch": "work", "files": {"a": "2"}},
    ]
    asked = [
        {"title": "Work", "source_branch": "work"},
        {"title": "Closes #1", "source_branch": "work", "target_branch": "other"},
        {"title": "Old, closes #1", "source_branch": "work", "state": "closed"},
    ]
    issues = [{"title": "First"}]
    project = {"path_with_namespace": "ada/p", "repository": {"commits": commits}, "issues": issues}
    platform = create_platform({"users": [{"username": "ada"}], "projects": [{**project, "merge_requests": asked}]})
    assert [[1], [], [1]] == list_closed_issues(platform) == list_closed_issues(reload_export(platform))


def test_a_changed_world_is_exported_with_its_commits() -> None:
    """Versions and hashes of merge requests survive a round trip after pushes, merges and deleted branches."""
    platform = create_platform("starter")
    actions = [{"action": "create", "file_path": "x", "content": "x"}]
    body = {"branch": "feature", "commit_message": "Closes #5", "actions": actions}
    write(platform, "POST", f"{SITE}/repository/commits", "dev-token", **body)
    write(platform, "POST", f"{SITE}/merge_requests/1/approve", "mia-token")
    write(platform, "PUT", f"{SITE}/merge_requests/1/merge", "mia-token", squash=True, should_remove_source_branch=True)
    write(platform, "PUT", f"{SITE}/merge_requests/2", "dev-token", state_event="close")
    again_ = {"title": "Again", "source_branch": "readme", "target_branch": "master"}
    write(platform, "POST", f"{SITE}/merge_requests", "dev-token", **again_)
    assert [] == list_changes(platform)


def test_nobody_asks_git_before_somebody_reads() -> None:
    """Loading a scenario with merge requests builds no repository."""
    platform = create_platform(
        build_merge_request_scenario({"title": "x", "source_branch": "feature", "target_branch": "readme"})
    )
    assert all(repository.refs is None for repository in platform.view.repositories.all())


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"title": "x"}, "needs 'source_branch'"),
        ({"source_branch": "feature"}, "needs 'title'"),
        ({"title": "x", "source_branch": "feature", "state": "open"}, "state"),
        ({"title": "x", "source_branch": "feature", "target_branch": "feature"}, "same project/branch"),
        ({"title": "x", "source_branch": "feature"}, "another merge request between the same branches is open"),
        ({"title": "x", "source_branch": "b", "author": "nobody"}, "unknown user 'nobody'"),
        ({"title": "x", "source_branch": "b", "milestone": "v9"}, "unknown milestone 'v9'"),
        ({"title": "x", "source_branch": "b", "closes": ["acme/site#99"]}, "unknown issue"),
        ({"title": "x", "source_branch": "b", "source_project": "acme/none"}, "unknown project"),
    ],
)
def test_mistakes_are_reported(entry: dict[str, Any], text: str) -> None:
    """A mistake in a merge request of a scenario is refused with its reason."""
    with pytest.raises(ScenarioError, match=text):
        create_platform(build_merge_request_scenario(entry))


def test_generated_ones_stand_for_branches() -> None:
    """Generated merge requests are open, merged or closed, with at most one open per branch."""
    platform = create_platform(
        {"extends": "starter", "generate": [{"into": "acme/docs", "commits": 40, "branches": 8, "merge_requests": 12}]}
    )
    merge_requests = [
        merge_request
        for merge_request in platform.view.merge_requests.all()
        if merge_request.iid and merge_request.project_id != 5001
    ]
    states = [row.state for row in merge_requests]
    assert 12 == len(merge_requests)
    assert 4 == states.count("closed")
    assert {"opened", "merged", "closed"} == set(states)
    opened = [row.source_branch for row in merge_requests if row.state == "opened"]
    assert len(set(opened)) == len(opened)


CONTRACTS: dict[str, Any] = {
    "seed": 7,
    "users": [{"username": "ada"}],
    "groups": [
        {
            "path": "acme",
            "members": {"ada": "owner"},
            "projects": [
                {
                    "path": "site",
                    "repository": {
                        "commits": [{"message": "first", "author": "ada", "files": {"README.md": "# Site"}}]
                    },
                }
            ],
        }
    ],
    "generate": [{"into": "acme/site", "issues": 500, "merge_requests": 20}],
}


def test_generated_ones_bring_their_branches() -> None:
    """Generating 20 merge requests in a project with one commit generates a branch for each."""
    view = create_platform(CONTRACTS).view
    merge_requests = [merge_request for merge_request in view.merge_requests.all() if merge_request.iid]

    assert (500, 20) == (len(view.issues), len(merge_requests))
    assert 20 == len({row.source_branch for row in merge_requests})
    assert {"opened", "merged"} == {row.state for row in merge_requests}
    assert all(repository.refs is None for repository in view.repositories.all())


def test_generated_ones_need_no_repository() -> None:
    """Generating merge requests in a project without a repository creates one with the branch master."""
    groups = [{**CONTRACTS["groups"][0], "projects": [{"path": "site"}]}]
    view = create_platform(
        {**CONTRACTS, "groups": groups, "generate": [{"into": "acme/site", "merge_requests": 3}]}
    ).view

    assert 3 == len([merge_request for merge_request in view.merge_requests.all() if merge_request.iid])
    assert "master" == next(iter(view.projects.all())).default_branch
