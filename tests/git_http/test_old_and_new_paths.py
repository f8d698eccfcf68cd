"""Projects that a push creates, and projects at the paths that they had before."""

from pathlib import Path

import pytest

from fakeplat.domain.purging import purge
from fakeplat.harness.fake import Fakeplat
from tests.git.command import Git
from tests.git_http.remote import Remote, error_output


@pytest.fixture
def work(tmp_path: Path) -> Git:
    work = Git(tmp_path / "work")
    work.commit("first", {"a.txt": "a\n"})
    return work


def run_git(work: Git, *arguments: str) -> str:
    """What git tells somebody whose command succeeds."""
    done = work.tried(*arguments)
    assert 0 == done.returncode, done.stderr
    return "\n".join(line.removeprefix("remote:").strip() for line in done.stderr.decode().splitlines())


# push to create


@pytest.mark.parametrize("namespace", ["acme", "dev"])
def test_a_push_creates_a_private_project(fakeplat: Fakeplat, work: Git, namespace: str) -> None:
    """A push to a missing path in a group or one's own namespace creates a private project and shows its URL."""
    remote = Remote(fakeplat, f"{namespace}/fresh")
    text = run_git(work, "push", remote.url("dev"), "master")
    url = f"{fakeplat.url}/{namespace}/fresh"
    assert (
        f"The private project {namespace}/fresh was successfully created.\n\nTo configure the remote, run:\n"
        f"git remote add origin {url}.git\n\nTo view the project, visit:\n{url}\n"
    ) in text
    response = remote.get(by="dev")
    assert ("fresh", "private", "master") == (response["name"], response["visibility"], response["default_branch"])
    assert {"master": work.sha()} == {
        branch["name"]: branch["commit"]["id"] for branch in remote.get("/repository/branches", by="dev")
    }


def test_it_is_said_once(fakeplat: Fakeplat, work: Git) -> None:
    """The message about a created project is not repeated at the next push."""
    remote = Remote(fakeplat, "acme/fresh")
    run_git(work, "push", remote.url("dev"), "master")
    work.commit("second", {"b.txt": "b\n"})
    assert "created" not in run_git(work, "push", remote.url("dev"), "master")


def test_asking_what_is_there_creates_it_too(fakeplat: Fakeplat, work: Git) -> None:
    """A dry-run push to a missing path creates the project."""
    run_git(work, "push", "--dry-run", Remote(fakeplat, "acme/fresh").url("dev"), "master")
    created = [event["action_name"] for event in fakeplat.as_user("dev").get("events").json()]
    assert (200, "created") == (fakeplat.as_user("dev").get("projects/acme%2Ffresh").status, created[-1])


@pytest.mark.parametrize("path", ["tree", "-bad", "fresh.atom"])
def test_no_project_is_at_some_paths(fakeplat: Fakeplat, work: Git, path: str) -> None:
    """A push to a path that no project can have gets 422 and creates nothing."""
    before = fakeplat.bench.platform.state
    assert "422" in error_output(work.tried("push", Remote(fakeplat, f"acme/{path}").url("dev"), "master"))
    assert before is fakeplat.bench.platform.state


def test_a_reserved_path_is_named(fakeplat: Fakeplat) -> None:
    """A push that would create a project with a reserved path gets 422 and a plain text."""
    from tests.api.test_git_http import refs

    reply = refs(fakeplat, "acme/tree.git", "git-receive-pack", "dev")
    assert (422, "Could not create project: Path tree is a reserved name") == (reply.status, reply.text)


def test_fetching_creates_nothing(fakeplat: Fakeplat, work: Git) -> None:
    """A fetch from a missing path, or a push without permission to create projects, creates nothing."""
    for name, command in (("dev", "fetch"), ("eve", "push"), ("rep", "push")):
        assert "not found" in error_output(work.tried(command, Remote(fakeplat, "acme/fresh").url(name), "master"))


def test_a_full_namespace_takes_no_more(fakeplat: Fakeplat, work: Git) -> None:
    """A push to a missing path creates no project for a user who has reached the limit of projects."""
    fakeplat.load({"users": [{"username": "dev", "projects_limit": 0}]})
    assert "not found" in error_output(work.tried("push", Remote(fakeplat, "dev/fresh").url("dev"), "master"))


