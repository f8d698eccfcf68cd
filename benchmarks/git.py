"""Git: clones, compared with git's own server; commits in large trees and among many branches; long histories."""

import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from benchmarks.ratio import Ratio
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.git import Change, Create, File, Objects, Person, Repository, Update, build_history, writing
from fakeplat.git.objects import EMPTY_TREE
from fakeplat.git.tree_editing import apply_actions
from fakeplat.scenario import create_platform, get_scenario
from tests.git.command import Git
from tests.git.git_server import git_serving, serving

ADA = Person("Ada Example", "ada@example.test", 1_600_000_000)
ROUNDS = 5
SITE = "/api/v4/projects/acme%2Fsite"


def measure() -> list[Ratio]:
    large, small = _time_commit(100, 100), _time_commit(1, 10)
    long, short = _time_first_page(10_000), _time_first_page(100)
    return [
        *_measure_clones(1_000),
        Ratio("commit in a tree of 10,000 files, vs 10", large / small, 5, detail=f"{large * 1e6:.0f} µs"),
        Ratio("first page of 10,000 commits, vs 100", long / short, 1.5, detail=f"{long * 1e6:.0f} µs"),
        *_measure_branches(),
    ]


def _measure_branches() -> list[Ratio]:
    """Measure what a client does in a project with many branches: it commits, then reads the commit before."""
    many, few = _time_among_branches(5_000), _time_among_branches(50)
    return [
        Ratio(f"{name} in a project with 5,000 branches, vs 50", slow / fast, 2.5, detail=f"{slow * 1e6:.0f} µs")
        for name, slow, fast in zip(("a commit", "reading a commit after it"), many, few, strict=True)
    ]


def _time_among_branches(count: int) -> tuple[float, float]:
    source = {"extends": "starter", "generate": [{"into": "acme/site", "commits": count + 1, "branches": count}]}
    platform = create_platform(get_scenario(source))
    headers = {"private-token": "root-token", "content-type": JSON}
    numbers, newest = iter(range(1_000_000)), "master"

    def send(method: str, path: str, body: bytes = b"") -> Any:
        response = platform.handle(Request(method, f"{SITE}/repository/{path}", "", headers, body))
        if response.status >= 400:
            raise RuntimeError(response.body.decode())
        return orjson.loads(response.body)

    def commit() -> None:
        nonlocal newest
        action = {"action": "create", "file_path": f"bench/{next(numbers)}.txt", "content": "x"}
        body = orjson.dumps({"branch": "master", "commit_message": "x", "actions": [action]})
        newest = send("POST", "commits", body)["id"]

    def read() -> float:
        commit()
        path = f"commits/{newest}~1"
        start = time.perf_counter()
        send("GET", path)
        return time.perf_counter() - start

    return _best_time(commit), min(read() for _ in range(20))


def _measure_clones(commits: int) -> list[Ratio]:
    with TemporaryDirectory() as folder, serving(_history(commits)) as server:
        git = Git(Path(folder), init=False)
        firsts = [timed_clone(git, server.url, "site.git")]
        for number in range(ROUNDS):
            server.repository = _history(commits)
            firsts.append(timed_clone(git, server.url, f"first{number}"))
        first = min(firsts)
        with git_serving(Path(folder) / "site.git") as url:
            theirs = min(timed_clone(git, url, f"theirs{number}") for number in range(ROUNDS))
        ours = min(timed_clone(git, server.url, f"ours{number}") for number in range(ROUNDS))
    return [
        Ratio("first clone of 1,000 commits, vs git http-backend", first / theirs, 2, detail=f"{first * 1e3:.0f} ms"),
        Ratio("next clone of 1,000 commits, vs git http-backend", ours / theirs, 2, detail=f"{ours * 1e3:.0f} ms"),
    ]


def timed_clone(git: Git, url: str, name: str) -> float:
    """Clone with git; return the seconds."""
    start = time.perf_counter()
    git("clone", "-q", "--bare", url, name)
    return time.perf_counter() - start


def _time_commit(folders: int, files: int) -> float:
    objects = Objects()
    creations = [Create(f"f{folder}/{file}", b"x") for folder in range(folders) for file in range(files)]
    head = writing.commit(objects, apply_actions(objects, EMPTY_TREE, creations), [], "first", ADA)
    numbers = iter(range(1_000_000))

    def commit() -> None:
        action = Update("f0/0", b"%d" % next(numbers))
        writing.commit_actions(objects, head, [action], "next", ADA)

    return _best_time(commit)


def _time_first_page(commits: int) -> float:
    repository = _history(commits)
    repository.count()

    def page() -> None:
        fresh = Repository(repository.objects, repository.refs, repository.head)
        if fresh.count() != commits or len(list(islice(fresh.log(), 20))) != 20:
            raise RuntimeError("unexpected first page")

    return _best_time(page)


def _history(commits: int) -> Repository:
    objects = Objects()
    changes = [
        Change(f"commit {number}", ADA._replace(when=ADA.when + number), {f"f{number % 40}/a": File(b"%d\n" % number)})
        for number in range(commits)
    ]
    return Repository(objects, build_history(objects, changes), "refs/heads/master")


def _best_time(work: Callable[[], None]) -> float:
    """Return the shortest time of a run, in seconds."""
    best = 1.0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(50):
            work()
        best = min(best, (time.perf_counter() - start) / 50)
    return best
