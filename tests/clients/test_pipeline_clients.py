"""The loop of a script that waits for a pipeline, with python-gitlab, under all three clocks."""

import time
from typing import Any

import gitlab
import pytest

from fakeplat.harness.fake import Fakeplat

ACTIVE = ("created", "pending", "running")
TIMEOUT = 20.0


def plan_outcome(duration: str) -> list[dict[str, Any]]:
    return [{"job": "test", "outcome": "success", "after": duration, "log": "$ python -m unittest\nOK\n"}]


CLOCKS = [
    pytest.param(id=clock, marks=pytest.mark.fakeplat(clock=clock, pipelines=plan_outcome(duration)))
    for clock, duration in (("auto", "10m"), ("virtual", "10m"), ("real", "0.3s"))
]


def wait_for_pipeline(fakeplat: Fakeplat, pipeline: Any) -> list[str]:
    """Wait until a pipeline has ended, and return the statuses that were seen."""
    kind = fakeplat.bench.platform.clock.kind
    seen = [pipeline.status]
    deadline = time.monotonic() + TIMEOUT
    while pipeline.status in ACTIVE and time.monotonic() < deadline:
        time.sleep(0.02 if kind == "real" else 0)
        if kind == "virtual":
            fakeplat.clock.advance("1m")
        pipeline.refresh()
        seen.append(pipeline.status)
    return list(dict.fromkeys(seen))


@pytest.mark.parametrize((), CLOCKS)
def test_a_script_waits_for_a_pipeline(fakeplat: Fakeplat) -> None:
    """A polling script sees a pipeline succeed and then reads the log of its job."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as client:
        project = client.projects.get("acme/site")
        pipeline = project.pipelines.create({"ref": "master"})

        assert ["pending", "running", "success"] == wait_for_pipeline(fakeplat, pipeline)
        (job,) = pipeline.jobs.list(get_all=True)
        assert b"$ python -m unittest\nOK\n" == project.jobs.get(job.id).trace()


@pytest.mark.fakeplat(clock="virtual")
def test_a_script_sees_what_settles(fakeplat: Fakeplat) -> None:
    """A pipeline follows the outcomes that the test adds, and `settle` finishes it."""
    fakeplat.pipelines.add(job="test", attempts=["failed", "success"])
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as client:
        pipeline = client.projects.get("acme/site").pipelines.create({"ref": "master"})
        seen = []
        for _ in range(2):
            fakeplat.settle()
            pipeline.refresh()
            seen.append(pipeline.status)
            pipeline.retry()

    assert ["failed", "success"] == seen
