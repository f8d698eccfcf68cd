"""Limits of the size of repositories. Source: lib/gitlab/repository_size_error_message.rb of the platform (13.5)."""

from hashlib import sha256
from typing import Any

import pytest

from fakeplat.domain.repository import size_limits
from fakeplat.domain.validation import human_size
from fakeplat.harness.fake import Fakeplat
from tests.api.test_git_http import basic
from tests.worlds import create_site

pytestmark = pytest.mark.fakeplat(scenario="starter", tier="premium")
SITE = "projects/acme%2Fsite"
MORE = "Please contact your GitLab administrator for more information."
BIG = "x" * (3 << 20)
EXCEEDED = "because this repository has exceeded its size limit of 1 MB by 2 MB"
LIMIT = {"repository_size_limit": 1}


def write_file(fake: Fakeplat, path: str, content: str = "x", branch: str = "master") -> Any:
    body = {"branch": branch, "content": content, "commit_message": "Add"}
    return fake.as_user("ada").post(f"{SITE}/repository/files/{path}", json=body)


def set_limit(fake: Fakeplat) -> None:
    assert 200 == fake.as_user("root").put("application/settings", json=LIMIT).status


def test_a_commit_that_makes_it_too_large_is_refused(fakeplat: Fakeplat) -> None:
    """A commit that exceeds the size limit is refused; a smaller one succeeds."""
    set_limit(fakeplat)
    reply = write_file(fakeplat, "big.txt", BIG)
    text = "Your push to this repository would cause it to exceed the size limit of 1 MB so it has been rejected. "
    assert (400, {"message": text + MORE}) == (reply.status, reply.json())
    assert 201 == write_file(fakeplat, "small.txt").status


def exceed_limit(fake: Fakeplat) -> None:
    """Let the site be too large: a little more than 2 MB too much."""
    assert 201 == write_file(fake, "big.txt", BIG).status
    set_limit(fake)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "files/small.txt", {"branch": "master", "content": "x", "commit_message": "x"}),
        ("POST", "files/small.txt", {"branch": "new", "start_branch": "master", "content": "x", "commit_message": "x"}),
        ("DELETE", "files/README.md", {"branch": "master", "commit_message": "x"}),
        (
            "POST",
            "commits",
            {"branch": "master", "commit_message": "x", "actions": [{"action": "delete", "file_path": "README.md"}]},
        ),
        ("POST", "commits/master/revert", {"branch": "master"}),
    ],
)
def test_a_repository_that_is_too_large_takes_no_commits(
    fakeplat: Fakeplat, method: str, path: str, body: dict[str, Any]
) -> None:
    """A repository above its limit takes no commits, even deletions."""
    exceed_limit(fakeplat)
    reply = fakeplat.as_user("ada").request(method, f"{SITE}/repository/{path}", json=body)
    assert (400, {"message": f"Your changes could not be committed, {EXCEEDED}"}) == (reply.status, reply.json())


def test_a_repository_that_is_too_large_takes_no_branches(fakeplat: Fakeplat) -> None:
    """A repository above its limit takes no branches."""
    exceed_limit(fakeplat)
    reply = fakeplat.as_user("ada").post(f"{SITE}/repository/branches?branch=new&ref=master")
    assert (400, {"message": f"Your push has been rejected, {EXCEEDED}. {MORE}"}) == (reply.status, reply.json())


def test_a_repository_that_is_too_large_takes_no_merges(fakeplat: Fakeplat) -> None:
    """The merge request stays open, with an error."""
    ada = fakeplat.as_user("ada")
    write_file(fakeplat, "new.txt", branch="master")
    ada.post(f"{SITE}/repository/branches?branch=topic&ref=master")
    write_file(fakeplat, "topic.txt", branch="topic")
    fields = {"source_branch": "topic", "target_branch": "master", "title": "Topic"}
    iid = ada.post(f"{SITE}/merge_requests", json=fields).json()["iid"]
    exceed_limit(fakeplat)
    ada.put(f"{SITE}/merge_requests/{iid}/merge")
    merge_request = ada.get(f"{SITE}/merge_requests/{iid}").json()
    assert ("opened", f"This merge request cannot be merged, {EXCEEDED}") == (
        merge_request["state"],
        merge_request["merge_error"],
    )


@pytest.mark.parametrize(("size", "status"), [(10_000, 200), (2_000_000, 406)])
def test_lfs_objects_count(fakeplat: Fakeplat, size: int, status: int) -> None:
    """Uploads that would exceed the limit are not offered."""
    set_limit(fakeplat)
    body = {"operation": "upload", "objects": [{"oid": sha256(b"x").hexdigest(), "size": size}]}
    url = f"{fakeplat.url}/acme/site.git/info/lfs/objects/batch"
    reply = fakeplat.as_user(None).post(url, json=body, headers=basic("ada", "ada-token"))
    assert status == reply.status


def test_the_closest_limit_counts() -> None:
    """The size limit is the project's, else the group's or the instance's; 0 is unlimited."""
    site = create_site(tier="premium", settings={"repository_size_limit": 3})
    site.group("acme/deep")
    site.project("acme/deep/kit")

    def limits() -> list[int]:
        return [size_limits.get_limit(site.world, site.place(path)) >> 20 for path in ("acme/site", "acme/deep/kit")]

    assert [3, 3] == limits()
    with site.platform.acting() as ctx:
        ctx.world.namespaces.change(site.place("acme"), repository_size_limit=2)
    assert [2, 3] == limits()
    with site.platform.acting() as ctx:
        ctx.world.projects.change(site.place("acme/site"), repository_size_limit=0)
    assert [0, 3] == limits()


def test_it_is_a_paid_feature() -> None:
    """On the free tier the size of repositories is not limited."""
    site = create_site(settings={"repository_size_limit": 3})
    assert 0 == size_limits.get_limit(site.world, site.place("acme/site"))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (1, "1 Byte"),
        (1023, "1023 Bytes"),
        (1_500, "1.5 KB"),
        (123_456, "120 KB"),
        (1_040_000, "1,000 KB"),
        (1 << 20, "1 MB"),
    ],
)
def test_sizes_are_rounded(size: int, expected: str) -> None:
    """Sizes in messages are rounded to two digits."""
    assert expected == human_size(size, digits=2, delimiter=",")