# old paths


def rename_project(fake: Fakeplat) -> Remote:
    """A project that was renamed."""
    remote = Remote.make(fake, "before")
    remote.call("PUT", "", json={"path": "after"})
    return remote


def test_git_finds_projects_at_old_paths(fakeplat: Fakeplat, work: Git) -> None:
    """Git can fetch from and push to the former path of a project; a push shows the new path."""
    old = rename_project(fakeplat)
    text = run_git(work, "push", old.url("ada"), "master")
    assert (
        "Project 'acme/before' was moved to 'acme/after'.\n\nPlease update your Git remote:\n\n"
        f"git remote set-url origin {fakeplat.url}/acme/after.git\n"
    ) in text
    assert work.sha() in work("ls-remote", old.url("ada"))
    assert "moved" not in run_git(work, "push", Remote(fakeplat, "acme/after").url("ada"), "master:other")


def test_the_api_does_not_know_old_paths(fakeplat: Fakeplat) -> None:
    """The API answers 404 for the former path of a project."""
    rename_project(fakeplat)
    assert 404 == fakeplat.as_user("ada").get("projects/acme%2Fbefore").status


@pytest.mark.parametrize(
    ("method", "path", "body", "old", "new"),
    [
        ("PUT", "projects/acme%2Fmoving/transfer", {"namespace": "acme/tools"}, "acme/moving", "acme/tools/moving"),
        ("PUT", "groups/acme", {"path": "emca"}, "acme/moving", "emca/moving"),
        ("PUT", "groups/acme", {"path": "emca"}, "acme/tools/kit", "emca/tools/kit"),
    ],
    ids=["transfer", "group", "group above"],
)
def test_what_moves_a_project(
    fakeplat: Fakeplat, work: Git, method: str, path: str, body: dict[str, str], old: str, new: str
) -> None:
    """A push to the former path of a project that was transferred, or whose group was renamed, shows the new path."""
    Remote.make(fakeplat, "moving")
    reply = fakeplat.as_user("root").request(method, path, json=body)
    assert 200 == reply.status, reply.text
    assert f"Project '{old}' was moved to '{new}'." in run_git(
        work, "push", Remote(fakeplat, old).url("root"), "master:x"
    )


def test_a_renamed_user_is_found(fakeplat: Fakeplat, work: Git) -> None:
    """A push to the former path of a renamed user's project names the new path."""
    fakeplat.as_user("ada").post("projects", json={"name": "own"})
    reply = fakeplat.as_user("root").put(f"users/{fakeplat.world.user('ada').id}", json={"username": "lovelace"})
    assert 200 == reply.status, reply.text
    assert "was moved to 'lovelace/own'." in run_git(work, "push", Remote(fakeplat, "ada/own").url("root"), "master")


def test_who_takes_an_old_path_has_it(fakeplat: Fakeplat, work: Git) -> None:
    """A new project at a former path ends the redirect, also after it is deleted."""
    old = rename_project(fakeplat)
    body = {"name": "Fresh", "path": "before", "namespace_id": fakeplat.world.group("acme").id}
    fresh = fakeplat.as_user("ada").post("projects", json=body).json()
    assert "moved" not in run_git(work, "push", old.url("ada"), "master")
    with fakeplat.bench.platform.acting() as ctx:
        purge(ctx, ctx.world.projects[fresh["id"]])
    assert "not found" in error_output(work.tried("ls-remote", old.url("ada")))


def test_old_paths_go_with_the_project(fakeplat: Fakeplat, work: Git) -> None:
    """Former paths of a deleted project are not found."""
    old = rename_project(fakeplat)
    with fakeplat.bench.platform.acting() as ctx:
        purge(ctx, ctx.world.projects[fakeplat.world.project("acme/after").id])
    assert "not found" in error_output(work.tried("ls-remote", old.url("ada")))


def test_scenarios_say_former_paths(fakeplat: Fakeplat, work: Git) -> None:
    """`former_paths` of a project in a scenario are full paths that redirect git."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/now", "former_paths": ["acme/then"]}]})
    assert "was moved to 'acme/now'." in run_git(work, "push", Remote(fakeplat, "acme/then").url("root"), "master")
