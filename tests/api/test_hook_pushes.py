"""Webhooks about pushes. Source: docs/platform/webhooks.md, recorded payloads."""

from typing import Any

import pytest

from fakeplat.domain.repository import repositories
from fakeplat.harness.fake import Fakeplat
from tests.api.deliveries import (
    ADA,
    LONG_REPOSITORY,
    PROJECT,
    SITE,
    URL,
    ZEROS,
    Deliveries,
    change,
    commit,
    create,
    receive,
)

PUSHES: dict[str, Any] = {"url": URL, "tag_push_events": True}
USER = {
    "user_id": 2,
    "user_name": "Ada Example",
    "user_username": "ada",
    "user_email": "",
    "user_avatar": ADA["avatar_url"],
}


def move_refs(fake: Fakeplat, refs: dict[str, str | None]) -> None:
    """Move refs in one push by Ada; a value is the branch whose head they get."""
    with fake.bench.platform.acting(origin=fake.url.rstrip("/")) as ctx:
        project = ctx.world.projects[5001]
        git = repositories.open_repository(ctx.world, project)
        heads = {name: git.branches()[branch] if branch else None for name, branch in refs.items()}
        repositories.move_refs(ctx, project, heads, ctx.world.users[2])


def get_head(fake: Fakeplat, branch: str = "master") -> str:
    return str(fake.as_user("ada").get(f"{SITE}/repository/branches/{branch}").json()["commit"]["id"])


def test_a_push_to_a_branch(fakeplat: Fakeplat) -> None:
    """The event of a push has the whole payload with the public e-mail address."""
    sent = receive(fakeplat, **PUSHES)
    before = get_head(fakeplat)
    actions = [
        {"action": "create", "file_path": "a.txt", "content": "a"},
        {"action": "update", "file_path": "README.md", "content": "b"},
        {"action": "delete", "file_path": "LICENSE"},
        {"action": "move", "file_path": "menu.js", "previous_path": "public/menu.js"},
    ]
    message = "Change it\n\nAll of it.\n"
    after = commit(fakeplat, "master", commit_message=message, actions=actions)
    (payload,) = sent.payloads()

    expected = {
        "object_kind": "push",
        "event_name": "push",
        "before": before,
        "after": after,
        "ref": "refs/heads/master",
        "checkout_sha": after,
        "message": None,
        **USER,
        "project_id": 5001,
        "project": PROJECT,
        "commits": [
            {
                "id": after,
                "message": message,
                "title": "Change it",
                "timestamp": "2020-11-20T09:00:00+00:00",
                "url": f"http://localhost/acme/site/-/commit/{after}",
                "author": {"name": "Ada Example", "email": "ada@example.test"},
                "added": ["a.txt", "menu.js"],
                "modified": ["README.md"],
                "removed": ["LICENSE"],
            }
        ],
        "total_commits_count": 1,
        "push_options": {},
        "repository": LONG_REPOSITORY,
    }
    assert expected == payload
    assert list(expected) == list(payload)


def test_a_new_branch_and_its_end(fakeplat: Fakeplat) -> None:
    """Zeros take the place of the missing side; commits are those that the default branch lacks."""
    sent = receive(fakeplat, **PUSHES)
    create(fakeplat, f"{SITE}/repository/branches", branch="same", ref="master")
    create(fakeplat, f"{SITE}/repository/branches", branch="more", ref="feature")
    fakeplat.as_user("ada").delete(f"{SITE}/repository/branches/more")
    same, more, gone = sent.payloads()

    assert (ZEROS, [], 0) == (same["before"], same["commits"], same["total_commits_count"])
    assert (["Search by name"], 1) == ([commit["title"] for commit in more["commits"]], more["total_commits_count"])
    assert (get_head(fakeplat, "feature"), ZEROS, None, [], 0) == (
        gone["before"],
        gone["after"],
        gone["checkout_sha"],
        gone["commits"],
        gone["total_commits_count"],
    )


def test_many_commits(fakeplat: Fakeplat) -> None:
    """A push event has the last 20 commits, oldest first, and their number."""
    create(fakeplat, f"{SITE}/repository/branches", branch="many", ref="master")
    shas = [commit(fakeplat, "many", f"{number}.txt") for number in range(22)]
    sent = receive(fakeplat, **PUSHES)
    move_refs(fakeplat, {"refs/heads/master": "many"})
    (payload,) = sent.payloads()

    assert (shas[2:], 22) == ([commit["id"] for commit in payload["commits"]], payload["total_commits_count"])


def test_the_first_push_of_the_default_branch(fakeplat: Fakeplat) -> None:
    """The first push of the default branch has all commits, newest first."""
    project = create(fakeplat, "projects", name="Empty")["id"]
    fakeplat.as_user("ada").post(f"projects/{project}/hooks", json=PUSHES)
    sent = Deliveries(fakeplat)
    with fakeplat.bench.platform.acting() as ctx:
        git = repositories.open_repository(ctx.world, ctx.world.projects[5001])
        refs = {"refs/heads/master": git.branches()["master"]}
        repositories.move_refs(ctx, ctx.world.projects[project], refs, ctx.world.users[2])
    (payload,) = sent.payloads()

    titles = [commit["title"] for commit in payload["commits"]]
    assert (ZEROS, "Say how to run it", "Initial commit", 4) == (
        payload["before"],
        titles[0],
        titles[-1],
        payload["total_commits_count"],
    )


