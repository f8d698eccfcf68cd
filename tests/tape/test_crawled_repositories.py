"""A crawl fetches repositories over git's smart HTTP, so that their content is the same, hash by hash."""

import asyncio
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from attrs import evolve

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.domain.repository.repositories import get_repository, open_repository, record_of
from fakeplat.git.import_repository import from_bundle
from fakeplat.git.objects import Objects
from fakeplat.git.pktline import encode_line, encode_sideband
from fakeplat.platform import Platform
from fakeplat.tape.export.cloning import NotCloned, clone_repository
from fakeplat.tape.export.crawler import Crawl
from fakeplat.tape.export.pruning import prune
from fakeplat.tape.export.scenario_builder import build_scenario
from fakeplat.tape.records.transports import Ask, ask_platform, ask_server
from tests.git.command import Git
from tests.git.git_server import git_serving
from tests.scenario.worlds import create_platform, project, write

SITE = "acme/site"
UPLOAD = "/acme/site.git/git-upload-pack"
REFS = "/acme/site.git/info/refs"


def crawl(ask: Ask, token: str | None = "root-token") -> Crawl:
    made_ready = Crawl(ask, token)
    asyncio.run(made_ready.read([SITE], []))
    return made_ready


def build_project(crawled: Crawl) -> dict[str, Any]:
    project: dict[str, Any] = prune(build_scenario(crawled.observations)).scenario["projects"][0]
    return project


def rebuild_platform(crawled: Crawl) -> Platform:
    return create_platform(prune(build_scenario(crawled.observations)).scenario)


def list_refs(platform: Platform) -> dict[str, str]:
    record = record_of(platform.view, project(platform.view, SITE))
    assert record is not None
    refs, _ = get_repository(platform.view, record)
    return {name: sha for name, sha in refs.items() if name.startswith(("refs/heads/", "refs/tags/"))}


def list_shas(platform: Platform) -> list[str]:
    git = open_repository(platform.view, project(platform.view, SITE))
    return [commit.sha for commit in git.log("feature")] + [commit.sha for commit in git.log("master")]


def get_answer(platform: Platform, target: str) -> tuple[int, Any]:
    """Status and body, without the id of the project."""
    path, _, query = target.partition("?")
    headers = {"private-token": "root-token"}
    response = platform.handle(Request("GET", f"/api/v4/projects/acme%2Fsite/{path}", query, headers))
    body = orjson.loads(response.body) if response.body.startswith((b"{", b"[")) else response.body
    return response.status, {**body, "project_id": 0} if isinstance(body, dict) else body


def test_commits_files_and_trees_are_the_same() -> None:
    """Every commit, file, tree and tag of the crawled world answers as on the server."""
    before = create_platform("starter")
    after = rebuild_platform(crawl(ask_platform(before)))
    paths = ["README.md", "LICENSE", "app/server.py", "public/logo.png", "public/menu.js", "Makefile"]
    places = [
        *(f"repository/commits/{sha}{more}" for sha in list_shas(before) for more in ("", "/diff", "/refs")),
        *(f"repository/files/{path.replace('/', '%2F')}?ref=master" for path in paths),
        "repository/tree?recursive=true&per_page=100",
        "repository/tags/v1.0",
        "repository/branches",
    ]

    assert list_refs(before) == list_refs(after)
    assert 5 == len({*list_shas(before)})
    assert [(200, path) for path in places] == [(get_answer(before, path)[0], path) for path in places]
    assert [get_answer(before, path) for path in places] == [get_answer(after, path) for path in places]


def test_the_bundle_is_one_that_git_takes(tmp_path: Path) -> None:
    """git verifies and fetches the crawled bundle with its branches, tags, HEAD and merge request heads."""
    platform = create_platform("starter")
    keys = build_project(crawl(ask_platform(platform)))["repository"]
    file = tmp_path / "site.bundle"
    file.write_bytes(b64decode(keys["bundle"]))
    git = Git(tmp_path / "clone")
    git("fetch", "-q", str(file), "+refs/*:refs/taken/*")

    listed = (line.split() for line in git("bundle", "list-heads", str(file)).splitlines())
    assert "master" == keys["head"]
    refs = list_refs(platform)
    heads = {"HEAD": "master", "refs/merge-requests/1/head": "feature", "refs/merge-requests/2/head": "readme"}
    expected = {**refs, **{name: refs[f"refs/heads/{branch}"] for name, branch in heads.items()}}
    assert expected == {name: sha for sha, name in listed}
    assert "" == git("fsck", "--full", "--strict")


