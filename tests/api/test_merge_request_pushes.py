"""The effects of pushes and forks on merge requests.

Source: docs/platform/merge-requests.md, docs/platform/git-over-http.md.
"""

from typing import Any

import pytest

from fakeplat.domain.people import namespaces, users
from fakeplat.domain.repository import repositories
from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import DOCS, MRS, OPEN, SITE, commit, create_merge_request, get_json, merge, select_fields
from tests.api.requests import refusal

FORK = "projects/eve%2Fdocs"
NO_PUSH = (403, {"message": "403 Forbidden - You are not allowed to push into this branch"})


def test_a_push_to_the_source_is_a_new_version(fakeplat: Fakeplat) -> None:
    """A push to the source adds a version and a note and ends waiting."""
    before = get_json(fakeplat)
    sha = commit(fakeplat, "feature", commit_message="More of it")
    pushed = get_json(fakeplat)
    assert (sha, "2") == select_fields(pushed, "sha", "changes_count")
    assert before["diff_refs"]["base_sha"] == pushed["diff_refs"]["base_sha"]
    versions = get_json(fakeplat, f"{OPEN}/versions")
    assert [sha, before["sha"]] == [version["head_commit_sha"] for version in versions]
    assert ["2", "1"] == [version["real_size"] for version in versions]
    assert [sha, before["sha"]] == [commit["id"] for commit in get_json(fakeplat, f"{OPEN}/commits")]


def test_one_version_has_its_commits_and_differences(fakeplat: Fakeplat) -> None:
    """Each version shows its commits and differences, also after a forced push."""
    first = get_json(fakeplat)["sha"]
    commit(fakeplat, "feature", "other.txt", start_branch="master", force=True)
    old, new = (version["id"] for version in reversed(get_json(fakeplat, f"{OPEN}/versions")))
    old_version = get_json(fakeplat, f"{OPEN}/versions/{old}")
    assert ([first], ["app/search.py"]) == (
        [commit["id"] for commit in old_version["commits"]],
        [difference["new_path"] for difference in old_version["diffs"]],
    )
    assert ["other.txt"] == [
        difference["new_path"] for difference in get_json(fakeplat, f"{OPEN}/versions/{new}")["diffs"]
    ]
    fields = {"id", "head_commit_sha", "base_commit_sha", "start_commit_sha", "created_at", "merge_request_id", "state"}
    assert fields | {"real_size", "commits", "diffs"} == set(old_version)
    refused = (404, {"message": "404 Not found"})
    assert refused == refusal(fakeplat, "dev", "GET", f"{MRS}/2/versions/{old}")


def test_changes_show_the_files(fakeplat: Fakeplat) -> None:
    """The changes of a merge request show its files and all of its fields."""
    changes = get_json(fakeplat, f"{OPEN}/changes")
    (change,) = changes["changes"]
    assert ("app/search.py", True, False) == select_fields(change, "new_path", "new_file", "deleted_file")
    assert (1, False) == (changes["iid"], changes["overflow"])


def move_branch(fake: Fakeplat, branch: str, to: str, by: str, *options: str) -> None:
    """Point a branch to a revision as a push does."""
    with fake.bench.platform.acting() as ctx:
        project, user = namespaces.find_project_by_path(ctx.world, "acme/site"), users.find_by_username(ctx.world, by)
        assert project is not None
        sha = repositories.open_repository(ctx.world, project).resolve(to)
        repositories.move_refs(ctx, project, {f"refs/heads/{branch}": sha}, user, options)


def test_a_push_that_has_its_head_merges_it(fakeplat: Fakeplat) -> None:
    """A push that contains the head merges the request by the pusher."""
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "all", "ref": "master"})
    new_merge_request = create_merge_request(fakeplat, "feature", target_branch="all")
    merge_sha = merge(fakeplat, f"{MRS}/{new_merge_request['iid']}")["merge_commit_sha"]
    assert "opened" == get_json(fakeplat)["state"]
    move_branch(fakeplat, "master", "all", "ada")
    merged = get_json(fakeplat)
    assert ("merged", merge_sha, "ada") == (
        *select_fields(merged, "state", "merge_commit_sha"),
        merged["merged_by"]["username"],
    )
    assert "closed" == get_json(fakeplat, f"{SITE}/issues/2")["state"]


