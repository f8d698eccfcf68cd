"""A server of worlds: when it runs what is due."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import aiohttp
import pytest

from fakeplat.core.clock import Kind
from fakeplat.http.server import WorldServer
from fakeplat.platform import Platform
from fakeplat.workbench.options import Options

PROJECT = "/api/v4/projects/acme%2Fsite"
SECONDS = 10
OUTCOMES = [{"job": "*", "outcome": "success", "after": "20ms"}]


class Served(NamedTuple):
    """A served world, and a session of a client."""

    session: aiohttp.ClientSession
    platform: Platform

    async def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        async with self.session.request(method, path, json=body) as response:
            assert response.ok, await response.text()
            return None if 204 == response.status else await response.json()

    async def create_pipeline(self) -> int:
        pipeline = await self.send("POST", f"{PROJECT}/pipeline", {"ref": "master"})
        return int(pipeline["id"])

    async def wait_for(self, pipeline_id: int, status: str) -> None:
        """Wait until a pipeline has a status, without a request."""
        async with asyncio.timeout(SECONDS):
            while self.platform.view.pipelines[pipeline_id].status != status:  # noqa: ASYNC110  # nothing tells of tasks
                await asyncio.sleep(0.01)


@asynccontextmanager
async def serving(clock: Kind, *, runs_due_tasks: bool) -> AsyncIterator[Served]:
    server = WorldServer(runs_due_tasks=runs_due_tasks)
    options = Options("starter", instance={"default_branch": "master"}, clock=clock, pipelines=OUTCOMES)
    world = await server.open(options.bench())
    async with aiohttp.ClientSession(world.url, headers={"PRIVATE-TOKEN": "root-token"}) as session:
        yield Served(session, world.bench.platform)
    await server.close_all()


@pytest.mark.parametrize(("runs_due_tasks", "status"), [(True, "can_be_merged"), (False, "unchecked")])
async def test_what_a_request_makes_due_runs_after_its_response(runs_due_tasks: bool, status: str) -> None:
    """A server that runs due tasks checks a new merge request at once; another one before the next request."""
    async with serving("virtual", runs_due_tasks=runs_due_tasks) as served:
        actions = [{"action": "create", "file_path": "new.txt", "content": "new"}]
        commit = {"branch": "new", "start_branch": "master", "commit_message": "New", "actions": actions}
        await served.send("POST", f"{PROJECT}/repository/commits", commit)
        branches = {"source_branch": "new", "target_branch": "master"}
        created = await served.send("POST", f"{PROJECT}/merge_requests", {"title": "New", **branches})
        assert "unchecked" == created["merge_status"]
        await asyncio.sleep(0.05)
        assert status == served.platform.view.merge_requests[created["id"]].merge_status


async def test_tasks_run_when_their_time_comes() -> None:
    """Under a real clock, a pipeline reaches its end although nobody sends a request."""
    async with serving("real", runs_due_tasks=True) as served:
        await served.wait_for(await served.create_pipeline(), "success")


@pytest.mark.parametrize(("clock", "runs_due_tasks"), [("virtual", True), ("real", False)])
async def test_tasks_wait_while_the_time_stands_still_or_nobody_runs_them(clock: Kind, runs_due_tasks: bool) -> None:
    """Under another clock, and without a server that runs due tasks, a pipeline waits for the next request."""
    async with serving(clock, runs_due_tasks=runs_due_tasks) as served:
        pipeline_id = await served.create_pipeline()
        await asyncio.sleep(0.1)
        assert "pending" == served.platform.view.pipelines[pipeline_id].status


async def test_tasks_of_a_restored_world_run_too() -> None:
    """After a control route, the tasks of the world run that it leaves behind."""
    async with serving("real", runs_due_tasks=True) as served:
        pipeline_id = await served.create_pipeline()
        await served.send("POST", "/_fakeplat/snapshots", {"name": "created"})
        await served.wait_for(pipeline_id, "success")
        await served.send("POST", "/_fakeplat/snapshots/created/restore")
        await served.wait_for(pipeline_id, "success")


async def test_a_closed_world_runs_no_tasks() -> None:
    """A world that was closed leaves no timer behind."""
    async with serving("real", runs_due_tasks=True) as served:
        pipeline_id = await served.create_pipeline()
        before = served.platform.view.pipelines[pipeline_id].status
    await asyncio.sleep(0.1)
    assert before == served.platform.view.pipelines[pipeline_id].status