@pytest.fixture
def upstream(tmp_path: Path) -> Git:
    """A repository in which git packs with deltas, and whose default branch has a name of its own."""
    git = Git(tmp_path / "upstream")
    git("symbolic-ref", "HEAD", "refs/heads/trunk")
    lines = [f"line {number} of a file that is long enough for a delta\n" for number in range(400)]
    for number in range(4):
        lines[number * 50] = f"changed {number}\n"
        git.commit(f"Change {number}", {"long.txt": "".join(lines), "naïve/ü.bin": bytes(range(256))})
    git("tag", "-a", "v1", "-m", "First")
    git("branch", "topic", "HEAD~2")
    git("update-ref", "refs/merge-requests/1/head", "HEAD~1")
    git("update-ref", "refs/keep-around/1", "HEAD~3")
    git("gc", "-q")
    return git


def test_what_git_itself_serves_is_read(upstream: Git) -> None:
    """A clone from a git server reads delta packs, a symbolic HEAD, branches, tags and merge request heads."""
    listed = (line.split() for line in upstream("show-ref").splitlines())
    expected = {name: sha for sha, name in listed if "/keep-around/" not in name}

    async def fetched(url: str) -> Mapping[str, str]:
        async with ask_server(url.removesuffix("/site.git")) as ask:
            clone = await clone_repository(ask, "site", None)
            assert clone is not None
            return clone.entry

    with git_serving(upstream.path) as url:
        clone, objects = asyncio.run(fetched(url)), Objects()
    taken = from_bundle(objects, b64decode(clone["bundle"]))

    assert "trunk" == clone["head"]
    assert expected == taken.refs
    assert upstream("rev-list", "--all").split()[:1] == [taken.refs["refs/heads/trunk"]]


def test_the_same_repository_gives_the_same_bytes() -> None:
    """Two crawls of the same repository write the same bytes."""
    first, second = (build_project(crawl(ask_platform(create_platform("starter"))))["repository"] for _ in range(2))

    assert first == second


def test_an_empty_repository_is_not_asked_for() -> None:
    """A crawl sends no git request for an empty project, and its world has no repository."""
    asked: list[str] = []
    platform = create_platform({"groups": [{"path": "acme", "projects": ["site"]}]})

    async def ask(request: Request) -> Response:
        asked.append(request.path)
        return platform.handle(request)

    crawled = crawl(ask)
    assert "repository" not in build_project(crawled)
    assert [] == [path for path in asked if ".git" in path]
    assert record_of(rebuild_platform(crawled).view, project(rebuild_platform(crawled).view, SITE)) is None


def test_a_head_that_leads_nowhere_is_not_said() -> None:
    """A HEAD that names a missing branch is left out of the scenario."""
    platform = create_platform("starter")

    async def ask(request: Request) -> Response:
        response = platform.handle(request)
        body = response.body.replace(b"symref=HEAD:refs/heads/master", b"symref=HEAD:refs/heads/others")
        return evolve(response, body=body) if request.path == REFS else response

    assert "head" not in build_project(crawl(ask))["repository"]


def replace_answer(path: str, answer: Response) -> Ask:
    """The starter's server, which answers otherwise at one path."""
    platform = create_platform("starter")

    async def ask(request: Request) -> Response:
        return answer if request.path == path else platform.handle(request)

    return ask


def git_answer(service: str, body: bytes) -> Response:
    return Response(200, (("Content-Type", f"application/x-git-upload-pack-{service}"),), body)


@pytest.mark.parametrize(
    ("path", "answer", "note"),
    [
        *((REFS, Response(status), f"acme/site.git {status}") for status in (401, 403, 404, 302, 500)),
        (REFS, Response(200, (("Content-Type", "text/html"),), b"Sign in"), "text/html"),
        (REFS, git_answer("advertisement", b"junk"), "bad line length"),
        (REFS, git_answer("advertisement", b"00ffcut off"), "hung up"),
        (UPLOAD, Response(403), "acme/site.git 403"),
        (UPLOAD, git_answer("result", encode_line("ERR upload-pack: not our ref\n")), "not our ref"),
        (
            UPLOAD,
            git_answer("result", encode_line("NAK\n") + b"".join(encode_sideband(3, b"out of memory\n"))),
            "out of memory",
        ),
        (
            UPLOAD,
            git_answer("result", encode_line("NAK\n") + b"".join(encode_sideband(1, b"PACKjunk"))),
            "pack signature",
        ),
        (UPLOAD, git_answer("result", b""), "bad line length"),
    ],
)
def test_a_refused_repository_is_left_out_and_counted(path: str, answer: Response, note: str) -> None:
    """A refused repository is reported with the reason, and the rest of the project is read."""
    crawled = crawl(replace_answer(path, answer))
    [message] = [line for line in crawled.skipped if line.startswith("acme/site.git ")]

    assert note in message
    assert "repository" not in build_project(crawled)
    assert 5 == len(build_project(crawled)["issues"])