def test_a_cherry_pick_is_no_merge(fakeplat: Fakeplat) -> None:
    """Cherry-picking its commits does not merge a request."""
    path = f"{SITE}/repository/commits/feature/cherry_pick"
    assert 201 == fakeplat.as_user("mia").post(path, json={"branch": "master"}).status
    assert "opened" == get_json(fakeplat)["state"]


def test_a_target_that_loses_commits_makes_another_version(fakeplat: Fakeplat) -> None:
    """A forced push: it differs from another base."""
    before = len(get_json(fakeplat, f"{OPEN}/versions"))
    move_branch(fakeplat, "master", "v1.0~1", "ada")
    pushed = get_json(fakeplat)
    assert before + 1 == len(get_json(fakeplat, f"{OPEN}/versions"))
    master = get_json(fakeplat, f"{SITE}/repository/branches/master")["commit"]["id"]
    assert master == pushed["diff_refs"]["base_sha"] == pushed["diff_refs"]["start_sha"]


def test_a_merge_made_elsewhere_is_seen(fakeplat: Fakeplat) -> None:
    """The head comes to the target by a merge of another branch: both are merged, with the same commit."""
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "more", "ref": "feature"})
    commit(fakeplat, "more")
    other = create_merge_request(fakeplat, "more")["iid"]
    merged = merge(fakeplat, f"{MRS}/{other}")
    merge_request = get_json(fakeplat)
    assert ("merged", merged["merge_commit_sha"]) == select_fields(merge_request, "state", "merge_commit_sha")
    assert "mia" == merge_request["merged_by"]["username"]


def test_a_source_branch_that_goes_leaves_it_open_and_unmergeable(fakeplat: Fakeplat) -> None:
    """Without its source branch a merge request stays open and shows its commits."""
    sha = get_json(fakeplat)["sha"]
    fakeplat.as_user("dev").delete(f"{SITE}/repository/branches/feature")
    assert ("opened", "cannot_be_merged", sha) == select_fields(get_json(fakeplat), "state", "merge_status", "sha")
    assert [sha] == [commit["id"] for commit in get_json(fakeplat, f"{OPEN}/commits")]


def test_a_commit_on_the_default_branch_closes_what_it_names(fakeplat: Fakeplat) -> None:
    """A commit on the default branch closes the issues that it names."""
    commit(fakeplat, "feature", commit_message="Closes #5")
    assert "opened" == get_json(fakeplat, f"{SITE}/issues/5")["state"]
    commit(fakeplat, "master", by="mia", commit_message="Closes #5")
    assert ("closed", "mia") == (
        get_json(fakeplat, f"{SITE}/issues/5")["state"],
        get_json(fakeplat, f"{SITE}/issues/5")["closed_by"]["username"],
    )


def test_a_commit_knows_its_merge_requests(fakeplat: Fakeplat) -> None:
    """A commit lists its merge requests before and after merging."""
    sha = get_json(fakeplat)["sha"]
    path = f"{SITE}/repository/commits/{sha}/merge_requests"
    assert [1] == [merge_request["iid"] for merge_request in get_json(fakeplat, path)]
    merged = merge(fakeplat)["merge_commit_sha"]
    for commit_sha in (sha, merged):
        assert [1] == [
            row["iid"] for row in get_json(fakeplat, f"{SITE}/repository/commits/{commit_sha}/merge_requests")
        ]
    master = f"{SITE}/repository/commits/{merged}~1/merge_requests"
    assert [] == get_json(fakeplat, master)


# push options


def test_push_options_make_a_merge_request(fakeplat: Fakeplat) -> None:
    """Titled as the newest commit unless said; later pushes with options change it."""
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "next", "ref": "master"})
    move_branch(
        fakeplat,
        "work",
        "v1.0~1",
        "dev",
        "merge_request.create",
        "merge_request.target=next",
        "merge_request.label=bug",
        "merge_request.remove_source_branch",
    )
    new_merge_request = get_json(fakeplat, f"{MRS}/3")
    assert ("Run the tests", "next", "work", ["bug"], True) == select_fields(
        new_merge_request, "title", "target_branch", "source_branch", "labels", "force_remove_source_branch"
    )
    assert "dev" == new_merge_request["author"]["username"]


@pytest.mark.parametrize("options", [(), ("ci.skip",), ("merge_request.title=x",), ("merge_request.create=",)])
def test_only_create_makes_one(fakeplat: Fakeplat, options: tuple[str, ...]) -> None:
    """Only the push option `merge_request.create` creates a merge request."""
    move_branch(fakeplat, "work", "v1.0~1", "dev", *options)
    creates = any(option.startswith("merge_request.create") for option in options)
    assert creates == (len(get_json(fakeplat, MRS)) == 3)


