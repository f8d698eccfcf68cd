"""Pipelines: playing one to its end, of 100 to 2,000 jobs; lists of 20,000 compared with 200."""

import time

import orjson

from benchmarks.ratio import Ratio
from fakeplat.core.cache.entries import Cache
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.platform import Platform
from fakeplat.scenario import create_platform, get_scenario

FEW, MANY = 200, 20_000
STAGES = 5
ROUNDS = 10
FILTERS = (
    "",
    "status=failed",
    "ref=master",
    "username=dev",
    "updated_after=2020-11-10",
    "updated_before=2020-11-19",
    "scope=finished",
    "yaml_errors=false",
)
ORDERS = ("id", "status", "ref", "updated_at", "user_id")
PATH = "/api/v4/projects/acme%2Fsite/pipelines"


def measure() -> list[Ratio]:
    small, large = _create_histories(FEW), _create_histories(MANY)
    for platform in (small, large):
        _time_page(platform, "")  # excludes what is computed once per process
    worst = max(
        (_time_page(large, query) / _time_page(small, query), query)
        for query in (f"{filter_}&order_by={order}" for filter_ in FILTERS for order in ORDERS)
    )
    worlds = [_create_world(jobs) for jobs in (100, 1000, 2000)]
    # They take turns, so that a busy moment of the machine strikes all of them.
    rounds = [[_time_playing(world) for world in worlds] for _ in range(ROUNDS)]
    hundred, thousand, two_thousand = (min(column) for column in zip(*rounds, strict=True))
    return [
        Ratio("ms to play a pipeline of 100 jobs to its end", hundred * 1000, 20),
        Ratio("playing a pipeline of 1,000 jobs, vs 100", thousand / hundred, 10),
        Ratio("playing a pipeline of 2,000 jobs, vs 1,000", two_thousand / thousand, 2.3),
        Ratio("first page of 20,000 pipelines, vs 200", _time_page(large, "") / _time_page(small, ""), 1.3),
        Ratio("slowest filter and order, 20,000 pipelines vs 200", worst[0], 3, detail=worst[1]),
        Ratio("seconds to generate 20,000 pipelines", _time_generating(), 5),
    ]


def _create_histories(count: int) -> Platform:
    generate = {"into": "acme/site", "pipelines": count}
    return create_platform(get_scenario({"extends": "starter", "generate": [generate]}))


def _time_generating() -> float:
    from fakeplat.scenario.worlds import _base

    _base.cache_clear()
    start = time.perf_counter()
    _create_histories(MANY)
    return time.perf_counter() - start


def _configure(jobs: int) -> str:
    stages = [f"stage-{number % STAGES}" for number in range(jobs)]
    lines = (f"job-{number}: {{stage: {stage}, script: make}}\n" for number, stage in enumerate(stages))
    return f"stages: {stages[:STAGES]}\n{''.join(lines)}"


def _create_world(jobs: int) -> Platform:
    """Create a world whose project acme/site has a configuration of that many jobs."""
    files = {".gitlab-ci.yml": _configure(jobs)}
    commits = [{"message": "CI", "author": "mia", "files": files}]
    site = {"path_with_namespace": "acme/site", "repository": {"commits": commits}}
    return create_platform(get_scenario({"extends": "starter", "projects": [site]}), kind="virtual")


def _time_playing(platform: Platform) -> float:
    """Return the seconds from the start of the first job of a new pipeline to the end of the last one."""
    headers = {"private-token": "mia-token", "content-type": JSON}
    created = platform.handle(Request("POST", PATH.removesuffix("s"), "", headers, orjson.dumps({"ref": "master"})))
    if created.status != 201:
        raise RuntimeError(created.body.decode())
    start = time.perf_counter()
    platform.settle()
    return time.perf_counter() - start


def _time_page(platform: Platform, query: str) -> float:
    """Return the seconds of a first page, selected and rendered again."""
    request = Request("GET", PATH, query, {"private-token": "root-token"})
    platform._answers = Cache(1)  # cached responses are measured elsewhere
    best = 9.0
    for _ in range(12):
        platform._answers.clear()
        platform._selections.clear()
        start = time.perf_counter()
        response = platform.handle(request)
        best = min(best, time.perf_counter() - start)
        if response.status != 200:
            raise RuntimeError(response.body.decode())
    return best
