"""Merge requests: how lists grow, and what making and merging one costs beside a bare handler."""

import http.client
import json
import time
from typing import Any

from benchmarks.ratio import Ratio
from benchmarks.servers import bare, call, fakeplat
from fakeplat.core.cache.entries import Cache
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.rng import random_bytes
from fakeplat.domain.people import namespaces
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.merge_requests import DiffRefs, DiffVersion, MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.platform import Platform
from fakeplat.scenario import create_platform, find_scenario

FEW, MANY = 200, 20_000
ORDERS = ("created_at", "updated_at")
FILTERS = (
    "state=opened",
    "labels=bug",
    "milestone=bench",
    "author_username=ada",
    "assignee_username=dev",
    "wip=yes",
    "source_branch=topic-7",
    "created_after=2020-11-10",
    "updated_before=2020-11-10",
)
PATH = "/api/v4/projects/acme%2Fsite/merge_requests"
MERGED = 60


def measure() -> list[Ratio]:
    small, large = _made(FEW), _made(MANY)
    worst = max(
        (_time(large, query) / _time(small, query), query)
        for query in (f"{chosen}&order_by={order}" for chosen in FILTERS for order in ORDERS)
    )
    first = _time(large, "") / _time(small, "")
    return [
        Ratio("first page of 20,000 merge requests, of 200", first, 3),
        Ratio("filtered page 1 of 20,000 merge requests, of 200, at worst", worst[0], 3, detail=worst[1]),
        *_served(),
    ]


def _made(count: int) -> Platform:
    made = create_platform(find_scenario("starter"))
    project, ada = namespaces.find_project_by_path(made.view, "acme/site"), made.view.users.find("username", "ada")
    if project is None or ada is None:
        raise LookupError("starter has no acme/site")
    with made.acting(ada) as ctx:
        bug = labels.find_by_title(ctx.world, project, "bug") or labels.create(ctx, project, "bug", "#d9534f")
        one = milestones.create(ctx, project, title="bench", due_date="2020-12-01")
        people: list[User] = [user for user in ctx.world.users.all() if user.username in ("ada", "mia", "dev", "rep")]
        start = ctx.world.merge_requests.next_id()
        rows = [_row(n, start + n, project, people, bug.id, one.id) for n in range(count)]
        ctx.world.merge_requests.add_many(rows)
        first = ctx.world.diff_versions.next_id()
        refs = DiffRefs("0" * 40, "0" * 40, "1" * 40)
        ctx.world.diff_versions.add_many(
            [DiffVersion(first + n, row.id, project.id, project.id, row.created_at, refs) for n, row in enumerate(rows)]
        )
    return made


def _row(n: int, id_: int, project: Project, people: list[User], label: int, milestone: int) -> MergeRequest:
    dice = random_bytes(1, "bench", n, 8)
    return MergeRequest(
        id=id_,
        iid=10_000 + n,
        project_id=project.id,
        source_project_id=project.id,
        source_branch=f"topic-{n % 50}",
        target_branch="master",
        title=f"{'Draft: ' if dice[2] % 10 == 0 else ''}Change {n}",
        author_id=people[dice[0] % 4].id,
        created_at=f"2020-11-{1 + dice[1] % 19:02d}T{dice[2] % 24:02d}:00:00.{n % 1000:03d}Z",
        updated_at=f"2020-11-{1 + dice[3] % 19:02d}T{dice[4] % 24:02d}:00:00.{n % 1000:03d}Z",
        state=("opened", "merged", "closed")[dice[5] % 3],
        assignee_ids=(people[dice[6] % 4].id,) if dice[6] % 2 else (),
        label_ids=(label,) if dice[7] % 5 == 0 else (),
        milestone_id=milestone if dice[7] % 7 == 0 else None,
    )


def _time(made: Platform, query: str) -> float:
    """Seconds of a first page that is chosen and put together anew; what is remembered of whole lists stays."""
    request = Request("GET", PATH, query, {"private-token": "root-token"})
    best = 9.0
    made._answers = Cache(1)  # whole answers are measured elsewhere
    for _ in range(30):
        made._answers.clear()
        made._selections.clear()
        began = time.perf_counter()
        made.handle(request)
        best = min(best, time.perf_counter() - began)
    return best


def _served() -> list[Ratio]:
    with fakeplat() as (port, _):
        _work(port)
        made = _seconds(port, [("POST", PATH, _new(n)) for n in range(MERGED)])
        known = json.loads(made[1])["iid"] - MERGED + 1
        merged = _seconds(port, [("PUT", f"{PATH}/{known + n}/merge", {}) for n in range(MERGED)])
    with bare(made[1]) as plain:
        theirs = _seconds(plain, [("POST", PATH, _new(n)) for n in range(MERGED)])[0]
    return [
        Ratio("making a merge request, of a bare POST", made[0] / theirs, 20),
        Ratio("merging one, of a bare POST", merged[0] / theirs, 20),
    ]


def _work(port: int) -> None:
    """A branch with a commit for each."""
    for n in range(MERGED):
        actions = [{"action": "create", "file_path": f"bench/{n}.txt", "content": str(n)}]
        body = {"branch": f"bench-{n}", "start_branch": "master", "commit_message": "x", "actions": actions}
        call(port, "POST", "/api/v4/projects/acme%2Fsite/repository/commits", body)


def _new(n: int) -> dict[str, Any]:
    return {"title": f"Bench {n}", "source_branch": f"bench-{n}", "target_branch": "master"}


def _seconds(port: int, requests: list[tuple[str, str, Any]]) -> tuple[float, bytes]:
    """The median seconds of a request on one connection, and the last answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    took, content = [], b""
    for method, path, body in requests:
        headers = {"PRIVATE-TOKEN": "root-token", "Content-Type": "application/json"}
        began = time.perf_counter()
        connection.request(method, path, json.dumps(body), headers)
        answer = connection.getresponse()
        content = answer.read()
        took.append(time.perf_counter() - began)
        if answer.status >= 400:
            raise RuntimeError(content.decode())
    connection.close()
    return sorted(took)[len(took) // 2], content
