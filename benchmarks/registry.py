"""Deleting 10,000 tags of an image repository in bulk, compared with 100, per tag."""

import time

import orjson

from benchmarks.ratio import Ratio
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.platform import Platform
from fakeplat.scenario import create_platform, get_scenario

FEW, MANY = 100, 10_000
ROUNDS = 5
HEADERS = {"private-token": "mia-token", "content-type": JSON}
REPOSITORIES = "/api/v4/projects/acme%2Fsite/registry/repositories"
CRITERIA = orjson.dumps({"name_regex_delete": "v.*", "older_than": "1d", "keep_n": 1})


def measure() -> list[Ratio]:
    few, many = (min(_time_deletion(_create_images(count)) for _ in range(ROUNDS)) / count for count in (FEW, MANY))
    detail = f"{many * 1e6:.1f} vs {few * 1e6:.1f} \u00b5s"
    return [Ratio("deleting 10,000 tags in bulk, vs 100, per tag", many / few, 3, detail=detail)]


def _create_images(tags: int) -> Platform:
    rows = [{"name": f"v{number}", "created_at": "2020-01-01T00:00:00Z"} for number in range(tags)]
    site = {"path_with_namespace": "acme/site", "container_repositories": [{"name": "web", "tags": rows}]}
    return create_platform(get_scenario({"extends": "starter", "projects": [site]}))


def _time_deletion(platform: Platform) -> float:
    """Return the seconds of a request and the work that follows it."""
    (repository,) = platform.view.container_repositories.all()
    began = time.perf_counter()
    path = f"{REPOSITORIES}/{repository.id}/tags"
    answer = platform.handle(Request("DELETE", path, "", HEADERS, CRITERIA))
    platform.settle()
    took = time.perf_counter() - began
    if answer.status != 202 or len(platform.view.container_tags) != 1:
        raise RuntimeError(answer.body.decode())
    return took