def test_objects_that_did_not_come_are_missed() -> None:
    """A pack that lacks the commit of a branch is refused with its hash."""
    platform = create_platform("starter")
    basic = {"authorization": f"Basic {b64encode(b'root:root-token').decode()}"}
    request = Request("GET", REFS, "service=git-upload-pack", basic)
    feature = list_refs(platform)["refs/heads/feature"].encode()
    other = git_answer("advertisement", platform.handle(request).body.replace(feature, b"1" * 40))

    async def ask(request: Request) -> Response:
        if request.path == REFS:
            return other
        return platform.handle(evolve(request, body=request.body.replace(b"1" * 40, feature)))

    with pytest.raises(NotCloned) as refusal:
        asyncio.run(clone_repository(ask, SITE, "root-token"))
    assert "1" * 40 in str(refusal.value)


def test_whoever_may_not_fetch_gets_the_rest() -> None:
    """A crawl by a guest of a private project reports that its repository was refused."""
    crawled = crawl(ask_platform(create_platform("starter")), "gus-token")

    assert "acme/site.git 403" in crawled.skipped
    assert "projects/acme%2Fsite/protected_branches 403" in crawled.skipped


def test_a_server_that_asks_to_wait_is_waited_for_with_git_too() -> None:
    """After 429 both git requests wait as long as Retry-After says and are repeated."""
    platform, refused, pauses = create_platform("starter"), list[str](), list[float]()

    async def ask(request: Request) -> Response:
        if request.path in (REFS, UPLOAD) and request.path not in refused:
            refused.append(request.path)
            return Response(429, (("Retry-After", "3"),))
        return platform.handle(request)

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    crawled = Crawl(ask, "root-token", pause=pause)
    asyncio.run(crawled.read([SITE], []))

    assert ([REFS, UPLOAD], [3.0, 3.0]) == (refused, pauses)
    assert build_project(crawled)["repository"]


def test_progress_tells_of_git() -> None:
    """The progress messages name the git requests and contain no token."""
    messages: list[str] = []
    asyncio.run(
        Crawl(ask_platform(create_platform("starter")), "root-token", show_progress=messages.append).read([SITE], [])
    )

    assert [f"GET {REFS}", f"POST {UPLOAD}"] == [line for line in messages if ".git" in line]
    assert "root-token" not in "".join(messages)


def test_protected_branches_and_tags_are_read() -> None:
    """Protected branches and tags are crawled with their levels; an unprotected branch stays unprotected."""
    platform = create_platform("starter")
    path, root = "projects/acme%2Fsite", "root-token"
    write(platform, "DELETE", f"{path}/protected_branches/master", root)
    write(platform, "POST", f"{path}/protected_branches", root, name="release/*", push_access_level=0)
    write(platform, "POST", f"{path}/protected_tags", root, name="v*", create_access_level=30)
    crawled = crawl(ask_platform(platform))
    project = build_project(crawled)

    assert [("release/*", [0], [40])] == [
        (branch["name"], branch["push_access_levels"], branch["merge_access_levels"])
        for branch in project["protected_branches"]
    ]
    assert [{"name": "v*", "create_access_levels": [30]}] == project["protected_tags"]
    assert 404 == get_answer(rebuild_platform(crawled), "protected_branches/master")[0]


def test_users_and_groups_that_may_push_are_named() -> None:
    """Users and groups in a protection are named by path; unknown ones are counted."""
    platform = create_platform("starter")
    people = {user.username: user.id for user in platform.view.users.all()}
    rule = {
        "name": "master",
        "push_access_levels": [
            {"access_level": None, "user_id": people["mia"], "group_id": None},
            {"access_level": 40, "user_id": 987654, "group_id": None},
            {"access_level": 40, "user_id": None, "group_id": None},
        ],
        "code_owner_approval_required": True,
    }
    answer = Response(200, (("Content-Type", "application/json"),), orjson.dumps([rule]))
    composed = prune(
        build_scenario(crawl(replace_answer("/api/v4/projects/acme%2Fsite/protected_branches", answer)).observations)
    )
    expected = {
        "name": "master",
        "push_access_levels": [{"user": "mia"}, 40],
        "code_owner_approval_required": True,
    }

    assert [expected] == composed.scenario["projects"][0]["protected_branches"]
    assert 1 == composed.left_out["push_access_levels of unknown users or groups"]