@pytest.mark.parametrize(("length", "expected"), [(99, "x" * 99), (100, "x" * 80 + "…")])
def test_long_titles(fakeplat: Fakeplat, length: int, expected: str) -> None:
    """Push events cut commit titles of 100 characters and more."""
    sent = receive(fakeplat, **PUSHES)
    commit(fakeplat, "master", commit_message="x" * length)

    assert expected == sent.payloads()[0]["commits"][0]["title"]


def test_an_annotated_tag(fakeplat: Fakeplat) -> None:
    """The tagged commit, and the message of the tag; its end has neither."""
    sent = receive(fakeplat, **PUSHES)
    tag = create(fakeplat, f"{SITE}/repository/tags", tag_name="v9", ref="master", message="Nine")
    fakeplat.as_user("ada").delete(f"{SITE}/repository/tags/v9")
    new, gone = sent.payloads()

    assert ("tag_push", "tag_push", ZEROS, tag["target"], "refs/tags/v9", get_head(fakeplat), "Nine", 1) == tuple(
        new[name]
        for name in (
            *("object_kind", "event_name", "before", "after", "ref"),
            *("checkout_sha", "message", "total_commits_count"),
        )
    )
    assert [get_head(fakeplat)] == [commit["id"] for commit in new["commits"]]
    assert {"added", "modified", "removed"} <= {*new["commits"][0]}
    assert (tag["target"], ZEROS, None, None, [], 0) == tuple(
        gone[name] for name in ("before", "after", "checkout_sha", "message", "commits", "total_commits_count")
    )


def test_a_lightweight_tag(fakeplat: Fakeplat) -> None:
    """The tag event of a lightweight tag has an empty message."""
    sent = receive(fakeplat, **PUSHES)
    create(fakeplat, f"{SITE}/repository/tags", tag_name="v9", ref="master")
    (payload,) = sent.payloads()

    assert ("", get_head(fakeplat)) == (payload["message"], payload["after"])


def build_refs(kind: str, count: int) -> list[str]:
    return [f"refs/{kind}/new{number}" for number in range(count)]


def test_many_refs_in_one_push(fakeplat: Fakeplat) -> None:
    """A push of more than three refs of a kind announces none of them."""
    sent = receive(fakeplat, **PUSHES)
    refs: dict[str, str | None] = dict.fromkeys([*build_refs("tags", 3), *build_refs("heads", 4)], "master")
    move_refs(fakeplat, {**refs, "refs/heads/feature": "master"})
    assert ["refs/heads/feature", *build_refs("tags", 3)] == [payload["ref"] for payload in sent.payloads()]
    move_refs(
        fakeplat,
        {**dict.fromkeys(build_refs("heads", 3)), **dict.fromkeys([f"{n}x" for n in build_refs("heads", 3)], "master")},
    )
    assert 6 == len(sent.take())


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1)])
def test_the_limit_of_refs(fakeplat: Fakeplat, limit: int, expected: int) -> None:
    """The setting limits the refs of announced pushes, and 0 announces none."""
    change(fakeplat, "application/settings", "root", push_event_hooks_limit=limit)
    sent = receive(fakeplat, **PUSHES)
    commit(fakeplat, "master")

    assert expected == len(sent.take())


def test_other_refs_are_no_pushes(fakeplat: Fakeplat) -> None:
    """Pushes to refs of the platform send no webhook or system hook."""
    fakeplat.load({"system_hooks": [{"url": URL}]})
    sent = receive(fakeplat, **PUSHES)
    move_refs(fakeplat, {"refs/merge-requests/9/head": "master"})

    assert [] == sent.take()


def test_updates_of_repositories(fakeplat: Fakeplat) -> None:
    """System hooks hear once of all refs of a push; the e-mail address is the primary one."""
    fakeplat.load({"system_hooks": [{"url": URL}]})
    sent = Deliveries(fakeplat)
    refs: dict[str, str | None] = dict.fromkeys(build_refs("heads", 4), "master")
    move_refs(fakeplat, refs)
    (payload,) = sent.payloads()
    expected: dict[str, Any] = {
        "event_name": "repository_update",
        "user_id": 2,
        "user_name": "Ada Example",
        "user_email": "ada@example.test",
        "user_avatar": ADA["avatar_url"],
        "project_id": 5001,
        "project": PROJECT,
        "changes": [{"before": ZEROS, "after": get_head(fakeplat), "ref": ref} for ref in refs],
        "refs": list(refs),
    }

    assert expected == payload
    assert list(expected) == list(payload)


def test_system_hooks_get_whole_pushes(fakeplat: Fakeplat) -> None:
    """System hooks receive pushes of branches and tags with their commits."""
    hook = {"url": URL, "push_events": True, "tag_push_events": True, "repository_update_events": False}
    fakeplat.load({"system_hooks": [hook]})
    sent = Deliveries(fakeplat)
    commit(fakeplat, "master")
    create(fakeplat, f"{SITE}/repository/tags", tag_name="v9", ref="master")

    assert [("push", 1), ("tag_push", 1)] == [
        (payload["object_kind"], len(payload["commits"])) for payload in sent.payloads()
    ]