# forks


@pytest.fixture
def forked(fakeplat: Fakeplat) -> Fakeplat:
    """eve has a fork of acme/docs with work in it."""
    fakeplat.as_user("eve").post(f"{DOCS}/fork")
    get_json(fakeplat, FORK)
    commit(fakeplat, "work", by="eve", project=FORK)
    return fakeplat


def from_fork(fake: Fakeplat, **given: Any) -> Any:
    return create_merge_request(
        fake, "work", by="eve", project=FORK, target_project_id=get_json(fake, DOCS)["id"], **given
    )


def test_a_fork_asks_its_parent(forked: Fakeplat) -> None:
    """A merge request of a fork is listed in the target, where its head can be merged."""
    new_merge_request = from_fork(forked, labels="urgent", allow_collaboration=True)
    docs, fork = get_json(forked, DOCS)["id"], get_json(forked, FORK)["id"]
    assert (docs, fork, docs, [], True, True) == select_fields(
        new_merge_request,
        "project_id",
        "source_project_id",
        "target_project_id",
        "labels",
        "allow_collaboration",
        "allow_maintainer_to_push",
    )
    path = f"{DOCS}/merge_requests/1"
    assert new_merge_request["sha"] == get_json(forked, f"{DOCS}/repository/commits/{new_merge_request['sha']}")["id"]
    assert "can_be_merged" == get_json(forked, path)["merge_status"]
    assert (401, {"message": "401 Unauthorized"}) == refusal(forked, "eve", "PUT", f"{path}/merge")
    merged = merge(forked, path, should_remove_source_branch=True)
    assert "merged" == merged["state"]
    assert new_merge_request["sha"] in get_json(forked, f"{DOCS}/repository/commits/master")["parent_ids"]


def test_only_who_pushes_to_the_source_has_its_branch_removed(forked: Fakeplat) -> None:
    """remove_source_branch of others is ignored; the author may push to the fork."""
    from_fork(forked)
    path = f"{DOCS}/merge_requests/1"
    body = {"remove_source_branch": True, "title": "New"}
    for user, expected in (("mia", None), ("eve", True)):
        reply = forked.as_user(user).put(path, json=body)
        assert (200, "New", expected) == (
            reply.status,
            *select_fields(reply.json(), "title", "force_remove_source_branch"),
        )


def test_equal_branch_names_are_fine_across_a_fork(forked: Fakeplat) -> None:
    """A fork's master can be merged into its parent's master."""
    commit(forked, "master", by="eve", project=FORK)
    new_merge_request = create_merge_request(
        forked, "master", by="eve", project=FORK, target_project_id=get_json(forked, DOCS)["id"]
    )
    assert ("master", "master") == select_fields(new_merge_request, "source_branch", "target_branch")


def test_collaboration_lets_those_push_who_may_merge(forked: Fakeplat) -> None:
    """Collaboration lets those who may merge push to the open request's source branch."""
    assert NO_PUSH == commits_as(forked, "mia", "work")
    from_fork(forked, allow_collaboration=True)
    commit(forked, "work", "mine.txt", by="mia", project=FORK)
    assert NO_PUSH == commits_as(forked, "mia", "master")
    assert NO_PUSH == commits_as(forked, "gus", "work")
    forked.as_user("eve").put(f"{DOCS}/merge_requests/1", json={"allow_collaboration": False})
    assert NO_PUSH == commits_as(forked, "mia", "work")


def commits_as(fake: Fakeplat, user: str, branch: str) -> Any:
    actions = [{"action": "create", "file_path": "z", "content": "z"}]
    body = {"branch": branch, "commit_message": "x", "actions": actions}
    return refusal(fake, user, "POST", f"{FORK}/repository/commits", json=body)


def test_a_fork_that_goes_leaves_it_without_source(forked: Fakeplat) -> None:
    """source_project_id is null, and it cannot be merged."""
    from_fork(forked)
    forked.as_user("eve").delete(FORK)
    orphaned = get_json(forked, f"{DOCS}/merge_requests/1")
    assert (None, "cannot_be_merged", "opened") == select_fields(orphaned, "source_project_id", "merge_status", "state")
