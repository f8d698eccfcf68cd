"""Merge requests: growth of the cost of lists, and creating and merging, compared with a bare handler."""

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
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.platform import Platform
from fakeplat.scenario import create_platform, get_scenario

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
MERGED, TURNS = 120, 12
Call = tuple[str, str, Any]


def measure() -> list[Ratio]:
    small, large = _create_world(FEW), _create_world(MANY)
    worst = max(
        (_time_page(large, query) / _time_page(small, query), query)
        for query in (f"{filter_}&order_by={order}" for filter_ in FILTERS for order in ORDERS)
    )
    first = _time_page(large, "") / _time_page(small, "")
    return [
        Ratio("first page of 20,000 merge requests, vs 200", first, 3),
        Ratio("slowest filtered page, 20,000 merge requests vs 200", worst[0], 3, detail=worst[1]),
        *_measure_served(),
    ]


def _create_world(count: int) -> Platform:
    platform = create_platform(get_scenario("starter"))
    project, ada = (
        namespaces.find_project_by_path(platform.view, "acme/site"),
        platform.view.users.find("username", "ada"),
    )
    if project is None or ada is None:
        raise LookupError("starter has no acme/site")
    with platform.acting(ada) as ctx:
        bug = labels.find_by_title(ctx.world, project, "bug") or labels.create(ctx, project, "bug", "#d9534f")
        milestone = milestones.create(ctx, project, title="bench", due_date="2020-12-01")
        people: list[User] = [user for user in ctx.world.users.all() if user.username in ("ada", "mia", "dev", "rep")]
        start = ctx.world.merge_requests.next_id()
        rows = [_make_merge_request(n, start + n, project, people, bug.id, milestone.id) for n in range(count)]
        ctx.world.merge_requests.add_many(rows)
        first = ctx.world.diff_versions.next_id()
        refs = DiffRefs("0" * 40, "0" * 40, "1" * 40)
        ctx.world.diff_versions.add_many(
            [DiffVersion(first + n, row.id, project.id, project.id, row.created_at, refs) for n, row in enumerate(rows)]
        )
    return platform


def _make_merge_request(
    n: int, id_: int, project: Project, people: list[User], label: int, milestone: int
) -> MergeRequest:
    random = random_bytes(1, "bench", n, 8)
    return MergeRequest(
        id=id_,
        iid=10_000 + n,
        project_id=project.id,
        source_project_id=project.id,
        source_branch=f"topic-{n % 50}",
        target_branch="master",
        title=f"{'Draft: ' if random[2] % 10 == 0 else ''}Change {n}",
        author_id=people[random[0] % 4].id,
        created_at=f"2020-11-{1 + random[1] % 19:02d}T{random[2] % 24:02d}:00:00.{n % 1000:03d}Z",
        updated_at=f"2020-11-{1 + random[3] % 19:02d}T{random[4] % 24:02d}:00:00.{n % 1000:03d}Z",
        state=("opened", "merged", "closed")[random[5] % 3],
        assignee_ids=(people[random[6] % 4].id,) if random[6] % 2 else (),
        label_ids=(label,) if random[7] % 5 == 0 else (),
        milestone_id=milestone if random[7] % 7 == 0 else None,
    )


def _time_page(platform: Platform, query: str) -> float:
    """Return the seconds of a first page, selected and rendered again; memoized results stay."""
    request = Request("GET", PATH, query, {"private-token": "root-token"})
    best = 9.0
    platform._answers = Cache(1)  # cached responses are measured elsewhere
    for _ in range(30):
        platform._answers.clear()
        platform._selections.clear()
        start = time.perf_counter()
        platform.handle(request)
        best = min(best, time.perf_counter() - start)
    return best


def _measure_served() -> list[Ratio]:
    creations = [("POST", PATH, _attributes(n)) for n in range(MERGED)]
    with fakeplat() as (port, _):
        _create_branches(port)
        content = call(port, *creations.pop())[0]
        with bare(content) as (baseline, _):
            created, posted = _take_turns((port, creations), (baseline, creations))
            last_iid = json.loads(content)["iid"] + len(creations)
            merges: list[Call] = [("PUT", f"{PATH}/{last_iid - n}/merge", {}) for n in range(len(creations))]
            merged, posted_again = _take_turns((port, merges), (baseline, creations))
    return [
        Ratio("creating a merge request, vs a bare POST", created / posted, 4),
        Ratio("merging a merge request, vs a bare POST", merged / posted_again, 8),
    ]


def _take_turns(*servers: tuple[int, list[Call]]) -> list[float]:
    """Return the seconds per request of each server, which sends its requests in turns with the others.

    Whatever disturbs a measurement makes it longer, so the best turn counts, by its median.
    """
    starts = range(0, MERGED, MERGED // TURNS)
    turns = [[_time_requests(port, calls[at : at + MERGED // TURNS]) for port, calls in servers] for at in starts]
    return [min(column) for column in zip(*turns, strict=True)]


def _create_branches(port: int) -> None:
    """Create a branch with a commit for each merge request."""
    for n in range(MERGED):
        actions = [{"action": "create", "file_path": f"bench/{n}.txt", "content": str(n)}]
        body = {"branch": f"bench-{n}", "start_branch": "master", "commit_message": "x", "actions": actions}
        call(port, "POST", "/api/v4/projects/acme%2Fsite/repository/commits", body)


def _attributes(n: int) -> dict[str, Any]:
    return {"title": f"Bench {n}", "source_branch": f"bench-{n}", "target_branch": "master"}


def _time_requests(port: int, calls: list[Call]) -> float:
    """Return the median seconds per request on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    times: list[float] = []
    for method, path, body in calls:
        headers = {"PRIVATE-TOKEN": "root-token", "Content-Type": "application/json"}
        start = time.perf_counter()
        connection.request(method, path, json.dumps(body), headers)
        response = connection.getresponse()
        content = response.read()
        times.append(time.perf_counter() - start)
        if response.status >= 400:
            raise RuntimeError(content.decode())
    connection.close()
    return sorted(times)[len(times) // 2]
