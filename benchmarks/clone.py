"""Cloning 1,000 commits from `fakeplat serve`, compared with git's own server."""

import json
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.git import ROUNDS, timed_clone
from benchmarks.ratio import Ratio
from benchmarks.servers import fakeplat
from tests.git.command import Git
from tests.git.git_server import git_serving

COMMITS = 1_000


def measure() -> list[Ratio]:
    with TemporaryDirectory() as folder, fakeplat() as (port, _):
        git = Git(Path(folder), init=False)
        history = import_history(Path(folder) / "history")
        _create_project(port)
        history("push", "-q", f"http://root:root-token@127.0.0.1:{port}/root/long.git", "master")
        git("clone", "-q", "--bare", "history", "site.git")
        ours = [timed_clone(git, f"http://127.0.0.1:{port}/root/long.git", f"ours{number}") for number in range(ROUNDS)]
        with git_serving(Path(folder) / "site.git") as url:
            theirs = min(timed_clone(git, url, f"theirs{number}") for number in range(ROUNDS))
    first, best = ours[0], min(ours)
    return [
        Ratio("first clone of 1,000 pushed commits, vs git http-backend", first / theirs, 2, detail=_ms(first)),
        Ratio("clone of 1,000 pushed commits, vs git http-backend", best / theirs, 2, detail=_ms(best)),
    ]


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"


def import_history(folder: Path) -> Git:
    git = Git(folder)
    committer = "committer Ada Example <ada@example.test>"
    commits = [
        f"commit refs/heads/master\n{committer} {1_600_000_000 + number} +0000\ndata 5\nwords\n"
        f"M 644 inline f{number % 40}/a\ndata {len(str(number))}\n{number}\n"
        for number in range(COMMITS)
    ]
    git("fast-import", "--quiet", stdin="".join(commits).encode())
    return git


def _create_project(port: int) -> None:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v4/projects",
        json.dumps({"name": "long", "visibility": "public"}).encode(),
        {"Content-Type": "application/json", "PRIVATE-TOKEN": "root-token"},
    )
    with urllib.request.urlopen(request) as response:
        response.read()
