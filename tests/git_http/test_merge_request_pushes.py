"""git itself pushes what merge requests follow: options that make them, heads that merge them, refs that keep them."""

from pathlib import Path

from fakeplat.harness.fake import Fakeplat
from tests.git.command import Git
from tests.git_http.remote import Remote, error_output


def test_a_push_with_options_makes_one_and_a_merge_by_hand_ends_it(work: Git, remote: Remote) -> None:
    """Push options create a merge request, pushing a merge commit merges it, and its head ref stays."""
    work("checkout", "-q", "-b", "topic")
    sha = work.commit("Say more\n\nIn two lines", {"more.txt": "more"})
    work("push", "-q", "-o", "merge_request.create", "-o", "merge_request.title=More", "origin", "topic")
    ada = remote.fake.as_user("ada")
    path = f"{remote.api}/merge_requests/1"
    merge_request = ada.get(path).json()
    assert ("opened", "More", "In two lines", sha, "can_be_merged") == (
        merge_request["state"],
        merge_request["title"],
        merge_request["description"],
        merge_request["sha"],
        merge_request["merge_status"],
    )
    work("checkout", "-q", "master")
    work("merge", "-q", "--no-ff", "-m", "By hand", "topic")
    work("push", "-q", "origin", "master", ":topic")
    merge_request = ada.get(path).json()
    assert ("merged", work("rev-parse", "HEAD").strip()) == (merge_request["state"], merge_request["merge_commit_sha"])
    work("fetch", "-q", "origin", "refs/merge-requests/1/head")
    assert sha == work("rev-parse", "FETCH_HEAD").strip()


def test_merge_requests_of_a_scenario_have_heads(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The head refs of merge requests declared in a scenario can be fetched."""
    here = Git(tmp_path, init=True)
    url = Remote(fakeplat, "acme/site").url("dev")
    here("fetch", "-q", url, "refs/merge-requests/1/head:refs/heads/review")
    feature = fakeplat.as_user("dev").get("projects/acme%2Fsite/repository/branches/feature").json()
    assert feature["commit"]["id"] == here("rev-parse", "review").strip()
    heads = [line.split()[1] for line in here("ls-remote", url, "refs/merge-requests/*").splitlines()]
    merge_requests = fakeplat.as_user("dev").get("projects/acme%2Fsite/merge_requests?state=all").json()
    assert sorted(f"refs/merge-requests/{row['iid']}/head" for row in merge_requests) == heads


def test_whoever_may_merge_pushes_to_the_source_branch_of_a_fork(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """Collaboration allows pushes to the source branch of a fork, but not to other branches and tags."""
    remote, fork = Remote.make(fakeplat, "shared", visibility="public"), Remote(fakeplat, "eve/shared")
    work = Git(tmp_path / "work")
    work.commit("first", {"README.md": "# Work\n"})
    work("push", "-q", remote.url("ada"), "master")
    remote.call("POST", "/fork", by="eve")
    fakeplat.settle()
    work("push", "-q", fork.url("eve"), "master:topic")
    request = {"title": "Topic", "source_branch": "topic", "target_branch": "master"}
    target = {"target_project_id": remote.get()["id"], "allow_collaboration": True}
    work.commit("second", {"README.md": "# More work\n"})
    assert "You are not allowed to push code to this project." in error_output(
        work.tried("push", fork.url("ada"), "master:topic")
    )
    fork.call("POST", "/merge_requests", by="eve", json={**request, **target})
    work("push", "-q", fork.url("ada"), "master:topic")
    assert work("rev-parse", "HEAD").strip() == fork.branches["topic"]
    for ref in ("master:other", "master:refs/tags/v1"):
        assert "You are not allowed to push code to this project." in error_output(
            work.tried("push", fork.url("ada"), ref)
        )
    assert {"master", "topic"} == set(fork.branches)


def test_options_of_a_push_go_to_its_pipeline(work: Git, remote: Remote) -> None:
    """``ci.variable`` sets a variable of the pipeline, and ``ci.skip`` skips it."""
    work("checkout", "-q", "-b", "topic")
    work.commit("Configure CI", {".gitlab-ci.yml": "test:\n  script: make\n"})
    work("push", "-q", "-o", "ci.variable=MODE=fast", "origin", "topic")
    work.commit("Say more", {"more.txt": "more"})
    work("push", "-q", "-o", "ci.skip", "origin", "topic")
    pipelines = list(remote.fake.bench.platform.view.pipelines.all())

    assert [[("MODE", "fast")], []] == [
        [(variable.key, variable.value) for variable in row.variables] for row in pipelines
    ]
    assert "skipped" == pipelines[-1].status


def test_the_merge_ref_follows_the_check(work: Git, remote: Remote) -> None:
    """A check without a conflict writes the merge ref, and a moved branch gets a new one."""
    work("checkout", "-q", "-b", "topic")
    work.commit("Say more", {"more.txt": "more"})
    work("push", "-q", "-o", "merge_request.create", "origin", "topic")
    merge_request = f"{remote.api}/merge_requests/1"
    for number in range(2):
        assert "can_be_merged" == remote.fake.as_user("ada").get(merge_request).json()["merge_status"]
        work("fetch", "-q", "origin", "merge-requests/1/merge")
        parents = work("rev-parse", "FETCH_HEAD^1", "FETCH_HEAD^2").split()
        assert [work.sha("master"), work.sha("topic")] == parents
        merge_ref = remote.fake.as_user("ada").get(f"{merge_request}/merge_ref").json()
        assert {"commit_id": work("rev-parse", "FETCH_HEAD").strip()} == merge_ref
        work.commit(f"More {number}", {"more.txt": f"more {number}"})
        work("push", "-q", "origin", "topic")


def test_a_conflict_writes_no_merge_ref(work: Git, remote: Remote) -> None:
    """A check with a conflict leaves the merge ref as it was."""
    work("checkout", "-q", "-b", "topic")
    work.commit("Say more", {"README.md": "# More\n"})
    work("push", "-q", "-o", "merge_request.create", "origin", "topic")
    assert "can_be_merged" == remote.get("/merge_requests/1")["merge_status"]
    before = work("ls-remote", "origin", "refs/merge-requests/1/merge")
    work("checkout", "-q", "master")
    work.commit("Say less", {"README.md": "# Less\n"})
    work("push", "-q", "origin", "master")

    assert "cannot_be_merged" == remote.get("/merge_requests/1")["merge_status"]
    assert before
    assert before == work("ls-remote", "origin", "refs/merge-requests/1/merge")
