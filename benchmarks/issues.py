"""Lists of issues: how their cost grows with the world, and requests per second with writes among them."""

import asyncio
import time
from typing import Any

from benchmarks.load import requests_per_second
from benchmarks.mixed import mixed_per_second
from benchmarks.ratio import Ratio
from benchmarks.servers import bare, call, fakeplat
from fakeplat.core.cache.entries import Cache
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.rng import random_bytes
from fakeplat.domain.people import namespaces
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.platform import Platform
from fakeplat.scenario import create_platform, find_scenario

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
    small, large = _made(FEW), _made(MANY)
    for made in (small, large):
        _time(made, "")  # what is worked out once a process is of neither
    first = Ratio("first page of 100,000 issues, of 1,000", _time(large, "") / _time(small, ""), 1.3)
    worst = max(
        (_time(large, query) / _time(small, query), query)
        for query in (f"{chosen}&order_by={order}" for chosen in FILTERS for order in ORDERS)
    )
    search = _time(large, "search=nothing+of+the+kind", forget=True) / MANY * 1e6
    return [
        first,
        Ratio("filtered and ordered, 100,000 of 1,000, at worst", worst[0], 3, detail=worst[1]),
        Ratio("µs a row of a search", search, 1),
        *_served(),
    ]


def _made(count: int) -> Platform:
    made = create_platform(find_scenario("starter"))
    world = made.view
    project, ada = namespaces.find_project_by_path(world, "acme/site"), world.users.find("username", "ada")
    if project is None or ada is None:
        raise LookupError("starter has no acme/site")
    with made.acting(ada) as ctx:
        bug = labels.find_by_title(ctx.world, project, "bug") or labels.create(
            ctx, project, "bug", "#d9534f", priority=1
        )
        one = milestones.create(ctx, project, title="bench", due_date="2020-12-01")
        ctx.world.issues.add_many(_rows(ctx.world, project, bug.id, one.id, count))
    return made


def _rows(world: Any, project: Project, label: int, milestone: int, count: int) -> list[Issue]:
    people: list[User] = [world.users.find("username", name) for name in ("ada", "mia", "dev", "rep")]
    start, iid = world.issues.next_id(), 10_000
    return [_row(n, start + n, iid + n, project, people, label, milestone) for n in range(count)]


def _row(n: int, id_: int, iid: int, project: Project, people: list[User], label: int, milestone: int) -> Issue:
    dice = random_bytes(1, "bench", n, 8)
    return Issue(
        id=id_,
        iid=iid,
        project_id=project.id,
        title=f"Issue {n}",
        author_id=people[dice[0] % 4].id,
        created_at=f"2020-11-{1 + dice[1] % 19:02d}T{dice[2] % 24:02d}:00:00.{n % 1000:03d}Z",
        updated_at=f"2020-11-{1 + dice[3] % 19:02d}T{dice[4] % 24:02d}:00:00.{n % 1000:03d}Z",
        state="opened" if dice[5] % 3 else "closed",
        assignee_ids=(people[dice[6] % 4].id,) if dice[6] % 2 else (),
        label_ids=(label,) if dice[7] % 5 == 0 else (),
        milestone_id=milestone if dice[7] % 7 == 0 else None,
        due_date=f"2020-12-{1 + dice[0] % 30:02d}" if dice[1] % 3 == 0 else None,
        confidential=dice[2] % 20 == 0,
        relative_position=n * 500,
    )


def _time(made: Platform, query: str, *, forget: bool = False) -> float:
    """Seconds of a first page that is chosen and put together anew.

    What is remembered of whole lists stays, unless told.
    """
    request = Request("GET", PATH, query, {"private-token": "root-token"})
    made._answers = Cache(1)  # whole answers are measured elsewhere
    best = 9.0
    for _ in range(30 if not forget else 2):
        if forget:
            made._memory.clear()
        made._answers.clear()
        made._selections.clear()
        began = time.perf_counter()
        made.handle(request)
        best = min(best, time.perf_counter() - began)
    return best


def _served() -> list[Ratio]:
    with fakeplat("--scenario", "large") as (port, _):
        own = "/api/v4/issues?scope=all"
        body, rows = call(port, "GET", own)
        shown = f"/api/v4/projects/{rows[0]['project_id']}/issues/{rows[0]['iid']}"
        with bare(body) as plain:
            theirs = requests_per_second(plain, own)
            alone = asyncio.run(mixed_per_second(plain, own, shown))
        ours, filtered = (
            requests_per_second(port, own),
            requests_per_second(port, f"{own}&state=opened&order_by=updated_at"),
        )
        written = asyncio.run(mixed_per_second(port, own, shown))
    return [
        Ratio("20 of 10,000 issues, of a bare handler", ours / theirs, 0.5, most=False),
        Ratio("20 of 10,000 issues, filtered, of a bare handler", filtered / theirs, 0.4, most=False),
        Ratio("20 of 10,000 issues, one write among ten, of a bare one", written / alone, 0.5, most=False),
    ]
