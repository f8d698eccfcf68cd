"""Lists of issues: growth of their cost with the world, and requests per second with some writes."""

import asyncio
import time
from typing import Any

from benchmarks.load import ROUNDS, requests_per_second
from benchmarks.mixed import mixed_per_second
from benchmarks.ratio import Ratio
from benchmarks.servers import bare, call, fakeplat
from fakeplat.core.cache.entries import Cache
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.rng import random_bytes
from fakeplat.domain.people import namespaces
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.issues import Issue
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.platform import Platform
from fakeplat.scenario import create_platform, get_scenario

FEW, MANY = 1_000, 100_000
ORDERS = ("created_at", "updated_at", "due_date", "relative_position", "priority", "label_priority", "milestone_due")
FILTERS = (
    "state=opened",
    "labels=bug",
    "milestone=1.0",
    "author_username=ada",
    "assignee_username=dev",
    "confidential=true",
    "iids[]=3&iids[]=500",
    "created_after=2020-11-10",
    "updated_before=2020-11-10",
)
PATH = "/api/v4/projects/acme%2Fsite/issues"


def measure() -> list[Ratio]:
    small, large = _create_world(FEW), _create_world(MANY)
    for platform in (small, large):
        time_page(platform, "")  # excludes what is computed once per process
    first = Ratio("first page of 100,000 issues, vs 1,000", time_page(large, "") / time_page(small, ""), 1.3)
    worst = max(
        (time_page(large, query) / time_page(small, query), query)
        for query in (f"{filter_}&order_by={order}" for filter_ in FILTERS for order in ORDERS)
    )
    search = time_page(large, "search=no+such+issue", clear_memory=True) / MANY * 1e6
    return [
        first,
        Ratio("slowest filter and order, 100,000 issues vs 1,000", worst[0], 3, detail=worst[1]),
        Ratio("µs per row of a search", search, 1),
        *_measure_served(),
    ]


def _create_world(count: int) -> Platform:
    platform = create_platform(get_scenario("starter"))
    world = platform.view
    project, ada = namespaces.find_project_by_path(world, "acme/site"), world.users.find("username", "ada")
    if project is None or ada is None:
        raise LookupError("starter has no acme/site")
    with platform.acting(ada) as ctx:
        bug = labels.find_by_title(ctx.world, project, "bug") or labels.create(
            ctx, project, "bug", "#d9534f", priority=1
        )
        milestone = milestones.create(ctx, project, title="bench", due_date="2020-12-01")
        ctx.world.issues.add_many(_make_issues(ctx.world, project, bug.id, milestone.id, count))
    return platform


def _make_issues(world: Any, project: Project, label: int, milestone: int, count: int) -> list[Issue]:
    people: list[User] = [world.users.find("username", name) for name in ("ada", "mia", "dev", "rep")]
    start, iid = world.issues.next_id(), 10_000
    return [_make_issue(n, start + n, iid + n, project, people, label, milestone) for n in range(count)]


def _make_issue(n: int, id_: int, iid: int, project: Project, people: list[User], label: int, milestone: int) -> Issue:
    random = random_bytes(1, "bench", n, 8)
    return Issue(
        id=id_,
        iid=iid,
        project_id=project.id,
        title=f"Issue {n}",
        author_id=people[random[0] % 4].id,
        created_at=f"2020-11-{1 + random[1] % 19:02d}T{random[2] % 24:02d}:00:00.{n % 1000:03d}Z",
        updated_at=f"2020-11-{1 + random[3] % 19:02d}T{random[4] % 24:02d}:00:00.{n % 1000:03d}Z",
        state="opened" if random[5] % 3 else "closed",
        assignee_ids=(people[random[6] % 4].id,) if random[6] % 2 else (),
        label_ids=(label,) if random[7] % 5 == 0 else (),
        milestone_id=milestone if random[7] % 7 == 0 else None,
        due_date=f"2020-12-{1 + random[0] % 30:02d}" if random[1] % 3 == 0 else None,
        confidential=random[2] % 20 == 0,
        relative_position=n * 500,
    )


def time_page(platform: Platform, query: str, *, clear_memory: bool = False) -> float:
    """Return the seconds of a first page, selected and rendered again; ``clear_memory`` clears memoized results."""
    request = Request("GET", PATH, query, {"private-token": "root-token"})
    platform._answers = Cache(1)  # cached responses are measured elsewhere
    best = 9.0
    for _ in range(30 if not clear_memory else 2):
        if clear_memory:
            platform._memory.clear()
        platform._answers.clear()
        platform._selections.clear()
        start = time.perf_counter()
        platform.handle(request)
        best = min(best, time.perf_counter() - start)
    return best


def _measure_served() -> list[Ratio]:
    with fakeplat("--scenario", "large") as (port, _):
        issues = "/api/v4/issues?scope=all"
        body, rows = call(port, "GET", issues)
        issue = f"/api/v4/projects/{rows[0]['project_id']}/issues/{rows[0]['iid']}"
        with bare(body) as (baseline, _):
            # The servers take turns, so that a busy moment of the machine strikes both of them.
            rounds = [
                (
                    requests_per_second(port, issues),
                    requests_per_second(port, f"{issues}&state=opened&order_by=updated_at"),
                    requests_per_second(baseline, issues),
                    asyncio.run(mixed_per_second(port, issues, issue)),
                    asyncio.run(mixed_per_second(baseline, issues, issue)),
                )
                for _ in range(ROUNDS)
            ]
    ours, filtered, theirs, with_writes, baseline_mixed = (max(column) for column in zip(*rounds, strict=True))
    return [
        Ratio("20 of 10,000 issues, vs a bare handler", ours / theirs, 0.5, most=False),
        Ratio("20 of 10,000 issues, filtered, vs a bare handler", filtered / theirs, 0.4, most=False),
        Ratio("20 of 10,000 issues, 10 % writes, vs a bare handler", with_writes / baseline_mixed, 0.7, most=False),
    ]
